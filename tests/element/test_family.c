/* Shapes of order p. */
#include "element/element.h"
#include "element/gll.h"
#include "support/check.h"

/* All shapes of all families, in turn. */
static const hk_element *next(int *at)
{
  static const int family[8] = {HK_TRI_P,  HK_QUAD_P,      HK_HEX_P,       HK_WEDGE_P,
                                HK_AXIS_P, HK_AXIS_P + 10, HK_AXIS_P + 20, HK_AXIS_P + 30},
                   first[8] = {1, 1, 1, 1, 2, 2, 2, 2}, last[8] = {7, 10, 10, 7, 10, 10, 10, 10};
  int k = (*at)++, f = 0;
  while (f < 8 && k > last[f] - first[f]) k -= last[f] - first[f] + 1, f++;
  return f < 8 ? hk_element_of((hk_shape)(family[f] + first[f] + k)) : NULL;
}

/* Some point of the reference element. */
static void some_point(int k, double *xi)
{
  const double at[3][3] = {{0.31, 0.22, -0.41}, {0.05, 0.6, 0.77}, {0.2, 0.2, 0.9}};
  for (int d = 0; d < 3; d++) xi[d] = at[k][d];
}

/* N_n(x_m) = (n == m) */
static void functions_are_nodal(void **state)
{
  static double n[HK_MOST_NODES];
  const hk_element *e;
  (void)state;
  for (int at = 0; (e = next(&at));)
    for (int m = 0; m < e->nodes; m += 1 + e->nodes / 50) {
      hk_element_functions(e, e->reference[m], n, NULL);
      for (int k = 0; k < e->nodes; k++) assert_true(fabs(n[k] - (k == m)) <= 1e-12);
    }
}

/* sum N_n x_n^i y_n^j z_n^k = x^i y^j z^k and its derivative, i, j, k up to the order */
static void polynomials_are_reproduced(void **state)
{
  static double n[HK_MOST_NODES], dn[3 * HK_MOST_NODES];
  const hk_element *e;
  (void)state;
  for (int at = 0; (e = next(&at));)
    for (int s = 0; s < 3; s++) {
      const int p = e->order, i = p / 2, j = p - i, k = e->dim == 3 ? p : 0;
      double xi[3], f = 0, df[3] = {0};
      some_point(s, xi);
      hk_element_functions(e, xi, n, dn);
      for (int m = 0; m < e->nodes; m++) {
        const double *r = e->reference[m], v = pow(r[0], i) * pow(r[1], j) * (k ? pow(r[2], k) : 1);
        f += n[m] * v;
        for (int d = 0; d < e->dim; d++) df[d] += dn[m * e->dim + d] * v;
      }
      const double z = k ? pow(xi[2], k) : 1, y = pow(xi[1], j), x = pow(xi[0], i);
      assert_true(fabs(f - x * y * z) <= 1e-12);
      assert_true(fabs(df[0] - (i ? i * pow(xi[0], i - 1) : 0) * y * z) <= 1e-11);
      assert_true(fabs(df[1] - x * j * pow(xi[1], j - 1) * z) <= 1e-11);
      if (k) assert_true(fabs(df[2] - x * y * k * pow(xi[2], k - 1)) <= 1e-11);
    }
}

/* faces have nodes, each once, where the face's own shape has them between the face's vertices; all but those inside are on one */
static void faces_hold_the_outer_nodes(void **state)
{
  const hk_element *e;
  (void)state;
  for (int at = 0; (e = next(&at));) {
    bool outer[HK_MOST_NODES] = {false};
    int count = 0;
    for (int f = 0; f < e->faces; f++)
      for (int k = 0; k < e->face[f].nodes; k++) {
        const int node = e->face[f].node[k];
        assert_in_range(node, 0, e->nodes - 1);
        for (int m = 0; m < k; m++) assert_int_not_equal(e->face[f].node[m], node);
        outer[node] = true;
      }
    for (int n = 0; n < e->nodes; n++) count += outer[n];
    const int p = e->order, inside = e->shape < HK_QUAD_P        ? (p - 1) * (p - 2) / 2
                                     : e->shape < HK_HEX_P + 1   ? (p - 1) * (p - 1)
                                     : e->shape < HK_WEDGE_P + 1 ? (p - 1) * (p - 1) * (p - 1)
                                     : e->shape < HK_AXIS_P      ? (p - 1) * (p - 2) / 2 * (p - 1)
                                                                 : (p - 1) * (p - 1);
    assert_int_equal(count, e->nodes - inside);
  }
}

/* lattice[i + (p + 1) (j + (p + 1) k)] is the node at (x_i, x_j, x_k) */
static void lattice_finds_the_nodes(void **state)
{
  (void)state;
  for (int p = 1; p <= 10; p++) {
    const hk_element *e = hk_element_of((hk_shape)(HK_HEX_P + p));
    const double *x = hk_gll_of(p)->x;
    const int side = p + 1;
    for (int a = 0; a < e->nodes; a++) {
      const double *r = e->reference[e->lattice[a]];
      assert_true(r[0] == x[a % side] && r[1] == x[a / side % side] && r[2] == x[a / side / side]);
    }
  }
}

/* quadrilaterals with face f on the axis: sum over nodes of w radius^(m + 1) t^n, the radius the distance from that face and 1 on it, is the integral of
 * radius^(m + 1) t^n up to degree 2 p - 1 of m and n; without a face on the axis that of radius^m t^n (S.3), (S.16) */
static void nodes_integrate_with_the_radius(void **state)
{
  (void)state;
  for (int p = 2; p <= 10; p++)
    for (int f = -1; f < 4; f++) {
      const hk_element *e =
          hk_element_of(f < 0 ? (hk_shape)(HK_QUAD_P + p) : hk_shape_on_axis(p, f));
      const int across = f % 2 || f < 0 ? 0 : 1, sign = f == 1 || f == 2 ? -1 : 1;
      assert_int_equal(hk_shape_axis(e->shape), f);
      assert_int_equal(e->nodal.points, e->nodes);
      for (int m = 0; m < 2 * p; m += 2 * p - 1)
        for (int n = 0; n < 2 * p; n++) {
          double sum = 0, radial = 0;
          for (int q = 0; q < e->nodes; q++) {
            const double *x = e->nodal.point[q], radius = 1 + sign * x[across];
            sum += e->nodal.weight[q] * pow(radius, m) * pow(x[1 - across], n) *
                   (f < 0 || radius == 0 ? 1 : radius);
          }
          radial = pow(2, m + (f < 0 ? 1 : 2)) / (m + (f < 0 ? 1 : 2));
          const double expected = n % 2 ? 0 : radial * 2 / (n + 1);
          assert_true(fabs(sum - expected) <= 1e-13 * radial);
        }
    }
}

/* sum w = volume of the reference element; N_n integrate to it in all */
static void rules_integrate_the_functions(void **state)
{
  static double n[HK_MOST_NODES];
  const hk_element *e;
  (void)state;
  for (int at = 0; (e = next(&at));) {
    double sum = 0;
    const hk_rule *const others[2] = {&e->mass, &e->reduced};
    for (int k = 0; k < 2; k++) {
      assert_int_equal(others[k]->points, e->full.points);
      assert_ptr_equal(others[k]->weight, e->full.weight);
    }
    for (int q = 0; q < e->full.points; q++) {
      double one = 0;
      hk_element_functions(e, e->full.point[q], n, NULL);
      for (int k = 0; k < e->nodes; k++) one += n[k];
      sum += one * e->full.weight[q];
    }
    assert_true(fabs(sum - e->volume) <= 1e-12);
  }
}

/* order 2 of quadrilaterals, hexahedra, wedges: the functions of quad9, hex27, wedge18, by place */
static void second_order_is_that_of_the_list(void **state)
{
  static const int pair[3][2] = {
      {HK_QUAD_P + 2, HK_QUAD9}, {HK_HEX_P + 2, HK_HEX27}, {HK_WEDGE_P + 2, HK_WEDGE18}};
  double a[27], b[27], xi[3];
  (void)state;
  for (int s = 0; s < 3; s++) {
    const hk_element *e = hk_element_of((hk_shape)pair[s][0]),
                     *o = hk_element_of((hk_shape)pair[s][1]);
    some_point(0, xi);
    hk_element_functions(e, xi, a, NULL);
    hk_element_functions(o, xi, b, NULL);
    assert_int_equal(e->nodes, o->nodes);
    for (int n = 0; n < e->nodes; n++) {
      int m = 0, found = -1;
      for (; m < o->nodes; m++) {
        double distance = 0;
        for (int d = 0; d < e->dim; d++) distance += fabs(e->reference[n][d] - o->reference[m][d]);
        if (distance < 1e-12) found = m;
      }
      assert_int_not_equal(found, -1);
      assert_true(fabs(a[n] - b[found]) <= 1e-13);
    }
  }
}

/* vertices come first, then the nodes on edges, on faces, inside: where few linear functions are not zero comes before where many are; the
 * nodes of a part follow one another */
static void nodes_come_part_by_part(void **state)
{
  const hk_element *e;
  (void)state;
  for (int at = 0; (e = next(&at));) {
    const hk_shape linear[4] = {HK_TRI3, HK_QUAD4, HK_HEX8, HK_WEDGE6};
    int family = 0, most = 0, before = 0;
    static int seen[1 << 8];
    memset(seen, 0, sizeof seen);
    while (family < 3 && !(e->dim == hk_element_of(linear[family])->dim &&
                           e->vertices == hk_element_of(linear[family])->vertices))
      family++;
    for (int k = 0; k < e->nodes; k++) {
      double n[8];
      int set = 0, count = 0;
      hk_element_functions(hk_element_of(linear[family]), e->reference[k], n, NULL);
      for (int v = 0; v < e->vertices; v++)
        if (!(fabs(n[v]) <= 1e-9)) set |= 1 << v, count++;
      /* in wedges a face has 3 or 4 vertices: both come behind edges and before the inside */
      const int rank = count <= 2 ? count : count == e->vertices && e->dim == 3 ? 4 : 3;
      assert_true(rank >= most);
      assert_true(set == before || !seen[set]);
      most = rank, before = set, seen[set] = 1;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_nodal),
                                     cmocka_unit_test(polynomials_are_reproduced),
                                     cmocka_unit_test(faces_hold_the_outer_nodes),
                                     cmocka_unit_test(lattice_finds_the_nodes),
                                     cmocka_unit_test(nodes_integrate_with_the_radius),
                                     cmocka_unit_test(rules_integrate_the_functions),
                                     cmocka_unit_test(second_order_is_that_of_the_list),
                                     cmocka_unit_test(nodes_come_part_by_part)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
