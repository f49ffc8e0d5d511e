/* A body of one mesh and many materials, and an operator run on it, for tests of the forms of K. */
#ifndef TESTS_OPERATOR_FIXTURE_H
#define TESTS_OPERATOR_FIXTURE_H
#include "operator/operator.h"
#include "serves.h"
#include "support/check.h"

typedef enum materials {
  ONE,
  LAYERS,
  EVERY_ELEMENT,
  ANISOTROPIC,
  EVERY_KIND, /* isotropic, anisotropic, plane strain, plane stress, any thickness */
  MATERIALS
} materials;
enum { REGIONS = 300 };

/* Closes *out and opens the k-th device of this machine; false behind the last. */
static inline bool next_device(int k, hk_device **out)
{
  char name[16];
  hk_device_close(out);
  if (!hk_device_list(&(hk_device_desc){0}, k, name)) return false;
  ok(hk_device_open(name, 2, out));
  return true;
}

/* Compilers of kernels are slow: where there is one, each n-th case, by turns over the shapes, stands for those that the host computes. */
static inline bool left_out(const hk_device *device, int turn, int n)
{
  return hk_device_describe(device)->compiles && turn % n != 0;
}

typedef struct body {
  hk_mesh *mesh;
  hk_region *region;
  int16_t *element_region;
  hk_spring *spring; /* spring[springs] */
  hk_count springs;
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

/* Materials for the elements of b->mesh. */
static inline void body_dress(body *b, materials which)
{
  srand(11);
  b->spring = NULL, b->springs = 0;
  ok(hk_get(&b->region, REGIONS));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  for (int r = 0; r < REGIONS; r++) {
    b->region[r].thickness = 0.7, b->region[r].material.density = 1;
    if (which == EVERY_KIND)
      b->region[r].plane = r % 3 ? HK_PLANE_STRESS : HK_PLANE_STRAIN,
      b->region[r].thickness = 1 + uniform();
    if (which == ANISOTROPIC || (which == EVERY_KIND && r % 2))
      anisotropic(&b->region[r].material);
    else
      ok(hk_material_isotropic(r == 0 ? 1 : 2.5 + uniform(), r == 0 ? 0.3 : 0.25 + 0.2 * uniform(),
                               &b->region[r].material));
  }
  for (hk_count e = 0; e < b->mesh->element_count; e++) {
    const double y = b->mesh->x[(hk_count)hk_mesh_nodes_of(b->mesh, e)[0] * b->mesh->dim + 1];
    b->element_region[e] =
        (int16_t)(which == LAYERS                                  ? y > 0.55
                  : which >= EVERY_ELEMENT && which != ANISOTROPIC ? rand() % REGIONS
                                                                   : 0);
  }
}

static inline void body_create(body *b, hk_shape shape, materials which)
{
  const bool flat = shape == HK_TRI3 || shape == HK_QUAD4;
  hk_mesh_grid grid = {.dim = flat ? 2 : 3,
                       .to = {1, 1.2, 0.9},
                       .cells = {flat ? 61 : 15, flat ? 40 : 12, 11},
                       .shape = shape,
                       .jitter = 0.2,
                       .shuffle = 5};
  ok(hk_mesh_create_grid(&grid, &b->mesh));
  body_dress(b, which);
}

static inline void body_destroy(body *b)
{
  hk_mesh_destroy(&b->mesh);
  hk_free(&b->region);
  hk_free(&b->element_region);
  hk_free(&b->spring);
}

typedef struct run {
  hk_device *device;
  hk_space *space;
  hk_operator *op;
  hk_buffer *u, *out, *v, *b, *a, *loss;
  hk_count dofs;
} run;

/* values of mesh nodes, the same whatever the numbering */
static inline void write_field(const run *r, hk_buffer *buffer, int components, int seed,
                               double least)
{
  const bool real = r->op->desc.double_precision;
  const hk_count nodes = r->space->mesh->node_count;
  double *values = NULL, *internal = NULL;
  ok(hk_get(&values, nodes * components));
  ok(hk_get(&internal, (hk_count)r->space->padded * components));
  srand((unsigned)seed);
  for (hk_count i = 0; i < nodes * components; i++) values[i] = least + uniform() + 0.5;
  hk_space_to_internal(r->space, components, values, internal);
  for (hk_count i = 0; i < (hk_count)r->space->padded * components; i++)
    if (r->space->mesh_node[i / components] < 0) internal[i] = least > 0;
  ok(hk_buffer_write_reals(buffer, real, 0, (hk_count)r->space->padded * components, internal));
  hk_free(&values);
  hk_free(&internal);
}

static inline void run_create(run *r, const body *b, const char *method, int threads, bool real)
{
  const hk_operator_kind *kind = NULL;
  *r = (run){0};
  ok(hk_device_open("cpu", threads, &r->device));
  ok(hk_operator_choose(method, b->mesh, r->device, &kind));
  const hk_space_desc desc = kind->space(b->mesh, r->device, real);
  ok(hk_space_create(b->mesh, &desc, &r->space));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = r->device,
                                            .space = r->space,
                                            .region = b->region,
                                            .element_region = b->element_region,
                                            .double_precision = real,
                                            .spring = b->spring,
                                            .spring_count = b->springs},
                        &r->op));
  r->dofs = (hk_count)r->space->padded * r->space->components;
  const hk_count size = real ? 8 : 4, lanes = hk_loss_run(hk_device_describe(r->device));
  ok(hk_buffer_create(r->device, r->dofs * size, &r->u));
  ok(hk_buffer_create(r->device, r->dofs * size, &r->out));
  ok(hk_buffer_create(r->device, r->dofs * size, &r->v));
  ok(hk_buffer_create(r->device, r->space->padded * size, &r->b));
  ok(hk_buffer_create(r->device, r->space->padded * size, &r->a));
  ok(hk_buffer_create(r->device, r->op->groups * lanes * 8, &r->loss));
  write_field(r, r->u, r->space->components, 1, 0);
  write_field(r, r->out, r->space->components, 2, 0);
  write_field(r, r->v, r->space->components, 3, 0);
  write_field(r, r->b, 1, 4, 0.01);
  write_field(r, r->a, 1, 5, 0.2);
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
  hk_device_close(&r->device);
}

static inline void run_steps(run *r, hk_form form, bool damped, int steps)
{
  ok(hk_operator_bind(r->op, form, damped, 1));
  for (int n = 0; n < steps; n++) {
    ok(hk_operator_apply(r->op, &(hk_epilogue){.form = form,
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
}

/* [mesh node][component], owned by the caller */
static inline double *read_field(const run *r, const hk_buffer *buffer)
{
  double *internal = NULL, *values = NULL;
  const int components = r->space->components;
  ok(hk_get(&internal, r->dofs));
  ok(hk_get(&values, r->space->mesh->node_count * components));
  ok(hk_buffer_read_reals(buffer, r->op->desc.double_precision, 0, r->dofs, internal));
  hk_space_from_internal(r->space, components, internal, values);
  hk_free(&internal);
  return values;
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

static inline double compare(const body *b, const char *method, hk_form form, bool damped,
                             int steps, bool real)
{
  run mine, stored;
  run_create(&mine, b, method, 2, real);
  run_create(&stored, b, "stored", 2, real);
  run_steps(&mine, form, damped, steps);
  run_steps(&stored, form, damped, steps);
  double *got = read_field(&mine, mine.u), *expected = read_field(&stored, stored.u);
  double error = difference_of(got, expected, b->mesh->node_count * b->mesh->dim);
  if (damped) error = fmax(error, fabs(total_loss(&mine) / total_loss(&stored) - 1));
  hk_free(&got);
  hk_free(&expected);
  run_destroy(&mine);
  run_destroy(&stored);
  return error;
}
#endif
