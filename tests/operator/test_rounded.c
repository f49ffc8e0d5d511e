/* An operator in single precision made from one in double has the latter's rows and its numbers, rounded to the nearest: products of unit vectors. */
#include "operator/assembly/assembled.h"
#include "operator/list.h"
#include "solver/linear/product.h"
#include "support/body.h"

enum { DIM = 3 };

static hk_operator *create(const hk_operator_desc *desc)
{
  hk_operator *op = NULL;
  ok(hk_operator_create(&hk_operator_assembled, desc, &op));
  ok(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  return op;
}

/* ku = K e_i */
static void column(hk_operator *op, hk_count i, double *u, double *ku)
{
  const hk_count dofs = (hk_count)op->desc.space->padded * DIM,
                 bytes = dofs * (op->desc.double_precision ? 8 : 4);
  hk_buffer *in = NULL, *out = NULL;
  ok(hk_buffer_create(op->desc.device, bytes, &in));
  ok(hk_buffer_create(op->desc.device, bytes, &out));
  for (hk_count k = 0; k < dofs; k++) u[k] = k == i;
  ok(hk_product(op, in, out, u, ku));
  hk_buffer_destroy(&in);
  hk_buffer_destroy(&out);
}

static void check_numbers(hk_operator *precise, hk_operator *rounded)
{
  const hk_count dofs = (hk_count)precise->desc.space->padded * DIM;
  double *u = NULL, *ku = NULL, *own = NULL, most = 0;
  ok(hk_get(&u, dofs));
  ok(hk_get(&ku, dofs));
  ok(hk_get(&own, dofs));
  for (hk_count i = 0; i < dofs; i += 7) {
    column(precise, i, u, ku);
    column(rounded, i, u, own);
    for (hk_count k = 0; k < dofs; k++) {
      /* a row's own block is minus the sum of the others: K (u - u_n) */
      const double limit = k / DIM == i / DIM ? 1e-6 * fabs(ku[i]) : 0;
      if (!(fabs(own[k] - (double)(float)ku[k]) <= limit))
        fail_msg("K[%lld][%lld]: %.17g, rounded %.17g", (long long)k, (long long)i, ku[k], own[k]);
      most = fmax(most, fabs(own[k]));
    }
  }
  assert_true(most > 0);
  hk_free(&u);
  hk_free(&ku);
  hk_free(&own);
}

static void rounds(void **state)
{
  body b = {.mesh = make_grid((hk_mesh_grid){
                .to = {1, 1, 1}, .cells = {3, 2, 2}, .shape = HK_HEX8, .jitter = .2})};
  hk_device *device = NULL;
  hk_space *space = NULL;
  (void)state;
  ok(hk_mesh_raise_to(b.mesh, 2));
  body_dress(&b, EVERY_ELEMENT);
  ok(hk_device_open("cpu", 2, &device));
  ok(hk_space_create(b.mesh, &(hk_space_desc){.patch = 32, .slice = 32}, &space));
  hk_operator_desc desc = {.device = device,
                           .space = space,
                           .region = b.region,
                           .element_region = b.element_region,
                           .double_precision = true};
  hk_operator *precise = create(&desc);
  desc.double_precision = false, desc.rounded = precise;
  hk_operator *rounded = create(&desc), *like = create(&rounded->desc);
  assert_ptr_equal(hk_assembled_matrix(rounded), hk_assembled_matrix(precise));
  assert_ptr_not_equal(hk_assembled_matrix(like), hk_assembled_matrix(precise));
  assert_true(rounded->memory < like->memory);
  check_numbers(precise, rounded);
  assert_int_equal(hk_assembled_refill(rounded), HK_INTERNAL);
  hk_operator_destroy(&like);
  hk_operator_destroy(&rounded);
  hk_operator_destroy(&precise);
  hk_space_destroy(&space);
  hk_device_close(&device);
  body_destroy(&b);
}

/* Rows of another space are not taken, though they are offered. */
static void stays_with_its_space(void **state)
{
  body b = {.mesh =
                make_grid((hk_mesh_grid){.to = {1, 1, 1}, .cells = {2, 2, 2}, .shape = HK_HEX8})};
  hk_device *device = NULL;
  hk_space *space[2] = {0};
  (void)state;
  body_dress(&b, EVERY_ELEMENT);
  ok(hk_device_open("cpu", 2, &device));
  for (int k = 0; k < 2; k++)
    ok(hk_space_create(b.mesh, &(hk_space_desc){.patch = 32, .slice = 32}, &space[k]));
  hk_operator_desc desc = {.device = device,
                           .space = space[0],
                           .region = b.region,
                           .element_region = b.element_region,
                           .double_precision = true};
  hk_operator *precise = create(&desc);
  desc.double_precision = false, desc.rounded = precise, desc.space = space[1];
  hk_operator *own = create(&desc);
  assert_ptr_not_equal(hk_assembled_matrix(own), hk_assembled_matrix(precise));
  hk_operator_destroy(&own);
  hk_operator_destroy(&precise);
  for (int k = 0; k < 2; k++) hk_space_destroy(&space[k]);
  hk_device_close(&device);
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rounds),
                                     cmocka_unit_test(stays_with_its_space)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
