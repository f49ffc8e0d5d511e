/* `hooke check` of an explicit model: predicts the costs of a run without assembling K, and reports
 * the time step and the element that sets it, the resolution of the shortest wave in each region,
 * and the phase error of central differences (D.2). */
#include "base/json.h"
#include "run/march/march.h"

hk_status hk_march_check(hk_session *s, json_t *root)
{
  hk_status status = HK_OK;
  hk_problem *p = NULL;
  hk_resolution *resolution = NULL;
  hk_prediction what;
  double frequency;
  HK_TRY(hk_get(&resolution, s->model->region_count));
  hk_memory_renew_peak();
  HK_TRY(hk_problem_prepare(s->model, s->desc, s->list, &p));
  HK_TRY(hk_predict(p, s->desc, hk_estimate_most(s->model), NULL, &what));
  hk_check_begin(&p->on, root);
  HK_TRY(hk_resolution_measure(s->model, s->list, &frequency, resolution));
  hk_resolution_advise(s->model, s->list);
  json_object_set_new(root, "highest_frequency", hk_json_real(frequency));
  json_object_set_new(root, "regions", hk_check_regions(s->model, resolution));
  hk_check_add_attenuation(s->model, false, root);
  hk_check_add_prediction(p, &what, root);
  hk_check_add_traces(s->model, root);
  hk_check_add_cost(&what.cost, false, root);
  hk_stages_add_kept(&p->on, (double)s->model->mesh->node_count, root);
  hk_check_room(&what.cost, s->list);
  hk_check_add_devices_of(p, &what, s->list, root);
  hk_check_add_dispersion(p, &what, frequency, resolution, s->list, root);
cleanup:
  hk_free(&resolution);
  hk_problem_destroy(&p);
  return status;
}
