/* Constraints by elimination. */
#include "load/constraints.h"
#include "support/check.h"

static void add(hk_constraint_rows *rows, int terms, const hk_index *dof, const double *c,
                double value)
{
  ok(hk_constraint_rows_add(rows, terms, dof, c, value, "deck.inp", rows->row.count + 1));
}

/* sum coefficient u = value for every row, whatever the free ones are */
static void hold_all(const hk_constraint_rows *rows, const hk_constraints *c, hk_count dofs)
{
  double *u = calloc((size_t)dofs, sizeof *u);
  for (hk_count i = 0; i < dofs; i++) u[i] = sin(1. + (double)i);
  hk_constraints_apply(c, u);
  for (hk_count r = 0; r < rows->row.count; r++) {
    const hk_constraint_row *row = &rows->row.at[r];
    double sum = -row->value;
    for (hk_count k = row->begin; k < row->begin + row->terms; k++)
      sum += rows->term.at[k].coefficient * u[rows->term.at[k].dof];
    assert_true(fabs(sum) <= 1e-13);
  }
  free(u);
}

/* a chain u0 = u1, u1 = u2, ..., its end held: every member is held */
static void chains(void **state)
{
  (void)state;
  hk_constraint_rows rows = {0};
  hk_constraints c = {0};
  for (int i = 0; i < 50; i++) {
    const int k = i * 17 % 50; /* in a mixed order */
    add(&rows, 2, (hk_index[]){k, k + 1}, (double[]){1, -1}, 0);
  }
  add(&rows, 1, (hk_index[]){50}, (double[]){2}, 3);
  ok(hk_constraints_build(&rows, 60, 0, NULL, &c, NULL));
  assert_int_equal(c.count, 51);
  assert_int_equal(c.begin[c.count], 0);
  for (int i = 0; i < 51; i++) assert_true(fabs(c.offset[i] - 1.5) <= 1e-15);
  hk_constraints_clear(&c);
  hk_constraint_rows_clear(&rows);
}

static void random_rows(hk_constraint_rows *rows)
{
  srand(3);
  for (int r = 0; r < 25; r++) {
    hk_index dof[5];
    double coefficient[5];
    const int terms = r % 5 + 1;
    for (int k = 0; k < terms; k++) {
      dof[k] = terms == 1 ? r : rand() % 60;
      coefficient[k] = 1 + (double)rand() / RAND_MAX;
    }
    add(rows, terms, dof, coefficient, (double)rand() / RAND_MAX);
  }
}

/* rows of all lengths hold at once, and masters are free */
static void rows_hold(void **state)
{
  (void)state;
  hk_constraint_rows rows = {0};
  hk_constraints c = {0};
  random_rows(&rows);
  ok(hk_constraints_build(&rows, 60, 0, NULL, &c, NULL));
  assert_int_equal(c.count, 25);
  hold_all(&rows, &c, 60);
  for (hk_index k = 0; k < c.begin[c.count]; k++)
    for (hk_index i = 0; i < c.count; i++) assert_int_not_equal(c.master[k], c.dof[i]);
  hk_constraints_clear(&c);
  hk_constraint_rows_clear(&rows);
}

/* f . (T w) = (T^T f) . w for homogeneous rows */
static void transposed(void **state)
{
  (void)state;
  hk_constraint_rows rows = {0};
  hk_constraints c = {0};
  double u[60], w[60], f[60], before = 0, after = 0;
  random_rows(&rows);
  for (hk_count r = 0; r < rows.row.count; r++) rows.row.at[r].value = 0;
  ok(hk_constraints_build(&rows, 60, 0, NULL, &c, NULL));
  for (int i = 0; i < 60; i++) u[i] = w[i] = cos(i), f[i] = sin(2. * i);
  hk_constraints_apply(&c, u);
  for (int i = 0; i < 60; i++) before += f[i] * u[i];
  hk_constraints_transpose(&c, f);
  for (int i = 0; i < 60; i++) after += f[i] * w[i];
  assert_true(fabs(before - after) <= 1e-13 * fabs(before));
  hk_constraints_clear(&c);
  hk_constraint_rows_clear(&rows);
}

/* u0 + u1 = 1 twice: the second is left out with a warning; u0 + u1 = 2 besides: told with its line */
static void contradictions(void **state)
{
  (void)state;
  hk_constraint_rows rows = {0};
  hk_constraints c = {0};
  hk_messages *list = NULL;
  ok(hk_messages_create(&list));
  add(&rows, 2, (hk_index[]){0, 1}, (double[]){1, 1}, 1);
  add(&rows, 2, (hk_index[]){1, 0}, (double[]){2, 2}, 2);
  ok(hk_constraints_build(&rows, 2, 0, list, &c, NULL));
  assert_int_equal(hk_messages_total(list, HK_WARNING), 1);
  assert_int_equal(hk_messages_at(list, 0)->line, 2);
  hk_constraints_clear(&c);
  add(&rows, 2, (hk_index[]){0, 1}, (double[]){1, 1}, 2);
  assert_int_equal(hk_constraints_build(&rows, 2, 0, list, &c, NULL), HK_BAD_INPUT);
  error_says("deck.inp:3");
  hk_messages_destroy(&list);
  hk_constraint_rows_clear(&rows);
}

/* u0 = r, u1 = r, 2 u2 = r with r of no element: u0 = u1 = 2 u2, and r = u0 */
static void extra(void **state)
{
  (void)state;
  hk_constraint_rows rows = {0};
  hk_constraints c = {0}, e = {0};
  double u[3] = {.5, .5, .5}, r[4] = {0};
  add(&rows, 2, (hk_index[]){0, 3}, (double[]){1, -1}, 0);
  add(&rows, 2, (hk_index[]){1, 3}, (double[]){1, -1}, 0);
  add(&rows, 2, (hk_index[]){2, 3}, (double[]){2, -1}, 0);
  ok(hk_constraints_build(&rows, 3, 1, NULL, &c, &e));
  assert_int_equal(c.count, 2);
  assert_int_equal(e.count, 1);
  hk_constraints_apply(&c, u);
  memcpy(r, u, sizeof u);
  hk_constraints_apply(&e, r);
  assert_true(fabs(u[0] - u[1]) <= 1e-15 && fabs(u[0] - 2 * u[2]) <= 1e-15);
  assert_true(fabs(r[3] - u[0]) <= 1e-15);
  hk_constraints_clear(&c);
  hk_constraints_clear(&e);
  hk_constraint_rows_clear(&rows);
}

/* the k-th allocation fails, k = 1, 2, ...: HK_NO_RESOURCES, nothing leaks */
static void allocations(void **state)
{
  (void)state;
  hk_constraint_rows rows = {0};
  random_rows(&rows);
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_constraints c = {0};
    memory.status = hk_constraints_build(&rows, 60, 0, NULL, &c, NULL);
    hk_constraints_clear(&c);
  }
  hk_constraint_rows_clear(&rows);
}

/* a row that follows from others but for the rounding of its value, 1e-9 of the largest part, is no contradiction; 1e-6 of it is one */
static void rounding_is_no_contradiction(void **state)
{
  (void)state;
  for (int much = 0; much < 2; much++) {
    hk_constraint_rows rows = {0};
    hk_constraints c = {0};
    const double a = 1e9 / 3, b = -1e9 / 3 + 7, off = much ? 1e3 : 1e-2;
    add(&rows, 1, (hk_index[]){0}, (double[]){1}, a);
    add(&rows, 1, (hk_index[]){1}, (double[]){1}, b);
    add(&rows, 2, (hk_index[]){0, 1}, (double[]){1, 1}, a + b + off);
    assert_int_equal(hk_constraints_build(&rows, 4, 0, NULL, &c, NULL),
                     much ? HK_BAD_INPUT : HK_OK);
    if (!much) assert_int_equal(c.count, 2);
    hk_constraints_clear(&c);
    hk_constraint_rows_clear(&rows);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains),
      cmocka_unit_test(rows_hold),
      cmocka_unit_test(transposed),
      cmocka_unit_test(contradictions),
      cmocka_unit_test(rounding_is_no_contradiction),
      cmocka_unit_test(extra),
      cmocka_unit_test(allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
