/* Elements raised to second order, and tubes. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "support/mesh.h"

/* every node of a raised element lies where its reference element says, and edges are shared: nodes + edges nodes in all */
static void middle_nodes_lie_in_the_middle(void **state)
{
  static const struct {
    hk_shape shape;
    int dim;
    hk_count nodes; /* 2 x 2 (x 2) cells: vertices and edges */
  } cases[] = {
      {HK_TRI3, 2, 9 + 16}, {HK_QUAD4, 2, 9 + 12}, {HK_TET4, 3, 125}, {HK_HEX8, 3, 27 + 54}};
  (void)state;
  for (int c = 0; c < 4; c++) {
    hk_mesh *mesh = NULL;
    mesh = make_grid((hk_mesh_grid){
        .dim = cases[c].dim, .to = {1, 2, 3}, .cells = {2, 2, 2}, .shape = cases[c].shape});
    ok(hk_mesh_raise(mesh));
    assert_int_equal(mesh->node_count, cases[c].nodes);
    const hk_element *element = hk_element_of(mesh->block[0].shape);
    assert_int_equal(element->order, 2);
    for (hk_count e = 0; e < mesh->element_count; e++)
      for (int n = 0; n < element->nodes; n++) {
        double weight[HK_LISTED_NODES];
        /* the linear map of the vertices at the node's place */
        const hk_element *linear = hk_element_of(cases[c].shape);
        hk_element_functions(linear, element->reference[n], weight, NULL);
        for (int d = 0; d < mesh->dim; d++) {
          double x = 0;
          for (int v = 0; v < linear->nodes; v++)
            x += weight[v] * mesh->x[hk_mesh_nodes_of(mesh, e)[v] * mesh->dim + d];
          assert_true(fabs(x - mesh->x[hk_mesh_nodes_of(mesh, e)[n] * mesh->dim + d]) <= 1e-14);
        }
      }
    assert_int_equal(hk_mesh_raise(mesh), HK_BAD_INPUT);
    hk_mesh_destroy(&mesh);
  }
}

/* volume of a tube of k cells around = k-gons' area between its radii times its length */
static void tube_has_its_volume(void **state)
{
  static const hk_shape shapes[] = {HK_HEX8, HK_TET4};
  (void)state;
  for (int s = 0; s < 2; s++) {
    hk_mesh *mesh = NULL;
    hk_mesh_quality quality;
    ok(hk_mesh_create_tube(&(hk_mesh_tube){.inner = 1,
                                           .outer = 2,
                                           .length = 3,
                                           .through = 2,
                                           .around = 8,
                                           .along = 2,
                                           .shape = shapes[s]},
                           &mesh));
    ok(hk_mesh_measure(mesh, &quality));
    assert_int_equal(mesh->node_count, 3 * 8 * 3);
    assert_int_equal(quality.inverted + quality.zero_volume, 0);
    assert_int_equal(quality.parts, 1);
    assert_true(fabs(quality.volume / (4 * sin(0.7853981633974483) * (4 - 1) * 3) - 1) <= 1e-12);
    hk_mesh_destroy(&mesh);
  }
  hk_mesh *none = NULL;
  assert_int_equal(hk_mesh_create_tube(&(hk_mesh_tube){.inner = 2,
                                                       .outer = 1,
                                                       .length = 3,
                                                       .through = 2,
                                                       .around = 8,
                                                       .along = 2,
                                                       .shape = HK_HEX8},
                                       &none),
                   HK_BAD_INPUT);
  assert_null(none);
}

/* whichever allocation fails: HK_NO_RESOURCES, and the mesh can still be destroyed */
static void allocations_fail(void **state)
{
  const hk_count before = hk_memory_held();
  (void)state;
  for (hk_count n = 1;; n++) {
    hk_mesh *mesh = NULL;
    mesh = make_grid((hk_mesh_grid){.to = {1, 1, 1}, .cells = {2, 2, 2}, .shape = HK_TET4});
    hk_memory_fail_at(n);
    const hk_status status = hk_mesh_raise(mesh);
    hk_memory_fail_at(0);
    hk_mesh_destroy(&mesh);
    assert_int_equal(hk_memory_held(), before);
    if (status == HK_OK) break;
    assert_int_equal(status, HK_NO_RESOURCES);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(middle_nodes_lie_in_the_middle),
                                     cmocka_unit_test(tube_has_its_volume),
                                     cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
