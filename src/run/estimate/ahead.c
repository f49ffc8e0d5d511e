/* hk_check_ahead predicts what a run takes whose mesh is generated and large, without making the
 * mesh. A sample of the model, the same body with about 40 000 larger cells, is given to its
 * analysis (hk_analysis.ahead), which scales the costs to the whole model. For a mesh in a file
 * only the announced sizes and the memory of the mesh are reported. */
#include "run/estimate/estimate.h"
#include "base/json.h"
#include "input/read.h"
#include "run/session/session.h"
#include <math.h>

void hk_ahead_count(const hk_case_plan *plan, json_t *root)
{
  hk_summary_count(root, "nodes", (hk_count)nearbyint(plan->nodes));
  hk_summary_count(root, "elements", (hk_count)nearbyint(plan->elements));
  hk_summary_count(root, "dofs", (hk_count)nearbyint(plan->nodes * plan->unknowns));
}

void hk_ahead_scale_edges(const hk_case_sample *sample, json_t *root)
{
  static const char *const edges[] = {"shortest_edge", "longest_edge"};
  json_t *quality = json_object_get(root, "quality");
  for (int i = 0; i < 2; i++)
    json_object_set_new(
        quality, edges[i],
        hk_json_real(json_number_value(json_object_get(quality, edges[i])) / sample->factor));
  json_object_set_new(quality, "worst_element", json_null());
}

/* Of a mesh in a file: what the file announces, and what the mesh alone holds. */
static void tell_size(const hk_model_desc *model, const hk_case_plan *plan, json_t *root)
{
  json_object_set_new(root, "model",
                      json_string(model->path   ? model->path
                                  : model->name ? model->name
                                                : ""));
  json_object_set_new(root, "counts", json_object());
  hk_summary_count(root, "nodes", (hk_count)nearbyint(plan->nodes));
  if (plan->elements > 0) hk_summary_count(root, "elements", (hk_count)nearbyint(plan->elements));
  json_object_set_new(root, "memory_bytes_at_least", hk_json_real(hk_case_mesh_bytes(plan)));
  json_object_set_new(root, "memory_free_bytes", json_integer((json_int_t)hk_memory_available()));
  json_object_set_new(root, "estimated", json_true());
}

/* A mesh that check itself cannot make here: the estimate is then all that there is. */
static bool beyond_check(const json_t *root, hk_messages *list)
{
  const double need = json_number_value(json_object_get(root, "check_memory_bytes")),
               room = json_number_value(json_object_get(root, "memory_free_bytes"));
  if (!(need > room)) return false;
  hk_messages_add(list, HK_WARNING, NULL, 0, 0,
                  "to make and number the mesh takes %.3g GB of memory, and %.3g GB are free: all "
                  "numbers are estimated, and the mesh is not checked",
                  need / 1e9, room / 1e9);
  return true;
}

hk_status hk_check_ahead(const hk_model_desc *model, const hk_run_desc *how, hk_messages *list,
                         char **json, bool *complete)
{
  hk_status status = HK_OK;
  hk_messages *told = NULL;
  hk_case_sample sample = {0};
  hk_model *whole = NULL; /* the sample's */
  bool exact = false;
  json_t *root = json_object();
  *json = NULL, *complete = false;
  if (!hk_model_is_case(model) || how->blocks) goto cleanup;
  HK_TRY(hk_messages_create(&told));
  sample.held = hk_memory_held();
  hk_memory_renew_peak();
  HK_TRY(hk_case_read_sample(model, NULL, &sample, &whole));
  sample.memory = hk_memory_peak() - sample.held;
  if (!whole && !(sample.plan.nodes > 0)) goto cleanup;
  hk_session session = {.model = whole, .desc = how, .list = told, .start = hk_seconds()};
  if (whole)
    HK_TRY(hk_analysis_of_model(whole)->ahead(&session, model, &sample, root, &exact));
  else
    tell_size(model, &sample.plan, root);
  exact = exact || (whole && beyond_check(root, told));
  HK_TRY(hk_json_dump(root, 12, json));
  *complete = exact;
  for (hk_count i = 0; exact && i < hk_messages_count(told); i++) {
    const hk_message *m = hk_messages_at(told, i);
    hk_messages_add(list, m->severity, m->file, m->line, m->column, "%s", m->text);
  }
cleanup:
  json_decref(root);
  hk_model_destroy(&whole);
  hk_messages_destroy(&told);
  return status == HK_NO_RESOURCES || status == HK_STOPPED ? status : HK_OK;
}
