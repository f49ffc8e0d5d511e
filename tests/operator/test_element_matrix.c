/* Element stiffness, lumped mass, and the bound of the largest frequency. */
#include "operator/element/element_matrix.h"
#include "operator/element/ring.h"
#include "support/dense.h"
#include <omp.h>

enum { MOST = 3 * HK_LISTED_NODES };

/* A fully anisotropic region. */
static hk_region composite(void)
{
  static const double constant[9] = {13, .9, 1.1, .28, .3, .4, .5, .6, .3};
  static const double axes[3][3] = {{.36, .48, .8}, {-.8, .6, 0}, {-.48, -.64, .6}};
  hk_region r = {.material = {.density = 3}, .thickness = .5, .plane = HK_PLANE_STRESS};
  ok(hk_material_engineering(constant, &r.material));
  hk_material_rotate(&r.material, axes);
  return r;
}

/* Nodes of the reference element under an affine map plus noise times `bend`; returns the map's
 * determinant. */
static double element_at(const hk_element *element, double bend, double *x)
{
  static const double map[3][3] = {{1.1, .2, -.1}, {.3, .8, .2}, {-.2, .1, .9}};
  const double(*m)[3] = map;
  const int dim = element->dim;
  for (int n = 0; n < element->nodes; n++)
    for (int i = 0; i < dim; i++) {
      x[n * dim + i] = 5 + bend * 2 * uniform();
      for (int j = 0; j < dim; j++) x[n * dim + i] += m[i][j] * element->reference[n][j];
    }
  if (dim == 2) return m[0][0] * m[1][1] - m[0][1] * m[1][0];
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Voigt's strain (engineering shear) of a displacement gradient. */
static void strain_of(int dim, const double grad[3][3], double *e)
{
  static const int voigt3[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  static const int voigt2[3][2] = {{0, 0}, {1, 1}, {0, 1}};
  for (int r = 0; r < (dim == 3 ? 6 : 3); r++) {
    const int *v = dim == 3 ? voigt3[r] : voigt2[r];
    e[r] = v[0] == v[1] ? grad[v[0]][v[1]] : grad[v[0]][v[1]] + grad[v[1]][v[0]];
  }
}

/* every shape: the energy of a linear motion is u K u = V e d e (0 for a turn), K symmetric */
static void stiffness_of_linear_motion(void **state)
{
  (void)state;
  const hk_region r = composite();
  static double k[MOST * MOST];
  srand(1);
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    const hk_element *element = hk_element_of((hk_shape)shape);
    const int dim = element->dim, size = element->nodes * dim, rows = dim == 3 ? 6 : 3;
    double x[MOST], d[36], u[MOST], grad[3][3], e[6], energy = 0, expected = 0;
    const double volume = element->volume * element_at(element, 0, x);
    hk_region_stiffness(&r, dim, d);
    near(hk_element_stiffness(element, x, d, k), volume, 1e-13 * volume);
    for (int turn = 0; turn < 2; turn++) {
      for (int i = 0; i < 9; i++) grad[i / 3][i % 3] = 2 * uniform();
      for (int i = 0; turn && i < 9; i++)
        grad[i / 3][i % 3] = i / 3 == i % 3 ? 0 : i / 3 < i % 3 ? .3 + i : -grad[i % 3][i / 3];
      for (int n = 0; n < element->nodes; n++)
        for (int i = 0; i < dim; i++) {
          u[n * dim + i] = 7;
          for (int j = 0; j < dim; j++) u[n * dim + i] += grad[i][j] * x[n * dim + j];
        }
      energy = expected = 0;
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) energy += u[i] * k[i * size + j] * u[j];
      strain_of(dim, grad, e);
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) expected += volume * e[i] * d[i * rows + j] * e[j];
      near(energy, expected, 1e-9);
      if (!turn) assert_true(expected > 1e-2);
    }
    for (int i = 0; i < size; i++)
      for (int j = 0; j < i; j++) assert_true(k[i * size + j] == k[j * size + i]);
  }
}

/* every shape of 2D and both integrations, axisymmetric: the energy of u_r = a r, u_z = b z + g r + 7 is V e d e with e = (a, b, g, a) and
 * V = 2 pi times the integral of r; a motion along z has no force; K is symmetric; the area is returned */
static void stiffness_of_rings(void **state)
{
  (void)state;
  static double k[MOST * MOST];
  hk_region r = {.plane = HK_AXISYMMETRIC, .varies = true, .thickness = 1};
  ok(hk_material_isotropic(3, .3, &r.material));
  srand(1);
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++)
    for (int reduced = 0; reduced < 2; reduced++) {
      const hk_element *element = hk_element_of((hk_shape)shape);
      const int size = element->nodes * 2;
      const double a = .3, b = -.7, g = .4, e[4] = {a, b, g, a};
      double x[MOST], u[MOST], d[16], energy = 0, expected = 0, force = 0, mean = 0;
      if (element->dim == 3 || (reduced && shape == HK_QUAD4)) continue;
      r.integration = reduced ? HK_INTEGRATION_REDUCED : HK_INTEGRATION_FULL;
      const double area = element->volume * element_at(element, 0, x);
      const int corners = element->simplex ? 3 : 4;
      for (int n = 0; n < corners; n++) mean += x[2 * n] / corners;
      r.thickness = 2 * acos(-1) * mean;
      hk_region_ring_stiffness(&r, d);
      near(hk_element_integrate(&r, element, x, k), area, 1e-13 * area);
      for (int n = 0; n < element->nodes; n++)
        u[2 * n] = a * x[2 * n], u[2 * n + 1] = 7 + g * x[2 * n] + b * x[2 * n + 1];
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) energy += u[i] * k[i * size + j] * u[j];
      for (int i = 0; i < 16; i++) expected += area * e[i / 4] * d[i] * e[i % 4];
      near(energy, expected, 1e-9 * expected);
      assert_true(expected > 1);
      for (int i = 0; i < size; i++) {
        force = 0;
        for (int n = 0; n < element->nodes; n++) force += k[i * size + 2 * n + 1];
        near(force, 0, 1e-11);
        for (int j = 0; j < i; j++) assert_true(k[i * size + j] == k[j * size + i]);
      }
    }
}

/* elements of order p at their nodes, on the axis by any face and away from it: the energy of u_r = a r, u_z = b z + g r + 7 is V e d e, with V the sum of
 * their volumes, 2 pi times the integral of r; a motion along z has no force; K is symmetric (S.3), (S.16) */
static void stiffness_of_rings_at_nodes(void **state)
{
  static double k[242 * 242];
  hk_region r = {.plane = HK_AXISYMMETRIC,
                 .varies = true,
                 .thickness = 1,
                 .integration = HK_INTEGRATION_NODES};
  (void)state;
  ok(hk_material_isotropic(3, .3, &r.material));
  for (int p = 2; p <= 10; p += 4)
    for (int f = -1; f < 4; f++) {
      const hk_element *element =
          hk_element_of(f < 0 ? (hk_shape)(HK_QUAD_P + p) : hk_shape_on_axis(p, f));
      const int size = element->nodes * 2;
      const double a = .3, b = -.7, g = .4, e[4] = {a, b, g, a},
                   turn = -acos(-1) / 2 * (f < 0 ? 3 : f);
      double x[242], u[242], volume[121], d[16], all = 0, energy = 0, expected = 0;
      const double shape[3] = {f < 0 ? 1.5 : 1, .2,
                               .1}; /* r = (shape + xi) (1 + .2 eta), z = eta + .1 xi */
      for (int n = 0; n < element->nodes; n++) {
        const double *own = element->reference[n], xi = cos(turn) * own[1] + sin(turn) * own[0],
                     eta = sin(turn) * own[1] - cos(turn) * own[0];
        x[2 * n] = (shape[0] + xi) * (1 + shape[1] * eta), x[2 * n + 1] = eta + shape[2] * xi;
      }
      assert_true(hk_ring_volumes(element, x, volume));
      for (int n = 0; n < element->nodes; n++) assert_true(volume[n] > 0), all += volume[n];
      /* det = 1 + .2 eta - .02 (shape + xi): 2 pi integral of r det */
      const double one = 2 * shape[0], r2 = 2 * (shape[0] * shape[0] + 1. / 3);
      near(all, 2 * acos(-1) * (one * (2 + .04 * 2 / 3) - .02 * r2 * 2), 1e-12);
      hk_region_ring_stiffness(&r, d);
      assert_true(hk_element_integrate(&r, element, x, k) > 0);
      for (int n = 0; n < element->nodes; n++)
        u[2 * n] = a * x[2 * n], u[2 * n + 1] = 7 + g * x[2 * n] + b * x[2 * n + 1];
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) energy += u[i] * k[i * size + j] * u[j];
      for (int i = 0; i < 16; i++) expected += all * e[i / 4] * d[i] * e[i % 4];
      near(energy, expected, 1e-9 * expected);
      assert_true(expected > 1);
      for (int i = 0; i < size; i++) {
        double force = 0;
        for (int n = 0; n < element->nodes; n++) force += k[i * size + 2 * n + 1];
        near(force, 0, 1e-9);
        for (int j = 0; j < i; j++) assert_true(k[i * size + j] == k[j * size + i]);
      }
    }
}

/* every shape, distorted: k = sum over points of w det B^T d B, B written out */
static void stiffness_is_btdb(void **state)
{
  (void)state;
  const hk_region r = composite();
  static double k[MOST * MOST];
  srand(2);
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    const hk_element *element = hk_element_of((hk_shape)shape);
    const int dim = element->dim, size = element->nodes * dim, rows = dim == 3 ? 6 : 3;
    double x[MOST], d[36], g[MOST], b[MOST][6];
    static double expected[MOST * MOST];
    element_at(element, .05, x);
    hk_region_stiffness(&r, dim, d);
    assert_true(hk_element_stiffness(element, x, d, k) > 0);
    memset(expected, 0, sizeof expected);
    for (int q = 0; q < element->full.points; q++) {
      const double w =
          element->full.weight[q] * hk_element_physical(element, element->full.point[q], x, g);
      for (int i = 0; i < size; i++) {
        double grad[3][3] = {{0}};
        for (int j = 0; j < dim; j++) grad[i % dim][j] = g[i / dim * dim + j];
        strain_of(dim, grad, b[i]);
      }
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
          for (int a = 0; a < rows; a++)
            for (int c = 0; c < rows; c++)
              expected[i * size + j] += w * b[i][a] * d[a * rows + c] * b[j][c];
    }
    for (int i = 0; i < size * size; i++) near(k[i], expected[i], 1e-11);
  }
}

/* a folded element gives no volume */
static void stiffness_of_folded(void **state)
{
  (void)state;
  const hk_region r = composite();
  static const double x[8] = {0, 0, 0, 1, 1, 1, 1, 0};
  double d[36], k[64];
  hk_region_stiffness(&r, 2, d);
  assert_false(hk_element_stiffness(hk_element_of(HK_QUAD4), x, d, k) > 0);
}

static hk_mesh *single(hk_shape shape, double bend)
{
  const hk_element *element = hk_element_of(shape);
  hk_mesh *m = NULL;
  ok(hk_mesh_begin(element->dim, &m));
  m->node_count = element->nodes, m->element_count = 1, m->block_count = 1;
  ok(hk_get(&m->x, element->nodes * element->dim));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = shape, .nodes = element->nodes, .count = 1};
  ok(hk_get(&m->block[0].node, element->nodes));
  for (int n = 0; n < element->nodes; n++) m->block[0].node[n] = n;
  element_at(element, bend, m->x);
  return m;
}

/* Square or cube of n cells a side with nodes moved by noise, in quads and pairs of triangles
 * (alternately: two blocks), or in hexes or six tets a cell. */
static hk_mesh *grid(int dim, int n, bool simplex, double jitter)
{
  static const int tet[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  static const int triangle[2][4] = {{0, 1, 2}, {0, 2, 3}};
  const int side = n + 1, cells = dim == 2 ? n * n : n * n * n;
  const int parts = !simplex ? 1 : dim == 2 ? 2 : 6, nodes = simplex ? dim + 1 : 1 << dim;
  hk_mesh *m = NULL;
  ok(hk_mesh_begin(dim, &m));
  m->node_count = dim == 2 ? side * side : side * side * side;
  m->element_count = cells * parts, m->block_count = 1;
  ok(hk_get(&m->x, m->node_count * dim));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = dim == 2  ? simplex ? HK_TRI3 : HK_QUAD4
                                    : simplex ? HK_TET4
                                              : HK_HEX8,
                           .nodes = nodes,
                           .count = m->element_count};
  ok(hk_get(&m->block[0].node, m->element_count * nodes));
  for (int i = 0; i < m->node_count; i++) {
    const int at[3] = {i % side, i / side % side, i / side / side};
    for (int d = 0; d < dim; d++) m->x[i * dim + d] = at[d] + jitter * 2 * uniform();
  }
  hk_index *to = m->block[0].node;
  for (int i = 0; i < cells; i++) {
    const int first = i % n + side * (i / n % n) + side * side * (i / n / n);
    const int layer = side * side;
    const int corner[8] = {
        first,         first + 1,         first + side + 1,         first + side,
        first + layer, first + layer + 1, first + layer + side + 1, first + layer + side};
    for (int p = 0; p < parts; p++)
      for (int v = 0; v < nodes; v++)
        *to++ = corner[!simplex ? v : dim == 2 ? triangle[p][v] : tet[p][v]];
  }
  return m;
}

static hk_index regions_of_elements[200000];

/* Largest eigenvalue of M^-1/2 K M^-1/2, assembled. */
static double largest_omega(const hk_mesh *m, const hk_region *region)
{
  const int dim = m->dim, size = (int)m->node_count * dim;
  double *a = NULL, *mass = NULL, d[36], largest = 0;
  static double k[MOST * MOST];
  ok(hk_get(&a, size * size));
  ok(hk_get(&mass, m->node_count));
  ok(hk_mass_lumped(m, region, regions_of_elements, mass));
  for (hk_count e = 0; e < m->element_count; e++) {
    const hk_element *element = hk_element_of(m->block[0].shape);
    const hk_index *node = hk_mesh_nodes_of(m, e);
    const int n = element->nodes * dim;
    double x[MOST];
    for (int i = 0; i < n; i++) x[i] = m->x[node[i / dim] * dim + i % dim];
    hk_region_stiffness(region + regions_of_elements[e], dim, d);
    hk_element_stiffness(element, x, d, k);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        a[(node[i / dim] * dim + i % dim) * size + node[j / dim] * dim + j % dim] +=
            k[i * n + j] / sqrt(mass[node[i / dim]] * mass[node[j / dim]]);
  }
  eigenvalues(size, a);
  for (int i = 0; i < size; i++) largest = fmax(largest, a[i * size + i]);
  hk_free(&a);
  hk_free(&mass);
  return sqrt(largest);
}

/* share[nodes] of the mass: int N_n over the reference element, of second order int N_n^2, by the rule of such products; their sum is 1 */
static void find_shares(const hk_element *element, double *share)
{
  const hk_rule *rule = element->order == 1 ? &element->full : &element->mass;
  double n[HK_LISTED_NODES], sum = 0;
  memset(share, 0, HK_LISTED_NODES * sizeof *share);
  for (int q = 0; q < rule->points; q++) {
    hk_element_functions(element, rule->point[q], n, NULL);
    for (int k = 0; k < element->nodes; k++)
      share[k] += rule->weight[q] * (element->order == 1 ? n[k] : n[k] * n[k]);
  }
  for (int k = 0; k < element->nodes; k++) sum += share[k];
  for (int k = 0; k < element->nodes; k++) share[k] /= sum;
}

/* the support's eigenvalues of H D H, D diagonal,, H = 1 - 2 v v^T with |v| = 1, are that diagonal; 1 is twice in it */
static void eigenvalues_are_those_given(void **state)
{
  enum { SIZE = 40 };
  double a[SIZE * SIZE], v[SIZE], given[SIZE], square = 0;
  (void)state;
  srand(7);
  for (int i = 0; i < SIZE; i++) v[i] = uniform(), square += v[i] * v[i];
  for (int i = 0; i < SIZE; i++) given[i] = i == 5 ? 1 : i - 3;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      a[i * SIZE + j] = 0;
      for (int k = 0; k < SIZE; k++)
        a[i * SIZE + j] += ((i == k) - 2 * v[i] * v[k] / square) * given[k] *
                           ((k == j) - 2 * v[k] * v[j] / square);
    }
  eigenvalues(SIZE, a);
  for (int i = 0; i < SIZE; i++)
    if (!(fabs(a[i * SIZE + i] - given[i]) <= 1e-12))
      fail_msg("eigenvalue %d: got %.15g, expected %g", i, a[i * SIZE + i], given[i]);
}

/* every shape: masses are positive, sum up to density times volume (times thickness) and share it as (W.4) says */
static void mass_sums_up(void **state)
{
  (void)state;
  const hk_region r = composite();
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    const hk_element *element = hk_element_of((hk_shape)shape);
    hk_mesh *m = single((hk_shape)shape, 0);
    double mass[HK_LISTED_NODES], share[HK_LISTED_NODES], x[MOST], sum = 0;
    const double expected =
        3 * element->volume * element_at(element, 0, x) * (element->dim == 2 ? .5 : 1);
    ok(hk_mass_lumped(m, &r, regions_of_elements, mass));
    find_shares(element, share);
    for (int n = 0; n < element->nodes; n++) {
      assert_true(mass[n] > 0);
      sum += mass[n];
      near(mass[n], expected * share[n], 1e-13);
    }
    near(sum, expected, 1e-13);
    hk_mesh_destroy(&m);
  }
}

/* second order, straight: the shares of a vertex and of the nodes in the middle of edges, from the integrals of N^2 in closed form
 * (wedges: of edges along the triangles, along z) */
static void shares_of_second_order(void **state)
{
  (void)state;
  static const struct {
    hk_shape shape;
    double vertex, edge, upright;
  } row[] = {{HK_TRI6, 3. / 57, 16. / 57, 0},
             {HK_QUAD8, 3. / 76, 16. / 76, 0},
             {HK_TET10, 1. / 36, 4. / 27, 0},
             {HK_HEX20, 7. / 248, 16. / 248, 0},
             {HK_WEDGE15, 1. / 34, 4. / 51, 2. / 17}};
  const hk_region r = composite();
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const hk_element *element = hk_element_of(row[i].shape);
    hk_mesh *m = single(row[i].shape, 0);
    double mass[HK_LISTED_NODES], sum = 0;
    ok(hk_mass_lumped(m, &r, regions_of_elements, mass));
    for (int n = 0; n < element->nodes; n++) sum += mass[n];
    for (int n = 0; n < element->nodes; n++)
      near(mass[n] / sum,
           n < element->vertices           ? row[i].vertex
           : row[i].upright > 0 && n >= 12 ? row[i].upright
                                           : row[i].edge,
           1e-13);
    hk_mesh_destroy(&m);
  }
}

/* every shape: omega <= bound <= 1.003 omega for one element */
static void bound_of_one_element(void **state)
{
  (void)state;
  const hk_region r = composite();
  srand(3);
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    hk_mesh *m = single((hk_shape)shape, .05);
    hk_index element = -1;
    double bound = 0;
    ok(hk_element_bound(m, &r, regions_of_elements, &bound, &element));
    const double omega = largest_omega(m, &r);
    assert_int_equal(element, 0);
    if (!(bound >= omega && bound <= 1.003 * omega)) {
      print_message("%s: bound %.12g omega %.12g\n", hk_shape_name((hk_shape)shape), bound, omega);
      fail();
    }
    hk_mesh_destroy(&m);
  }
}

/* meshes: omega of the assembled matrix <= bound, and not far below it */
static void bound_of_meshes(void **state)
{
  (void)state;
  const hk_region r = composite();
  srand(4);
  for (int i = 0; i < 8; i++) {
    const int dim = 2 + i % 2;
    hk_mesh *m = grid(dim, dim == 2 ? 6 : 3, i / 2 % 2, i / 4 ? .1 : 0);
    hk_index element = -1;
    double bound = 0;
    ok(hk_element_bound(m, &r, regions_of_elements, &bound, &element));
    const double omega = largest_omega(m, &r);
    if (!(bound >= omega && bound <= 1.6 * omega)) {
      print_message("mesh %d: bound %.12g omega %.12g\n", i, bound, omega);
      fail();
    }
    hk_mesh_destroy(&m);
  }
}

/* meshes of second order: the same */
static void bound_of_second_order(void **state)
{
  (void)state;
  static const hk_shape shapes[] = {HK_TRI6, HK_QUAD8, HK_TET10, HK_HEX20, HK_WEDGE15};
  const hk_region r = composite();
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    hk_mesh *m = make_patch(shapes[s], .1);
    hk_index element = -1;
    double bound = 0;
    ok(hk_element_bound(m, &r, regions_of_elements, &bound, &element));
    const double omega = largest_omega(m, &r);
    if (!(bound >= omega && bound <= 1.6 * omega))
      fail_msg("%s: bound %.12g omega %.12g", hk_shape_name(shapes[s]), bound, omega);
    hk_mesh_destroy(&m);
  }
}

/* The element e of m alone. */
static hk_mesh *alone(const hk_mesh *m, hk_count e)
{
  hk_mesh *one = single(m->block[0].shape, 0);
  const hk_index *node = hk_mesh_nodes_of(m, e);
  for (int i = 0; i < m->block[0].nodes * m->dim; i++)
    one->x[i] = m->x[(hk_count)node[i / m->dim] * m->dim + i % m->dim];
  return one;
}

/* omega of the assembled matrix <= bound <= 1.003 times the largest omega of the elements, for laws
 * that are stiff in one strain, so that each row of the dual matrix decides once */
static void bound_of_elements(void **state)
{
  (void)state;
  srand(6);
  for (int i = 0; i < 24; i++) {
    const int dim = 2 + i % 2, stiff = i / 4;
    hk_region r = {.material = {.density = 3, .elastic = true}, .thickness = .5};
    for (int k = 0; k < 6; k++) r.material.c[k][k] = k == stiff ? 20 : 1;
    hk_mesh *m = grid(dim, dim == 2 ? 4 : 2, i / 2 % 2, .1);
    hk_index element = -1;
    double bound = 0, omega = 0;
    ok(hk_element_bound(m, &r, regions_of_elements, &bound, &element));
    for (hk_count e = 0; e < m->element_count; e++) {
      hk_mesh *one = alone(m, e);
      omega = fmax(omega, largest_omega(one, &r));
      hk_mesh_destroy(&one);
    }
    const double assembled = largest_omega(m, &r);
    if (!(bound >= assembled && bound <= 1.003 * omega)) {
      print_message("mesh %d: bound %.12g of elements %.12g assembled %.12g\n", i, bound, omega,
                    assembled);
      fail();
    }
    hk_mesh_destroy(&m);
  }
}

/* the guilty element is the one that was made small, or of the stiff region; the bound is the same,
 * bit by bit, for any number of threads */
static void bound_names_element(void **state)
{
  (void)state;
  hk_region r[2] = {composite(), composite()};
  for (int i = 0; i < 36; i++) r[1].material.c[i / 6][i % 6] *= 4;
  srand(5);
  for (int i = 0; i < 4; i++) {
    const int dim = 2 + i % 2;
    hk_mesh *m = grid(dim, dim == 2 ? 100 : 21, i / 2, .05);
    const hk_index guilty = (hk_index)m->element_count * 2 / 3;
    hk_index element[3];
    double bound[3];
    regions_of_elements[guilty] = 1;
    for (int threads = 1; threads <= 3; threads++) {
      omp_set_num_threads(threads);
      ok(hk_element_bound(m, r, regions_of_elements, &bound[threads - 1], &element[threads - 1]));
      assert_int_equal(element[threads - 1], guilty);
    }
    assert_true(bound[0] == bound[1] && bound[0] == bound[2]);
    regions_of_elements[guilty] = 0;
    hk_mesh_destroy(&m);
  }
}

/* masses are the same, bit by bit, for any number of threads and of parts of the mesh (mesh/scatter.h) */
static void mass_of_threads(void **state)
{
  (void)state;
  const hk_region r = composite();
  hk_mesh *m = grid(3, 24, false, .1);
  double *mass[2] = {NULL, NULL};
  for (int i = 0; i < 2; i++) {
    omp_set_num_threads(1 + 2 * i);
    ok(hk_get(&mass[i], m->node_count));
    const double share = hk_memory_share(1 - i);
    ok(hk_mass_lumped(m, &r, regions_of_elements, mass[i]));
    hk_memory_share(share);
  }
  assert_memory_equal(mass[0], mass[1], (size_t)m->node_count * sizeof(double));
  hk_free(&mass[0]);
  hk_free(&mass[1]);
  hk_mesh_destroy(&m);
}

/* a folded element, a missing region and a missing density are refused with the element's label */
static void refused(void **state)
{
  (void)state;
  hk_region r = composite();
  for (int simplex = 0; simplex < 2; simplex++) {
    hk_mesh *m = grid(2, 3, simplex, 0);
    hk_index *node = m->block[0].node + 5 * m->block[0].nodes, element;
    double bound, mass[16];
    regions_of_elements[5] = regions_of_elements[8] = -1;
    assert_int_equal(hk_element_bound(m, &r, regions_of_elements, &bound, &element), HK_BAD_INPUT);
    error_says("element 6 ");
    regions_of_elements[5] = regions_of_elements[8] = 0;
    r.thickness = 0;
    fails_with(hk_mass_lumped(m, &r, regions_of_elements, mass), HK_BAD_INPUT, "thickness 0");
    r.thickness = .5, r.material.density = -1;
    fails_with(hk_mass_lumped(m, &r, regions_of_elements, mass), HK_BAD_INPUT, "no density");
    r.material.density = 1;
    const hk_index first = node[0];
    node[0] = node[1], node[1] = first;
    assert_int_equal(hk_element_bound(m, &r, regions_of_elements, &bound, &element), HK_BAD_INPUT);
    error_says("element 6 ");
    assert_int_equal(hk_mass_lumped(m, &r, regions_of_elements, mass), HK_BAD_INPUT);
    error_says("element 6 ");
    hk_mesh_destroy(&m);
  }
}

/* the k-th allocation fails: no memory is lost */
static void failing_memory(void **state)
{
  (void)state;
  const hk_region r = composite();
  hk_mesh *m = grid(2, 3, false, 0);
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_index element;
    double bound, mass[16];
    memory.status = hk_element_bound(m, &r, regions_of_elements, &bound, &element);
    if (memory.status == HK_OK) memory.status = hk_mass_lumped(m, &r, regions_of_elements, mass);
  }
  hk_mesh_destroy(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stiffness_of_linear_motion),
                                     cmocka_unit_test(stiffness_of_rings),
                                     cmocka_unit_test(stiffness_of_rings_at_nodes),
                                     cmocka_unit_test(stiffness_is_btdb),
                                     cmocka_unit_test(stiffness_of_folded),
                                     cmocka_unit_test(mass_sums_up),
                                     cmocka_unit_test(shares_of_second_order),
                                     cmocka_unit_test(eigenvalues_are_those_given),
                                     cmocka_unit_test(bound_of_one_element),
                                     cmocka_unit_test(bound_of_meshes),
                                     cmocka_unit_test(bound_of_second_order),
                                     cmocka_unit_test(bound_of_elements),
                                     cmocka_unit_test(bound_names_element),
                                     cmocka_unit_test(mass_of_threads),
                                     cmocka_unit_test(refused),
                                     cmocka_unit_test(failing_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
