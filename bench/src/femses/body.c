/* Bodies of the bench of FEMSES (Keating 2019): the rectangle of section 2.5.1, the same jittered and renumbered at
 * random, a quarter of a pipe with a bore hole, a box of tetrahedra, or the first step of a heat model. Each body is
 * numbered twice, as the forms `assembled` and `elements` want it, and holds its prescribed values as constraints in
 * both. */
#include "femses/femses.h"
#include "operator/list.h"
#include <math.h>
#include <string.h>

static const double near_end = 1e-9, bore = 0.25; /* radius, of the quarter's side */

/* U0 = 0 at x = 0, U1 = 1 at x = 1, the rest insulated (section 2.5.1, ERRATA: U1 on x = c). */
static double hold_ends(const double *x, int dim)
{
  (void)dim;
  return x[0] < near_end ? 0 : x[0] > 1 - near_end ? 1 : NAN;
}

/* Outer sides of the pipe. */
static double hold_outside(const double *x, int dim)
{
  (void)dim;
  return fmax(x[0], x[1]) > 1 - near_end ? x[0] : NAN;
}

/* (t, s) of the unit square: t from the bore to the outer sides, s along them. */
static void map_bore(double *x)
{
  const double t = x[0], s = x[1], angle = s * acos(-1) / 2,
               side[2] = {s < 0.5 ? 1 : 2 - 2 * s, s < 0.5 ? 2 * s : 1};
  x[0] = (1 - t) * bore * cos(angle) + t * side[0];
  x[1] = (1 - t) * bore * sin(angle) + t * side[1];
}

const hk_femses_case hk_femses_cases[HK_FEMSES_CASES] = {
    {.name = "rectangle",
     .shape = HK_TRI3,
     .full = true,
     .dofs = {2500, 10000, 40000, 160000, 490000},
     .held = hold_ends,
     .linear = true},
    {.name = "rectangle, irregular",
     .shape = HK_TRI3,
     .scrambled = true,
     .dofs = {62500, 250000, 1000000},
     .held = hold_ends,
     .linear = true},
    {.name = "bore hole",
     .shape = HK_TRI3,
     .dofs = {2500, 10000, 40000, 160000},
     .map = map_bore,
     .held = hold_outside},
    {.name = "box of tetrahedra",
     .shape = HK_TET4,
     .scrambled = true,
     .dofs = {27000, 216000, 1000000},
     .held = hold_ends,
     .linear = true}};

static hk_status make_mesh(hk_femses_body *b, double dofs)
{
  const hk_femses_case *of = b->of;
  const int dim = of->shape == HK_TET4 ? 3 : 2;
  const hk_count cells = (hk_count)fmax(round(pow(dofs, 1.0 / dim)) - 1, 3);
  HK_PASS(hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim,
                                              .to = {1, 1, 1},
                                              .cells = {cells, cells, cells},
                                              .shape = of->shape,
                                              .jitter = of->scrambled ? 0.15 : 0,
                                              .shuffle = of->scrambled},
                              &b->own_mesh));
  for (hk_count n = 0; of->map && n < b->own_mesh->node_count; n++)
    of->map(b->own_mesh->x + n * dim);
  b->mesh = b->own_mesh;
  return hk_narrow(b->mesh->node_count, "unknowns", &b->dofs);
}

static hk_status hold(const hk_femses_body *b, hk_femses_numbering *form)
{
  hk_status status = HK_OK;
  hk_constraint_rows rows = {0};
  const int dim = b->mesh->dim;
  for (hk_count n = 0; n < b->mesh->node_count; n++) {
    const double value = b->of->held(b->mesh->x + n * dim, dim);
    if (isfinite(value))
      HK_TRY(hk_constraint_rows_add(&rows, 1, &form->space->node[n], &(double){1}, value, NULL, 0));
  }
  HK_TRY(hk_constraints_build(&rows, form->space->padded, 0, NULL, &form->held, NULL));
cleanup:
  hk_constraint_rows_clear(&rows);
  return status;
}

static const hk_operator_kind *const kinds[HK_FEMSES_FORMS] = {&hk_operator_assembled,
                                                               &hk_operator_elements};

static hk_status number(const hk_femses_body *b, const hk_operator_kind *kind,
                        hk_femses_numbering *form)
{
  form->kind = kind;
  hk_space_desc desc = kind->space(b->mesh, b->device, true);
  desc.components = 1;
  return hk_space_create(b->mesh, &desc, &form->space);
}

hk_status hk_femses_body_create(hk_bench_job *job, const hk_femses_case *of, double dofs,
                                hk_device *device, int place, hk_femses_body *b)
{
  const double one = 1;
  b->job = job, b->of = of, b->device = device, b->place = place;
  b->name = of->name, b->full = of->full, b->linear = of->linear;
  hk_bench_say(job, "%s: mesh of %.0f nodes", of->name, dofs);
  HK_PASS(make_mesh(b, dofs));
  HK_PASS(hk_get(&b->own_element_region, b->mesh->element_count));
  b->own_region = (hk_region){.thickness = 1};
  HK_PASS(hk_material_conduct(1, &one, &b->own_region.material));
  b->region = &b->own_region, b->element_region = b->own_element_region;
  for (int k = 0; k < HK_FEMSES_FORMS; k++) {
    HK_PASS(number(b, kinds[k], &b->form[k]));
    HK_PASS(hold(b, &b->form[k]));
  }
  return HK_OK;
}

/* u_dof = offset + sum weight u_master of the run, in the numbers of `to`. */
static hk_status carry_constraints(const hk_static *run, const hk_space *to, hk_constraints *out)
{
  hk_status status = HK_OK;
  const hk_constraints *c = &run->held.own;
  const hk_index *node = run->on.space->mesh_node;
  hk_constraint_rows rows = {0};
  hk_index *dof = NULL;
  double *coefficient = NULL;
  HK_TRY(hk_get(&dof, (hk_count)c->begin[c->count] + 1));
  HK_TRY(hk_get(&coefficient, (hk_count)c->begin[c->count] + 1));
  for (hk_index i = 0; i < c->count; i++) {
    int terms = 0;
    dof[terms] = to->node[node[c->dof[i]]], coefficient[terms++] = 1;
    for (hk_index q = c->begin[i]; q < c->begin[i + 1]; q++)
      dof[terms] = to->node[node[c->master[q]]], coefficient[terms++] = -c->weight[q];
    HK_TRY(hk_constraint_rows_add(&rows, terms, dof, coefficient, c->offset[i], NULL, 0));
  }
  HK_TRY(hk_constraints_build(&rows, to->padded, 0, NULL, out, NULL));
cleanup:
  hk_constraint_rows_clear(&rows);
  hk_free(&dof);
  hk_free(&coefficient);
  return status;
}

/* Constraints and loads of the step in a form's numbering. */
static hk_status carry(const hk_femses_body *b, hk_femses_numbering *form)
{
  const hk_space *from = b->model.run.on.space, *to = form->space;
  HK_PASS(carry_constraints(&b->model.run, to, &form->held));
  HK_PASS(hk_get(&form->f, to->padded));
  for (hk_index i = 0; i < from->padded; i++)
    if (from->mesh_node[i] >= 0) form->f[to->node[from->mesh_node[i]]] = b->model.run.vector.f[i];
  return HK_OK;
}

hk_status hk_femses_body_read(hk_bench_job *job, const char *path, const char *device, int place,
                              hk_femses_body *b)
{
  const hk_static *run = &b->model.run;
  b->job = job, b->place = place, b->name = hk_bench_base(path);
  HK_PASS(hk_bench_model_read(job, path, device, &b->model));
  const hk_model *model = b->model.model;
  HK_NEED(hk_static_heats(run) && !run->extra.count, HK_BAD_INPUT,
          "%s: this bench solves steady heat conduction, whose equations may only name nodes of "
          "elements",
          path);
  b->device = run->on.device, b->mesh = model->mesh, b->dofs = run->on.space->nodes;
  b->full = b->mesh->block_count == 1;
  b->region = model->region, b->element_region = model->element_region;
  b->terms = (hk_operator_terms){{{&hk_exchange_kind, run->films.face, run->films.count}}};
  for (int k = 0; k < HK_FEMSES_FORMS; k++) {
    HK_PASS(number(b, kinds[k], &b->form[k]));
    HK_PASS(carry(b, &b->form[k]));
  }
  return HK_OK;
}

void hk_femses_body_clear(hk_femses_body *b)
{
  for (int k = 0; k < HK_FEMSES_FORMS; k++) {
    hk_constraints_clear(&b->form[k].held);
    hk_free(&b->form[k].f);
    hk_space_destroy(&b->form[k].space);
  }
  hk_bench_model_clear(&b->model);
  hk_mesh_destroy(&b->own_mesh);
  hk_free(&b->own_element_region);
}

const hk_femses_numbering *hk_femses_find(const hk_femses_body *b, const char *form)
{
  return &b->form[strcmp(form, hk_operator_elements.name) == 0];
}

hk_operator_desc hk_femses_desc(const hk_femses_body *b, const hk_femses_numbering *form,
                                bool double_precision)
{
  return (hk_operator_desc){.device = b->device,
                            .space = form->space,
                            .region = b->region,
                            .element_region = b->element_region,
                            .double_precision = double_precision,
                            .terms = b->terms};
}

json_t *hk_femses_row(const hk_femses_body *b, const char *table, const char *method)
{
  const hk_device_info *info = hk_device_describe(b->device);
  json_t *row =
      hk_bench_row(b->name, table, method, info->backend, true, b->dofs, b->mesh->element_count);
  hk_bench_set_integer(row, "host_threads", info->threads);
  return row;
}
