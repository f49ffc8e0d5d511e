/* Points and weights of the line. */
#include "element/gll.h"
#include "support/check.h"

/* integral of x^k over -1 .. 1 */
static double exact(int k)
{
  return k % 2 ? 0 : 2.0 / (k + 1);
}

/* sum w x^k = integral up to degree 2 p - 1, and no further */
static void lobatto_is_exact_to_its_degree(void **state)
{
  (void)state;
  for (int p = 1; p <= HK_MOST_ORDER; p++)
    for (int k = 0; k <= 2 * p; k++) {
      const hk_gll *g = hk_gll_of(p);
      double sum = 0;
      for (int j = 0; j <= p; j++) sum += g->w[j] * pow(g->x[j], k);
      if (k < 2 * p)
        assert_true(fabs(sum - exact(k)) <= 1e-15);
      else
        assert_true(fabs(sum - exact(k)) >= 1e-8);
    }
}

/* sum w x^k = integral of x^k (1 + x), or of x^k (1 - x), up to degree 2 p - 1, and no further (S.16); weights above 0; those by the radius too */
static void jacobi_is_exact_to_its_degree(void **state)
{
  (void)state;
  for (int p = 1; p <= HK_MOST_ORDER; p++)
    for (int axis = HK_AXIS_FIRST; axis <= HK_AXIS_LAST; axis++)
      for (int k = 0; k <= 2 * p; k++) {
        const hk_gll *g = hk_line_of(p, (hk_line_axis)axis);
        const int end = axis == HK_AXIS_FIRST ? 0 : p, sign = end ? -1 : 1;
        double sum = 0, by_radius = 0;
        for (int j = 0; j <= p; j++) {
          const double w = hk_line_weight(g, (hk_line_axis)axis, j), radius = 1 + sign * g->x[j];
          sum += g->w[j] * pow(g->x[j], k);
          by_radius += w * (j == end ? 1 : radius) * pow(g->x[j], k);
          assert_true(g->w[j] > 0 && w > 0 && (j == 0 || g->x[j] > g->x[j - 1]));
        }
        assert_true(g->x[0] == -1 && g->x[p] == 1);
        const double error = fabs(sum - exact(k) - sign * exact(k + 1));
        assert_true(k < 2 * p ? error <= 4e-15 : error >= 1e-8);
        assert_true(fabs(by_radius - sum) <= 4e-15);
      }
}

/* sum w x^k = integral up to degree 2 n - 1 */
static void gauss_is_exact_to_its_degree(void **state)
{
  (void)state;
  for (int n = 1; n <= HK_LINE_NODES; n++)
    for (int k = 0; k < 2 * n; k++) {
      const hk_gauss *g = hk_gauss_of(n);
      double sum = 0;
      for (int j = 0; j < n; j++) sum += g->w[j] * pow(g->x[j], k);
      assert_true(fabs(sum - exact(k)) <= 1e-15);
    }
}

/* sum_j l_j(x) x_j^k = x^k, sum_j l_j'(x) x_j^k = k x^(k - 1); at the points l_j' is d */
static void functions_reproduce_polynomials(void **state)
{
  (void)state;
  for (int line = 0; line < 3 * HK_MOST_ORDER; line++) {
    const int p = line / 3 + 1;
    const hk_gll *g = hk_line_of(p, (hk_line_axis)(line % 3));
    double l[HK_LINE_NODES], dl[HK_LINE_NODES];
    for (int s = -7; s <= 7; s++)
      for (int k = 0; k <= p; k++) {
        double f = 0, df = 0, x = s / 7.0;
        hk_gll_functions(g, x, l, dl);
        for (int j = 0; j <= p; j++) f += l[j] * pow(g->x[j], k), df += dl[j] * pow(g->x[j], k);
        assert_true(fabs(f - pow(x, k)) <= 1e-14);
        assert_true(fabs(df - (k ? k * pow(x, k - 1) : 0)) <= 4e-13);
      }
    for (int i = 0; i <= p; i++) {
      hk_gll_functions(g, g->x[i], l, dl);
      for (int j = 0; j <= p; j++) {
        assert_true(l[j] == (i == j));
        assert_true(fabs(dl[j] - g->d[i * (p + 1) + j]) <= 1e-12);
      }
    }
  }
}

/* Linear elements: cos k_h = 1 - w^2 / 2; order p: [p! / (2 p)!]^2 w^(2 p) / (2 p (2 p + 1)) to the leading term (Ainsworth and Wajid 2009); 1 above
 * the largest frequency */
static void phase_error_is_that_of_lines(void **state)
{
  (void)state;
  for (double w = 0.1; w < 2; w += 0.1)
    assert_true(fabs(hk_gll_phase_error(1, w) - (acos(1 - w * w / 2) / w - 1)) <= 1e-13);
  assert_true(hk_gll_phase_error(1, 2.1) == 1);
  double factor = 1;
  for (int p = 1; p <= 5; p++) {
    factor /= 2 * (2 * p - 1); /* p! / (2 p)! */
    const double leading = factor * factor / (2 * p * (2 * p + 1));
    const double got = hk_gll_phase_error(p, 1);
    print_message("order %d: %.4e, leading term %.4e\n", p, got, leading);
    assert_true(fabs(got / leading - 1) <= 0.2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lobatto_is_exact_to_its_degree),
                                     cmocka_unit_test(jacobi_is_exact_to_its_degree),
                                     cmocka_unit_test(gauss_is_exact_to_its_degree),
                                     cmocka_unit_test(functions_reproduce_polynomials),
                                     cmocka_unit_test(phase_error_is_that_of_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
