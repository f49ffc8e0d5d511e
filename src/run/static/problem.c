#include "run/static/static.h"
#include "base/words.h"
#include "load/joints.h"
#include "operator/assembly/assembled.h"
#include "operator/element/element_of.h"
#include "operator/list.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

bool hk_model_is_static(const hk_model *model)
{
  return model->step_count > 0 && model->step[0].kind != HK_STEP_EXPLICIT;
}

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
    if (step->shot_count)
      return hk_model_error(model, list, step->place, HK_BAD_INPUT, "a static step has no shots");
  }
  return HK_OK;
}

hk_status hk_static_form(const hk_static *s, const hk_mesh *mesh, const hk_operator_kind **kind)
{
  const hk_static_how *how = &s->model->solve.how;
  const char *form = how->form;
  const bool any = hk_is_auto(form);
  if (any) form = hk_linear_form(how->method, how->preconditioner, mesh, s->components, s->device);
  if (any && s->model->spring.count && hk_operator_find(form) == &hk_operator_edges)
    form = hk_operator_assembled.name;
  const hk_operator_kind *named = hk_operator_find(form);
  if (s->model->spring.count && !(named && named->pairs))
    return hk_error_set(HK_BAD_INPUT, "%s %s does not support the springs of cracks: give %s",
                        any ? "method" : "form", any ? how->method : form,
                        any ? "method cg" : "form auto or assembled");
  const hk_status status = hk_operator_choose(form, mesh, s->device, kind);
  if (status == HK_BAD_INPUT && any && mesh->block_count)
    return hk_linear_refuse_order(how->method);
  return status;
}

/* Factors are made in double precision; with residuals and forces in single their digits would be lost. */
static void choose_precision(hk_static *s)
{
  const hk_static_how *how = &s->model->solve.how;
  s->double_precision =
      s->session->desc->precision != HK_SINGLE ||
      hk_linear_factors(how->method, how->preconditioner, s->model->mesh, s->components, s->device);
  if (s->double_precision && s->session->desc->precision == HK_SINGLE)
    hk_messages_add(s->list, HK_NOTE, NULL, 0, 0,
                    "factors are in double precision, and so are K and the results");
}

static hk_status create_space(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_model *model = s->model;
  HK_CHECK(!s->session->desc->blocks, HK_USAGE,
           "--blocks: only explicit steps use blocks: remove it");
  HK_TRY(hk_static_form(s, model->mesh, &s->kind));
  hk_space_desc numbering = s->kind->space(model->mesh, s->device, s->double_precision);
  numbering.components = s->components;
  HK_TRY(hk_space_create(model->mesh, &numbering, &s->space));
  s->dofs = (hk_count)s->space->padded * s->space->components;
  HK_TRY(hk_narrow(s->dofs, "the number of degrees of freedom", &(hk_index){0}));
  HK_TRY(hk_get(&s->x, (hk_count)s->space->padded * s->space->dim));
  hk_space_to_internal(s->space, s->space->dim, model->mesh->x, s->x);
cleanup:
  return status;
}

/* Nodes without an element that equations name, ascending. */
static hk_status find_extras(hk_static *s)
{
  hk_status status = HK_OK;
  bool *named = NULL;
  hk_count count = 0;
  if (!s->model->equation.count) return HK_OK;
  HK_TRY(hk_get(&named, s->model->mesh->node_count));
  for (int i = 0; i < s->model->equation.count; i++)
    for (int k = 0; k < s->model->equation.at[i].terms; k++) {
      const hk_index node = s->model->equation.at[i].node[k];
      if (s->space->node[node] >= 0 || named[node]) continue;
      named[node] = true;
      count++;
    }
  HK_TRY(hk_get(&s->extra, count));
  for (hk_count n = 0; n < s->model->mesh->node_count; n++)
    if (named[n]) s->extra[s->extra_count++] = (hk_index)n;
cleanup:
  hk_free(&named);
  return status;
}

hk_status hk_static_prepare(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_run_desc *desc = s->session->desc;
  const double start = hk_seconds();
  const int threads_before = omp_get_max_threads(); /* the caller's, put back */
  s->double_precision = desc->precision != HK_SINGLE;
  s->heat = s->model->step[0].kind == HK_STEP_HEAT;
  s->components = s->heat ? 1 : s->model->mesh->dim;
  s->tensor = s->heat ? s->model->mesh->dim : s->model->mesh->dim == 2 ? 4 : 6;
  HK_TRY(check_steps(s->model, s->list));
  HK_TRY(hk_model_check_regions(s->model, s->list));
  HK_TRY(hk_device_create(&(hk_device_desc){.name = desc->device,
                                            .threads = desc->threads,
                                            .toolkit = desc->toolkit,
                                            .cache = desc->cache,
                                            .validate = hk_static_validation,
                                            .user = s},
                          &s->device));
  omp_set_num_threads(hk_device_describe(s->device)->threads);
  choose_precision(s);
  HK_TRY(create_space(s));
  HK_TRY(find_extras(s));
  s->session->seconds.mesh = hk_seconds() - start;
cleanup:
  omp_set_num_threads(threads_before);
  return status;
}

static hk_operator_desc desc_of(const hk_static *s, const hk_exchange *exchange, hk_count count)
{
  return (hk_operator_desc){
      .device = s->device,
      .space = s->space,
      .region = s->model->region,
      .element_region = s->model->element_region,
      .double_precision = s->double_precision,
      .terms = {{{&hk_springs_kind, s->model->spring.at, s->model->spring.count},
                 {&hk_exchange_kind, exchange, count}}}};
}

hk_status hk_static_check_laws(const hk_static *s)
{
  const hk_operator_desc on = desc_of(s, NULL, 0);
  return s->heat ? hk_operator_check_laws(&on) : HK_OK;
}

hk_status hk_static_plan(const hk_static *s, bool exact, hk_count *k, hk_count *all)
{
  hk_status status = HK_OK;
  const double filled = ceil((double)s->space->nodes / s->space->patch) / s->space->patches;
  const hk_mesh *mesh = s->model->mesh;
  const hk_count real = s->double_precision ? 8 : 4;
  const hk_operator_desc on = desc_of(s, s->exchange, s->exchange_count);
  if (s->kind == &hk_operator_assembled)
    HK_TRY(hk_assembled_plan(&on, exact, k));
  else
    *k = (hk_count)((double)hk_operator_plan(s->kind, mesh, s->components, s->device,
                                             s->double_precision) /
                    filled);
  *all = *k + s->dofs * (2 * real + 5 * 8) +
         mesh->node_count * 8 * (3 * s->components + 2 * s->tensor);
cleanup:
  return status;
}

double hk_static_grow(const hk_static *s, hk_count k, double nodes)
{
  const hk_operator_desc on = desc_of(s, s->exchange, s->exchange_count);
  double waiting = 0, most = 0;
  if (s->kind == &hk_operator_assembled) hk_assembled_waiting(&on, &waiting, &most);
  return ((double)k - waiting) * nodes + fmin(waiting * nodes, most);
}

hk_status hk_static_vectors(hk_static *s)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = s->model->mesh;
  const hk_count all = s->dofs + s->extra_count * s->space->components;
  HK_TRY(hk_get(&s->f, all));
  HK_TRY(hk_get(&s->u, all));
  HK_TRY(hk_get(&s->ku, all));
  HK_TRY(hk_get(&s->extra_load, all - s->dofs));
  HK_TRY(hk_get(&s->right, s->dofs));
  HK_TRY(hk_get(&s->displacement, mesh->node_count * s->components));
  HK_TRY(hk_get(&s->reaction, mesh->node_count * s->components));
  HK_TRY(hk_get(&s->internal, mesh->node_count * s->components));
  HK_TRY(hk_get(&s->stress, mesh->node_count * s->tensor));
  if (!s->heat) HK_TRY(hk_get(&s->strain, mesh->node_count * s->tensor));
  HK_TRY(hk_get(&s->result, s->model->step_count));
  HK_TRY(hk_get(&s->history_begin, s->model->step_count + 1));
cleanup:
  return status;
}

static bool is_assembled(const hk_static *s)
{
  if (!s->op || s->exchange_count != s->assembled_count) return false;
  for (hk_count i = 0; i < s->exchange_count; i++)
    if (s->exchange[i].element != s->assembled[i].element ||
        s->exchange[i].face != s->assembled[i].face ||
        s->exchange[i].coefficient != s->assembled[i].coefficient ||
        s->exchange[i].by != s->assembled[i].by)
      return false;
  return true;
}

/* The step's films become those of K; what was made of the last K goes. */
static hk_status take_exchange(hk_static *s)
{
  hk_status status = HK_OK;
  hk_linear_destroy(&s->linear);
  hk_operator_destroy(&s->op);
  hk_buffer_destroy(&s->in);
  hk_buffer_destroy(&s->out);
  hk_free(&s->assembled);
  s->assembled_count = 0;
  HK_TRY(hk_get(&s->assembled, s->exchange_count));
  if (s->exchange_count)
    memcpy(s->assembled, s->exchange, (size_t)s->exchange_count * sizeof *s->assembled);
  s->assembled_count = s->exchange_count;
cleanup:
  return status;
}

hk_status hk_static_assemble(hk_static *s)
{
  hk_status status = HK_OK;
  const double start = hk_seconds();
  if (is_assembled(s)) return HK_OK;
  HK_TRY(take_exchange(s));
  const hk_count room = hk_device_available(s->device), real = s->double_precision ? 8 : 4;
  hk_count k, need;
  HK_TRY(hk_static_plan(s, false, &k, &need));
  if (2 * need > room) HK_TRY(hk_static_plan(s, true, &k, &need));
  HK_CHECK(need <= room, HK_NO_RESOURCES,
           "out of memory: K and its vectors need %.1f MB on device %s, and %.1f MB are free: use "
           "a machine with more memory or a coarser mesh",
           (double)need / 1e6, hk_device_describe(s->device)->backend, (double)room / 1e6);
  const hk_operator_desc on = desc_of(s, s->assembled, s->assembled_count);
  const hk_status made = hk_operator_create(s->kind, &on, &s->op);
  if (made ==
      HK_BAD_INPUT) /* of several elements with a wrong law the first, whatever the threads */
    HK_TRY(hk_static_check_laws(s));
  HK_TRY(made);
  HK_TRY(hk_operator_bind(s->op, HK_FORM_STORE, false, 1));
  HK_TRY(hk_buffer_create(s->device, s->dofs * real, &s->in));
  HK_TRY(hk_buffer_create(s->device, s->dofs * real, &s->out));
  hk_memory_trim();
cleanup:
  s->session->seconds.assemble += hk_seconds() - start;
  return status;
}

void hk_static_clear(hk_static *s)
{
  double **vector[] = {&s->x,          &s->f,        &s->u,       &s->ku,
                       &s->extra_load, &s->right,    &s->history, &s->displacement,
                       &s->reaction,   &s->internal, &s->stress,  &s->strain,
                       &s->frame_time};
  hk_static_close(s);
  hk_linear_report_clear(&s->report);
  hk_linear_destroy(&s->linear);
  hk_null_modes_clear(&s->mechanism);
  hk_constraints_clear(&s->held);
  hk_constraints_clear(&s->extras);
  hk_constraints_clear(&s->lead);
  hk_constraints_clear(&s->solved);
  hk_buffer_destroy(&s->in);
  hk_buffer_destroy(&s->out);
  hk_operator_destroy(&s->op);
  hk_space_destroy(&s->space);
  hk_device_close(&s->device);
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) hk_free(vector[i]);
  hk_free(&s->extra);
  hk_free(&s->exchange);
  hk_free(&s->assembled);
  hk_free(&s->result);
  hk_free(&s->history_begin);
  hk_free(&s->frame);
}

/* ": free along x, about z, and 1 others": as one body along and about its axes, and in other ways. */
static void name_motions(const hk_loose *l, char *text, size_t size)
{
  static const char *const axis[] = {"x", "y", "z"};
  size_t at = 0;
  int named = 0;
  text[0] = 0;
  for (int m = 0; m < 6 && at < size; m++)
    if (l->free & 1u << m)
      at += (size_t)snprintf(text + at, size - at, "%s%s %s", named++ ? ", " : ": free ",
                             m < 3 ? "along" : "about", axis[m % 3]);
  if (named && named < l->modes && at < size)
    snprintf(text + at, size - at, ", and %d others", l->modes - named);
}

static hk_rigid_desc rigid_desc(const hk_static *s)
{
  return (hk_rigid_desc){.space = s->space,
                         .constraints = &s->held,
                         .exchange = s->exchange,
                         .exchange_count = s->exchange_count,
                         .region = s->model->region,
                         .element_region = s->model->element_region,
                         .spring = s->model->spring.at,
                         .spring_count = s->model->spring.count};
}

hk_status hk_static_check_joints(const hk_static *s, bool *told)
{
  hk_status status = HK_OK;
  const hk_place place = s->model->step[s->step].place;
  const hk_rigid_desc desc = rigid_desc(s);
  hk_count modes;
  hk_index node;
  HK_TRY(hk_joints_find(&desc, &modes, &node));
  *told = modes > 0;
  if (*told)
    hk_messages_add(
        s->list, HK_WARNING, place.file, place.line, 0,
        "parts that meet only in an edge or a node (first: node %lld) can rotate there: %lld "
        "motion%s that nothing resists, and a run ends with 7: join them by a face, or hold them",
        (long long)hk_mesh_node_label(s->model->mesh, node), (long long)modes,
        modes > 1 ? "s" : "");
cleanup:
  return status;
}

hk_status hk_static_check_rigid(const hk_static *s)
{
  hk_status status = HK_OK;
  enum { MOST = 10 };
  const hk_rigid_desc desc = rigid_desc(s);
  hk_count parts, count, modes = 0;
  hk_loose *loose = NULL;
  HK_TRY(hk_rigid_find(&desc, &parts, &count, &loose));
  for (hk_count i = 0; i < count; i++) {
    const hk_loose *l = &loose[i];
    char motions[160] = "", linked[64] = "";
    modes += l->modes;
    if (i >= MOST) continue;
    if (!s->heat) name_motions(l, motions, sizeof motions);
    if (l->parts > 1)
      snprintf(linked, sizeof linked, " (%lld parts that equations link)", (long long)l->parts);
    hk_messages_add(
        s->list, HK_ERROR, s->model->step[s->step].place.file, s->model->step[s->step].place.line,
        0,
        s->heat
            ? "%d temperature is not held%s: the part of element %lld%s with %lld elements%s"
            : "%d rigid-body modes are not held%s: the part of element %lld%s with %lld elements%s",
        l->modes, parts > 1 ? " of one part" : "",
        (long long)hk_mesh_element_label(s->model->mesh, l->element), linked,
        (long long)l->elements, motions);
  }
  HK_CHECK(!modes || !s->heat, HK_BAD_INPUT,
           "%s: %lld parts have no prescribed temperature, film or reaction, so their temperature "
           "is not determined: prescribe one",
           s->model->path, (long long)modes);
  HK_CHECK(!modes, HK_BAD_INPUT,
           "%s: %lld rigid-body modes are not held: prescribe displacements that hold the model",
           s->model->path, (long long)modes);
cleanup:
  hk_free(&loose);
  return status;
}
