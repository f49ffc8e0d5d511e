#include "model/bench_femses.h"
#include "operator/list.h"
#include <math.h>
#include <stdio.h>
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
  hk_status status = HK_OK;
  const hk_femses_case *of = b->of;
  const int dim = of->shape == HK_TET4 ? 3 : 2;
  const hk_count cells = (hk_count)fmax(round(pow(dofs, 1.0 / dim)) - 1, 3);
  HK_TRY(hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim,
                                             .to = {1, 1, 1},
                                             .cells = {cells, cells, cells},
                                             .shape = of->shape,
                                             .jitter = of->scrambled ? 0.15 : 0,
                                             .shuffle = of->scrambled},
                             &b->mesh));
  for (hk_count n = 0; of->map && n < b->mesh->node_count; n++) of->map(b->mesh->x + n * dim);
  HK_TRY(hk_narrow(b->mesh->node_count, "unknowns", &b->dofs));
cleanup:
  return status;
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

hk_status hk_femses_body_create(hk_bench_job *job, const hk_femses_case *of, double dofs,
                                hk_device *device, int place, hk_femses_body *b)
{
  hk_status status = HK_OK;
  const hk_operator_kind *const kinds[HK_FEMSES_FORMS] = {&hk_operator_assembled,
                                                          &hk_operator_elements};
  const double one = 1;
  b->job = job, b->of = of, b->device = device, b->place = place;
  hk_bench_say(job, "%s: mesh of %.0f nodes", of->name, dofs);
  HK_TRY(make_mesh(b, dofs));
  HK_TRY(hk_get(&b->element_region, b->mesh->element_count));
  b->region = (hk_region){.thickness = 1};
  HK_TRY(hk_material_conduct(1, &one, &b->region.material));
  for (int f = 0; f < HK_FEMSES_FORMS; f++) {
    hk_femses_numbering *form = &b->form[f];
    form->kind = kinds[f];
    hk_space_desc desc = form->kind->space(b->mesh, device, true);
    desc.components = 1;
    HK_TRY(hk_space_create(b->mesh, &desc, &form->space));
    HK_TRY(hold(b, form));
  }
cleanup:
  return status;
}

void hk_femses_body_clear(hk_femses_body *b)
{
  for (int f = 0; f < HK_FEMSES_FORMS; f++) {
    hk_constraints_clear(&b->form[f].held);
    hk_space_destroy(&b->form[f].space);
  }
  hk_mesh_destroy(&b->mesh);
  hk_free(&b->element_region);
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
                            .region = &b->region,
                            .element_region = b->element_region,
                            .double_precision = double_precision};
}

json_t *hk_femses_row(const hk_femses_body *b, const char *table, const char *method)
{
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "case", b->of->name, "table", table,
                   "method", method, "device", hk_device_describe(b->device)->backend, "precision",
                   "double", "dofs", (json_int_t)b->dofs, "elements",
                   (json_int_t)b->mesh->element_count);
}

void hk_femses_set(json_t *row, const char *key, hk_interval value)
{
  char name[64];
  snprintf(name, sizeof name, "%s_95", key);
  json_object_set_new(row, key, hk_json_real(value.mean));
  if (isfinite(value.half)) json_object_set_new(row, name, hk_json_real(value.half));
}
