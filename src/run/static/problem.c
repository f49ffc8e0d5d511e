/* A static model made ready: degrees of freedom, the form of K that its method and preconditioner want, K itself once the films of a step are
 * known. Steady heat is the same with one component per node; K then holds h N^T N of the films (A.13), and is made anew where
 * those of a step differ. */
#include "run/static/static.h"
#include "model/inner_faces.h"
#include "operator/assembly/assembled.h"
#include "operator/element/coupled.h"
#include "operator/element/element_of.h"
#include "operator/list.h"
#include <math.h>
#include <omp.h>

/* Forms of K that auto must not choose: edges sum differences, which springs and axisymmetric solids do not allow. */
static bool needs_rows(const hk_model *model)
{
  bool ring = false;
  for (int r = 0; r < model->region_count; r++)
    ring = ring || model->region[r].plane == HK_AXISYMMETRIC;
  return ring || model->spring.count;
}

hk_status hk_static_form(const hk_discretisation *on, int components, const hk_mesh *mesh,
                         const hk_operator_kind **kind)
{
  const hk_static_how *how = &on->model->solve.how;
  const char *form = how->form;
  const bool any = hk_is_auto(form), coupled = on->model->step[0].kind == HK_STEP_COUPLED;
  if (any && (coupled || on->in_rows)) form = hk_operator_assembled.name;
  if (any && !coupled && !on->in_rows)
    form = hk_linear_form(how->method, how->preconditioner, mesh, components, on->device);
  if (any && needs_rows(on->model) && hk_operator_find(form) == &hk_operator_edges)
    form = hk_operator_assembled.name;
  const hk_operator_kind *named = hk_operator_find(form);
  HK_NEED(
      !on->in_rows || named == &hk_operator_assembled, HK_BAD_INPUT,
      "form %s: ranks of MPI share the rows of K in the form assembled alone: give form auto, or "
      "start one process",
      form);
  if (on->model->spring.count && !(named && named->pairs))
    return hk_error_set(HK_BAD_INPUT, "%s %s does not support the springs of cracks: give %s",
                        any ? "method" : "form", any ? how->method : form,
                        any ? "method cg" : "form auto or assembled");
  form = hk_operator_for_regions(form, on->model->region_count, mesh, on->device);
  const hk_status status = hk_operator_choose(form, mesh, on->device, kind);
  if (status == HK_BAD_INPUT && any && mesh->block_count)
    return hk_linear_refuse_order(how->method);
  return status;
}

/* Stabilisation weighs the rate of temperature too (A.31), which steps in time leave out: they refuse velocities. */
static hk_status check_motion(const hk_model *model, const hk_step *step, hk_messages *list)
{
  bool warm = false;
  for (int l = 0; l < step->load_count; l++)
    warm = warm || hk_formula_warm(step->load[l].by) || hk_formula_warm(step->load[l].film_by);
  for (int r = 0; r < model->region_count; r++) {
    const hk_material *m = &model->region[r].material;
    const char *name = m->name ? m->name : model->region[r].name;
    if (!m->advection.flows) continue;
    if (step->theta > 0)
      return hk_model_error(model, list, step->place, HK_BAD_INPUT,
                            "transient heat does not support the velocity of material %s: remove "
                            "it, or give solve: {heat: {}} for the steady state",
                            name);
    if (warm || hk_material_by_temperature(m))
      return hk_model_error(model, list, step->place, HK_BAD_INPUT,
                            "material %s has a velocity, and constants or loads by temperature, "
                            "which are not supported together: give numbers or formulas of the "
                            "place",
                            name);
  }
  return HK_OK;
}

static const double most_increments = 1e9; /* of a transient step */

static hk_status check_steps(const hk_model *model, hk_messages *list)
{
  for (int i = 0; i < model->step_count; i++) {
    const hk_step *step = &model->step[i];
    if (step->kind != model->step[0].kind)
      return hk_model_error(model, list, step->place, HK_BAD_INPUT,
                            "this step is of another kind than those before it: one model cannot "
                            "have steps of both kinds");
    for (int m = 0; m < step->motion_count; m++)
      if (step->motion[m].kind != HK_MOVE_DISPLACEMENT)
        return hk_model_error(model, list, step->motion[m].place, HK_BAD_INPUT,
                              "a static step prescribes displacements, not velocities or "
                              "accelerations");
    if (step->theta > 0 &&
        !(step->theta >= 0.5 && step->theta <= 1 && step->dt > 0 && step->dt <= step->duration))
      return hk_model_error(model, list, step->place, HK_BAD_INPUT,
                            "transient heat: theta must be from 0.5 to 1, dt above 0 and not "
                            "longer than the step");
    if (step->theta > 0 && !(step->duration / step->dt <= most_increments))
      return hk_model_error(model, list, step->place, HK_BAD_INPUT,
                            "transient heat: the step has %.3g increments, more than %.0e: give a "
                            "longer dt",
                            step->duration / step->dt, most_increments);
    HK_PASS(check_motion(model, step, list));
    if (step->shot_count)
      return hk_model_error(model, list, step->place, HK_BAD_INPUT, "a static step has no shots");
  }
  return HK_OK;
}

/* Factors are made in double precision; with residuals and forces in single their digits would be lost. */
static void choose_precision(hk_static *s)
{
  const hk_static_how *how = &s->on.model->solve.how;
  s->on.double_precision =
      s->session->desc->precision != HK_SINGLE ||
      (!s->on.in_rows && hk_linear_factors(how->method, how->preconditioner, s->on.model->mesh,
                                           s->components, s->on.device));
  if (s->on.double_precision && s->session->desc->precision == HK_SINGLE)
    hk_messages_add(s->on.list, HK_NOTE, NULL, 0, 0,
                    "factors are in double precision, and so are K and the results");
}

static hk_status create_space(hk_static *s)
{
  hk_discretisation *on = &s->on;
  HK_NEED(!s->session->desc->blocks, HK_USAGE,
          "--blocks: only explicit steps use blocks: remove it");
  HK_PASS(hk_static_form(on, s->components, on->model->mesh, &on->kind));
  HK_NEED(!hk_static_depends(s) || on->kind == &hk_operator_assembled ||
              on->kind == &hk_operator_elements,
          HK_BAD_INPUT,
          "form %s: constants that depend on temperature need the forms assembled or elements",
          on->kind->name);
  hk_space_desc numbering = on->kind->space(on->model->mesh, on->device, on->double_precision);
  numbering.components = s->components, numbering.coupled = hk_static_coupled(s);
  HK_PASS(hk_space_create(on->model->mesh, &numbering, &on->space));
  if (on->in_rows) HK_PASS(hk_sharing_create(hk_ranks_now(), on->space->padded, &on->share));
  HK_PASS(hk_mesh_ties(on->model->mesh, &on->ties));
  return hk_narrow(hk_discretisation_dofs(on), "the number of degrees of freedom", &(hk_index){0});
}

hk_static hk_static_of(hk_session *session)
{
  const hk_model *model = session->model;
  return (hk_static){.session = session,
                     .on = {.model = model,
                            .list = session->list,
                            .double_precision = session->desc->precision != HK_SINGLE}};
}

static void find_unknowns(hk_static *s)
{
  const hk_model *model = s->on.model;
  const int dim = model->mesh->dim;
  switch (model->step[0].kind) {
  case HK_STEP_HEAT: s->unknowns = HK_UNKNOWNS_SCALAR, s->components = 1, s->tensor = dim; break;
  case HK_STEP_COUPLED:
    s->unknowns = HK_UNKNOWNS_COUPLED, s->components = model->solve.unknown.count;
    s->tensor = s->components * dim;
    break;
  default:
    s->unknowns = HK_UNKNOWNS_DISPLACEMENTS, s->components = dim, s->tensor = dim == 2 ? 4 : 6;
  }
}

hk_status hk_static_prepare(hk_static *s)
{
  hk_status status = HK_OK;
  hk_discretisation *on = &s->on;
  const int before = hk_clock_begin("device");
  const int threads_before = omp_get_max_threads(); /* the caller's, put back */
  find_unknowns(s);
  HK_TRY(check_steps(on->model, on->list));
  HK_TRY(hk_model_check_regions(on->model, on->list));
  HK_TRY(hk_model_check_faces(on->model, on->list));
  HK_TRY(hk_discretisation_open(on, s->session->desc,
                                &(hk_device_desc){.validate = hk_static_validation, .user = s}));
  choose_precision(s);
  hk_clock_next("numbering");
  HK_TRY(create_space(s));
  HK_TRY(hk_extra_find(on, &s->pool, &s->extra));
  HK_TRY(hk_static_find_frames(s));
  if (hk_static_coupled(s)) HK_TRY(hk_static_coupled_names(s));
  HK_TRY(hk_static_find_traces(s));
  hk_clock_end(before);
cleanup:
  omp_set_num_threads(threads_before);
  return status;
}

/* K of the model with these films, which are borrowed. */
static hk_operator_terms terms_of(const hk_static *s, const hk_films *films)
{
  const hk_model *model = s->on.model;
  return (hk_operator_terms){{{&hk_springs_kind, model->spring.at, model->spring.count},
                              {&hk_exchange_kind, films->face, films->count},
                              {&hk_feedback_kind, s->feedback.entry, s->feedback.count}}};
}

static hk_operator_desc desc_of(const hk_static *s)
{
  hk_operator_desc desc = hk_discretisation_desc(&s->on);
  desc.terms = terms_of(s, &s->films);
  return desc;
}

hk_status hk_static_check_laws(const hk_static *s)
{
  const hk_operator_desc on = desc_of(s);
  const hk_static_how *how = &s->on.model->solve.how;
  bool unsymmetric;
  if (hk_static_solid(s)) return HK_OK;
  if (hk_static_coupled(s))
    HK_PASS(hk_coupled_check(&on, &unsymmetric));
  else
    HK_PASS(hk_operator_check_advection(s->on.kind, &on, &unsymmetric));
  if (unsymmetric) HK_PASS(hk_linear_check_unsymmetric(how->method, how->relaxation));
  return hk_static_coupled(s) ? HK_OK : hk_operator_check_laws(&on);
}

double hk_static_share(const hk_static *s)
{
  const hk_sharing *share = s->on.share;
  return share ? (double)(hk_sharing_end(share) - hk_sharing_first(share)) / s->on.space->padded
               : 1;
}

hk_status hk_static_plan(const hk_static *s, bool exact, hk_assembled_room *k, hk_count *all)
{
  const hk_count real = s->on.double_precision ? 8 : 4;
  const hk_operator_desc on = desc_of(s);
  *k = (hk_assembled_room){0};
  if (s->on.kind == &hk_operator_assembled)
    HK_PASS(hk_assembled_plan(&on, exact, k));
  else
    k->bytes = hk_discretisation_plan(&s->on);
  *all =
      (hk_count)(hk_static_share(s) * (double)k->bytes) * (hk_model_marches(s->on.model) ? 2 : 1);
  if (!s->on.in)
    *all += hk_discretisation_dofs(&s->on) * (2 * real + 4 * 8) +
            s->on.model->mesh->node_count * 8 * (3 * s->components + 2 * s->tensor);
  return HK_OK;
}

double hk_static_grow(const hk_assembled_room *k, double share, double nodes)
{
  const double bytes = share * (double)k->bytes;
  return nodes > 1 ? (bytes - k->waiting) * nodes + fmin(k->waiting * nodes, k->most_waiting)
                   : bytes;
}

hk_status hk_static_vectors(hk_static *s)
{
  hk_pool *pool = &s->pool;
  hk_step_vectors *v = &s->vector;
  hk_nodal_results *r = &s->nodal;
  const hk_count nodes = s->on.model->mesh->node_count;
  v->dofs = hk_discretisation_dofs(&s->on), v->all = v->dofs + s->extra.count * s->components;
  HK_PASS(hk_pool_get(pool, &v->f, v->all));
  HK_PASS(hk_pool_get(pool, &v->u, v->all));
  HK_PASS(hk_pool_get(pool, &v->ku, v->all));
  HK_PASS(hk_pool_get(pool, &v->right, v->dofs));
  HK_PASS(hk_pool_get(pool, &s->extra.load, v->all - v->dofs));
  HK_PASS(hk_pool_get(pool, &r->displacement, nodes * s->components));
  HK_PASS(hk_pool_get(pool, &r->reaction, nodes * s->components));
  HK_PASS(hk_pool_get(pool, &r->internal, nodes * s->components));
  HK_PASS(hk_pool_get(pool, &r->stress, nodes * s->tensor));
  if (hk_static_solid(s)) HK_PASS(hk_pool_get(pool, &r->strain, nodes * s->tensor));
  HK_PASS(hk_pool_get(pool, &s->result, s->frames.count));
  if (!hk_static_solid(s)) HK_PASS(hk_transient_begin(s));
  return hk_pool_get(pool, &s->solver.begin, s->frames.count + 1);
}

/* What was made of the last K goes; the films and the capacity of the step become those of K. */
static hk_status take_step(hk_static *s)
{
  hk_linear_destroy(&s->solver.linear);
  hk_operator_destroy(&s->on.op);
  HK_PASS(hk_films_copy(&s->films, &s->in_k));
  s->on.terms = terms_of(s, &s->in_k);
  return hk_static_solid(s) ? HK_OK : hk_transient_take(s);
}

/* K in rows is planned by means of its shapes first; row by row where that comes near what is free. */
static hk_status check_room(const hk_static *s)
{
  hk_assembled_room k;
  hk_count need;
  HK_PASS(hk_static_plan(s, false, &k, &need));
  if (2 * need > hk_device_available(s->on.device)) HK_PASS(hk_static_plan(s, true, &k, &need));
  return hk_discretisation_room(&s->on, need, "K and its vectors");
}

hk_status hk_static_assemble(hk_static *s)
{
  const bool stored = s->time.in_k == hk_transient_storage(s) &&
                      s->time.lumped == s->on.model->step[s->step].lumped;
  if (s->on.op && stored && hk_films_same(&s->films, &s->in_k)) return HK_OK;
  HK_PASS(take_step(s));
  HK_PASS(check_room(s));
  const hk_status made = hk_discretisation_assemble(&s->on);
  if (made ==
      HK_BAD_INPUT) /* of several elements with a wrong law the first, whatever the threads */
    HK_PASS(hk_static_check_laws(s));
  HK_PASS(made);
  HK_PASS(hk_operator_bind(s->on.op, HK_FORM_STORE, false, 1));
  if (!stored) HK_PASS(hk_transient_make_capacity(s));
  return hk_discretisation_vectors(&s->on);
}

void hk_static_clear(hk_static *s)
{
  hk_static_close(&s->files);
  hk_transient_clear(&s->time);
  hk_static_clear_traces(s);
  hk_linear_report_clear(&s->solver.report);
  hk_linear_destroy(&s->solver.linear);
  hk_null_modes_clear(&s->solver.mechanism);
  hk_constraints_clear(&s->solver.made_for);
  hk_free(&s->solver.residual.at);
  hk_constraints_clear(&s->held.own);
  hk_constraints_clear(&s->held.extras);
  hk_constraints_clear(&s->held.lead);
  hk_free(&s->films.face);
  hk_free(&s->in_k.face);
  hk_discretisation_clear(&s->on);
  hk_pool_clear(&s->pool);
}
