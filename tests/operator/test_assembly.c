/* The matrix assembled in three stages on each device of this machine. */
#include "operator/assembly_fixture.h"

/* Sanfui and Sharma, Fig. 4: nInd is 3 8 12 16 20 25 31, and each row holds the nodes of the elements around it */
static void neighbours_of_the_paper(void **state)
{
  static const hk_index node[] = {0, 1, 5, 1, 5, 6, 1, 2, 6, 2, 3, 6, 3, 4, 6, 4, 5, 6};
  static const hk_count expected[] = {0, 3, 8, 12, 16, 20, 25, 31};
  static const hk_index column[] = {0, 1, 5, 0, 1, 2, 5, 6, 1, 2, 3, 6, 2, 3, 4, 6,
                                    3, 4, 5, 6, 0, 1, 4, 5, 6, 1, 2, 3, 4, 5, 6};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++)
    for (int table = 0; table <= 8; table += 8) { /* in local memory, and too large for it */
      hk_neighbours *n = NULL;
      hk_count *begin = NULL, *around_begin = NULL;
      int32_t *list = NULL, *around = NULL;
      ok(hk_neighbours_create(&(hk_neighbours_desc){.device = device,
                                                    .nodes = 7,
                                                    .elements = 6,
                                                    .stride = 3,
                                                    .node = node,
                                                    .table = table},
                              &n));
      assert_int_equal(n->entries, 31);
      assert_int_equal(n->longest, 6);
      read_counts(n->begin, 8, &begin);
      read_counts(n->around_begin, 8, &around_begin);
      read_ints(n->column, 31, &list);
      read_ints(n->around, 18, &around);
      assert_memory_equal(begin, expected, sizeof expected);
      assert_memory_equal(list, column, sizeof column);
      assert_int_equal(around_begin[7], 18);
      for (int i = 0; i < 7; i++)
        for (hk_count p = around_begin[i]; p < around_begin[i + 1]; p++) {
          const hk_index *of = node + 3 * around[p];
          assert_true(of[0] == i || of[1] == i || of[2] == i);
          assert_true(p == around_begin[i] || around[p] > around[p - 1]);
        }
      hk_free(&begin);
      hk_free(&around_begin);
      hk_free(&list);
      hk_free(&around);
      hk_neighbours_destroy(&n);
    }
}

/* offsets beyond 2^31: sums of 2000 counts of 2^21 */
static void offsets_have_64_bits(void **state)
{
  enum { COUNTS = 2000, EACH = 1 << 21 };
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    hk_scan *scan = NULL;
    hk_buffer *count = NULL, *begin = NULL;
    int32_t value[COUNTS];
    hk_count *sum = NULL, total;
    hk_index largest;
    for (int i = 0; i < COUNTS; i++) value[i] = EACH + i;
    ok(hk_scan_create(device, COUNTS, &scan));
    ok(hk_buffer_create(device, sizeof value, &count));
    ok(hk_buffer_create(device, (COUNTS + 1) * 8, &begin));
    ok(hk_buffer_write(count, 0, sizeof value, value));
    ok(hk_scan_run(scan, count, begin, COUNTS, &total, &largest));
    assert_int_equal(total, (hk_count)COUNTS * EACH + COUNTS * (COUNTS - 1) / 2);
    assert_int_equal(largest, EACH + COUNTS - 1);
    read_counts(begin, COUNTS + 1, &sum);
    for (hk_count i = 0; i <= COUNTS; i++) assert_int_equal(sum[i], i * EACH + i * (i - 1) / 2);
    hk_free(&sum);
    hk_buffer_destroy(&count);
    hk_buffer_destroy(&begin);
    hk_scan_destroy(&scan);
    hk_device_close(&device);
  }
}

static void compare_dense(const body *b, hk_device *device, const hk_assembly_desc *how,
                          const double *expected, const char *what)
{
  const hk_count n = b->mesh->node_count * b->mesh->dim;
  made m = make(b, device, how);
  double *got = dense_of_made(&m);
  const double error = difference_of(got, expected, n * n),
               tolerance = how->on.double_precision ? 1e-14 : 1e-5;
  if (!(error <= tolerance))
    fail_msg("%s, %s, format %d, double %d: error %.2e", what, hk_device_describe(device)->backend,
             (int)how->format, how->on.double_precision, error);
  hk_free(&got);
  unmake(&m);
}

/* every format on every device = dense assembly to 1e-14, of every shape, several regions and laws; single to its rounding */
static void equals_dense(void **state)
{
  static const hk_assembly_desc ways[] = {
      {.format = HK_FORMAT_NODES, .on.double_precision = true},
      {.format = HK_FORMAT_COO, .on.double_precision = true},
      {.format = HK_FORMAT_CSR, .on.double_precision = true},
      {.format = HK_FORMAT_ELL, .on.double_precision = true},
      {.format = HK_FORMAT_NODES},
      /* many chunks; rows too long for local memory; simplices as other shapes */
      {.on.double_precision = true, .scratch = 1, .no_fans = true},
      {.on.double_precision = true, .span = 1, .scratch = 40000}};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < HK_SHAPE_COUNT; s++) {
      body b = {0};
      body_of_shape(&b, (hk_shape)s, s % 2 ? EVERY_KIND : LAYERS);
      double *expected = dense_of(&b);
      const char *name = hk_shape_name((hk_shape)s);
      for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        if (!left_out(device, s + (int)w, 3)) compare_dense(&b, device, &ways[w], expected, name);
      hk_free(&expected);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

/* 48 KB of local memory, as OpenCL of some graphics cards: the host integrates elements whose matrix is larger */
static void little_local_memory(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    hk_device_info *info = (hk_device_info *)(uintptr_t)hk_device_describe(device);
    body b = {0};
    if (info->local_memory > 48 << 10) info->local_memory = 48 << 10;
    body_of_shape(&b, HK_HEX27, ONE);
    double *expected = dense_of(&b);
    compare_dense(&b, device, &(hk_assembly_desc){.on.double_precision = true}, expected, "48 KB");
    hk_free(&expected);
    body_destroy(&b);
    hk_device_close(&device);
  }
}

/* elements that the host integrates, and a mixture of shapes: = dense assembly */
static void given_and_mixed(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    body b = {0};
    ok(hk_mesh_read(TEST_DATA "/mesh/boxes_save_all.msh", NULL, &b.mesh));
    body_dress(&b, EVERY_KIND);
    for (int r = 0; r < REGIONS; r++) b.region[r].integration = (hk_integration)(r % 3);
    double *expected = dense_of(&b);
    compare_dense(&b, device, &(hk_assembly_desc){.on.double_precision = true}, expected, "mixed");
    hk_free(&expected);
    body_destroy(&b);
    hk_device_close(&device);
  }
}

/* hexahedra collapsed to wedges, which name nodes twice: = dense assembly, integrated by the device and by the host */
static void collapsed(void **state)
{
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++)
    for (int i = 0; i < 3; i++) {
      body b = {0};
      body_of_shape(&b, HK_HEX8, ONE);
      for (hk_count e = 0; e < b.mesh->element_count; e += 3) {
        hk_index *node = b.mesh->block[0].node + 8 * e;
        node[3] = node[2], node[7] = node[6];
      }
      b.region[0].integration = (hk_integration)i;
      double *expected = dense_of(&b);
      compare_dense(&b, device, &(hk_assembly_desc){.on.double_precision = true}, expected,
                    "collapsed");
      hk_free(&expected);
      body_destroy(&b);
    }
}

/* two runs, and a refill, give the same bits; new laws are taken */
static void runs_are_alike(void **state)
{
  static const hk_shape shapes[] = {HK_TET4, HK_HEX8};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < 2; s++) {
      body b = {0};
      const hk_assembly_desc how = {.on.double_precision = true, .scratch = 1 << 20};
      body_create(&b, shapes[s], LAYERS);
      made first = make(&b, device, &how), second = make(&b, device, &how);
      double *one = read_values(&first), *two = read_values(&second);
      const size_t bytes = (size_t)hk_buffer_bytes(first.k->value);
      assert_memory_equal(one, two, bytes);
      hk_free(&two);
      ok(hk_assembly_fill(second.k));
      two = read_values(&second);
      assert_memory_equal(one, two, bytes);
      hk_free(&two);
      for (int r = 0; r < 2; r++)
        for (int c = 0; c < 36; c++) b.region[r].material.c[c / 6][c % 6] *= 2;
      ok(hk_assembly_fill(second.k));
      two = read_values(&second);
      for (size_t i = 0; i < bytes / 8; i++) assert_true(two[i] == 2 * one[i]);
      hk_free(&one);
      hk_free(&two);
      unmake(&first);
      unmake(&second);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

/* groups of other numbers of threads, which are asked for where kernels are compiled, give the same bits: rows that integrate, rows that gather,
 * dense lines */
static void threads_of_a_group_are_asked_for(void **state)
{
  static const hk_assembly_desc ways[] = {{.on.double_precision = true},
                                          {.on.double_precision = true, .no_fans = true},
                                          {.on.double_precision = true, .format = HK_FORMAT_DENSE}};
  enum { OTHER = 256 };
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    const bool compiles = hk_device_describe(device)->compiles;
    body b = {0};
    body_create(&b, HK_TRI3, LAYERS);
    for (int w = 0; w < 3; w++) {
      made own = make(&b, device, &ways[w]);
      double *expected = read_values(&own);
      hk_assembly_desc how = ways[w];
      how.threads = OTHER;
      made m = make(&b, device, &how);
      double *got = read_values(&m);
      assert_memory_equal(got, expected, (size_t)hk_buffer_bytes(own.k->value));
      if (compiles && how.format == HK_FORMAT_DENSE) assert_int_equal(m.k->sums.rows, OTHER);
      if (compiles) assert_true(m.k->sums.rows > own.k->sums.rows);
      hk_free(&got);
      unmake(&m);
      hk_free(&expected);
      unmake(&own);
    }
    body_destroy(&b);
    hk_device_close(&device);
  }
}

/* whichever allocation fails: HK_NO_RESOURCES, nothing is kept */
static void allocations_fail(void **state)
{
  body b = {0};
  hk_device *device = NULL;
  hk_space *space = NULL;
  hk_assembly *k = NULL;
  (void)state;
  body_of_shape(&b, HK_TET10, ONE);
  ok(hk_device_open("cpu", 1, &device));
  ok(hk_space_create(b.mesh, &(hk_space_desc){.patch = 32, .slice = 32}, &space));
  const hk_assembly_desc desc = {.on = {device, space, b.region, b.element_region, true},
                                 .format = HK_FORMAT_CSR};
  const hk_count before = hk_memory_held();
  for (hk_count n = 1;; n++) {
    hk_memory_fail_at(n);
    hk_status status = hk_assembly_create(&desc, &k);
    if (status == HK_OK) status = hk_assembly_fill(k);
    hk_memory_fail_at(0);
    if (status == HK_OK) break;
    assert_int_equal(status, HK_NO_RESOURCES);
    hk_assembly_destroy(&k);
    assert_int_equal(hk_memory_held(), before);
  }
  hk_assembly_destroy(&k);
  assert_int_equal(hk_memory_held(), before);
  hk_space_destroy(&space);
  hk_device_close(&device);
  body_destroy(&b);
}

/* a folded element is named, on every device and way */
static void folded_elements_are_named(void **state)
{
  static const hk_shape shapes[] = {HK_TET4, HK_HEX20};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < 2; s++) {
      body b = {0};
      made m = {0};
      body_of_shape(&b, shapes[s], ONE);
      for (hk_count i = 0; i < b.mesh->node_count; i++) b.mesh->x[3 * i] *= -1;
      ok(hk_space_create(b.mesh, &(hk_space_desc){.patch = 32, .slice = 32}, &m.space));
      ok(hk_assembly_create(
          &(hk_assembly_desc){.on = {device, m.space, b.region, b.element_region, true}}, &m.k));
      assert_int_equal(hk_assembly_fill(m.k), HK_BAD_INPUT);
      error_says("element 1 is folded");
      unmake(&m);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_of_the_paper),
                                     cmocka_unit_test(offsets_have_64_bits),
                                     cmocka_unit_test(equals_dense),
                                     cmocka_unit_test(little_local_memory),
                                     cmocka_unit_test(given_and_mixed),
                                     cmocka_unit_test(collapsed),
                                     cmocka_unit_test(runs_are_alike),
                                     cmocka_unit_test(threads_of_a_group_are_asked_for),
                                     cmocka_unit_test(allocations_fail),
                                     cmocka_unit_test(folded_elements_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
