/* Meshes of arrays: what is copied, what is refused and in which words. */
#include "mesh/mesh.h"
#include "support/check.h"

/* a square of two cells side by side: a quadrilateral, and two triangles of which the second is wound clockwise */
static const double x[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
static const hk_index quad[] = {0, 1, 4, 3}, tri[] = {1, 2, 5, 1, 4, 5};
static const hk_index nodes[] = {3, 0}, elements[] = {2, 1}, owner[] = {0, 2};
static const uint8_t side[] = {3, 1};

static hk_mesh_desc two_cells(void)
{
  static const hk_mesh_block_desc block[] = {{HK_QUAD4, 1, quad}, {HK_TRI3, 2, tri}};
  static const hk_mesh_set_desc set[] = {{"left", HK_NODE_SET, 2, nodes, NULL},
                                         {"tri", HK_ELEMENT_SET, 2, elements, NULL},
                                         {"outer", HK_FACE_SET, 2, owner, side},
                                         {"none", HK_NODE_SET, 0, NULL, NULL}};
  return (hk_mesh_desc){.dim = 2,
                        .node_count = 6,
                        .x = x,
                        .block = block,
                        .block_count = 2,
                        .set = set,
                        .set_count = 4};
}

/* the mesh holds copies of what was given, its sets in order, the clockwise triangle turned and its face with it */
static void arrays_become_a_mesh(void **state)
{
  static const int64_t node_label[] = {10, 20, 30, 40, 50, 60}, element_label[] = {7, 5, 6};
  (void)state;
  hk_mesh_desc desc = two_cells();
  hk_messages *list = NULL;
  hk_mesh *mesh = NULL;
  desc.node_label = node_label, desc.element_label = element_label;
  ok(hk_messages_create(&list));
  ok(hk_mesh_create(&desc, list, &mesh));
  assert_int_equal(mesh->node_count, 6);
  assert_int_equal(mesh->element_count, 3);
  assert_memory_equal(mesh->x, x, sizeof x);
  assert_int_equal(mesh->block[1].first, 1);
  static const hk_index turned[] = {1, 2, 5, 1, 5, 4};
  assert_memory_equal(mesh->block[1].node, turned, sizeof turned);
  assert_int_equal(hk_mesh_find_node(mesh, 40), 3);
  assert_int_equal(hk_mesh_find_element(mesh, 5), 1);
  const hk_set *left = hk_mesh_find_set(mesh, "left", HK_NODE_SET),
               *outer = hk_mesh_find_set(mesh, "outer", HK_FACE_SET);
  assert_int_equal(left->item[0], 0);
  assert_int_equal(left->item[1], 3);
  /* nodes 4, 5 were face 1 of 1 4 5, and are face 1 of 1 5 4 */
  assert_int_equal(outer->item[1], 2);
  assert_int_equal(outer->face[1], 1);
  assert_int_equal(hk_mesh_find_set(mesh, "none", HK_NODE_SET)->count, 0);
  assert_int_equal(hk_messages_total(list, HK_WARNING), 1);
  assert_non_null(strstr(hk_messages_at(list, 0)->text, "1 elements are numbered clockwise"));
  hk_messages_destroy(&list);
  hk_mesh_destroy(&mesh);
}

/* the status, and the words of the first error, which the list holds too */
static void refuse(const hk_mesh_desc *desc, hk_status status, const char *words)
{
  hk_messages *list = NULL;
  hk_mesh *mesh = NULL;
  ok(hk_messages_create(&list));
  const hk_status got = hk_mesh_create(desc, list, &mesh);
  if (got != status || !strstr(hk_error(), words))
    fail_msg("status %d: %s; expected %d: %s", got, hk_error(), status, words);
  assert_null(mesh);
  assert_int_equal(hk_messages_total(list, HK_ERROR) > 0, status == HK_BAD_INPUT);
  hk_messages_destroy(&list);
}

static void wrong_arrays_are_refused(void **state)
{
  (void)state;
  const hk_mesh_desc good = two_cells();
  hk_mesh_desc desc = good;
  desc.dim = 4, refuse(&desc, HK_USAGE, "4 dimensions: must be 2 or 3");
  desc = good, desc.node_count = -1, refuse(&desc, HK_USAGE, "-1 nodes");
  desc = good, desc.x = NULL, refuse(&desc, HK_USAGE, "the mesh lacks coordinates");
  desc = good, desc.node_count = 5, refuse(&desc, HK_BAD_INPUT, "element 2 has a node that is not");
  desc = good, desc.block_count = 0, desc.set_count = 0;
  refuse(&desc, HK_BAD_INPUT, "6 nodes and 0 elements");
  static const int64_t twice[] = {1, 2, 3, 3, 4, 5};
  desc = good, desc.node_label = twice, refuse(&desc, HK_BAD_INPUT, "node 3 is given twice");
}

static void wrong_blocks_are_refused(void **state)
{
  (void)state;
  hk_mesh_block_desc block[2] = {{HK_QUAD4, 1, quad}, {HK_QUAD4, 1, quad}};
  hk_mesh_desc desc = two_cells();
  desc.block = block, desc.set_count = 0;
  refuse(&desc, HK_BAD_INPUT, "block 1: quad4 elements stand in block 0 already");
  static const int unknown[] = {-1, HK_SHAPE_COUNT, HK_TRI_P, HK_TRI_P + 9, HK_SHAPE_END};
  for (int i = 0; i < 5; i++) {
    char words[60];
    block[1].shape = (hk_shape)unknown[i];
    snprintf(words, sizeof words, "block 1: there is no shape %d", unknown[i]);
    refuse(&desc, HK_BAD_INPUT, words);
  }
  block[1] = (hk_mesh_block_desc){HK_TET4, 1, quad};
  refuse(&desc, HK_BAD_INPUT, "tet4 elements in a mesh of 2 dimensions");
  block[1] = (hk_mesh_block_desc){HK_TRI3, 1, NULL};
  refuse(&desc, HK_USAGE, "block 1 has 1 elements without their nodes");
}

static void wrong_sets_are_refused(void **state)
{
  (void)state;
  static const hk_index far[] = {0, 6}, below[] = {-1};
  static const uint8_t fifth[] = {0, 3};
  const struct {
    hk_mesh_set_desc set;
    const char *words;
  } wrong[] = {
      {{"s", HK_NODE_SET, 2, far, NULL}, "set s: its member 1 is node 6: there are only 6"},
      {{"s", HK_ELEMENT_SET, 1, below, NULL},
       "set s: its member 0 is element -1: there are only 3"},
      {{"s", HK_FACE_SET, 2, owner, fifth}, "its member 1 is face 3 of an element of 3 faces"},
      {{"s", HK_FACE_SET, 2, owner, NULL}, "face sets, and only they, contain faces"},
      {{"s", HK_NODE_SET, 2, nodes, side}, "face sets, and only they, contain faces"},
      {{"s", (hk_set_kind)3, 2, nodes, NULL}, "set s: there is no kind 3 of sets"},
      {{"", HK_NODE_SET, 2, nodes, NULL}, "set 1 has no name"},
      {{"left", HK_NODE_SET, 1, nodes, NULL}, "set left is given twice"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    hk_mesh_desc desc = two_cells();
    const hk_mesh_set_desc set[] = {desc.set[0], wrong[i].set};
    desc.set = set, desc.set_count = 2;
    refuse(&desc, HK_BAD_INPUT, wrong[i].words);
  }
}

/* shapes on the axis come of raising a mesh alone */
static void shapes_on_the_axis_are_refused(void **state)
{
  hk_mesh_desc desc = two_cells();
  const hk_mesh_block_desc block = {.shape = (hk_shape)(HK_AXIS_P + 4)};
  (void)state;
  desc.block = &block, desc.block_count = 1, desc.set_count = 0;
  refuse(&desc, HK_BAD_INPUT, "quad-p4-axis1 elements are made from linear ones");
}

/* names without shapes have no nodes */
static void shapes_tell_their_sizes(void **state)
{
  (void)state;
  assert_int_equal(hk_shape_nodes(HK_HEX20), 20);
  assert_int_equal(hk_shape_nodes((hk_shape)(HK_QUAD_P + 10)), 121);
  assert_int_equal(hk_shape_nodes((hk_shape)(HK_WEDGE_P + 2)), 18);
  assert_int_equal(hk_shape_dim(HK_WEDGE6), 3);
  assert_int_equal(hk_shape_faces(HK_WEDGE6), 5);
  assert_int_equal(hk_shape_nodes((hk_shape)(HK_TRI_P + 8)), 0);
  assert_string_equal(hk_shape_name((hk_shape)(HK_TRI_P + 8)), "unknown");
}

/* the k-th allocation fails: HK_NO_RESOURCES, and nothing is held */
static void short_memory_is_told(void **state)
{
  (void)state;
  const hk_mesh_desc desc = two_cells();
  hk_status status = HK_NO_RESOURCES;
  for (hk_count k = 1; status != HK_OK; k++) {
    hk_mesh *mesh = NULL, *copy = NULL;
    const hk_count held = hk_memory_held();
    hk_memory_fail_at(k);
    status = hk_mesh_create(&desc, NULL, &mesh);
    if (status == HK_OK) status = hk_mesh_copy(mesh, &copy);
    hk_memory_fail_at(0);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    if (status == HK_OK) assert_memory_equal(copy->x, x, sizeof x);
    hk_mesh_destroy(&mesh);
    hk_mesh_destroy(&copy);
    assert_int_equal(hk_memory_held(), held);
    assert_true(k < 1000);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_become_a_mesh),
                                     cmocka_unit_test(wrong_arrays_are_refused),
                                     cmocka_unit_test(wrong_blocks_are_refused),
                                     cmocka_unit_test(wrong_sets_are_refused),
                                     cmocka_unit_test(shapes_on_the_axis_are_refused),
                                     cmocka_unit_test(shapes_tell_their_sizes),
                                     cmocka_unit_test(short_memory_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
