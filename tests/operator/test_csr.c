/* The assembled matrix on the host. */
#include "support/dense.h"

static void make_space(const body *b, hk_space **space)
{
  ok(hk_space_create(b->mesh, &(hk_space_desc){.patch = 64, .slice = 8, .sort_valence = true},
                     space));
}

/* rows = dense assembly to 1e-14, of every shape and mixture of materials */
static void equals_dense(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (materials m = ONE; m < MATERIALS; m++) {
      body b = {0};
      hk_space *space = NULL;
      hk_csr k = {0};
      body_of_shape(&b, (hk_shape)s, m);
      make_space(&b, &space);
      const hk_operator_desc desc = {
          .space = space, .region = b.region, .element_region = b.element_region};
      ok(hk_csr_assemble(&desc, &k));
      assert_int_equal(k.rows, space->padded);
      assert_int_equal(k.begin[k.rows], k.entries);
      const hk_count n = b.mesh->node_count * b.mesh->dim;
      double *expected = dense_of(&b), *got = dense_of_csr(&k, space);
      const double error = difference_of(got, expected, n * n);
      if (!(error <= 1e-14))
        fail_msg("%s, materials %d: error %.2e", hk_shape_name((hk_shape)s), (int)m, error);
      hk_free(&expected);
      hk_free(&got);
      hk_csr_clear(&k);
      hk_space_destroy(&space);
      body_destroy(&b);
    }
}

/* the same bits for 1 and 4 threads */
static void threads_do_not_matter(void **state)
{
  body b = {0};
  hk_space *space = NULL;
  hk_csr k[2] = {{0}};
  (void)state;
  body_create(&b, HK_TET4, EVERY_KIND);
  make_space(&b, &space);
  for (int t = 0; t < 2; t++) {
    hk_device *device = NULL;
    ok(hk_device_open("cpu", t ? 4 : 1, &device));
    ok(hk_csr_assemble(&(hk_operator_desc){.device = device,
                                           .space = space,
                                           .region = b.region,
                                           .element_region = b.element_region},
                       &k[t]));
    hk_device_close(&device);
  }
  assert_int_equal(k[0].entries, k[1].entries);
  assert_memory_equal(k[0].column, k[1].column, (size_t)k[0].entries * sizeof *k[0].column);
  assert_memory_equal(k[0].block, k[1].block, (size_t)k[0].entries * 9 * sizeof *k[0].block);
  for (int t = 0; t < 2; t++) hk_csr_clear(&k[t]);
  hk_space_destroy(&space);
  body_destroy(&b);
}

/* whichever allocation fails: HK_NO_RESOURCES, nothing is kept */
static void allocations_fail(void **state)
{
  body b = {0};
  hk_space *space = NULL;
  hk_csr k = {0};
  hk_status status = HK_NO_RESOURCES;
  (void)state;
  body_of_shape(&b, HK_TET10, ONE);
  make_space(&b, &space);
  const hk_operator_desc desc = {
      .space = space, .region = b.region, .element_region = b.element_region};
  const hk_count before = hk_memory_held();
  for (hk_count n = 1; status != HK_OK; n++) {
    hk_memory_fail_at(n);
    status = hk_csr_assemble(&desc, &k);
    hk_memory_fail_at(0);
    if (status == HK_OK) break;
    assert_int_equal(status, HK_NO_RESOURCES);
    assert_int_equal(hk_memory_held(), before);
  }
  hk_csr_clear(&k);
  assert_int_equal(hk_memory_held(), before);
  hk_space_destroy(&space);
  body_destroy(&b);
}

/* an element without a section, or folded, is named */
static void bad_elements_are_named(void **state)
{
  body b = {0};
  hk_space *space = NULL;
  hk_csr k = {0};
  (void)state;
  body_of_shape(&b, HK_HEX8, ONE);
  make_space(&b, &space);
  const hk_operator_desc desc = {
      .space = space, .region = b.region, .element_region = b.element_region};
  b.element_region[0] = -1;
  assert_int_equal(hk_csr_assemble(&desc, &k), HK_BAD_INPUT);
  error_says("section");
  b.element_region[0] = 0;
  for (hk_count i = 0; i < b.mesh->node_count; i++) b.mesh->x[3 * i] *= -1;
  assert_int_equal(hk_csr_assemble(&desc, &k), HK_BAD_INPUT);
  error_says("folded");
  assert_null(k.begin);
  hk_space_destroy(&space);
  body_destroy(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_dense), cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(allocations_fail), cmocka_unit_test(bad_elements_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
