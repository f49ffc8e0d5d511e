/* Prisms of order 1..7 and their rules (element/prism.h). */
#include "element/prism.h"
#include "support/check.h"

static double n[HK_PRISM_NODES], dn[HK_PRISM_NODES][3];

/* N_sh and N_Q of the paper's Table 1 */
static void table_1(void **state)
{
  static const int shapes[7] = {6, 18, 40, 75, 126, 196, 288};
  static const int points[7] = {6, 18, 48, 80, 150, 231, 336};
  (void)state;
  for (int p = 1; p <= 7; p++) {
    assert_int_equal(hk_prism_of(p)->nodes, shapes[p - 1]);
    assert_int_equal(hk_prism_rule_of(p)->points, points[p - 1]);
  }
}

/* N_i(x_j) = 1 if i = j, else 0 */
static void nodal_property(void **state)
{
  (void)state;
  for (int p = 1; p <= 7; p++) {
    const hk_prism *prism = hk_prism_of(p);
    for (int j = 0; j < prism->nodes; j++) {
      hk_prism_shape(prism, prism->reference[j], n, NULL);
      for (int i = 0; i < prism->nodes; i++) assert_true(fabs(n[i] - (i == j)) <= 1e-13);
    }
  }
}

/* order 1 = wedge6: nodes, values, derivatives, points and weights */
static void order_1_is_wedge6(void **state)
{
  const hk_element *wedge = hk_element_of(HK_WEDGE6);
  const hk_prism *prism = hk_prism_of(1);
  const hk_prism_rule *rule = hk_prism_rule_of(1);
  (void)state;
  for (int q = 0; q < 6; q++) {
    double other[6], d_other[6][3];
    for (int d = 0; d < 3; d++) {
      assert_true(prism->reference[q][d] == wedge->reference[q][d]);
      assert_true(fabs(rule->point[q][d] - wedge->exact.point[q][d]) <= 1e-15);
    }
    assert_true(fabs(rule->weight[q] - wedge->exact.weight[q]) <= 1e-15);
    hk_element_functions(wedge, rule->point[q], other, d_other[0]);
    hk_prism_shape(prism, rule->point[q], n, dn[0]);
    for (int i = 0; i < 6; i++) {
      assert_true(fabs(n[i] - other[i]) <= 1e-15);
      for (int d = 0; d < 3; d++) assert_true(fabs(dn[i][d] - d_other[i][d]) <= 1e-15);
    }
  }
}

/* x^a y^b z^c */
static double monomial(const double *x, int a, int b, int c)
{
  return pow(x[0], a) * pow(x[1], b) * pow(x[2], c);
}

/* sum f(x_n) N_n = f and sum f(x_n) dN_n = df for monomials of degree p on the triangle and on the line */
static void reproduces_polynomials(void **state)
{
  const double xi[3] = {0.23, 0.41, -0.37};
  (void)state;
  for (int p = 1; p <= 7; p++) {
    const hk_prism *prism = hk_prism_of(p);
    hk_prism_shape(prism, xi, n, dn[0]);
    for (int a = 0; a <= p; a++)
      for (int c = 0; c <= p; c++) {
        const int b = p - a;
        double f = 0, df[3] = {0};
        for (int i = 0; i < prism->nodes; i++) {
          const double at = monomial(prism->reference[i], a, b, c);
          f += at * n[i];
          for (int d = 0; d < 3; d++) df[d] += at * dn[i][d];
        }
        assert_true(fabs(f - monomial(xi, a, b, c)) <= 1e-13);
        assert_true(fabs(df[0] - (a ? a * monomial(xi, a - 1, b, c) : 0)) <= 2e-13);
        assert_true(fabs(df[1] - (b ? b * monomial(xi, a, b - 1, c) : 0)) <= 2e-13);
        assert_true(fabs(df[2] - (c ? c * monomial(xi, a, b, c - 1) : 0)) <= 2e-13);
      }
  }
}

/* The triangle's nodes are mapped to themselves by (0 1 2) -> (1 2 0) and (0 1 2) -> (1 0 2), edges in their order and turned. */
static void nodes_are_symmetric(void **state)
{
  (void)state;
  for (int p = 1; p <= 7; p++) {
    const hk_prism *prism = hk_prism_of(p);
    for (int t = 0; t < prism->triangle_nodes; t++) {
      const double *x = prism->triangle[t], l[3] = {1 - x[0] - x[1], x[0], x[1]};
      const double image[2][2] = {{l[0], l[1]}, {l[0], l[2]}};
      for (int k = 0; k < 2; k++) {
        double nearest = 1;
        for (int o = 0; o < prism->triangle_nodes; o++)
          nearest = fmin(nearest, fabs(prism->triangle[o][0] - image[k][0]) +
                                      fabs(prism->triangle[o][1] - image[k][1]));
        assert_true(nearest <= 1e-14);
      }
    }
    for (int k = 1; k < p; k++) {
      const double from_first = (1 + prism->line[k]) / 2;
      assert_true(fabs(prism->triangle[2 + k][0] - from_first) <= 1e-15);
      assert_true(prism->triangle[2 + k][1] == 0);
      assert_true(fabs(prism->triangle[p + 1 + k][1] - from_first) <= 1e-15);
      assert_true(fabs(prism->triangle[2 * p + k][1] - (1 - from_first)) <= 1e-15);
      assert_true(prism->triangle[2 * p + k][0] == 0);
    }
  }
}

static double factorial(int k)
{
  return tgamma(k + 1);
}

/* int x^a y^b z^c = a! b! / (a + b + 2)! * 2 / (c + 1) for a + b <= 2 k, even c <= 2 k + 1 */
static void rules_are_exact(void **state)
{
  (void)state;
  for (int k = 1; k <= HK_PRISM_RULES; k++) {
    const hk_prism_rule *rule = hk_prism_rule_of(k);
    for (int a = 0; a <= 2 * k; a++)
      for (int c = 0; c <= 2 * k + 1; c++)
        for (int b = 0; a + b <= 2 * k; b++) {
          const double exact =
              c % 2 ? 0 : factorial(a) * factorial(b) / factorial(a + b + 2) * 2 / (c + 1);
          double sum = 0;
          for (int q = 0; q < rule->points; q++)
            sum += rule->weight[q] * monomial(rule->point[q], a, b, c);
          assert_true(fabs(sum - exact) <= 1e-14);
        }
    for (int q = 0; q < rule->points; q++) assert_true(rule->weight[q] > 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(table_1),
                                     cmocka_unit_test(nodal_property),
                                     cmocka_unit_test(order_1_is_wedge6),
                                     cmocka_unit_test(reproduces_polynomials),
                                     cmocka_unit_test(nodes_are_symmetric),
                                     cmocka_unit_test(rules_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
