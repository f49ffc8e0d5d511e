/* Cracks: which nodes are split, in any mesh. */
#include "mesh/crack.h"
#include "element/element.h"
#include "support/mesh.h"

/* n^dim unit cells from -n/2 to n/2, raised to the order */
static hk_mesh *grid(int dim, hk_count n, hk_shape shape, int order)
{
  hk_mesh *mesh = NULL;
  const double half = (double)n / 2;
  mesh = make_grid((hk_mesh_grid){.dim = dim,
                                  .from = {-half, -half, -half},
                                  .to = {half, half, half},
                                  .cells = {n, n, n},
                                  .shape = shape,
                                  .shuffle = 3});
  if (order > 1) ok(hk_mesh_raise_to(mesh, order));
  return mesh;
}

/* A plane x[axis] = 0 within least <= x[d] <= most of the other directions. */
typedef struct plane {
  int axis;
  double least[3], most[3];
} plane;

static bool in_plane(const hk_mesh *mesh, hk_index node, const plane *p)
{
  for (int d = 0; d < mesh->dim; d++) {
    const double x = mesh->x[(hk_count)node * mesh->dim + d];
    if (d == p->axis ? fabs(x) > 1e-9 : x < p->least[d] - 1e-9 || x > p->most[d] + 1e-9)
      return false;
  }
  return true;
}

/* The faces in the planes, from one side or both. */
static hk_count find_faces(const hk_mesh *mesh, int planes, const plane *p, hk_index *element,
                           uint8_t *face)
{
  hk_count count = 0;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int f = 0; f < shape->faces; f++)
      for (int k = 0; k < planes; k++) {
        bool in = true;
        for (int n = 0; n < shape->face[f].nodes; n++)
          in = in && in_plane(mesh, node[shape->face[f].node[n]], &p[k]);
        if (in) element[count] = (hk_index)e, face[count++] = (uint8_t)f;
      }
  }
  return count;
}

/* Nodes that the cut along the planes adds. */
static hk_count cut(hk_mesh *mesh, int planes, const plane *p, hk_index **origin)
{
  hk_index *element = NULL;
  uint8_t *face = NULL;
  hk_crack_face *pair = NULL;
  hk_count pairs, added;
  ok(hk_get(&element, 6 * mesh->element_count));
  ok(hk_get(&face, 6 * mesh->element_count));
  const hk_count count = find_faces(mesh, planes, p, element, face);
  ok(hk_crack_pair(mesh, count, element, face, &pairs, &pair));
  assert_int_equal(2 * pairs, count); /* each from both sides */
  ok(hk_mesh_cut(mesh, pairs, pair, &added, origin));
  hk_free(&element);
  hk_free(&face);
  hk_free(&pair);
  return added;
}

/* new nodes = inner nodes of the crack: its ends inside the mesh stay shared, those on the boundary do not */
static void tips_stay_shared(void **state)
{
  static const struct {
    int dim, order;
    hk_shape shape;
    int planes;
    plane plane[2];
    hk_count added;
  } cases[] = {
      {2, 1, HK_QUAD4, 1, {{1, {-2}, {2}}}, 3},  /* 4 edges, two tips */
      {2, 1, HK_QUAD4, 1, {{1, {-3}, {1}}}, 4},  /* from the boundary: 4 edges */
      {2, 1, HK_QUAD4, 1, {{1, {-3}, {3}}}, 7},  /* through all of it */
      {2, 1, HK_QUAD4, 1, {{1, {0}, {1}}}, 0},   /* one edge: nothing but tips */
      {2, 3, HK_QUAD4, 1, {{1, {0}, {1}}}, 2},   /* but of order 3 two nodes between */
      {2, 3, HK_QUAD4, 1, {{1, {-2}, {2}}}, 11}, /* 4 edges of 3 parts */
      {2, 1, HK_TRI3, 1, {{1, {-2}, {2}}}, 3},   /* whatever the shape */
      {2, 2, HK_TRI3, 1, {{1, {-2}, {2}}}, 7},   /* second order */
      {2, 1, HK_QUAD4, 2, {{1, {-2}, {2}}, {0, {0, -1}, {0, 1}}}, 2 + 3},    /* a cross */
      {2, 1, HK_QUAD4, 2, {{1, {-2}, {2}}, {0, {0, 0}, {0, 2}}}, 2 + 2 + 1}, /* a T */
      {3, 1, HK_HEX8, 1, {{2, {-1, -1}, {1, 1}}}, 1}, /* 2 x 2 faces: their middle */
      {3, 1, HK_HEX8, 1, {{2, {-2, -2}, {0, 0}}}, 4}, /* at an edge of the box */
      {3, 2, HK_HEX8, 1, {{2, {-1, -1}, {1, 1}}}, 9}, /* 5 x 5 but its border */
      {3, 4, HK_HEX8, 1, {{2, {0, 0}, {1, 1}}}, 9},   /* one face of order 4 */
      {3, 1, HK_TET4, 1, {{2, {-1, -1}, {1, 1}}}, 1},
      {3, 2, HK_TET4, 1, {{2, {-1, -1}, {1, 1}}}, 9},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hk_mesh *mesh = grid(cases[k].dim, cases[k].dim == 2 ? 6 : 4, cases[k].shape, cases[k].order);
    const hk_count before = mesh->node_count;
    hk_index *origin = NULL;
    const hk_count added = cut(mesh, cases[k].planes, cases[k].plane, &origin);
    if (added != cases[k].added)
      fail_msg("case %zu: %lld nodes added, expected %lld", k, (long long)added,
               (long long)cases[k].added);
    assert_int_equal(mesh->node_count, before + added);
    for (hk_count n = 0; n < added; n++) { /* at one place, on the crack */
      assert_true(in_plane(mesh, origin[n], &cases[k].plane[0]) ||
                  in_plane(mesh, origin[n], &cases[k].plane[cases[k].planes - 1]));
      assert_memory_equal(mesh->x + (before + n) * mesh->dim,
                          mesh->x + (hk_count)origin[n] * mesh->dim,
                          (size_t)mesh->dim * sizeof *mesh->x);
    }
    hk_free(&origin);
    hk_mesh_destroy(&mesh);
  }
}

/* no node of a crack through the whole mesh has elements on both sides */
static void sides_are_apart(void **state)
{
  hk_mesh *mesh = grid(3, 4, HK_TET4, 2);
  hk_index *origin = NULL;
  int *side = NULL;
  (void)state;
  cut(mesh, 1, &(plane){2, {-2, -2}, {2, 2}}, &origin);
  ok(hk_get(&side, mesh->node_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    const int nodes = hk_mesh_block_of(mesh, e)->nodes;
    double z = 0;
    for (int n = 0; n < nodes; n++) z += mesh->x[(hk_count)node[n] * 3 + 2];
    for (int n = 0; n < nodes; n++) side[node[n]] |= z > 0 ? 1 : 2;
  }
  for (hk_count n = 0; n < mesh->node_count; n++) assert_true(side[n] == 1 || side[n] == 2);
  hk_free(&side);
  hk_free(&origin);
  hk_mesh_destroy(&mesh);
}

/* an element that meets those of a crack's end in a node alone stays with the first of them, whichever is numbered first: one new node there
 *
 *    3 --- 2        triangles 0 1 2, 0 2 3 above; 0 4 1 below the crack 0 1; and 1 5 6, which touches node 1 alone
 *     \  / \  6
 *       0 === 1 <   the crack 0 - 1
 *        \  /  5
 *         4                                                                                                              */
static void loose_elements_stay(void **state)
{
  static const double x[] = {0, 0, 2, 0, 1, 1, -1, 1, 1, -1, 3, -.3, 3, .3};
  static const hk_index element[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 4, 1}, {1, 5, 6}};
  (void)state;
  for (int first = 0; first < 4; first++) {
    hk_mesh *mesh = NULL;
    hk_index node[4][3], *origin = NULL;
    hk_crack_face face = {0};
    hk_count added;
    for (int e = 0; e < 4; e++) memcpy(node[e], element[(first + e) % 4], sizeof node[e]);
    const int above = (4 - first) % 4, below = (6 - first) % 4, loose = (7 - first) % 4;
    mesh = mesh_of_elements(HK_TRI3, 7, x, 4, node[0]);
    face = (hk_crack_face){.element = {above, below}, .face = {0, 2}};
    ok(hk_mesh_cut(mesh, 1, &face, &added, &origin));
    assert_int_equal(added, 2); /* one at either end of the crack */
    assert_true(hk_mesh_nodes_of(mesh, above)[0] != hk_mesh_nodes_of(mesh, below)[0]);
    assert_true(hk_mesh_nodes_of(mesh, above)[1] != hk_mesh_nodes_of(mesh, below)[2]);
    const hk_index at = hk_mesh_nodes_of(mesh, loose)[0];
    assert_true(at == hk_mesh_nodes_of(mesh, above)[1] || at == hk_mesh_nodes_of(mesh, below)[2]);
    hk_free(&origin);
    hk_mesh_destroy(&mesh);
  }
}

/* node sets hold both nodes; labels go on behind the last */
static void sets_and_labels_follow(void **state)
{
  hk_mesh *mesh = grid(2, 4, HK_QUAD4, 1);
  hk_index *origin = NULL;
  (void)state;
  ok(hk_get(&mesh->node_label, mesh->node_count));
  for (hk_count n = 0; n < mesh->node_count; n++) mesh->node_label[n] = 10 * (n + 1);
  ok(hk_mesh_index_labels(mesh));
  const hk_count left = hk_mesh_find_set(mesh, "left", HK_NODE_SET)->count,
                 before = mesh->node_count;
  assert_int_equal(cut(mesh, 1, &(plane){1, {-2}, {0}}, &origin), 2);
  assert_int_equal(hk_mesh_find_set(mesh, "left", HK_NODE_SET)->count, left + 1);
  assert_int_equal(hk_mesh_find_node(mesh, 10 * before + 1), before);
  assert_int_equal(hk_mesh_find_node(mesh, 10 * before + 2), before + 1);
  hk_free(&origin);
  hk_mesh_destroy(&mesh);
}

/* a face of the boundary is no crack: HK_BAD_INPUT names its element */
static void boundary_is_refused(void **state)
{
  hk_mesh *mesh = grid(2, 2, HK_QUAD4, 1);
  const hk_set *set = hk_mesh_find_set(mesh, "left", HK_FACE_SET);
  hk_crack_face *pair = NULL;
  hk_count pairs;
  (void)state;
  assert_int_equal(hk_crack_pair(mesh, set->count, set->item, set->face, &pairs, &pair),
                   HK_BAD_INPUT);
  error_says("lies on the boundary");
  assert_null(pair);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tips_stay_shared),    cmocka_unit_test(sides_are_apart),
      cmocka_unit_test(loose_elements_stay), cmocka_unit_test(sets_and_labels_follow),
      cmocka_unit_test(boundary_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
