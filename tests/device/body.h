/* A jittered block of three materials, an operator on it and random state, on any device. */
#ifndef TESTS_DEVICE_BODY_H
#define TESTS_DEVICE_BODY_H
#include "operator/operator.h"
#include "serves.h"
#include "support/check.h"

typedef struct body {
  hk_mesh *mesh;
  hk_region region[3];
  int16_t *element_region;
} body;

static inline void anisotropic(hk_material *m)
{
  double root[6][6];
  for (int i = 0; i < 36; i++) root[i / 6][i % 6] = uniform();
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      m->c[i][j] = i == j;
      for (int k = 0; k < 6; k++) m->c[i][j] += root[i][k] * root[j][k];
    }
}

static inline void body_create(body *b, hk_shape shape, bool one_material)
{
  const bool flat = shape == HK_TRI3 || shape == HK_QUAD4;
  srand(11);
  memset(b, 0, sizeof *b);
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = flat ? 2 : 3,
                                         .to = {1, 1.2, 0.9},
                                         .cells = {flat ? 41 : 12, flat ? 30 : 10, 9},
                                         .shape = shape,
                                         .jitter = 0.2,
                                         .shuffle = 5},
                         &b->mesh));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  for (int r = 0; r < 3; r++) {
    b->region[r].thickness = 0.7, b->region[r].material.density = 1;
    ok(hk_material_isotropic(1 + 0.5 * r, 0.2 + 0.1 * r, &b->region[r].material));
    b->region[r].material.density = 1;
  }
  if (one_material) return;
  anisotropic(&b->region[2].material);
  for (hk_count e = 0; e < b->mesh->element_count; e++)
    b->element_region[e] = (int16_t)(3 * e / b->mesh->element_count);
}

static inline void body_destroy(body *b)
{
  hk_free(&b->element_region);
  hk_mesh_destroy(&b->mesh);
}

typedef struct run {
  hk_device *device; /* borrowed */
  hk_space *space;
  hk_operator *op;
  hk_buffer *u, *out, *v, *b, *a, *loss;
  hk_count dofs;
} run;

/* The same value at a node of the mesh whatever its internal number. */
static inline hk_status write_field(const run *r, hk_buffer *buffer, int components, int seed,
                                    double least)
{
  hk_status status = HK_OK;
  const hk_count count = r->space->mesh->node_count * components;
  double *mesh_values = NULL, *internal = NULL;
  HK_TRY(hk_get(&mesh_values, count));
  HK_TRY(hk_get(&internal, (hk_count)r->space->padded * components));
  srand((unsigned)seed);
  for (hk_count i = 0; i < count; i++) mesh_values[i] = least + (uniform() + 0.5) / 50;
  hk_space_to_internal(r->space, components, mesh_values, internal);
  for (hk_index i = 0; i < r->space->padded * components; i++) /* b of padding may not be 0 */
    if (internal[i] == 0) internal[i] = least;
  HK_TRY(hk_buffer_write_reals(buffer, r->op->desc.double_precision, 0,
                               (hk_count)r->space->padded * components, internal));
cleanup:
  hk_free(&mesh_values);
  hk_free(&internal);
  return status;
}

static inline void run_destroy(run *r)
{
  hk_buffer_destroy(&r->u);
  hk_buffer_destroy(&r->out);
  hk_buffer_destroy(&r->v);
  hk_buffer_destroy(&r->b);
  hk_buffer_destroy(&r->a);
  hk_buffer_destroy(&r->loss);
  hk_operator_destroy(&r->op);
  hk_space_destroy(&r->space);
}

static inline hk_status run_create(run *r, const body *b, hk_device *device, const char *method,
                                   bool double_precision)
{
  hk_status status = HK_OK;
  const hk_operator_kind *kind;
  const hk_device_info *info = hk_device_describe(device);
  memset(r, 0, sizeof *r);
  r->device = device;
  HK_TRY(hk_operator_choose(method, b->mesh, device, &kind));
  const hk_space_desc numbering = kind->space(b->mesh, device, double_precision);
  HK_TRY(hk_space_create(b->mesh, &numbering, &r->space));
  HK_TRY(hk_operator_create(kind,
                            &(hk_operator_desc){.device = device,
                                                .space = r->space,
                                                .region = b->region,
                                                .element_region = b->element_region,
                                                .double_precision = double_precision},
                            &r->op));
  r->dofs = (hk_count)r->space->padded * r->space->components;
  const hk_count size = double_precision ? 8 : 4, losses = hk_loss_run(info);
  HK_TRY(hk_buffer_create(device, r->dofs * size, &r->u));
  HK_TRY(hk_buffer_create(device, r->dofs * size, &r->out));
  HK_TRY(hk_buffer_create(device, r->dofs * size, &r->v));
  HK_TRY(hk_buffer_create(device, r->space->padded * size, &r->b));
  HK_TRY(hk_buffer_create(device, r->space->padded * size, &r->a));
  HK_TRY(hk_buffer_create(device, r->op->groups * losses * 8, &r->loss));
  HK_TRY(write_field(r, r->u, r->space->components, 1, 0));
  HK_TRY(write_field(r, r->out, r->space->components, 2, 0));
  HK_TRY(write_field(r, r->v, r->space->components, 3, 0));
  HK_TRY(write_field(r, r->b, 1, 4, 0.01));
  HK_TRY(write_field(r, r->a, 1, 5, 0.2));
cleanup:
  return status;
}

static inline hk_status run_steps(run *r, hk_form form, bool damped, int steps)
{
  hk_status status = HK_OK;
  HK_TRY(hk_operator_bind(r->op, form, damped, 1));
  for (int n = 0; n < steps; n++) {
    HK_TRY(hk_operator_apply(r->op, &(hk_epilogue){.form = form,
                                                   .damped = damped,
                                                   .u = r->u,
                                                   .out = r->out,
                                                   .v = form == HK_FORM_INCREMENTS ? r->v : NULL,
                                                   .b = r->b,
                                                   .a = damped ? r->a : NULL,
                                                   .loss = damped ? r->loss : NULL}));
    hk_buffer *swap = r->u;
    r->u = r->out, r->out = swap;
  }
  HK_TRY(hk_device_finish(r->device));
cleanup:
  return status;
}

/* *values[mesh node][component], owned by the caller */
static inline hk_status read_field(const run *r, const hk_buffer *buffer, double **values)
{
  hk_status status = HK_OK;
  double *internal = NULL;
  HK_TRY(hk_get(&internal, r->dofs));
  HK_TRY(hk_get(values, r->space->mesh->node_count * r->space->components));
  HK_TRY(hk_buffer_read_reals(buffer, r->op->desc.double_precision, 0, r->dofs, internal));
  hk_space_from_internal(r->space, r->space->components, internal, *values);
cleanup:
  hk_free(&internal);
  return status;
}

static inline double total_loss(const run *r)
{
  double sum = 0, *part = NULL;
  const hk_count count = hk_buffer_bytes(r->loss) / 8;
  ok(hk_get(&part, count));
  ok(hk_buffer_read(r->loss, 0, count * 8, part));
  for (hk_count i = 0; i < count; i++) sum += part[i];
  hk_free(&part);
  return sum;
}

#endif
