/* Contract of every shape in src/element/list.h. */
#include "element/element.h"
#include "element/face.h"
#include "support/check.h"

static const hk_element *element_at(int shape)
{
  return hk_element_of((hk_shape)shape);
}

/* A point inside the reference element, different for each k. */
static void inside(const hk_element *element, int k, double *xi)
{
  double weight[8], sum = 0;
  for (int v = 0; v < element->vertices; v++) sum += weight[v] = 1 + (7 * k + 3 * v + v * k) % 5;
  for (int d = 0; d < 3; d++) {
    xi[d] = 0;
    for (int v = 0; v < element->vertices; v++) xi[d] += weight[v] / sum * element->reference[v][d];
  }
}

static void numbers_fit(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    assert_int_equal(element->shape, s);
    assert_string_equal(hk_shape_name(element->shape), element->name);
    assert_true(element->nodes <= HK_LISTED_NODES && element->exact.points <= HK_LISTED_POINTS);
  }
}

/* N_i(x_j) = 1 if i = j, else 0 */
static void nodal_property(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    for (int j = 0; j < element->nodes; j++) {
      double n[HK_LISTED_NODES];
      hk_element_functions(element, element->reference[j], n, NULL);
      for (int i = 0; i < element->nodes; i++) assert_true(fabs(n[i] - (i == j)) <= 1e-14);
    }
  }
}

/* sum N = 1, sum dN = 0, sum N x = xi */
static void completeness(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int k = 0; k < 5; k++) {
      const hk_element *element = element_at(s);
      const int dim = element->dim;
      double xi[3], n[HK_LISTED_NODES], dn[HK_LISTED_NODES * 3], sum = -1, position[3],
                                                                 slope[3] = {0};
      inside(element, k, xi);
      hk_element_functions(element, xi, n, dn);
      memcpy(position, xi, sizeof position);
      for (int i = 0; i < element->nodes; i++) {
        sum += n[i];
        for (int d = 0; d < dim; d++) {
          slope[d] += dn[i * dim + d];
          position[d] -= n[i] * element->reference[i][d];
        }
      }
      assert_true(fabs(sum) <= 1e-14);
      for (int d = 0; d < dim; d++)
        assert_true(fabs(slope[d]) <= 1e-13 && fabs(position[d]) <= 1e-14);
    }
}

/* dN/dxi = (N(xi + h) - N(xi - h)) / 2h + O(h^2) */
static void gradients_are_differences(void **state)
{
  (void)state;
  const double h = 1e-5;
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int k = 0; k < 5; k++) {
      const hk_element *element = element_at(s);
      double xi[3], dn[HK_LISTED_NODES * 3], above[HK_LISTED_NODES], below[HK_LISTED_NODES];
      inside(element, k, xi);
      hk_element_functions(element, xi, NULL, dn);
      for (int d = 0; d < element->dim; d++) {
        const double at = xi[d];
        xi[d] = at + h, hk_element_functions(element, xi, above, NULL);
        xi[d] = at - h, hk_element_functions(element, xi, below, NULL);
        xi[d] = at;
        for (int i = 0; i < element->nodes; i++)
          assert_true(fabs(dn[i * element->dim + d] - (above[i] - below[i]) / (2 * h)) <= 1e-8);
      }
    }
}

static const double gauss5[5] = {-0.9061798459386639928, -0.5384693101056830910, 0,
                                 0.5384693101056830910, 0.9061798459386639928};
static const double gauss5_weight[5] = {0.2369268850561890875, 0.4786286704993664680,
                                        0.5688888888888888889, 0.4786286704993664680,
                                        0.2369268850561890875};

/* A rule that shares nothing with the table's: 5 Gauss points per direction of [-1, 1]^dim, folded
 * onto triangles (x = u, y = v (1 - u)) and tetrahedra. Returns the weight. */
static double fine_point(const hk_element *element, int q, double *xi)
{
  const int index[3] = {q % 5, q / 5 % 5, q / 25};
  double u[3], weight = 1;
  for (int d = 0; d < 3; d++) xi[d] = gauss5[index[d]], u[d] = (1 + xi[d]) / 2;
  for (int d = 0; d < element->dim; d++) weight *= gauss5_weight[index[d]];
  if (element->vertices == 1 << element->dim) return weight; /* quads and hexes */
  xi[0] = u[0], xi[1] = u[1] * (1 - u[0]);
  weight *= (1 - u[0]) / 4;
  if (element->vertices != 4) return weight; /* triangles; wedges along [-1, 1] */
  xi[2] = u[2] * (1 - u[0] - xi[1]);
  return weight * (1 - u[0] - xi[1]) / 2;
}

/* k[i][j] += w sum_d dN_i/dxi_d dN_j/dxi_d' for all pairs of directions */
static void add_stiffness(const hk_element *element, const double *xi, double weight, double *k)
{
  double dn[HK_LISTED_NODES * 3];
  const int size = element->nodes * element->dim;
  hk_element_functions(element, xi, NULL, dn);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) k[i * size + j] += weight * dn[i] * dn[j];
}

/* int dN_i/dxi_a dN_j/dxi_b = the same by a finer rule, for all i, j, a, b; sum w = volume */
static void quadrature_is_exact(void **state)
{
  (void)state;
  enum { MOST = HK_LISTED_NODES * 3 };
  static double k[MOST * MOST], fine[MOST * MOST];
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    const int size = element->nodes * element->dim, points = element->dim == 2 ? 25 : 125;
    double volume = 0, fine_volume = 0;
    memset(k, 0, sizeof k);
    memset(fine, 0, sizeof fine);
    for (int q = 0; q < element->exact.points; q++) {
      add_stiffness(element, element->exact.point[q], element->exact.weight[q], k);
      volume += element->exact.weight[q];
    }
    for (int q = 0; q < points; q++) {
      double xi[3];
      const double weight = fine_point(element, q, xi);
      add_stiffness(element, xi, weight, fine);
      fine_volume += weight;
    }
    assert_true(fabs(volume - element->volume) <= 1e-14 * element->volume);
    assert_true(fabs(fine_volume - element->volume) <= 1e-14 * element->volume);
    for (int i = 0; i < size * size; i++) assert_true(fabs(k[i] - fine[i]) <= 1e-13);
  }
}

/* x^a y^b z^c at xi */
static double monomial(const int *power, const double *xi)
{
  double value = 1;
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < power[d]; k++) value *= xi[d];
  return value;
}

/* Whether the rule gives int x^a y^b z^c as the finer rule does. */
static bool is_exact(const hk_element *element, const hk_rule *rule, const int *power)
{
  double sum = 0, fine = 0, xi[3];
  for (int q = 0; q < rule->points; q++) sum += rule->weight[q] * monomial(power, rule->point[q]);
  for (int q = 0; q < (element->dim == 2 ? 25 : 125); q++) {
    const double weight = fine_point(element, q, xi);
    fine += weight * monomial(power, xi);
  }
  return fabs(sum - fine) <= 1e-14;
}

/* The rules of the stiffness and of products of shape functions: number of points as in Abaqus's and CalculiX's manuals; exact to these degrees, over triangles and
 * tetrahedra in total, else per direction, and not beyond */
static void rules_have_their_degree(void **state)
{
  (void)state;
  static const struct {
    int points, plane, along; /* degree over the triangle or tetrahedron; per direction */
  } row[HK_SHAPE_COUNT][3] = {[HK_TRI3] = {{1, 1, 0}, {1, 1, 0}, {3, 2, 0}},
                              [HK_TRI6] = {{3, 2, 0}, {3, 2, 0}, {6, 4, 0}},
                              [HK_QUAD4] = {{4, 0, 3}, {1, 0, 1}, {4, 0, 3}},
                              [HK_QUAD8] = {{9, 0, 5}, {4, 0, 3}, {9, 0, 5}},
                              [HK_QUAD9] = {{9, 0, 5}, {9, 0, 5}, {9, 0, 5}},
                              [HK_TET4] = {{1, 1, 0}, {1, 1, 0}, {4, 2, 0}},
                              [HK_TET10] = {{4, 2, 0}, {4, 2, 0}, {14, 5, 0}},
                              [HK_HEX8] = {{8, 0, 3}, {1, 0, 1}, {8, 0, 3}},
                              [HK_HEX20] = {{27, 0, 5}, {8, 0, 3}, {27, 0, 5}},
                              [HK_HEX27] = {{27, 0, 5}, {27, 0, 5}, {27, 0, 5}},
                              [HK_WEDGE6] = {{2, 1, 3}, {2, 1, 3}, {6, 2, 3}},
                              [HK_WEDGE15] = {{9, 2, 5}, {9, 2, 5}, {18, 4, 5}},
                              [HK_WEDGE18] = {{18, 4, 5}, {18, 4, 5}, {18, 4, 5}}};
  static const hk_integration way[] = {HK_INTEGRATION_FULL, HK_INTEGRATION_REDUCED,
                                       HK_INTEGRATION_MASS};
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (int i = 0; i < 3; i++) {
      const hk_element *element = element_at(s);
      const hk_rule *rule = hk_element_rule(element, way[i]);
      const int dim = element->dim, plane = row[s][i].plane, along = row[s][i].along;
      const int flat = plane == 0 ? 0
                       : along    ? 2
                                  : dim; /* directions of the triangle or tetrahedron */
      assert_int_equal(rule->points, row[s][i].points);
      for (int k = 0; k < 8 * 8 * 8; k++) {
        const int power[3] = {k % 8, k / 8 % 8, k / 64};
        int total = 0;
        bool within = dim == 3 || power[2] == 0;
        for (int d = 0; d < flat; d++) total += power[d];
        for (int d = flat; d < dim; d++) within = within && power[d] <= along;
        if (within && total <= plane) assert_true(is_exact(element, rule, power));
      }
      if (flat) assert_false(is_exact(element, rule, (int[3]){plane + 1, 0, 0}));
      if (along)
        assert_false(is_exact(element, rule,
                              (int[3]){0, dim == 2 ? along + 1 : 0, dim == 2 ? 0 : along + 1}));
      assert_ptr_equal(hk_element_rule(element, HK_INTEGRATION_INCOMPATIBLE),
                       hk_element_rule(element, HK_INTEGRATION_FULL));
    }
}

/* Area vector (outward normal times area) and centre of a plane face of the reference element. */
static void face_area(const hk_element *element, const hk_element_face *face, double *area,
                      double *centre)
{
  const int vertices = element->dim == 2 ? 2 : hk_element_of(face->shape)->vertices;
  const double *a = element->reference[face->node[0]];
  memset(area, 0, 3 * sizeof *area);
  memset(centre, 0, 3 * sizeof *centre);
  for (int v = 0; v < vertices; v++)
    for (int d = 0; d < 3; d++) centre[d] += element->reference[face->node[v]][d] / vertices;
  const double *b = element->reference[face->node[1]];
  if (element->dim == 2) {
    area[0] = b[1] - a[1], area[1] = a[0] - b[0];
    return;
  }
  for (int v = 2; v < vertices; v++) {
    const double *p = element->reference[face->node[v - 1]], *q = element->reference[face->node[v]];
    for (int d = 0; d < 3; d++) {
      const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
      area[d] += ((p[d1] - a[d1]) * (q[d2] - a[d2]) - (p[d2] - a[d2]) * (q[d1] - a[d1])) / 2;
    }
  }
}

/* sum over the faces of area = 0 and of area . centre / dim = volume, each face looking outward */
static void faces_close_the_volume(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    double sum[3] = {0}, volume = 0, middle[3] = {0};
    for (int v = 0; v < element->vertices; v++)
      for (int d = 0; d < 3; d++) middle[d] += element->reference[v][d] / element->vertices;
    for (int f = 0; f < element->faces; f++) {
      double area[3], centre[3], outward = 0;
      face_area(element, &element->face[f], area, centre);
      for (int d = 0; d < element->dim; d++) {
        sum[d] += area[d];
        volume += area[d] * centre[d] / element->dim;
        outward += area[d] * (centre[d] - middle[d]);
      }
      assert_true(outward > 0);
    }
    for (int d = 0; d < 3; d++) assert_true(fabs(sum[d]) <= 1e-14);
    assert_true(fabs(volume - element->volume) <= 1e-14 * element->volume);
  }
}

/* int over the reference face of x^i y^j; a line is [-1, 1] */
static double moment(const hk_element *shape, int i, int j)
{
  double sum = 0;
  for (int q = 0; q < shape->exact.points; q++)
    sum += shape->exact.weight[q] * pow(shape->exact.point[q][0], i) *
           pow(shape->exact.point[q][1], j);
  return sum;
}

/* weights at the nodes integrate what the face's functions reproduce: sum w_n x_n^i y_n^j = int x^i y^j, i + j up to their order; one rule is
 * used for faces of different shapes in turn. Gradients are the shape's own. */
static void face_rules_integrate_at_the_nodes(void **state)
{
  static hk_face_rule rule;
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    for (int f = 0; f < element->faces; f++) {
      const hk_element_face *face = &element->face[f];
      hk_face_rule_find(element, face, &rule);
      assert_int_equal(rule.nodes, face->nodes);
      assert_int_equal(rule.dim, element->dim - 1);
      if (element->dim == 2) {
        const double line[2][3] = {{1, 1}, {1. / 3, 1. / 3, 4. / 3}};
        for (int n = 0; n < face->nodes; n++)
          assert_true(fabs(rule.weight[n] - line[face->nodes - 2][n]) <= 1e-14);
        continue;
      }
      const hk_element *shape = hk_element_of(face->shape);
      const int order = shape->vertices < shape->nodes ? 2 : 1;
      for (int i = 0; i <= order; i++)
        for (int j = 0; i + j <= order; j++) {
          double sum = 0;
          for (int n = 0; n < face->nodes; n++)
            sum += rule.weight[n] * pow(shape->reference[n][0], i) * pow(shape->reference[n][1], j);
          assert_true(fabs(sum - moment(shape, i, j)) <= 1e-13);
        }
      for (int n = 0; n < face->nodes; n++) {
        double dn[2 * HK_LISTED_NODES];
        hk_element_functions(shape, shape->reference[n], NULL, dn);
        assert_memory_equal(rule.dn + n * face->nodes * 2, dn,
                            (size_t)face->nodes * 2 * sizeof *dn);
      }
    }
  }
}

/* x[nodes][dim] of an element whose edges and faces are curved */
static void bend(const hk_element *element, double *x)
{
  for (int k = 0; k < element->nodes; k++)
    for (int d = 0; d < element->dim; d++)
      x[k * element->dim + d] = element->reference[k][d] * (1.5 + d) + .1 * sin(7 * k + 3 * d);
}

/* places of a face's nodes, of x[nodes][dim] */
static void take_face(const hk_element *element, const hk_element_face *face, const double *x,
                      double *out)
{
  for (int v = 0; v < face->nodes; v++)
    memcpy(out + v * element->dim, x + face->node[v] * element->dim,
           (size_t)element->dim * sizeof *x);
}

/* sum over the faces of int n dA = 0, of curved faces, by points inside and by nodes */
static void curved_faces_close(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    double x[3 * HK_LISTED_NODES], own[3 * HK_MOST_FACE_NODES], n[HK_MOST_FACE_NODES], normal[3],
        sum[3] = {0};
    bend(element, x);
    for (int f = 0; f < element->faces; f++) {
      const hk_element_face *face = &element->face[f];
      take_face(element, face, x, own);
      for (int q = 0; q < hk_face_points(element, face, false); q++) {
        const double w = hk_face_point(element, face, false, q, own, n, normal);
        for (int d = 0; d < 3; d++) sum[d] += w * normal[d];
      }
    }
    for (int d = 0; d < 3; d++) assert_true(fabs(sum[d]) <= 1e-13);
  }
}

/* int g^2 over a flat face of v vertices with values g, of this length or area; of a parallelogram by two triangles; by one point: in the
 * middle of a triangle */
static double square_of(int v, const double *g, double size, bool one_point)
{
  static const int half[2][3] = {{0, 1, 2}, {0, 2, 3}};
  double sum = 0;
  if (one_point) return size * (g[0] + g[1] + g[2]) * (g[0] + g[1] + g[2]) / 9;
  if (v == 2) return size * (g[0] * g[0] + g[0] * g[1] + g[1] * g[1]) / 3;
  for (int t = 0; t < v - 2; t++) {
    const double a = g[half[t][0]], b = g[half[t][1]], c = g[half[t][2]];
    sum += size / (v - 2) / 12 * ((a + b + c) * (a + b + c) + a * a + b * b + c * c);
  }
  return sum;
}

/* u M u = scale int g^2 of values u of a linear function g on a flat face, by both rules; triangles of three nodes have one point */
static void masses_of_faces_are_exact_for_linear_functions(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * HK_SHAPE_COUNT; i++) {
    const hk_element *element = element_at(i / 2);
    const bool reduced = i % 2;
    if (reduced && element->order < 2) continue;
    for (int f = 0; f < element->faces; f++) {
      const hk_element_face *face = &element->face[f];
      double x[3 * HK_LISTED_NODES], own[3 * HK_MOST_FACE_NODES], g[HK_MOST_FACE_NODES],
          m[HK_MOST_FACE_NODES * HK_MOST_FACE_NODES] = {0}, area[3], centre[3], sum = 0;
      for (int k = 0; k < element->nodes; k++)
        for (int d = 0; d < element->dim; d++) x[k * element->dim + d] = element->reference[k][d];
      take_face(element, face, x, own);
      face_area(element, face, area, centre);
      for (int v = 0; v < face->nodes; v++) {
        g[v] = .4;
        for (int d = 0; d < element->dim; d++) g[v] += (1 - 1.7 * d) * own[v * element->dim + d];
      }
      hk_face_mass(element, face, reduced, 2.5, &(hk_face_factor){0}, own, m);
      for (int a = 0; a < face->nodes; a++)
        for (int b = 0; b < face->nodes; b++) sum += g[a] * m[a * face->nodes + b] * g[b];
      const int vertices = element->dim == 2 ? 2 : hk_element_of(face->shape)->vertices;
      const double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]),
                   expected = 2.5 * square_of(vertices, g, size,
                                              face->shape == HK_TRI3 && element->dim == 3);
      if (!(fabs(sum - expected) <= 1e-13))
        fail_msg("%s, face %d, rule %d: %g, not %g", element->name, f, reduced, sum, expected);
    }
  }
}

/* The face's own shape, placed on the face's nodes, has them all where that shape has its nodes:
 * a quadratic face's edge nodes lie in the middle of its vertices in turn. */
static void face_nodes_are_in_order(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    for (int f = 0; f < element->faces; f++) {
      const hk_element_face *face = &element->face[f];
      const int vertices = element->dim == 2 ? 2 : hk_element_of(face->shape)->vertices;
      if (element->dim == 3) assert_int_equal(hk_element_of(face->shape)->nodes, face->nodes);
      for (int k = vertices; k < face->nodes; k++)
        for (int d = 0; d < element->dim; d++) {
          double expected = 0;
          if (k == 2 * vertices)
            for (int v = 0; v < vertices; v++)
              expected += element->reference[face->node[v]][d] / vertices;
          else
            expected = (element->reference[face->node[k - vertices]][d] +
                        element->reference[face->node[(k - vertices + 1) % vertices]][d]) /
                       2;
          assert_true(fabs(element->reference[face->node[k]][d] - expected) <= 1e-15);
        }
    }
  }
}

/* Vertices of each face as Abaqus's and CalculiX's manuals list them (1-based, any direction). */
static void faces_have_abaqus_numbers(void **state)
{
  (void)state;
  static const struct {
    hk_shape shape;
    const char *face[6];
  } row[] = {
      {HK_TRI3, {"12", "23", "31"}},
      {HK_QUAD4, {"12", "23", "34", "41"}},
      {HK_TET4, {"123", "142", "243", "341"}},
      {HK_HEX8, {"1234", "5876", "1562", "2673", "3784", "4851"}},
      {HK_WEDGE6, {"123", "465", "1452", "2563", "3641"}},
  };
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    size_t r = 0;
    while (r < sizeof row / sizeof *row && row[r].shape != hk_shape_linear(element->shape)) r++;
    if (r == sizeof row / sizeof *row) fail_msg("row: say the faces of %s", element->name);
    for (int f = 0; f < element->faces; f++) {
      const int vertices = (int)strlen(row[r].face[f]);
      for (int v = 0; v < vertices; v++)
        assert_non_null(strchr(row[r].face[f], '1' + element->face[f].node[v]));
    }
  }
}

/* For x = c + A xi: det = det A and sum_n g_n x_n = 1 (the identity), for a skew A */
static void physical_gradients_of_an_affine_map(void **state)
{
  (void)state;
  static const double a[3][3] = {{2, 0.5, -0.25}, {0.25, 3, 0.5}, {-0.5, 0.75, 1.5}};
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = element_at(s);
    const int dim = element->dim;
    const double det = dim == 2 ? 2 * 3 - 0.5 * 0.25
                                : 2 * (3 * 1.5 - 0.5 * 0.75) - 0.5 * (0.25 * 1.5 + 0.5 * 0.5) -
                                      0.25 * (0.25 * 0.75 + 3 * 0.5);
    double x[HK_LISTED_NODES * 3], g[HK_LISTED_NODES * 3], xi[3];
    for (int n = 0; n < element->nodes; n++)
      for (int c = 0; c < dim; c++) {
        x[n * dim + c] = 10 * c;
        for (int d = 0; d < dim; d++) x[n * dim + c] += a[c][d] * element->reference[n][d];
      }
    inside(element, s, xi);
    assert_true(fabs(hk_element_physical(element, xi, x, g) - det) <= 1e-12);
    for (int c = 0; c < dim; c++)
      for (int d = 0; d < dim; d++) {
        double sum = 0;
        for (int n = 0; n < element->nodes; n++) sum += g[n * dim + d] * x[n * dim + c];
        assert_true(fabs(sum - (c == d)) <= 1e-12);
      }
  }
}

/* The listed shapes, and those of families that have tables. */
static const int tabulated[] = {
    HK_TRI3,      HK_TRI6,        HK_QUAD4,      HK_QUAD8,      HK_QUAD9,      HK_TET4,
    HK_TET10,     HK_HEX8,        HK_HEX20,      HK_HEX27,      HK_WEDGE6,     HK_WEDGE15,
    HK_WEDGE18,   HK_TRI_P + 1,   HK_TRI_P + 2,  HK_QUAD_P + 1, HK_QUAD_P + 2, HK_HEX_P + 1,
    HK_HEX_P + 2, HK_WEDGE_P + 1, HK_WEDGE_P + 2};

/* n, dn = N, dN/dxi at the points of each rule;  slope = sum_n u_n g_n with the g of the point, on bent elements */
static void tabulation_is_of_the_rules(void **state)
{
  (void)state;
  for (size_t s = 0; s < sizeof tabulated / sizeof *tabulated; s++)
    for (int r = 0; r < 3; r++) {
      static const hk_integration way[] = {HK_INTEGRATION_FULL, HK_INTEGRATION_REDUCED,
                                           HK_INTEGRATION_MASS};
      const hk_integration integration = way[r];
      const hk_element *element = hk_element_of((hk_shape)tabulated[s]);
      const hk_rule *rule = hk_element_rule(element, integration);
      const hk_tabulation *table = hk_element_tabulation(element, integration);
      const int size = element->nodes * element->dim;
      double x[HK_LISTED_NODES * 3], u[HK_LISTED_NODES * 3], g[HK_LISTED_NODES * 3], slope[3][3];
      for (int i = 0; i < size; i++) {
        x[i] = element->reference[i / element->dim][i % element->dim] + .05 * sin(3 * i);
        u[i] = cos(2 * i);
      }
      for (int q = 0; q < rule->points; q++) {
        double n[HK_LISTED_NODES], dn[HK_LISTED_NODES * 3];
        hk_element_functions(element, rule->point[q], n, dn);
        assert_memory_equal(n, table->n + q * element->nodes, (size_t)element->nodes * sizeof *n);
        assert_memory_equal(dn, table->dn + q * size, (size_t)size * sizeof *dn);
        assert_memory_equal(n, hk_element_n(element, integration, q, NULL),
                            (size_t)element->nodes * sizeof *n);
        assert_memory_equal(dn, hk_element_dn(element, integration, q, NULL),
                            (size_t)size * sizeof *dn);
        const double det = hk_element_physical(element, rule->point[q], x, g);
        assert_true(det > 0 && hk_element_slope(element, dn, x, u, slope) == det);
        for (int c = 0; c < element->dim; c++)
          for (int d = 0; d < element->dim; d++) {
            double expected = 0;
            for (int k = 0; k < element->nodes; k++)
              expected += u[k * element->dim + c] * g[k * element->dim + d];
            assert_true(fabs(slope[c][d] - expected) <= 1e-12);
          }
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_fit),
      cmocka_unit_test(nodal_property),
      cmocka_unit_test(completeness),
      cmocka_unit_test(gradients_are_differences),
      cmocka_unit_test(quadrature_is_exact),
      cmocka_unit_test(rules_have_their_degree),
      cmocka_unit_test(faces_close_the_volume),
      cmocka_unit_test(face_rules_integrate_at_the_nodes),
      cmocka_unit_test(curved_faces_close),
      cmocka_unit_test(masses_of_faces_are_exact_for_linear_functions),
      cmocka_unit_test(face_nodes_are_in_order),
      cmocka_unit_test(faces_have_abaqus_numbers),
      cmocka_unit_test(physical_gradients_of_an_affine_map),
      cmocka_unit_test(tabulation_is_of_the_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
