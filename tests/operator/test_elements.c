/* The form "elements": K by element matrices alone, for all shapes, one component or several, with faces that exchange heat. */
#include "operator/elements/elements.h"
#include "mesh/mesh.h"
#include "operator/assembly/csr.h"
#include "support/dense.h"
#include "operator/list.h"
#include "sanitized.h"
#include <hooke/status.h>

static const double conductivity[6] = {2, 3, 1.5, .4, -.3, .2};
static const hk_exchange films[] = {{.element = 0, .face = 1, .coefficient = 5},
                                    {.element = 2, .face = 0, .coefficient = 3},
                                    {.element = 2, .face = 2, .coefficient = 4}};

typedef struct trial {
  body b;
  hk_space *space;
  hk_operator *op;
  hk_operator_desc desc;
  hk_csr k;
  hk_buffer *u, *out;
  hk_count dofs;
  double *values, *got, *expected;
} trial;

static void trial_of(trial *t, const hk_operator_kind *kind, hk_device *device, hk_shape shape,
                     bool heat, bool real, bool evenly, int count)
{
  *t = (trial){0};
  t->b.mesh = make_patch(shape, .1);
  const int dim = t->b.mesh->dim;
  ok(hk_get(&t->b.region, 2));
  ok(hk_get(&t->b.element_region, t->b.mesh->element_count));
  for (int r = 0; r < 2; r++) {
    t->b.region[r] = (hk_region){.thickness = 1 + r};
    ok(hk_material_conduct(evenly ? 1 : 6, conductivity, &t->b.region[r].material));
    ok(hk_material_isotropic(2 + r, .3, &t->b.region[r].material));
  }
  for (hk_count e = 0; e < t->b.mesh->element_count; e++) t->b.element_region[e] = e % 3 == 0;
  hk_space_desc numbering = kind->space(t->b.mesh, device, real);
  numbering.components = heat ? 1 : dim;
  ok(hk_space_create(t->b.mesh, &numbering, &t->space));
  t->desc = (hk_operator_desc){.device = device,
                               .space = t->space,
                               .region = t->b.region,
                               .element_region = t->b.element_region,
                               .double_precision = real,
                               .terms = {{{&hk_exchange_kind, films, count}}}};
  ok(hk_operator_create(kind, &t->desc, &t->op));
  ok(hk_operator_bind(t->op, HK_FORM_STORE, false, 1));
  ok(hk_csr_assemble(&t->desc, &t->k));
  t->dofs = (hk_count)t->space->padded * t->space->components;
  ok(hk_buffer_create(device, t->dofs * (real ? 8 : 4), &t->u));
  ok(hk_buffer_create(device, t->dofs * (real ? 8 : 4), &t->out));
  ok(hk_get(&t->values, t->dofs));
  ok(hk_get(&t->got, t->dofs));
  ok(hk_get(&t->expected, t->dofs));
  srand(3);
  for (hk_count i = 0; i < t->dofs; i++) t->values[i] = uniform();
  ok(hk_buffer_write_reals(t->u, real, 0, t->dofs, t->values));
}

static void trial_create(trial *t, hk_device *device, hk_shape shape, bool heat, bool real)
{
  trial_of(t, &hk_operator_elements, device, shape, heat, real, false, heat ? 3 : 0);
}

static void trial_destroy(trial *t)
{
  hk_buffer_destroy(&t->u);
  hk_buffer_destroy(&t->out);
  hk_operator_destroy(&t->op);
  hk_csr_clear(&t->k);
  hk_space_destroy(&t->space);
  hk_mesh_destroy(&t->b.mesh);
  hk_free(&t->b.region);
  hk_free(&t->b.element_region);
  hk_free(&t->values);
  hk_free(&t->got);
  hk_free(&t->expected);
}

static double entry(const hk_csr *k, hk_count i, int c, int d)
{
  for (hk_count e = k->begin[i]; e < k->begin[i + 1]; e++)
    if (k->column[e] == i) return k->block[(e * k->components + c) * k->components + d];
  return 0;
}

static void product_is_that_of_the_rows(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
      for (int way = 0; way < 6; way++) { /* displacements; temperatures with films, without any */
        trial t;
        const bool real = way % 2;
        if (left_out(device, shape + way + way / 2, 2)) continue;
        trial_of(&t, &hk_operator_elements, device, (hk_shape)shape, way / 2, real, way >= 4,
                 way / 2 == 1 ? 3 : 0);
        ok(hk_operator_apply(t.op, &(hk_epilogue){.form = HK_FORM_STORE, .u = t.u, .out = t.out}));
        ok(hk_buffer_read_reals(t.out, real, 0, t.dofs, t.got));
        csr_multiply(&t.k, t.values, t.expected);
        if (!(difference_of(t.got, t.expected, t.dofs) <= (real ? 1e-13 : 1e-5)))
          fail_msg("%s, way %d: %g", hk_shape_name((hk_shape)shape), way,
                   difference_of(t.got, t.expected, t.dofs));
        trial_destroy(&t);
      }
    hk_device_close(&device);
  }
}

/* Triangles and tetrahedra that conduct heat, from their geometry: evenly and not, of one region and two. */
static void product_of_geometry_is_that_of_the_rows(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    for (int way = 0; way < 16; way++) {
      trial t;
      const bool real = way % 2;
      const hk_shape shape = way & 8 ? HK_TET4 : HK_TRI3;
      trial_of(&t, &hk_operator_matrix_free, device, shape, true, real, way & 2, 0);
      if (way & 4) {
        hk_operator_destroy(&t.op);
        for (hk_count e = 0; e < t.b.mesh->element_count; e++) t.b.element_region[e] = 1;
        ok(hk_operator_create(&hk_operator_matrix_free, &t.desc, &t.op));
        ok(hk_operator_bind(t.op, HK_FORM_STORE, false, 1));
        hk_csr_clear(&t.k);
        ok(hk_csr_assemble(&t.desc, &t.k));
      }
      ok(hk_operator_apply(t.op, &(hk_epilogue){.form = HK_FORM_STORE, .u = t.u, .out = t.out}));
      ok(hk_buffer_read_reals(t.out, real, 0, t.dofs, t.got));
      csr_multiply(&t.k, t.values, t.expected);
      if (!(difference_of(t.got, t.expected, t.dofs) <= (real ? 1e-13 : 1e-5)))
        fail_msg("way %d: %g", way, difference_of(t.got, t.expected, t.dofs));
      trial_destroy(&t);
    }
    hk_device_close(&device);
  }
}

/* Other shapes, and films, are refused by name. */
static void geometry_refuses_what_it_does_not_compute(void **state)
{
  hk_device *device = NULL;
  hk_operator *op = NULL;
  trial t;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  trial_create(&t, device, HK_TRI3, true, true);
  assert_int_equal(hk_operator_create(&hk_operator_matrix_free, &t.desc, &op), HK_BAD_INPUT);
  error_says("film");
  trial_destroy(&t);
  trial_create(&t, device, HK_TET4, true, true);
  assert_int_equal(hk_operator_create(&hk_operator_matrix_free, &t.desc, &op), HK_BAD_INPUT);
  error_says("film");
  trial_destroy(&t);
  trial_create(&t, device, HK_HEX8, true, true);
  assert_int_equal(hk_operator_create(&hk_operator_matrix_free, &t.desc, &op), HK_BAD_INPUT);
  error_says("tetrahedra");
  trial_destroy(&t);
  hk_device_close(&device);
}

static void diagonal_is_that_of_the_rows(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int heat = 0; heat < 2; heat++) {
      trial t;
      hk_buffer *out = NULL;
      double *got = NULL, most = 0, error = 0;
      trial_create(&t, device, (hk_shape)shape, heat, true);
      const int c = t.space->components, size = c * c;
      ok(hk_buffer_create(device, (hk_count)t.space->padded * size * 8, &out));
      ok(hk_get(&got, (hk_count)t.space->padded * size));
      ok(t.op->kind->diagonal(t.op, out));
      ok(hk_buffer_read(out, 0, hk_buffer_bytes(out), got));
      for (hk_count i = 0; i < t.space->padded; i++)
        for (int q = 0; q < size; q++) {
          const double expected = entry(&t.k, i, q / c, q % c);
          most = fmax(most, fabs(expected));
          error = hk_larger(error, fabs(got[i * size + q] - expected));
        }
      if (!(error <= 1e-13 * most)) fail_msg("%s: %g", hk_shape_name((hk_shape)shape), error);
      hk_buffer_destroy(&out);
      hk_free(&got);
      trial_destroy(&t);
    }
  hk_device_close(&device);
}

/* Keating (4.2)-(4.4): one sweep is u + D^-1 (f - K u) where D is that of the rows, and u where it is held. */
static void a_sweep_is_a_jacobi_step_on_the_assembled_matrix(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int d = 0; next_device(d, &device); d++) {
    for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
      for (int heat = 0; heat < 2; heat++) {
        if (left_out(device, shape + heat, 2)) continue;
        trial t;
        hk_buffer *f = NULL, *inverse = NULL;
        double *load = NULL, *weight = NULL;
        trial_create(&t, device, (hk_shape)shape, heat, true);
        const int c = t.space->components;
        ok(hk_get(&load, t.dofs));
        ok(hk_get(&weight, t.dofs));
        ok(hk_buffer_create(device, t.dofs * 8, &f));
        ok(hk_buffer_create(device, t.dofs * 8, &inverse));
        csr_multiply(&t.k, t.values, t.expected);
        for (hk_count i = 0; i < t.dofs; i++) {
          const double own = entry(&t.k, i / c, (int)(i % c), (int)(i % c));
          load[i] = uniform();
          weight[i] = own > 0 && i % 5 ? 1 / own : 0;
          t.expected[i] = t.values[i] + weight[i] * (load[i] - t.expected[i]);
        }
        ok(hk_buffer_write(f, 0, t.dofs * 8, load));
        ok(hk_buffer_write(inverse, 0, t.dofs * 8, weight));
        ok(hk_elements_prepare(t.op));
        ok(hk_elements_jacobi(t.op, t.u, f, inverse, t.out));
        ok(hk_buffer_read(t.out, 0, t.dofs * 8, t.got));
        if (!(difference_of(t.got, t.expected, t.dofs) <= 1e-13))
          fail_msg("%s: %g", hk_shape_name((hk_shape)shape),
                   difference_of(t.got, t.expected, t.dofs));
        hk_buffer_destroy(&f);
        hk_buffer_destroy(&inverse);
        hk_free(&load);
        hk_free(&weight);
        trial_destroy(&t);
      }
    hk_device_close(&device);
  }
}

/* what is planned from counts alone is there, to 8 %, with one component and several */
static void memory_is_planned(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (int s = 0; s < 4; s++)
    for (int heat = 0; heat < 2; heat++) {
      hk_mesh *mesh = NULL;
      hk_space *space = NULL;
      hk_operator *op = NULL;
      hk_region region = {.thickness = 1};
      hk_index *regions = NULL;
      const bool flat = s < 2;
      const hk_index n = (flat ? 120 : 24) / (SANITIZED ? 2 : 1);
      mesh = make_grid((hk_mesh_grid){
          .to = {1, 1, 1}, .cells = {n, n, n}, .shape = shapes[s], .jitter = 0.2, .shuffle = 3});
      ok(hk_get(&regions, mesh->element_count));
      ok(hk_material_conduct(1, conductivity, &region.material));
      ok(hk_material_isotropic(2, .3, &region.material));
      hk_space_desc numbering = hk_operator_elements.space(mesh, device, true);
      numbering.components = heat ? 1 : mesh->dim;
      ok(hk_space_create(mesh, &numbering, &space));
      ok(hk_operator_create(&hk_operator_elements,
                            &(hk_operator_desc){.device = device,
                                                .space = space,
                                                .region = &region,
                                                .element_region = regions,
                                                .double_precision = true},
                            &op));
      const double planned =
          (double)hk_operator_plan(op->kind, mesh, space->components, device, true);
      if (!(fabs(planned / (double)op->memory - 1) <= 0.08))
        fail_msg("%s: planned %.0f, there %.0f", hk_shape_name(shapes[s]), planned,
                 (double)op->memory);
      hk_operator_destroy(&op);
      hk_space_destroy(&space);
      hk_mesh_destroy(&mesh);
      hk_free(&regions);
    }
  hk_device_close(&device);
}

/* no Rayleigh quotient of (K, D) exceeds the bound: power iterations from below reach 0.4 of it and more */
static void the_bound_is_above_the_largest_eigenvalue(void **state)
{
  hk_device *device = NULL;
  (void)state;
  ok(hk_device_open("cpu", 2, &device));
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    trial t;
    double bound, largest = 0;
    trial_create(&t, device, (hk_shape)shape, true, true);
    ok(hk_elements_bound(&t.desc, &bound));
    for (int k = 0; k < 200; k++) {
      double above = 0, below = 0, norm = 0;
      csr_multiply(&t.k, t.values, t.expected);
      for (hk_count i = 0; i < t.dofs; i++) {
        const double own = entry(&t.k, i, 0, 0);
        above += t.values[i] * t.expected[i], below += t.values[i] * own * t.values[i];
        t.values[i] = own > 0 ? t.expected[i] / own : 0;
        norm = fmax(norm, fabs(t.values[i]));
      }
      for (hk_count i = 0; i < t.dofs; i++) t.values[i] /= norm;
      largest = above / below;
    }
    if (!(largest <= bound && bound <= 2.5 * largest))
      fail_msg("%s: %g, bound %g", hk_shape_name((hk_shape)shape), largest, bound);
    trial_destroy(&t);
  }
  hk_device_close(&device);
}

static void allocations_fail(void **state)
{
  hk_device *device = NULL;
  hk_operator *op = NULL;
  hk_status status = HK_NO_RESOURCES;
  trial t;
  (void)state;
  ok(hk_device_open("cpu", 1, &device));
  trial_create(&t, device, HK_TET10, true, true);
  const hk_count before = hk_memory_held();
  for (hk_count n = 1; status != HK_OK; n++) {
    hk_memory_fail_at(n);
    status = hk_operator_create(&hk_operator_elements, &t.desc, &op);
    hk_memory_fail_at(0);
    if (status == HK_OK) break;
    assert_int_equal(status, HK_NO_RESOURCES);
    assert_int_equal(hk_memory_held(), before);
  }
  hk_operator_destroy(&op);
  assert_int_equal(hk_memory_held(), before);
  trial_destroy(&t);
  hk_device_close(&device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(product_is_that_of_the_rows),
      cmocka_unit_test(product_of_geometry_is_that_of_the_rows),
      cmocka_unit_test(geometry_refuses_what_it_does_not_compute),
      cmocka_unit_test(diagonal_is_that_of_the_rows),
      cmocka_unit_test(a_sweep_is_a_jacobi_step_on_the_assembled_matrix),
      cmocka_unit_test(memory_is_planned),
      cmocka_unit_test(the_bound_is_above_the_largest_eigenvalue),
      cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
