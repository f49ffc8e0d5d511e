/* K by pairs of nodes, on every shape and integration of the list, on the host and where kernels are compiled. */
#include "operator/element/element_matrix.h"
#include "operator/list.h"
#include "support/dense.h"

static const char *const devices[] = {"cpu", "opencl"};

/* Shapes that grids are raised to: more nodes than a patch of the host has. The others: a few elements. */
static hk_mesh *mesh_of(hk_shape shape)
{
  const bool raised =
      shape == HK_TRI6 || shape == HK_QUAD8 || shape == HK_TET10 || shape == HK_HEX20;
  const bool flat = shape == HK_TRI6 || shape == HK_QUAD8, tets = shape == HK_TET10;
  hk_mesh *mesh = NULL;
  if (!raised) return make_patch(shape, .25);
  mesh = make_grid((hk_mesh_grid){.cells = {flat   ? 23
                                            : tets ? 5
                                                   : 7,
                                            flat   ? 19
                                            : tets ? 6
                                                   : 9,
                                            tets ? 5 : 6},
                                  .shape = hk_shape_linear(shape),
                                  .jitter = 0.2,
                                  .shuffle = 5});
  ok(hk_mesh_raise(mesh));
  return mesh;
}

/* K u by pairs, u random, in internal numbers: *dofs values, hk_free; *by_rows the same by rows, where asked for */
static double *product(const body *b, hk_device *device, bool real, double **by_rows,
                       hk_count *dofs)
{
  const hk_operator_kind *kind = NULL;
  stiffness f;
  hk_csr k = {0};
  ok(hk_operator_choose("edges", b->mesh, device, &kind));
  ok(stiffness_create(&f, kind, b->mesh, 0,
                      (hk_operator_desc){.device = device,
                                         .region = b->region,
                                         .element_region = b->element_region,
                                         .double_precision = real}));
  *dofs = (hk_count)f.space->padded * f.space->dim;
  double *u = vector(*dofs), *by_pairs = vector(*dofs);
  srand(3);
  for (hk_count i = 0; i < *dofs; i++)
    u[i] = f.space->mesh_node[i / f.space->dim] < 0 ? 0 : (float)uniform();
  apply(f.op, u, by_pairs);
  if (by_rows) {
    ok(hk_csr_assemble(&f.op->desc, &k));
    *by_rows = vector(*dofs);
    csr_multiply(&k, u, *by_rows);
    hk_csr_clear(&k);
  }
  stiffness_destroy(&f);
  hk_free(&u);
  return by_pairs;
}

/* |K u by pairs - K u by rows| over the largest */
static double error_of(const body *b, hk_device *device, bool real)
{
  hk_count dofs;
  double *by_rows, *by_pairs = product(b, device, real, &by_rows, &dofs);
  const double error = difference_of(by_pairs, by_rows, dofs);
  hk_free(&by_pairs);
  hk_free(&by_rows);
  return error;
}

static void check(hk_device *device, hk_shape shape, materials m, hk_integration integration)
{
  body b = {.mesh = mesh_of(shape)};
  body_dress(&b, m);
  for (int r = 0; r < REGIONS; r++) b.region[r].integration = integration;
  for (int real = 0; real < 2; real++) {
    if (left_out(device, (int)shape + real, 2)) continue;
    const double error = error_of(&b, device, real);
    if (!(error <= (real ? 1e-13 : 1e-5)))
      fail_msg("%s, %s, materials %d, integration %d, double %d: error %.2e",
               hk_device_describe(device)->backend, hk_shape_name(shape), (int)m, (int)integration,
               real, error);
  }
  body_destroy(&b);
}

/* K u = that of hk_csr_assemble, to 1e-13: one material, several regions, any law, each integration */
static void every_shape(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int i = 0; i < 3; i++)
      for (materials m = ONE; m < MATERIALS; m++)
        if (has_integration(hk_element_of((hk_shape)s), (hk_integration)i))
          check(device, (hk_shape)s, m, (hk_integration)i);
  hk_device_close(&device);
}

static void every_shape_compiled(void **state)
{
  hk_device *device = NULL;
  (void)state;
  if (hk_device_open("opencl", 2, &device) != HK_OK) skip();
  for (int s = 0; s < HK_SHAPE_COUNT; s++) check(device, (hk_shape)s, LAYERS, HK_INTEGRATION_FULL);
  hk_device_close(&device);
}

/* made and applied twice, by one thread and by two: the same bits */
static void the_same_bits(void **state)
{
  (void)state;
  for (int d = 0; d < 2; d++) {
    hk_device *there = NULL;
    if (hk_device_open(devices[d], 1, &there) != HK_OK) skip();
    hk_device_close(&there);
    for (int s = 0; s < HK_SHAPE_COUNT; s++) {
      double *u[2];
      hk_count dofs = 0;
      body b = {.mesh = mesh_of((hk_shape)s)};
      if (d && s != HK_HEX20) {
        body_destroy(&b);
        continue;
      }
      body_dress(&b, LAYERS);
      for (int t = 0; t < 2; t++) {
        hk_device *device = NULL;
        ok(hk_device_open(devices[d], t + 1, &device));
        u[t] = product(&b, device, true, NULL, &dofs);
        hk_device_close(&device);
      }
      assert_memory_equal(u[0], u[1], (size_t)dofs * sizeof(double));
      hk_free(&u[0]);
      hk_free(&u[1]);
      body_destroy(&b);
    }
  }
}

/* plan = memory to 10 % on raised grids */
static void planned_memory(void **state)
{
  static const struct {
    hk_shape shape, linear;
    int cells;
  } row[] = {{HK_TRI6, HK_TRI3, 90},
             {HK_QUAD8, HK_QUAD4, 90},
             {HK_TET10, HK_TET4, 14},
             {HK_HEX20, HK_HEX8, 17}};
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    body b = {0};
    hk_space *space = NULL;
    hk_operator *op = NULL;
    const int n = row[i].cells;
    b.mesh = make_grid((hk_mesh_grid){.dim = i < 2 ? 2 : 3,
                                      .to = {1, 1, 1},
                                      .cells = {n, n, n},
                                      .shape = row[i].linear,
                                      .jitter = 0.1});
    ok(hk_mesh_raise(b.mesh));
    body_dress(&b, ONE);
    const hk_space_desc numbering = hk_operator_edges.space(b.mesh, device, true);
    ok(hk_space_create(b.mesh, &numbering, &space));
    ok(hk_operator_create(&hk_operator_edges,
                          &(hk_operator_desc){.device = device,
                                              .space = space,
                                              .region = b.region,
                                              .element_region = b.element_region,
                                              .double_precision = true},
                          &op));
    const double planned = (double)hk_operator_edges.plan(b.mesh, device, true);
    if (!(fabs(planned / (double)op->memory - 1) <= 0.1))
      fail_msg("%s: planned %.3f of the memory", hk_shape_name(row[i].shape),
               planned / (double)op->memory);
    hk_operator_destroy(&op);
    hk_space_destroy(&space);
    body_destroy(&b);
  }
  hk_device_close(&device);
}

/* explicit dynamics takes the linear shapes but wedges, and the serendipity and simplicial ones of second order */
static void explicit_dynamics_takes(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const bool runs = s != HK_QUAD9 && s != HK_HEX27 && s != HK_WEDGE6 && s != HK_WEDGE18;
    hk_mesh *mesh = make_patch((hk_shape)s, 0);
    assert_int_equal(hk_operator_check_explicit(mesh), runs ? HK_OK : HK_BAD_INPUT);
    if (!runs) error_says(hk_shape_name((hk_shape)s));
    hk_mesh_destroy(&mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shape),
      cmocka_unit_test(every_shape_compiled),
      cmocka_unit_test(the_same_bits),
      cmocka_unit_test(planned_memory),
      cmocka_unit_test(explicit_dynamics_takes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
