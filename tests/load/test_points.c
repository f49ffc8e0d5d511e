/* Rows of points between nodes. */
#include "load/rows.h"
#include "support/check.h"

static hk_mesh *box(hk_shape shape)
{
  const int dim = shape == HK_TRI3 || shape == HK_QUAD4 ? 2 : 3;
  const hk_mesh_grid desc = {.dim = dim,
                             .from = {-1, 0, 2},
                             .to = {1, 3, 4},
                             .cells = {4, 5, 3},
                             .shape = shape,
                             .jitter = .2,
                             .shuffle = 3};
  hk_mesh *m = NULL;
  ok(hk_mesh_create_grid(&desc, &m));
  return m;
}

/* linear fields are exact: sum weight x[node] = at, sum weight = 1, for random points and corners
 */
static void linear_fields(void **state)
{
  (void)state;
  static const hk_shape shape[4] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  srand(1);
  for (int s = 0; s < 4; s++) {
    hk_mesh *m = box(shape[s]);
    hk_rows rows = {0};
    double at[50][3] = {{-1, 0, 2}, {1, 3, 4}};
    for (int i = 2; i < 50; i++)
      for (int c = 0; c < 3; c++)
        at[i][c] = (const double[]){-1, 0, 2}[c] + (const double[]){2, 3, 2}[c] * rand() / RAND_MAX;
    ok(hk_rows_of_points(m, 50, at[0], &rows));
    assert_int_equal(rows.row_count, 50);
    for (int i = 0; i < 50; i++) {
      double sum = 0, x[3] = {0};
      for (hk_count k = rows.begin[i]; k < rows.begin[i + 1]; k++) {
        sum += rows.weight[k];
        for (int c = 0; c < m->dim; c++)
          x[c] += rows.weight[k] * m->x[(hk_count)rows.node[k] * m->dim + c];
      }
      assert_true(fabs(sum - 1) <= 1e-14);
      for (int c = 0; c < m->dim; c++) assert_true(fabs(x[c] - at[i][c]) <= 1e-9);
    }
    assert_int_equal(rows.begin[1], 1); /* corners are nodes */
    assert_int_equal(rows.begin[2], 2);
    hk_rows_clear(&rows);
    assert_int_equal(rows.row_count, 0);
    hk_mesh_destroy(&m);
  }
}

/* points outside are refused and named, the first of them with its place */
static void outside(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_QUAD4);
  hk_rows rows = {.row_count = 42};
  static const double at[4][3] = {{0, 1, 0}, {1.5, 1, 0}, {0, 2, 0}, {0, -2, 0}};
  assert_int_equal(hk_rows_of_points(m, 4, at[0], &rows), HK_BAD_INPUT);
  error_says("point 2 at [1.5, 1] (and 1 more)");
  assert_int_equal(rows.row_count, 42);
  hk_mesh_destroy(&m);
}

/* the k-th allocation fails: no memory is lost */
static void failing_memory(void **state)
{
  (void)state;
  hk_mesh *m = box(HK_HEX8);
  static const double at[3] = {0, 1, 3};
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_rows rows = {0};
    memory.status = hk_rows_of_points(m, 1, at, &rows);
    hk_rows_clear(&rows);
  }
  hk_mesh_destroy(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(linear_fields), cmocka_unit_test(outside),
                                     cmocka_unit_test(failing_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
