/* Coefficients of coupled equations: their sum at a place, and when K is symmetric and positive semidefinite for sure. */
#include "physics/coupled.h"
#include "support/check.h"
#include <math.h>
#include <string.h>

static void put(double *c, int equations, int row, int column, double value)
{
  c[(row / 4 * equations + column / 4) * 16 + row % 4 * 4 + column % 4] = value;
}

/* c = sum of value by(x), capacities times storage; without storage they are left out */
static void terms_are_added(void **state)
{
  hk_formula *by = NULL;
  double c[4 * 16];
  (void)state;
  ok(hk_formula_read("1 + x * y", &by));
  hk_coupled_term term[] = {
      {0, 1, 2, 3, 5, NULL}, {0, 1, 2, 3, 2, by}, {1, 0, 0, 0, -1, NULL}, {1, 0, 0, 0, 3, by}};
  const hk_coupled coupled = {.equations = 2, .steady = 3, .count = 4, .term = term};
  const double x[3] = {2, 3, 0};
  hk_coupled_at(&coupled, 0, x, c);
  assert_true(c[16 + 2 * 4 + 3] == 5 + 2 * 7 && c[2 * 16] == -1);
  hk_coupled_at(&coupled, .5, x, c);
  assert_true(c[2 * 16] == -1 + .5 * 3 * 7);
  const hk_coupled alone = hk_coupled_capacity(&coupled);
  hk_coupled_at(&alone, 2, x, c);
  double sum = 0;
  for (int k = 0; k < 64; k++) sum += fabs(c[k]);
  assert_true(c[2 * 16] == 2 * 3 * 7 && sum == 42);
  assert_true(hk_coupled_varies(&coupled) && hk_coupled_varies(&alone));
  assert_false(hk_coupled_diffuses(&coupled));
  assert_true(
      hk_coupled_diffuses(&(hk_coupled){.equations = 2, .steady = 1, .count = 1, .term = term}));
  hk_formula_destroy(&by);
}

/* B B^T of any B is definite, also of parts of very different size; with an entry out of symmetry, or a little less on the diagonal, it is not */
static void definite_means_symmetric_and_semidefinite(void **state)
{
  (void)state;
  srand(3);
  for (int equations = 1; equations <= HK_MOST_EQUATIONS; equations++)
    for (int rank = 1; rank < 6; rank++) {
      const int rows = 4 * equations;
      double b[20][6], c[HK_MOST_COEFFICIENTS] = {0};
      for (int r = 0; r < rows; r++)
        for (int k = 0; k < rank; k++) b[r][k] = uniform() * pow(10, 3 * (r / 4));
      for (int r = 0; r < rows; r++)
        for (int s = 0; s < rows; s++) {
          double sum = 0;
          for (int k = 0; k < rank; k++) sum += b[r][k] * b[s][k];
          put(c, equations, r, s, sum);
        }
      assert_true(hk_coupled_definite(equations, c));
      const double own = c[0];
      put(c, equations, 0, 0, own * (1 - 1e-6));
      assert_int_equal(hk_coupled_definite(equations, c), rank >= rows);
      put(c, equations, 0, 0, own);
      const double other = c[1];
      put(c, equations, 0, 1, other * (1 + 1e-6));
      assert_false(hk_coupled_definite(equations, c));
      put(c, equations, 0, 1, other);
      c[0] = NAN;
      assert_false(hk_coupled_definite(equations, c));
    }
}

/* zeros are semidefinite; a negative reaction and convection are not, however small beside others */
static void small_parts_count(void **state)
{
  double c[4 * 16] = {0};
  (void)state;
  assert_true(hk_coupled_definite(2, c));
  put(c, 2, 1, 1, 1e9);
  put(c, 2, 5, 5, 1e-9);
  assert_true(hk_coupled_definite(2, c));
  put(c, 2, 4, 4, -1e-12);
  assert_false(hk_coupled_definite(2, c));
  put(c, 2, 4, 4, 0);
  put(c, 2, 4, 5, 1e-12);
  assert_false(hk_coupled_definite(2, c));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(terms_are_added),
                                     cmocka_unit_test(definite_means_symmetric_and_semidefinite),
                                     cmocka_unit_test(small_parts_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
