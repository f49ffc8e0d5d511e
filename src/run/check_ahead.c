/* hk_check_ahead: what a run of a generated mesh will take, without making the mesh.
 *
 * The numbers of nodes and elements follow from the parameters. A sample of the model, the same body of fewer and larger cells, tells what a
 * node costs. Of a box of equal cells a patch with cells as large as the model's tells the rest exactly: whichever
 * element sets the time step lies at a corner, an edge, a side or within, and so does one of the patch. */
#include "input/case/case.h"
#include "input/read.h"
#include "run/estimate/check.h"
#include "run/explicit/dt.h"
#include "run/estimate/idle.h"
#include "run/static/static.h"
#include "model/unit_names.h"
#include "base/json.h"
#include <math.h>
#include <string.h>

typedef struct ahead {
  hk_case_sample sample, patch;
  hk_model *whole, *part; /* the sample's and the patch's; part: NULL where there is none */
  hk_problem *p, *q;      /* of them */
  hk_resolution *resolution;
  hk_prediction what;
  double limit, frequency;
} ahead;

/* Whether the patch tells the time step and the quality of the mesh exactly. */
static bool plain(const ahead *a)
{
  const hk_model *m = a->whole;
  return a->sample.plan.box && !m->absorb.count && !m->spring.count && !m->media.fluid &&
         m->step_count == 1 && m->step[0].dt == 0 && !a->p->kind->mass;
}

/* Of the patch that of the model; else in proportion to the edges of elements. The sample then steps by it. */
static hk_status find_dt(ahead *a, bool exact)
{
  hk_status status = HK_OK;
  hk_index none = 0;
  const hk_sparse held = {.begin = &none};
  hk_problem *p = exact ? a->q : a->p;
  hk_step *step = &a->whole->step[0];
  const double omega = p->omega;
  hk_count steps;
  double dt;
  if (!exact) p->omega *= a->sample.factor;
  a->limit = 2 / p->omega;
  HK_TRY(hk_choose_dt(p, step, &held, 0, NULL, &dt, &steps));
  step->dt = dt;
cleanup:
  p->omega = omega;
  return status;
}

static hk_status measure(ahead *a, bool exact, hk_messages *list)
{
  hk_status status = HK_OK;
  const hk_model *m = exact ? a->part : a->whole;
  const double elements = a->sample.plan.elements / (double)m->mesh->element_count,
               shrink = exact ? 1 : a->sample.factor;
  HK_TRY(hk_get(&a->resolution, m->region_count));
  HK_TRY(hk_resolution_measure_part(m, a->whole->mesh, exact ? list : NULL, &a->frequency,
                                    a->resolution));
  for (int r = 0; r < m->region_count; r++) {
    a->resolution[r].elements = (hk_count)nearbyint((double)a->resolution[r].elements * elements);
    a->resolution[r].edge /= shrink, a->resolution[r].points *= shrink;
  }
cleanup:
  return status;
}

static void put(json_t *object, const char *key, double value)
{
  json_object_set_new(object, key, hk_json_real(value));
}

static void put_count(json_t *object, const char *key, double value)
{
  json_object_set_new(object, key, json_integer((json_int_t)nearbyint(value)));
}

static void scale_edges(const ahead *a, json_t *quality)
{
  static const char *const edges[] = {"shortest_edge", "longest_edge"};
  for (int i = 0; i < 2; i++)
    put(quality, edges[i],
        json_number_value(json_object_get(quality, edges[i])) / a->sample.factor);
}

/* Of static steps and heat conduction: what the sample takes, grown. */
static hk_status tell_static(const ahead *a, const hk_run_desc *how, hk_messages *list, char **json)
{
  hk_status status = HK_OK;
  const hk_case_plan *plan = &a->sample.plan;
  const hk_growth growth = {.nodes = plan->nodes / (double)a->whole->mesh->node_count};
  char *text = NULL;
  json_t *root = NULL;
  HK_TRY(hk_static_predict(a->whole, how, &growth, list, &text));
  root = json_loads(text, 0, NULL);
  json_t *counts = json_object_get(root, "counts"), *quality = json_object_get(root, "quality");
  const double held = json_number_value(json_object_get(counts, "constrained_dofs"));
  scale_edges(a, quality);
  json_object_set_new(quality, "worst_element", json_null());
  put_count(counts, "nodes", plan->nodes);
  put_count(counts, "elements", plan->elements);
  put_count(counts, "dofs", plan->nodes * plan->unknowns);
  put_count(counts, "constrained_dofs", held * pow(growth.nodes, (plan->dim - 1.0) / plan->dim));
  status = hk_json_dump(root, 12, json);
cleanup:
  json_decref(root);
  hk_text_free(&text);
  return status;
}

/* Of a box: its volume; one part, no node without an element. All of its elements are alike: the first is named. */
static void add_quality(const ahead *a, bool exact, hk_messages *list, json_t *root)
{
  json_t *q = hk_check_quality(exact ? a->part->mesh : a->whole->mesh, exact ? list : NULL);
  if (!exact) scale_edges(a, q);
  if (exact) put(q, "volume", a->sample.plan.volume);
  json_object_set_new(q, "worst_element", exact ? json_integer(1) : json_null());
  json_object_set_new(root, "quality", q);
}

static hk_status tell(const ahead *a, bool exact, hk_messages *list, char **json)
{
  hk_status status = HK_OK;
  const hk_case_plan *plan = &a->sample.plan;
  json_t *root = json_object();
  json_object_set_new(root, "model", json_string(a->whole->path));
  hk_check_add_units(a->whole, list, root);
  add_quality(a, exact, list, root);
  put(root, "highest_frequency", a->frequency);
  json_object_set_new(root, "regions", hk_check_regions(exact ? a->part : a->whole, a->resolution));
  hk_check_add_prediction(a->p, &a->what, root);
  put(root, "dt_limit", a->limit);
  json_object_set_new(root, "dt_element", exact ? json_integer(1) : json_null());
  json_t *counts = json_object_get(root, "counts");
  put_count(counts, "nodes", plan->nodes);
  put_count(counts, "elements", plan->elements);
  put_count(counts, "dofs", plan->nodes * plan->unknowns);
  json_object_set_new(root, "estimated", json_boolean(!exact));
  hk_check_add_dispersion(a->whole, &a->what, a->frequency, a->resolution, exact ? list : NULL,
                          root);
  status = hk_json_dump(root, 12, json);
  json_decref(root);
  return status;
}

static hk_status look(ahead *a, const hk_run_desc *how, bool *exact, hk_messages *list)
{
  hk_status status = HK_OK;
  HK_TRY(hk_problem_prepare(a->whole, how, NULL, &a->p));
  *exact = a->part && plain(a);
  if (*exact) HK_TRY(hk_problem_prepare(a->part, how, list, &a->q));
  HK_TRY(find_dt(a, *exact));
  HK_TRY(measure(a, *exact, list));
  const hk_case_plan *plan = &a->sample.plan;
  hk_growth growth = {.nodes = plan->nodes / (double)a->whole->mesh->node_count,
                      .elements = plan->elements / (double)a->whole->mesh->element_count,
                      .order = plan->order};
  for (int d = 0; plan->box && d < plan->dim; d++)
    growth.cells[d] = plan->cells[d], growth.sampled[d] = ceil(plan->cells[d] / a->sample.factor);
  HK_TRY(hk_predict_grown(a->p, how, &growth, *exact ? list : NULL, &a->what));
  hk_check_room(&a->what, a->p->device, list);
  hk_model_warn_idle(a->whole, list);
cleanup:
  return status;
}

/* Of a mesh in a file: what the file announces, and what the mesh alone holds. */
static hk_status tell_size(const hk_model_desc *model, const hk_case_plan *plan, char **json)
{
  hk_status status = HK_OK;
  json_t *root = json_object(), *counts = json_object();
  json_object_set_new(root, "model",
                      json_string(model->path   ? model->path
                                  : model->name ? model->name
                                                : ""));
  put_count(counts, "nodes", plan->nodes);
  if (plan->elements > 0) put_count(counts, "elements", plan->elements);
  json_object_set_new(root, "counts", counts);
  put(root, "memory_bytes_at_least", hk_case_mesh_bytes(plan));
  json_object_set_new(root, "memory_free_bytes", json_integer((json_int_t)hk_memory_available()));
  json_object_set_new(root, "estimated", json_true());
  status = hk_json_dump(root, 12, json);
  json_decref(root);
  return status;
}

static void clear(ahead *a)
{
  hk_problem_destroy(&a->p);
  hk_problem_destroy(&a->q);
  hk_model_destroy(&a->whole);
  hk_model_destroy(&a->part);
  hk_free(&a->resolution);
}

hk_status hk_check_ahead(const hk_model_desc *model, const hk_run_desc *how, hk_messages *list,
                         char **json, bool *complete)
{
  hk_status status = HK_OK;
  hk_messages *told = NULL;
  ahead a = {.patch.patch = true};
  *json = NULL, *complete = false;
  if (!hk_model_is_case(model) || how->blocks) return HK_OK;
  HK_TRY(hk_messages_create(&told));
  HK_TRY(hk_case_read_sample(model, NULL, &a.sample, &a.whole));
  if (!a.whole) {
    if (a.sample.plan.nodes > 0) status = tell_size(model, &a.sample.plan, json);
    goto cleanup;
  }
  if (hk_model_is_static(a.whole)) {
    status = tell_static(&a, how, told, json);
    goto cleanup;
  }
  if (a.sample.plan.box) HK_TRY(hk_case_read_sample(model, told, &a.patch, &a.part));
  HK_TRY(look(&a, how, complete, told));
  HK_TRY(tell(&a, *complete, told, json));
  for (hk_count i = 0; *complete && i < hk_messages_count(told); i++) {
    const hk_message *m = hk_messages_at(told, i);
    hk_messages_add(list, m->severity, m->file, m->line, m->column, "%s", m->text);
  }
cleanup:
  clear(&a);
  hk_messages_destroy(&told);
  return status == HK_NO_RESOURCES || status == HK_STOPPED ? status : HK_OK;
}
