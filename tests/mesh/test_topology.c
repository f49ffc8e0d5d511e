/* Neighbours, boundary and measures of small meshes that can be counted by hand. */
#include "support/mesh.h"
#include "mesh/topology.h"

/* A quadrilateral beside two triangles. */
static hk_mesh *mixed_mesh(void)
{
  hk_mesh *mesh = make_mixed(6, (double[]){0, 0, 2, 0, 3, 0, 0, 1, 2, 1, 3, 1});
  ok(hk_mesh_finish(mesh, "file", NULL));
  return mesh;
}

static void elements_of_each_node(void **state)
{
  (void)state;
  hk_mesh *mesh = mixed_mesh();
  hk_index *begin = NULL, *element = NULL;
  ok(hk_mesh_node_elements(mesh, &begin, &element));
  assert_memory_equal(begin, ((hk_index[]){0, 1, 4, 5, 6, 8, 10}), 7 * sizeof *begin);
  assert_memory_equal(element, ((hk_index[]){0, 0, 1, 2, 1, 0, 0, 2, 1, 2}), 10 * sizeof *element);
  hk_free(&begin);
  hk_free(&element);
  hk_mesh_destroy(&mesh);
}

static void boundary_over_shapes(void **state)
{
  (void)state;
  hk_mesh *mesh = mixed_mesh();
  hk_count count;
  hk_index *element = NULL;
  uint8_t *face = NULL;
  ok(hk_mesh_boundary(mesh, &count, &element, &face));
  assert_int_equal(count, 6);
  assert_memory_equal(element, ((hk_index[]){0, 0, 0, 1, 1, 2}), 6 * sizeof *element);
  assert_memory_equal(face, ((uint8_t[]){0, 2, 3, 0, 1, 1}), 6);
  hk_free(&element);
  hk_free(&face);
  hk_mesh_destroy(&mesh);
}

/* Over all pairs of elements: vertices that they share. */
static void join_by_pairs(const hk_mesh *mesh, hk_index *up)
{
  for (int e = 0; e < mesh->element_count; e++) up[e] = e;
  for (int again = 1; again;) {
    again = 0;
    for (int a = 0; a < mesh->element_count; a++)
      for (int b = 0; b < a; b++) {
        int shared = 0;
        for (int n = 0; n < 8; n++)
          for (int m = 0; m < 8; m++)
            shared += hk_mesh_nodes_of(mesh, a)[n] == hk_mesh_nodes_of(mesh, b)[m];
        if (shared < 4 || up[a] == up[b]) continue;
        up[a] = up[b] = up[a] < up[b] ? up[a] : up[b], again = 1;
      }
  }
}

/* Cubes of a box, some of them left out: parts by faces are those that pairs with four vertices in common make. */
static void faces_join_elements(void **state)
{
  (void)state;
  hk_mesh *box = NULL;
  hk_index node[8 * 27], up[27], expected[27];
  int parts = 0;
  ok(hk_mesh_create_grid(
      &(hk_mesh_grid){.dim = 3, .to = {1, 1, 1}, .cells = {3, 3, 3}, .shape = HK_HEX8}, &box));
  const int kept[] = {0, 1, 3, 5, 9, 13, 14, 18, 22, 25, 26}, count = 11;
  for (int e = 0; e < count; e++)
    memcpy(node + 8 * e, hk_mesh_nodes_of(box, kept[count - 1 - e]), 8 * sizeof *node);
  hk_mesh *mesh = mesh_of_elements(HK_HEX8, box->node_count, box->x, count, node);
  ok(hk_mesh_join_faces(mesh, up));
  join_by_pairs(mesh, expected);
  assert_memory_equal(up, expected, count * sizeof *up);
  for (int e = 0; e < count; e++) parts += up[e] == e;
  assert_in_range(parts, 2, count - 1);
  hk_mesh_destroy(&mesh);
  hk_mesh_destroy(&box);
}

/* Two cubes that are wedges, each with a face collapsed to the edge that they share: they share no face. */
static void collapsed_faces_join_nothing(void **state)
{
  (void)state;
  const double x[10][3] = {{0, 0, 0}, {0, 0, 1},  {1, 0, 0},   {1, 1, 0},  {1, 0, 1},
                           {1, 1, 1}, {-1, 0, 0}, {-1, -1, 0}, {-1, 0, 1}, {-1, -1, 1}};
  const hk_index node[] = {0, 2, 3, 0, 1, 4, 5, 1, 0, 6, 7, 0, 1, 8, 9, 1};
  hk_index up[2];
  hk_mesh *mesh = mesh_of_elements(HK_HEX8, 10, x[0], 2, node);
  ok(hk_mesh_join_faces(mesh, up));
  assert_int_equal(up[0], 0);
  assert_int_equal(up[1], 1);
  hk_mesh_destroy(&mesh);
}

static void elements_belong_to_blocks(void **state)
{
  (void)state;
  hk_mesh *mesh = mixed_mesh();
  for (int e = 0; e < 3; e++)
    assert_int_equal(hk_mesh_block_of(mesh, e)->shape, e ? HK_TRI3 : HK_QUAD4);
  assert_int_equal(hk_mesh_nodes_of(mesh, 2)[2], 4);
  hk_mesh_destroy(&mesh);
}

static void measures_of_a_mixed_mesh(void **state)
{
  (void)state;
  hk_mesh *mesh = mixed_mesh();
  hk_mesh_quality q;
  ok(hk_mesh_measure(mesh, &q));
  assert_true(fabs(q.volume - 3) <= 1e-15);
  assert_true(q.shortest_edge == 1 && q.longest_edge == 2);
  assert_true(q.box[0][0] == 0 && q.box[1][0] == 3 && q.box[0][1] == 0 && q.box[1][1] == 1);
  assert_true(q.smallest_jacobian_ratio == 1);
  assert_int_equal(q.parts, 1);
  hk_mesh_destroy(&mesh);
}

/* J at a quad's corner is a quarter of the cross product of the edges that meet there; turned
 * clockwise the ratio and the area stay. */
static void ratio_of_a_skew_quad(void **state)
{
  (void)state;
  const double x[] = {0, 0, 4, 0, 3, 3, 0, 4};
  double cross[4], least = INFINITY, most = 0;
  for (int v = 0; v < 4; v++) {
    const double *a = x + 2 * v, *b = x + 2 * ((v + 1) % 4), *c = x + 2 * ((v + 3) % 4);
    cross[v] = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    least = fmin(least, cross[v]), most = fmax(most, cross[v]);
  }
  hk_mesh *mesh = NULL;
  hk_mesh_quality q;
  mesh = mesh_of_elements(HK_QUAD4, 4, x, 1, (hk_index[]){0, 1, 2, 3});
  ok(hk_mesh_measure(mesh, &q));
  assert_true(fabs(q.smallest_jacobian_ratio - least / most) <= 1e-15);
  assert_int_equal(q.worst_element, 0);
  hk_mesh_destroy(&mesh);
  mesh = mesh_of_elements(HK_QUAD4, 4, x, 1, (hk_index[]){0, 3, 2, 1});
  ok(hk_mesh_measure(mesh, &q));
  assert_int_equal(q.flipped, 1);
  assert_true(fabs(q.smallest_jacobian_ratio - least / most) <= 1e-15);
  assert_true(fabs(q.volume - 12) <= 1e-14);
  hk_mesh_destroy(&mesh);
}

static void failing_allocations_leave_nothing(void **state)
{
  (void)state;
  hk_mesh *mesh = mixed_mesh();
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_count count;
    hk_index *element = NULL;
    uint8_t *face = NULL;
    memory.status = hk_mesh_boundary(mesh, &count, &element, &face);
    hk_free(&element);
    hk_free(&face);
  }
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_of_each_node),
      cmocka_unit_test(boundary_over_shapes),
      cmocka_unit_test(faces_join_elements),
      cmocka_unit_test(collapsed_faces_join_nothing),
      cmocka_unit_test(elements_belong_to_blocks),
      cmocka_unit_test(measures_of_a_mixed_mesh),
      cmocka_unit_test(ratio_of_a_skew_quad),
      cmocka_unit_test(failing_allocations_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
