/* Springs of a crack: their sum is stiffness per area times area, along the normal and across. */
#include "load/springs.h"
#include "element/element.h"
#include "support/mesh.h"

/* sum over the springs of k = area (k_t I + (k_n - k_t) n n^T), whatever the shape; each k is positive */
static void sum_is_that_of_the_area(void **state)
{
  static const struct {
    int dim, order;
    hk_shape shape;
    int pairs;
  } cases[] = {{2, 1, HK_QUAD4, 5},  {2, 5, HK_QUAD4, 21}, {2, 2, HK_TRI3, 9},
               {3, 1, HK_HEX8, 25},  {3, 3, HK_HEX8, 169}, {3, 1, HK_TET4, 25},
               {3, -2, HK_HEX8, 65}, {3, 2, HK_TET4, 81}};
  const double normal = 5, tangential = 2, slope = 0.4, thickness = 0.7;
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const int dim = cases[c].dim;
    const double cosine = 1 / sqrt(1 + slope * slope), n[3] = {-slope * cosine, cosine, 0},
                 length = 4 / cosine * (dim == 2 ? thickness : 4);
    hk_mesh *mesh = NULL;
    hk_crack_face *pair = NULL;
    hk_index *origin = NULL;
    hk_spring *spring = NULL;
    hk_count pairs, added, springs = 0;
    double sum[3][3] = {{0}};
    mesh = make_grid((hk_mesh_grid){
        .from = {0, -2, 0}, .to = {4, 2, 4}, .cells = {4, 4, 4}, .shape = cases[c].shape});
    for (hk_count i = 0; i < mesh->node_count; i++)
      mesh->x[i * dim + 1] += slope * mesh->x[i * dim];
    if (cases[c].order > 1) ok(hk_mesh_raise_to(mesh, cases[c].order));
    if (cases[c].order < 0) ok(hk_mesh_raise(mesh)); /* hex20 */
    /* the faces of the elements above y = slope x: those whose nodes all lie on it */
    hk_index element[64];
    uint8_t face[64];
    hk_count faces = 0;
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
      for (int f = 0; f < shape->faces; f++) {
        bool on = true;
        for (int k = 0; k < shape->face[f].nodes; k++) {
          const double *x =
              mesh->x + (hk_count)hk_mesh_nodes_of(mesh, e)[shape->face[f].node[k]] * dim;
          on = on && fabs(x[1] - slope * x[0]) < 1e-9;
        }
        if (on) assert_true(faces < 64), element[faces] = (hk_index)e, face[faces++] = (uint8_t)f;
      }
    }
    ok(hk_crack_pair(mesh, faces, element, face, &pairs, &pair));
    const hk_count before = mesh->node_count;
    ok(hk_mesh_cut(mesh, pairs, pair, &added, &origin));
    hk_springs_desc desc = {mesh,   pairs,      pair,  before,   origin,
                            normal, tangential, false, thickness};
    ok(hk_springs_add(&desc, &springs, &spring));
    assert_int_equal(springs, cases[c].pairs);
    assert_int_equal(added, cases[c].pairs);
    for (hk_count k = 0; k < springs; k++) {
      assert_int_equal(origin[spring[k].node[1] - before], spring[k].node[0]);
      for (int i = 0; i < 9; i++) sum[i / 3][i % 3] += spring[k].k[i / 3][i % 3];
      assert_true(spring[k].k[1][1] > 1e-3);
    }
    for (int i = 0; i < dim * dim; i++) {
      const int a = i / dim, b = i % dim;
      const double expected =
          length * ((a == b) * tangential + (normal - tangential) * n[a] * n[b]);
      if (!(fabs(sum[a][b] - expected) <= 1e-12 * length * normal))
        fail_msg("case %zu: k[%d][%d] = %.15g, expected %.15g", c, a, b, sum[a][b], expected);
    }
    /* of nodes: the same for each */
    desc.per_node = true;
    springs = 0;
    ok(hk_springs_add(&desc, &springs, &spring));
    for (hk_count k = 0; k < springs; k++)
      assert_true(fabs(spring[k].k[0][1] - (normal - tangential) * n[0] * n[1]) <= 1e-12);
    hk_free(&spring);
    hk_free(&origin);
    hk_free(&pair);
    hk_mesh_destroy(&mesh);
  }
}

/* y of the curved interface */
static double height(int dim, const double *x)
{
  return 0.3 * sin(x[0]) + (dim == 3 ? 0.2 * cos(x[2]) : 0);
}

/* of [0, 4] (x [0, 4]), by the midpoint rule */
static double curved_area(int dim)
{
  enum { N = 1000 };
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < (dim == 3 ? N : 1); j++) {
      const double x = 4 * (i + 0.5) / N, z = 4 * (j + 0.5) / N;
      const double along = 0.3 * cos(x), across = dim == 3 ? -0.2 * sin(z) : 0;
      sum += sqrt(1 + along * along + across * across) * 4 / N * (dim == 3 ? 4.0 / N : 1);
    }
  return sum;
}

/* on a curved crack of high order the trace of all springs is area (k_n + (dim - 1) k_t), each by the normal at its own node */
static void curved_cracks(void **state)
{
  const double normal = 5, tangential = 2;
  (void)state;
  for (int dim = 2; dim < 4; dim++) {
    hk_mesh *mesh = NULL;
    hk_crack_face *pair = NULL;
    hk_index *origin = NULL, element[64];
    uint8_t face[64];
    hk_spring *spring = NULL;
    hk_count pairs, added, springs = 0, faces = 0;
    double trace = 0;
    mesh = make_grid((hk_mesh_grid){.from = {0, -2, 0},
                                    .to = {4, 2, 4},
                                    .cells = {4, 4, 4},
                                    .shape = dim == 2 ? HK_QUAD4 : HK_HEX8});
    ok(hk_mesh_raise_to(mesh, 6));
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
      for (int f = 0; f < shape->faces; f++) {
        bool on = true;
        for (int k = 0; k < shape->face[f].nodes; k++)
          on =
              on &&
              fabs(mesh->x[(hk_count)hk_mesh_nodes_of(mesh, e)[shape->face[f].node[k]] * dim + 1]) <
                  1e-9;
        if (on) assert_true(faces < 64), element[faces] = (hk_index)e, face[faces++] = (uint8_t)f;
      }
    }
    for (hk_count i = 0; i < mesh->node_count; i++)
      mesh->x[i * dim + 1] += height(dim, mesh->x + i * dim);
    ok(hk_crack_pair(mesh, faces, element, face, &pairs, &pair));
    const hk_count before = mesh->node_count;
    ok(hk_mesh_cut(mesh, pairs, pair, &added, &origin));
    ok(hk_springs_add(
        &(hk_springs_desc){mesh, pairs, pair, before, origin, normal, tangential, false, 1},
        &springs, &spring));
    for (hk_count k = 0; k < springs; k++) {
      const double *x = mesh->x + (hk_count)spring[k].node[0] * dim;
      double n[3] = {-0.3 * cos(x[0]), 1, dim == 3 ? 0.2 * sin(x[2]) : 0}, size = 0, along = 0,
             own = 0;
      for (int i = 0; i < dim; i++) size += n[i] * n[i], own += spring[k].k[i][i];
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) along += n[i] * spring[k].k[i][j] * n[j] / size;
      if (!(fabs(along / own - normal / (normal + (dim - 1) * tangential)) <= 1e-3))
        fail_msg("dim %d, spring %d: %g of %g along the normal", dim, (int)k, along, own);
      trace += own;
    }
    const double expected = curved_area(dim) * (normal + (dim - 1) * tangential);
    if (!(fabs(trace - expected) <= 1e-5 * expected))
      fail_msg("dim %d: %.12g, expected %.12g", dim, trace, expected);
    hk_free(&spring);
    hk_free(&origin);
    hk_free(&pair);
    hk_mesh_destroy(&mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sum_is_that_of_the_area),
                                     cmocka_unit_test(curved_cracks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
