/* The matrix assembled in three stages on each device of this machine. */
#include "operator/assembly/assembled.h"
#include "papers/assembly.h"
#include "support/dense.h"

static void read_ints(const hk_buffer *buffer, hk_count count, int32_t **out)
{
  ok(hk_get(out, count));
  ok(hk_buffer_read(buffer, 0, count * 4, *out));
}

static void read_counts(const hk_buffer *buffer, hk_count count, hk_count **out)
{
  ok(hk_get(out, count));
  ok(hk_buffer_read(buffer, 0, count * 8, *out));
}

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

/* One assembly of a body on a device. */
typedef struct made {
  hk_space *space;
  hk_assembly *k;
} made;

static made make(const body *b, hk_device *device, const hk_assembly_desc *how)
{
  made m = {0};
  hk_assembly_desc desc = *how;
  ok(hk_space_create(b->mesh, &(hk_space_desc){.patch = 32, .slice = 32}, &m.space));
  desc.on.device = device, desc.on.space = m.space;
  desc.on.region = b->region, desc.on.element_region = b->element_region;
  ok(hk_assembly_create(&desc, &m.k));
  ok(hk_assembly_fill(m.k));
  return m;
}

static void unmake(made *m)
{
  hk_assembly_destroy(&m->k);
  hk_space_destroy(&m->space);
}

static double *read_values(const made *m)
{
  double *value = NULL;
  const bool real = m->k->desc.on.double_precision;
  const hk_count count = hk_buffer_bytes(m->k->value) / (real ? 8 : 4);
  ok(hk_get(&value, count));
  ok(hk_buffer_read_reals(m->k->value, real, 0, count, value));
  return value;
}

/* Entry (row, column), by degrees of freedom of the space, goes to mesh nodes. */
static void add_to(const made *m, double *dense, hk_count row, hk_count column, double value)
{
  const int dim = m->space->dim;
  const hk_count i = m->space->mesh_node[row / dim], j = m->space->mesh_node[column / dim];
  assert_true(i >= 0 && j >= 0);
  dense[(i * dim + row % dim) * m->space->mesh->node_count * dim + j * dim + column % dim] += value;
}

static double *dense_of_made(const made *m)
{
  const hk_count dofs = (hk_count)m->k->rows * m->space->dim,
                 n = m->space->mesh->node_count * m->space->dim,
                 nonzeros = hk_assembly_nonzeros(m->k);
  double *dense = NULL, *value = read_values(m);
  int32_t *column = NULL, *row = NULL;
  hk_count *begin = NULL;
  ok(hk_get(&dense, n * n));
  if (m->k->desc.format == HK_FORMAT_NODES) {
    hk_csr csr = {0};
    hk_free(&dense);
    ok(hk_assembly_read(m->k, &csr));
    dense = dense_of_csr(&csr, m->space);
    hk_csr_clear(&csr);
  } else
    read_ints(m->k->column_of, hk_buffer_bytes(m->k->column_of) / 4, &column);
  if (m->k->desc.format == HK_FORMAT_COO) {
    read_ints(m->k->row_of, nonzeros, &row);
    for (hk_count k = 0; k < nonzeros; k++) add_to(m, dense, row[k], column[k], value[k]);
  }
  if (m->k->desc.format == HK_FORMAT_CSR) {
    read_counts(m->k->row_begin, dofs + 1, &begin);
    assert_int_equal(begin[dofs], nonzeros);
    for (hk_count i = 0; i < dofs; i++)
      for (hk_count k = begin[i]; k < begin[i + 1]; k++) add_to(m, dense, i, column[k], value[k]);
  }
  if (m->k->desc.format == HK_FORMAT_ELL)
    for (hk_count k = 0; k < m->k->width; k++)
      for (hk_count i = 0; i < dofs; i++)
        if (column[k * dofs + i] >= 0)
          add_to(m, dense, i, column[k * dofs + i], value[k * dofs + i]);
  hk_free(&column);
  hk_free(&row);
  hk_free(&begin);
  hk_free(&value);
  return dense;
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

/* the papers' ways give what ours does, in each format that they know, to the rounding of other orders */
static void papers_agree(void **state)
{
  static const hk_shape shapes[] = {HK_TET4, HK_TET10, HK_HEX20};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < 3; s++) {
      body b = {0};
      body_of_shape(&b, shapes[s], EVERY_KIND);
      double *expected = dense_of(&b);
      const hk_count n = b.mesh->node_count * 3;
      for (int f = 0; f < HK_FORMATS; f += HK_FORMAT_ELL)
        for (int w = 0; w < HK_ASSEMBLE_WAYS; w++) {
          double seconds;
          hk_count bytes;
          if (left_out(device, s + f + w, 2)) continue;
          made m =
              make(&b, device,
                   &(hk_assembly_desc){.format = (hk_matrix_format)f, .on.double_precision = true});
          const hk_status status = hk_assembly_fill_by(m.k, (hk_assembly_way)w, &seconds, &bytes);
          const hk_count local = hk_device_describe(device)->local_memory;
          if (w == HK_ASSEMBLE_SHARED_NZ && f == HK_FORMAT_ELL)
            assert_int_equal(status, HK_BAD_INPUT);
          else if (w == HK_ASSEMBLE_SHARED_NZ && status == HK_NO_RESOURCES)
            assert_true(local && local < 80 << 10); /* its pool does not fit there */
          else {
            ok(status);
            double *got = dense_of_made(&m);
            const double error = difference_of(got, expected, n * n);
            if (!(error <= 1e-13)) /* sums of up to 162 elements: 3e-16 to 8e-16 measured */
              fail_msg("%s, %s, %s, format %d: error %.2e", hk_shape_name(shapes[s]),
                       hk_device_describe(device)->backend,
                       hk_assembly_way_name((hk_assembly_way)w), f, error);
            hk_free(&got);
          }
          unmake(&m);
        }
      hk_free(&expected);
      body_destroy(&b);
    }
    hk_device_close(&device);
  }
}

static double *read_and_destroy(hk_assembly **k)
{
  double *value = NULL;
  const hk_count count = hk_buffer_bytes((*k)->value) / 8;
  ok(hk_get(&value, count));
  ok(hk_buffer_read((*k)->value, 0, count * 8, value));
  hk_assembly_destroy(k);
  return value;
}

/* Keating, Algorithm 3: conductances added element by element, each place found by search, are those that rows gather, to the rounding of
 * other orders; ways that do not have them refuse */
static void conductances_by_search(void **state)
{
  static const hk_shape shapes[] = {HK_TRI3, HK_TET4};
  const double conductivity[] = {3, 2, 5, 0.4, 0.1, 0.2};
  hk_device *device = NULL;
  (void)state;
  for (int k = 0; next_device(k, &device); k++) {
    for (int s = 0; s < 4; s++) {
      hk_mesh *mesh = NULL;
      hk_space *space = NULL;
      hk_region region = {.thickness = 1};
      int16_t *none = NULL;
      hk_assembly *own = NULL, *other = NULL;
      double seconds;
      hk_count bytes;
      ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = 2 + s % 2,
                                             .to = {1, 1.2, 0.9},
                                             .cells = {6, 5, 4},
                                             .shape = shapes[s % 2],
                                             .jitter = 0.3,
                                             .shuffle = 5},
                             &mesh));
      ok(hk_material_conduct(6, conductivity, &region.material));
      ok(hk_get(&none, mesh->element_count));
      ok(hk_space_create(mesh, &(hk_space_desc){.components = 1, .patch = 32, .slice = 32},
                         &space));
      const hk_assembly_desc desc = {.on = {device, space, &region, none, true},
                                     .format = s < 2 ? HK_FORMAT_CSR : HK_FORMAT_ELL};
      ok(hk_assembly_create(&desc, &own));
      ok(hk_assembly_fill(own));
      ok(hk_assembly_create(&desc, &other));
      ok(hk_assembly_fill_by(other, HK_ASSEMBLE_SAME, &seconds, &bytes));
      assert_int_equal(hk_assembly_fill_by(other, HK_ASSEMBLE_SEPARATE, &seconds, &bytes),
                       HK_BAD_INPUT);
      const hk_count count = hk_buffer_bytes(own->value) / 8;
      double *expected = read_and_destroy(&own), *got = read_and_destroy(&other);
      const double error = difference_of(got, expected, count);
      if (!(error <= 1e-13))
        fail_msg("%s, %s: error %.2e", hk_shape_name(shapes[s % 2]),
                 hk_device_describe(device)->backend, error);
      hk_free(&expected);
      hk_free(&got);
      hk_space_destroy(&space);
      hk_free(&none);
      hk_mesh_destroy(&mesh);
    }
    hk_device_close(&device);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_of_the_paper),
                                     cmocka_unit_test(offsets_have_64_bits),
                                     cmocka_unit_test(equals_dense),
                                     cmocka_unit_test(given_and_mixed),
                                     cmocka_unit_test(collapsed),
                                     cmocka_unit_test(papers_agree),
                                     cmocka_unit_test(conductances_by_search),
                                     cmocka_unit_test(runs_are_alike),
                                     cmocka_unit_test(allocations_fail),
                                     cmocka_unit_test(folded_elements_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
