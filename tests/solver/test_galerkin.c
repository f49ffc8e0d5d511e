/* Products, transposes and aggregates on devices (solver/linear/sparse/galerkin.h, solver/linear/sparse/aggregate.h) against dense ones, and with items and groups in
 * any order. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "operator/assembly/assembled.h"
#include "operator/list.h"
#include "solver/linear/sparse/aggregate.h"
#include "support/check.h"

/* About `each` entries per row, ascending; row 0 has one in each column. */
static void random_matrix(hk_index rows, hk_index columns, int height, int width, int each,
                          hk_block_matrix *m)
{
  hk_count e = 0;
  *m = (hk_block_matrix){.rows = rows, .columns = columns, .height = height, .width = width};
  ok(hk_get(&m->begin, (hk_count)rows + 1));
  ok(hk_get(&m->column, (hk_count)rows * columns));
  ok(hk_get(&m->block, (hk_count)rows * columns * height * width));
  for (hk_index i = 0; i < rows; i++) {
    for (hk_index j = 0; j < columns; j++)
      if (i == 0 || rand() % columns < each) m->column[e++] = j;
    m->begin[i + 1] = e;
  }
  for (hk_count k = 0; k < e * height * width; k++) m->block[k] = uniform();
}

/* dense[rows * height][columns * width] */
static double *dense_of(const hk_block_matrix *m)
{
  const hk_count line = (hk_count)m->columns * m->width;
  const int size = m->height * m->width;
  double *dense = NULL;
  ok(hk_get(&dense, (hk_count)m->rows * m->height * line));
  for (hk_index i = 0; i < m->rows; i++)
    for (hk_count e = m->begin[i]; e < m->begin[i + 1]; e++) {
      assert_true(e == m->begin[i] || m->column[e] > m->column[e - 1]);
      for (int q = 0; q < size; q++)
        dense[((hk_count)i * m->height + q / m->width) * line + (hk_count)m->column[e] * m->width +
              q % m->width] = m->block[e * size + q];
    }
  return dense;
}

/* |c - a b| over the largest of c's entries */
static void assert_product(const double *a, const double *b, const double *c, hk_count rows,
                           hk_count inner, hk_count columns)
{
  double most = 0, error = 0;
  for (hk_count i = 0; i < rows; i++)
    for (hk_count j = 0; j < columns; j++) {
      double sum = 0;
      for (hk_count k = 0; k < inner; k++) sum += a[i * inner + k] * b[k * columns + j];
      most = hk_larger(most, fabs(sum));
      error = hk_larger(error, fabs(sum - c[i * columns + j]));
    }
  assert_true(most > 0 && error <= 1e-13 * most);
}

static void multiply(hk_galerkin_tools *tools, int height, int inner, int width, hk_index middle)
{
  hk_block_matrix a, b, c, t;
  hk_galerkin_matrix at = {0}, bt = {0}, product = {0}, flipped = {0};
  random_matrix(33, middle, height, inner, 5, &a);
  random_matrix(middle, 29, inner, width, 4, &b);
  ok(hk_galerkin_send(tools->device, &a, &at));
  ok(hk_galerkin_send(tools->device, &b, &bt));
  ok(hk_galerkin_multiply(tools, &at, &bt, NULL, &product));
  ok(hk_galerkin_transpose(tools, &product, &flipped));
  ok(hk_galerkin_read(&product, &c));
  ok(hk_galerkin_read(&flipped, &t));
  double *x = dense_of(&a), *y = dense_of(&b), *z = dense_of(&c), *f = dense_of(&t);
  const hk_count rows = 33 * height, columns = 29 * width;
  assert_product(x, y, z, rows, (hk_count)middle * inner, columns);
  for (hk_count i = 0; i < rows; i++)
    for (hk_count j = 0; j < columns; j++) assert_true(f[j * rows + i] == z[i * columns + j]);
  hk_block_matrix *const matrix[] = {&a, &b, &c, &t};
  hk_galerkin_matrix *const sent[] = {&at, &bt, &product, &flipped};
  double *dense[] = {x, y, z, f};
  for (int k = 0; k < 4; k++) {
    hk_block_matrix_clear(matrix[k]);
    hk_galerkin_clear(sent[k]);
    hk_free(&dense[k]);
  }
}

static void products_are_dense_ones(void **state)
{
  static const char *const names[] = {"cpu", "opencl"};
  static const int size[][3] = {{1, 1, 1}, {2, 2, 2}, {2, 2, 3}, {3, 2, 3},
                                {3, 3, 3}, {3, 3, 6}, {6, 3, 6}, {6, 6, 6}};
  (void)state;
  for (int d = 0; d < 2; d++) {
    hk_device *device = NULL;
    if (hk_device_open(names[d], 0, &device) != HK_OK) continue;
    hk_galerkin_tools tools = {.device = device};
    for (int k = 0; k < (d ? 3 : 8); k++) multiply(&tools, size[k][0], size[k][1], size[k][2], 40);
    hk_galerkin_tools_clear(&tools);
    hk_device_close(&device);
  }
}

/* Rows whose tables local memory has no room for. */
static void long_rows_are_united_too(void **state)
{
  (void)state;
  hk_device *device = NULL;
  hk_block_matrix a, b, c;
  hk_galerkin_matrix at = {0}, bt = {0}, product = {0};
  ok(hk_device_open("cpu", 2, &device));
  hk_galerkin_tools tools = {.device = device};
  random_matrix(4, 40, 1, 1, 20, &a);
  random_matrix(40, 3000, 1, 1, 900, &b);
  ok(hk_galerkin_send(device, &a, &at));
  ok(hk_galerkin_send(device, &b, &bt));
  ok(hk_galerkin_multiply(&tools, &at, &bt, NULL, &product));
  ok(hk_galerkin_read(&product, &c));
  assert_true(c.begin[1] == 3000);
  double *x = dense_of(&a), *y = dense_of(&b), *z = dense_of(&c);
  assert_product(x, y, z, 4, 40, 3000);
  hk_free(&x);
  hk_free(&y);
  hk_free(&z);
  hk_block_matrix_clear(&a);
  hk_block_matrix_clear(&b);
  hk_block_matrix_clear(&c);
  hk_galerkin_clear(&at);
  hk_galerkin_clear(&bt);
  hk_galerkin_clear(&product);
  hk_galerkin_tools_clear(&tools);
  hk_device_close(&device);
}

typedef struct body {
  hk_mesh *mesh;
  hk_device *device;
  hk_space *space;
  hk_operator *op;
  hk_region region;
  hk_index *element_region;
  hk_galerkin_tools tools;
  hk_galerkin_matrix k;
  hk_buffer *x, *near_null;
  double *places;
} body;

/* A body that nothing holds. */
static void body_create(body *b, hk_shape shape, const char *device, int threads)
{
  const bool flat = shape == HK_TRI3;
  *b = (body){.region.thickness = 1, .region.material.density = 1};
  ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = flat ? 2 : 3,
                                         .to = {1, 1.2, 0.9},
                                         .cells = {flat ? 14 : 6, flat ? 14 : 5, 5},
                                         .shape = shape,
                                         .jitter = 0.2,
                                         .shuffle = 5},
                         &b->mesh));
  ok(hk_material_isotropic(2.1, 0.3, &b->region.material));
  ok(hk_get(&b->element_region, b->mesh->element_count));
  ok(hk_device_open(device, threads, &b->device));
  const hk_space_desc space = hk_operator_assembled.space(b->mesh, b->device, true);
  ok(hk_space_create(b->mesh, &space, &b->space));
  ok(hk_operator_create(&hk_operator_assembled,
                        &(hk_operator_desc){.device = b->device,
                                            .space = b->space,
                                            .region = &b->region,
                                            .element_region = b->element_region,
                                            .double_precision = true},
                        &b->op));
  b->tools.device = b->device;
  ok(hk_galerkin_take(&b->tools, hk_assembled_matrix(b->op), &b->k));
  ok(hk_get(&b->places, (hk_count)b->space->padded * b->space->dim));
  hk_space_to_internal(b->space, b->space->dim, b->mesh->x, b->places);
  const hk_count bytes = (hk_count)b->space->padded * b->space->dim * 8;
  ok(hk_buffer_create(b->device, bytes, &b->x));
  ok(hk_buffer_write(b->x, 0, bytes, b->places));
  ok(hk_near_null_create(&b->tools, b->space->dim, true, b->space->padded, b->places, b->x, NULL,
                         &b->near_null));
}

static void body_destroy(body *b)
{
  hk_galerkin_clear(&b->k);
  hk_buffer_destroy(&b->x);
  hk_buffer_destroy(&b->near_null);
  hk_galerkin_tools_clear(&b->tools);
  hk_operator_destroy(&b->op);
  hk_space_destroy(&b->space);
  hk_device_close(&b->device);
  hk_mesh_destroy(&b->mesh);
  hk_free(&b->element_region);
  hk_free(&b->places);
}

static void coarsen(body *b, double strength, hk_coarse *c)
{
  ok(hk_coarse_create(&b->tools,
                      &(hk_coarse_desc){.a = &b->k,
                                        .near_null = b->near_null,
                                        .x = b->x,
                                        .modes = hk_near_null_modes(b->space->dim, true),
                                        .dim = b->space->dim,
                                        .most = 2.5,
                                        .strength = strength},
                      c));
}

/* P B_coarse = B for K B = 0 where nothing is weak, A_coarse = P^T K P, R = P^T. */
static void a_level_keeps_motions_and_is_galerkins(void **state)
{
  static const hk_shape shape[] = {HK_TRI3, HK_TET4, HK_HEX8};
  static const char *const names[] = {"cpu", "opencl"};
  (void)state;
  for (int s = 0; s < 6; s++) {
    body b = {0};
    hk_coarse c = {0};
    hk_device *there = NULL;
    if (s >= 3 && hk_device_open("opencl", 0, &there) != HK_OK) continue;
    hk_device_close(&there);
    body_create(&b, shape[s % 3], names[s / 3], 0);
    coarsen(&b, 0, &c);
    hk_block_matrix p, r, a, k;
    ok(hk_galerkin_read(&c.p, &p));
    ok(hk_galerkin_read(&c.r, &r));
    ok(hk_galerkin_read(&c.a, &a));
    ok(hk_galerkin_read(&b.k, &k));
    const int modes = hk_near_null_modes(b.space->dim, true);
    const hk_count rows = (hk_count)p.rows * p.height, coarse = (hk_count)p.columns * modes;
    assert_true(p.columns > 2 && p.columns * 4 < b.mesh->node_count);
    double *fine_null = NULL, *coarse_null = NULL;
    ok(hk_get(&fine_null, rows * modes));
    ok(hk_get(&coarse_null, coarse * modes));
    ok(hk_buffer_read(b.near_null, 0, rows * modes * 8, fine_null));
    ok(hk_buffer_read(c.near_null, 0, coarse * modes * 8, coarse_null));
    double *dp = dense_of(&p), *dr = dense_of(&r), *da = dense_of(&a), *dk = dense_of(&k);
    for (hk_count i = 0; i < rows * modes; i++) /* rows of padding are no one's */
      if (k.begin[i / modes / p.height] == k.begin[i / modes / p.height + 1]) fine_null[i] = 0;
    assert_product(dp, coarse_null, fine_null, rows, coarse, modes);
    for (hk_index g = 0; g < p.columns; g++) /* translations are 1 in all aggregates */
      assert_true(fabs(coarse_null[(hk_count)g * modes * modes] - 1) <= 1e-12);
    double *kp = NULL;
    ok(hk_get(&kp, rows * coarse));
    for (hk_count i = 0; i < rows; i++)
      for (hk_count m = 0; m < rows; m++)
        for (hk_count j = 0; dk[i * rows + m] != 0 && j < coarse; j++)
          kp[i * coarse + j] += dk[i * rows + m] * dp[m * coarse + j];
    assert_product(dr, kp, da, coarse, rows, coarse);
    for (hk_count i = 0; i < rows; i++)
      for (hk_count j = 0; j < coarse; j++) assert_true(dr[j * rows + i] == dp[i * coarse + j]);
    double *dense[] = {dp, dr, da, dk, kp, fine_null, coarse_null};
    for (int n = 0; n < 7; n++) hk_free(&dense[n]);
    hk_block_matrix_clear(&p);
    hk_block_matrix_clear(&r);
    hk_block_matrix_clear(&a);
    hk_block_matrix_clear(&k);
    hk_coarse_clear(&c);
    body_destroy(&b);
  }
}

/* One thread and three. */
static void levels_are_the_same_bits(void **state)
{
  (void)state;
  hk_block_matrix a[2];
  for (int n = 0; n < 2; n++) {
    body b = {0};
    hk_coarse c = {0};
    body_create(&b, HK_TET4, "cpu", n ? 3 : 1);
    coarsen(&b, 0.2, &c);
    ok(hk_galerkin_read(&c.a, &a[n]));
    hk_coarse_clear(&c);
    body_destroy(&b);
  }
  const hk_count entries = a[0].begin[a[0].rows];
  assert_int_equal(a[1].begin[a[1].rows], entries);
  assert_memory_equal(a[0].column, a[1].column, (size_t)entries * sizeof *a->column);
  assert_memory_equal(a[0].block, a[1].block, (size_t)(entries * 36) * sizeof *a->block);
  for (int n = 0; n < 2; n++) hk_block_matrix_clear(&a[n]);
}

static void a_failing_allocation_is_told(void **state)
{
  (void)state;
  hk_status status = HK_NO_RESOURCES;
  int fails = 0;
  for (int k = 1; status == HK_NO_RESOURCES; k++) {
    body b = {0};
    hk_coarse c = {0};
    body_create(&b, HK_TRI3, "cpu", 1);
    hk_memory_fail_at(k);
    status = hk_coarse_create(&b.tools,
                              &(hk_coarse_desc){.a = &b.k,
                                                .near_null = b.near_null,
                                                .x = b.x,
                                                .modes = 3,
                                                .dim = 2,
                                                .most = 2.5,
                                                .strength = 0.2},
                              &c);
    hk_memory_fail_at(0);
    fails += status == HK_NO_RESOURCES;
    hk_coarse_clear(&c);
    body_destroy(&b);
  }
  ok(status);
  assert_true(fails > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_dense_ones),
      cmocka_unit_test(long_rows_are_united_too),
      cmocka_unit_test(a_level_keeps_motions_and_is_galerkins),
      cmocka_unit_test(levels_are_the_same_bits),
      cmocka_unit_test(a_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
