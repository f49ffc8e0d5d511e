/* hk_check of an explicit model: what a run will take, without building anything large. */
#include "base/json.h"
#include "model/unit_names.h"
#include "run/estimate/check.h"
#include "run/estimate/idle.h"
#include "run/march/march.h"

hk_status hk_march_check(const hk_model *model, const hk_run_desc *desc, hk_messages *list,
                         char **json)
{
  hk_status status = HK_OK;
  hk_problem *p = NULL;
  hk_resolution *resolution = NULL;
  hk_prediction what;
  double frequency;
  json_t *root = json_object();

  HK_TRY(hk_get(&resolution, model->region_count));
  HK_TRY(hk_problem_prepare(model, desc, list, &p));
  HK_TRY(hk_predict(p, desc, list, &what));
  hk_model_warn_idle(model, list);
  json_object_set_new(root, "model", json_string(model->path));
  hk_check_add_units(model, list, root);
  json_object_set_new(root, "quality", hk_check_quality(model->mesh, list));
  HK_TRY(hk_resolution_measure(model, list, &frequency, resolution));
  json_object_set_new(root, "highest_frequency", hk_json_real(frequency));
  json_object_set_new(root, "regions", hk_check_regions(model, resolution));
  hk_check_add_prediction(p, &what, root);
  json_object_set_new(root, "estimated", json_false());
  hk_check_room(&what, p->device, list);
  hk_check_add_dispersion(model, &what, frequency, resolution, list, root);
  HK_TRY(hk_json_dump(root, 12, json));
cleanup:
  json_decref(root);
  hk_free(&resolution);
  hk_problem_destroy(&p);
  return status;
}
