/* What an explicit run of a generated mesh will take, without making the mesh. The numbers of nodes and elements follow from the parameters. A sample of the
 * model, the same body of fewer and larger cells, tells what a node costs. Of a box of equal cells a patch with cells as large as the model's tells the
 * rest exactly: whichever element sets the time step (W.11) lies at a corner, an edge, a side or within, and so does one of the patch. */
#include "base/json.h"
#include "input/case/case.h"
#include "model/unit_names.h"
#include "run/march/march.h"
#include <math.h>

typedef struct ahead {
  hk_session *session;          /* of the sample */
  const hk_case_sample *sample; /* what it is a sample of */
  hk_model *part;               /* the patch; NULL: there is none */
  hk_problem *p, *q;            /* of the sample and the patch */
  hk_resolution *resolution;
  hk_prediction what;
  hk_count beside; /* bytes held by others than the sample and what is made of it */
  double limit, frequency;
} ahead;

/* Whether the patch tells the time step and the quality of the mesh exactly. */
static bool plain(const ahead *a)
{
  const hk_model *m = a->session->model;
  return a->sample->plan.box && !m->absorb.count && !m->spring.count && !m->media.fluid &&
         m->step_count == 1 && m->step[0].dt == 0 && !a->p->on.kind->mass &&
         !hk_mesh_quad_families(m->mesh);
}

/* Of the patch that of the model; else in proportion to the edges of elements. The sample then steps by it. */
static hk_status find_dt(ahead *a, bool exact)
{
  hk_status status = HK_OK;
  hk_index none = 0;
  const hk_sparse held = {.begin = &none};
  hk_problem *p = exact ? a->q : a->p;
  hk_step *step = &a->session->model->step[0]; /* of the sample, ours to change */
  const double omega = p->omega, rate = p->delay.rate, factor = exact ? 1 : a->sample->factor;
  hk_count steps;
  double dt;
  p->omega *= factor, p->delay.rate *= factor * factor;
  a->limit = hk_problem_dt_limit(p);
  HK_TRY(hk_choose_dt(p, step, &held, 0, &dt, &steps));
  step->dt = dt;
cleanup:
  p->omega = omega, p->delay.rate = rate;
  return status;
}

static hk_status measure(ahead *a, bool exact, hk_messages *list)
{
  const hk_model *m = exact ? a->part : a->session->model;
  const double elements = a->sample->plan.elements / (double)m->mesh->element_count,
               shrink = exact ? 1 : a->sample->factor;
  HK_PASS(hk_get(&a->resolution, m->region_count));
  HK_PASS(hk_resolution_measure_part(m, a->session->model->mesh, exact ? list : NULL, &a->frequency,
                                     a->resolution));
  for (int r = 0; r < hk_model_named_regions(m); r++) {
    a->resolution[r].elements = (hk_count)nearbyint((double)a->resolution[r].elements * elements);
    a->resolution[r].edge /= shrink, a->resolution[r].points *= shrink;
  }
  return HK_OK;
}

/* Of a box: its volume; one part, no node without an element. All of its elements are alike: the first is named. */
static void add_quality(const ahead *a, bool exact, json_t *root)
{
  const hk_model *m = exact ? a->part : a->session->model;
  json_t *q = hk_check_quality(m->mesh, exact ? a->session->list : NULL);
  if (exact) json_object_set_new(q, "volume", hk_json_real(a->sample->plan.volume));
  json_object_set_new(root, "quality", q);
  if (!exact) hk_ahead_scale_edges(a->sample, root);
  if (exact) json_object_set_new(q, "worst_element", json_integer(1));
}

static void tell(const ahead *a, bool exact, json_t *root)
{
  hk_session *s = a->session;
  json_object_set_new(root, "model", json_string(s->model->path));
  hk_check_add_units(s->model, s->list, root);
  add_quality(a, exact, root);
  json_object_set_new(root, "highest_frequency", hk_json_real(a->frequency));
  json_object_set_new(root, "regions", hk_check_regions(exact ? a->part : s->model, a->resolution));
  hk_check_add_attenuation(s->model, false, root);
  hk_check_add_prediction(a->p, &a->what, root);
  json_object_set_new(root, "dt_limit", hk_json_real(a->limit));
  json_object_set_new(root, "dt_element", exact ? json_integer(1) : json_null());
  hk_ahead_count(&a->sample->plan, root);
  hk_check_add_cost(&a->what.cost, !exact, root);
  hk_stages_add_kept(&a->p->on, nearbyint(a->sample->plan.nodes), root);
  hk_check_add_devices_of(a->p, &a->what, s->list, root);
  hk_check_add_dispersion(a->p, &a->what, a->frequency, a->resolution, exact ? s->list : NULL,
                          root);
}

/* Steps of the sample say nothing that holds of the whole, unless the patch is exact. */
static hk_status look(ahead *a, bool *exact)
{
  hk_session *s = a->session;
  const hk_case_plan *plan = &a->sample->plan;
  /* work room of a fixed size is lessened as the sample is, so that all grows alike */
  const double share = hk_memory_share((double)s->model->mesh->node_count / plan->nodes);
  hk_memory_renew_peak();
  const hk_status status = hk_problem_prepare(s->model, s->desc, NULL, &a->p);
  hk_memory_share(share);
  HK_PASS(status);
  const hk_count prepared = hk_memory_peak() - a->beside, held = hk_memory_held(),
                 most = prepared > a->sample->memory ? prepared : a->sample->memory;
  *exact = a->part && plain(a);
  if (*exact) HK_PASS(hk_problem_prepare(a->part, s->desc, s->list, &a->q));
  a->beside += hk_memory_held() - held;
  if (*exact) a->q->on.list = NULL;
  HK_PASS(find_dt(a, *exact));
  HK_PASS(measure(a, *exact, s->list));
  hk_growth growth = {.nodes = plan->nodes / (double)s->model->mesh->node_count,
                      .elements = plan->elements / (double)s->model->mesh->element_count,
                      .order = plan->order,
                      .beside = a->beside};
  for (int d = 0; plan->box && d < plan->dim; d++)
    growth.cells[d] = plan->cells[d], growth.sampled[d] = ceil(plan->cells[d] / a->sample->factor);
  a->p->on.list = *exact ? s->list : NULL;
  HK_PASS(hk_predict(a->p, s->desc, most, &growth, &a->what));
  hk_check_room(&a->what.cost, s->list);
  hk_model_warn_idle(s->model, s->list);
  return HK_OK;
}

hk_status hk_march_ahead(hk_session *session, const hk_model_desc *of, const hk_case_sample *sample,
                         json_t *root, bool *complete)
{
  hk_status status = HK_OK;
  hk_case_sample patch = {.patch = true};
  ahead a = {.session = session, .sample = sample, .beside = sample->held};
  const hk_count held = hk_memory_held();
  if (sample->plan.box) HK_TRY(hk_case_read_sample(of, session->list, &patch, &a.part));
  a.beside += hk_memory_held() - held;
  HK_TRY(look(&a, complete));
  tell(&a, *complete, root);
cleanup:
  hk_problem_destroy(&a.p);
  hk_problem_destroy(&a.q);
  hk_model_destroy(&a.part);
  hk_free(&a.resolution);
  return status;
}
