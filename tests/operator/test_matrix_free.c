/* K without a matrix is the stored K, in every form, on every shape and distribution of materials.
 */
#include "operator/operator.h"
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef enum materials {
  ONE,
  LAYERS,
  EVERY_ELEMENT,
  ANISOTROPIC,
  EVERY_KIND, /* isotropic, anisotropic, plane strain, plane stress, any thickness */
  MATERIALS
} materials;
enum { REGIONS = 300 };

static void ok(hk_status status)
{
  if (status != HK_OK) fail_msg("%s", hk_error());
}

static double uniform(void)
{
  return (double)rand() / RAND_MAX - 0.5;
}

typedef struct body {
  hk_mesh *mesh;
  hk_region *region;
  int16_t *element_region;
} body;

static void anisotropic(hk_material *m)
{
  double root[6][6];
  for (int i = 0; i < 36; i++) root[i / 6][i % 6] = uniform();
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      m->c[i][j] = i == j;
      for (int k = 0; k < 6; k++) m->c[i][j] += root[i][k] * root[j][k];
    }
}

static void body_create(body *b, hk_shape shape, materials which)
{
  const bool flat = shape == HK_TRI3 || shape == HK_QUAD4;
  hk_mesh_grid grid = {.dim = flat ? 2 : 3,
                       .to = {1, 1.2, 0.9},
                       .cells = {flat ? 61 : 15, flat ? 40 : 12, 11},
                       .shape = shape,
                       .jitter = 0.2,
                       .shuffle = 5};
  srand(11);
  ok(hk_mesh_create_grid(&grid, &b->mesh));
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

static void body_destroy(body *b)
{
  hk_mesh_destroy(&b->mesh);
  hk_free(&b->region);
  hk_free(&b->element_region);
}

typedef struct run {
  hk_device *device;
  hk_space *space;
  hk_operator *op;
  hk_buffer *u, *out, *v, *b, *a, *loss;
  hk_count dofs;
} run;

/* values of mesh nodes, the same whatever the numbering */
static void write_field(const run *r, hk_buffer *buffer, int components, int seed, double least)
{
  const bool real = r->op->desc.double_precision;
  const hk_count nodes = r->space->mesh->node_count;
  double *values = NULL, *internal = NULL;
  ok(hk_get(&values, nodes * components));
  ok(hk_get(&internal, (hk_count)r->space->padded * components));
  srand((unsigned)seed);
  for (hk_count i = 0; i < nodes * components; i++) values[i] = least + uniform() + 0.5;
  hk_space_to_internal(r->space, components, values, internal);
  for (hk_count i = (hk_count)r->space->nodes * components; i < r->space->padded * components; i++)
    internal[i] = least > 0;
  ok(hk_buffer_write_reals(buffer, real, 0, (hk_count)r->space->padded * components, internal));
  hk_free(&values);
  hk_free(&internal);
}

static void run_create(run *r, const body *b, const char *method, int threads, bool real)
{
  const hk_operator_kind *kind = NULL;
  *r = (run){0};
  ok(hk_device_open("cpu", threads, &r->device));
  ok(hk_operator_choose(method, b->mesh, r->device, &kind));
  const hk_space_desc desc = kind->space(b->mesh, r->device);
  ok(hk_space_create(b->mesh, &desc, &r->space));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = r->device,
                                            .space = r->space,
                                            .region = b->region,
                                            .element_region = b->element_region,
                                            .double_precision = real},
                        &r->op));
  r->dofs = (hk_count)r->space->padded * r->space->components;
  const hk_count size = real ? 8 : 4, lanes = hk_device_describe(r->device)->lanes;
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

static void run_destroy(run *r)
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

static void run_steps(run *r, hk_form form, bool damped, int steps)
{
  ok(hk_operator_bind(r->op, form, damped));
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
static double *read_field(const run *r, const hk_buffer *buffer)
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

static double total_loss(const run *r)
{
  double sum = 0, *part = NULL;
  const hk_count count = hk_buffer_bytes(r->loss) / 8;
  ok(hk_get(&part, count));
  ok(hk_buffer_read(r->loss, 0, count * 8, part));
  for (hk_count i = 0; i < count; i++) sum += part[i];
  hk_free(&part);
  return sum;
}

/* largest difference over largest value */
static double difference_of(const double *got, const double *expected, hk_count count)
{
  double most = 0, scale = 0;
  for (hk_count i = 0; i < count; i++) {
    if (!isfinite(got[i])) return HUGE_VAL;
    most = fmax(most, fabs(got[i] - expected[i])), scale = fmax(scale, fabs(expected[i]));
  }
  return most / scale;
}

static double compare(const body *b, hk_form form, bool damped, int steps, bool real)
{
  run mine, stored;
  run_create(&mine, b, "matrix-free", 2, real);
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

static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};

/* K u without a matrix = K u by rows, to 1e-13 */
static void equals_stored(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++)
    for (materials m = ONE; m < MATERIALS; m++) {
      body b;
      body_create(&b, shapes[s], m);
      const double error = compare(&b, HK_FORM_STORE, false, 1, true);
      if (!(error <= 1e-13))
        fail_msg("%s, materials %d: error %.2e", hk_shape_name(shapes[s]), (int)m, error);
      const double single = compare(&b, HK_FORM_STORE, false, 1, false);
      if (!(single <= 3e-6))
        fail_msg("%s, materials %d, single: %.2e", hk_shape_name(shapes[s]), (int)m, single);
      body_destroy(&b);
    }
}

/* A fifth of the elements removed, a third of the others (not of simplices) replaced by a simplex on
 * four of their corners: two blocks, nodes with several fans of triangles. */
static void tear(hk_mesh *mesh)
{
  const int dim = mesh->dim, corner[4] = {0, 1, 3, 4};
  hk_block *from = mesh->block,
           simplices = {.shape = dim == 2 ? HK_TRI3 : HK_TET4, .nodes = dim + 1};
  hk_count kept = 0;
  if (from->nodes == dim + 1) simplices.nodes = 0;
  ok(hk_get(&simplices.node, from->count * (dim + 1)));
  for (hk_count e = 0; e < from->count; e++) {
    const int what = rand() % 15;
    const hk_index *node = from->node + e * from->nodes;
    if (what < 3) continue;
    if (what < 7 && simplices.nodes) {
      hk_index *to = simplices.node + simplices.count++ * (dim + 1);
      for (int c = 0; c <= dim; c++) to[c] = node[corner[c]];
    } else
      memmove(from->node + kept++ * from->nodes, node, (size_t)from->nodes * sizeof *node);
  }
  from->count = simplices.first = kept;
  mesh->element_count = kept + simplices.count;
  if (simplices.count == 0) {
    hk_free(&simplices.node);
    return;
  }
  ok(hk_resize(&mesh->block, 2));
  mesh->block[1] = simplices;
  mesh->block_count = 2;
}

/* K u = by rows on torn meshes of two shapes, to 1e-13 */
static void torn_meshes(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++)
    for (materials m = ONE; m < MATERIALS; m++) {
      body b;
      body_create(&b, shapes[s], m);
      tear(b.mesh);
      const double error = compare(&b, HK_FORM_STORE, false, 1, true);
      if (!(error <= 1e-13))
        fail_msg("%s, materials %d: error %.2e", hk_shape_name(shapes[s]), (int)m, error);
      body_destroy(&b);
    }
}

/* 700 triangles around one node */
static void hub(void **state)
{
  enum { SPOKES = 700 };
  (void)state;
  body b = {0};
  ok(hk_mesh_create(2, &b.mesh));
  ok(hk_get(&b.mesh->x, 2 * (SPOKES + 1)));
  ok(hk_get(&b.mesh->block, 1));
  ok(hk_get(&b.region, 1));
  ok(hk_get(&b.element_region, SPOKES));
  hk_block *block = b.mesh->block;
  *block = (hk_block){.shape = HK_TRI3, .nodes = 3, .count = SPOKES};
  ok(hk_get(&block->node, 3 * SPOKES));
  for (int k = 0; k < SPOKES; k++) {
    const int e = 3 * (k * 31 % SPOKES);
    b.mesh->x[2 * k + 2] = cos(2 * M_PI * k / SPOKES);
    b.mesh->x[2 * k + 3] = sin(2 * M_PI * k / SPOKES);
    block->node[e] = k + 1, block->node[e + 1] = (k + 1) % SPOKES + 1, block->node[e + 2] = 0;
  }
  b.mesh->node_count = SPOKES + 1, b.mesh->block_count = 1, b.mesh->element_count = SPOKES;
  b.region->thickness = 1, b.region->material.density = 1;
  ok(hk_material_isotropic(1, 0.3, &b.region->material));
  const double error = compare(&b, HK_FORM_STORE, false, 1, true);
  assert_true(error <= 1e-12);
  body_destroy(&b);
}

/* plan = memory to 5 % on a grid whose patches are mostly whole */
static void planned_memory(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++) {
    body b = {0};
    run r;
    const int dim = s < 2 ? 2 : 3, cells = dim == 2 ? 330 : 47;
    ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = dim,
                                           .to = {1, 1, 1},
                                           .cells = {cells, cells, cells},
                                           .shape = shapes[s],
                                           .jitter = 0.1},
                           &b.mesh));
    ok(hk_get(&b.region, 1));
    ok(hk_get(&b.element_region, b.mesh->element_count));
    b.region->thickness = 1;
    ok(hk_material_isotropic(1, 0.3, &b.region->material));
    run_create(&r, &b, "matrix-free", 2, s % 2);
    const double planned = (double)r.op->kind->plan(b.mesh, r.device, s % 2);
    if (!(fabs(planned / (double)r.op->memory - 1) <= 0.05))
      fail_msg("%s: planned %.3f of the memory", hk_shape_name(shapes[s]),
               planned / (double)r.op->memory);
    run_destroy(&r);
    body_destroy(&b);
  }
}

/* u after five steps of each form = by rows, to 1e-12; the loss too */
static void steps_equal_stored(void **state)
{
  (void)state;
  static const struct {
    hk_form form;
    bool damped;
  } row[] = {{HK_FORM_POSITIONS, false},
             {HK_FORM_INCREMENTS, false},
             {HK_FORM_INCREMENTS, true},
             {HK_FORM_POSITIONS, true}};
  for (int s = 0; s < 4; s++)
    for (int k = 0; k < 4; k++) {
      body b;
      body_create(&b, shapes[s], LAYERS);
      const double error = compare(&b, row[k].form, row[k].damped, 5, true);
      if (!(error <= 1e-12))
        fail_msg("%s, form %d: error %.2e", hk_shape_name(shapes[s]), (int)row[k].form, error);
      body_destroy(&b);
    }
}

/* K u = 0 exactly for a translation; sum over nodes of K u = 0 to rounding for any u */
static void translation_and_momentum(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++) {
    body b;
    run r;
    body_create(&b, shapes[s], EVERY_ELEMENT);
    run_create(&r, &b, "matrix-free", 1, true);
    run_steps(&r, HK_FORM_STORE, false, 1);
    double *force = read_field(&r, r.u), sum = 0, size = 0;
    for (hk_count i = 0; i < b.mesh->node_count; i++)
      sum += force[i * b.mesh->dim], size += fabs(force[i * b.mesh->dim]);
    assert_true(size > 0 && fabs(sum) <= 1e-13 * size);
    hk_free(&force);

    double *ones = NULL;
    ok(hk_get(&ones, r.dofs));
    for (hk_count i = 0; i < r.dofs; i++)
      ones[i] = i < r.space->nodes * b.mesh->dim ? 1e3 + 0.1 : 0;
    ok(hk_buffer_write_reals(r.u, true, 0, r.dofs, ones));
    run_steps(&r, HK_FORM_STORE, false, 1);
    force = read_field(&r, r.u);
    for (hk_count i = 0; i < b.mesh->node_count * b.mesh->dim; i++) assert_true(force[i] == 0);
    hk_free(&force);
    hk_free(&ones);
    run_destroy(&r);
    body_destroy(&b);
  }
}

/* 1 thread = 2 threads, bit by bit */
static void threads_do_not_matter(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++) {
    body b;
    double *field[2];
    body_create(&b, shapes[s], LAYERS);
    for (int t = 0; t < 2; t++) {
      run r;
      run_create(&r, &b, "matrix-free", t + 1, false);
      run_steps(&r, HK_FORM_POSITIONS, false, 3);
      field[t] = read_field(&r, r.u);
      run_destroy(&r);
    }
    assert_memory_equal(field[0], field[1],
                        (size_t)(b.mesh->node_count * b.mesh->dim) * sizeof(double));
    hk_free(&field[0]);
    hk_free(&field[1]);
    body_destroy(&b);
  }
}

/* one material: less memory than rows; memory is what is held */
static void memory_is_small_and_exact(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++) {
    body b;
    run mine, stored;
    body_create(&b, shapes[s], ONE);
    const hk_count before = hk_memory_held();
    run_create(&mine, &b, "matrix-free", 1, true);
    const hk_count held = hk_memory_held();
    hk_operator *op = mine.op;
    const hk_count memory = op->memory;
    hk_operator_destroy(&mine.op);
    const hk_count freed = held - hk_memory_held();
    assert_true(before < held && memory <= freed && freed <= memory + 4096);
    run_create(&stored, &b, "stored", 1, true);
    assert_true(memory < 0.65 * (double)stored.op->memory);
    run_destroy(&mine);
    run_destroy(&stored);
    body_destroy(&b);
  }
}

/* an allocation that fails while creating gives HK_NO_RESOURCES and leaves nothing behind */
static void allocations_fail(void **state)
{
  (void)state;
  body b;
  hk_device *device = NULL;
  hk_space *space = NULL;
  const hk_operator_kind *kind = NULL;
  body_create(&b, HK_TET4, LAYERS);
  ok(hk_device_open("cpu", 1, &device));
  ok(hk_operator_choose("matrix-free", b.mesh, device, &kind));
  const hk_space_desc desc = kind->space(b.mesh, device);
  ok(hk_space_create(b.mesh, &desc, &space));
  const hk_count held = hk_memory_held();
  hk_status status = HK_NO_RESOURCES;
  int k = 1;
  for (; status != HK_OK; k++) {
    hk_operator *op = NULL;
    hk_memory_fail_at(k);
    status = hk_operator_create(kind,
                                &(hk_operator_desc){.device = device,
                                                    .space = space,
                                                    .region = b.region,
                                                    .element_region = b.element_region},
                                &op);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    hk_operator_destroy(&op);
    assert_int_equal(hk_memory_held(), held);
  }
  assert_true(k > 20);
  hk_space_destroy(&space);
  hk_device_close(&device);
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_stored),
      cmocka_unit_test(torn_meshes),
      cmocka_unit_test(hub),
      cmocka_unit_test(planned_memory),
      cmocka_unit_test(steps_equal_stored),
      cmocka_unit_test(translation_and_momentum),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(memory_is_small_and_exact),
      cmocka_unit_test(allocations_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
