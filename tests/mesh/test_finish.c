/* What hk_mesh_finish mends, warns of and refuses. */
#include "mesh/jacobian.h"
#include "support/mesh.h"

/* Adds a face set of count members. */
static hk_status add_face_set(hk_mesh *mesh, const char *name, hk_count count,
                              const hk_index *element, const uint8_t *face)
{
  hk_status status = HK_OK;
  hk_index *e = NULL;
  uint8_t *f = NULL;
  HK_TRY(hk_get(&e, count));
  HK_TRY(hk_get(&f, count));
  memcpy(e, element, (size_t)count * sizeof *e);
  memcpy(f, face, (size_t)count);
  HK_TRY(hk_mesh_add_set(mesh, name, HK_FACE_SET, count, &e, &f));
cleanup:
  hk_free(&e);
  hk_free(&f);
  return status;
}

static hk_count messages_with(const hk_messages *list, hk_severity severity, const char *text)
{
  hk_count count = 0;
  for (hk_count i = 0; i < hk_messages_count(list); i++) {
    const hk_message *m = hk_messages_at(list, i);
    count += m->severity == severity && strstr(m->text, text) != NULL;
  }
  return count;
}

/* A 2D element wound clockwise is turned, its faces in sets keep their nodes, one warning counts.
 */
static void clockwise_elements_are_turned(void **state)
{
  (void)state;
  static const hk_shape shape[] = {HK_TRI3, HK_TRI6, HK_QUAD4, HK_QUAD8, HK_QUAD9};
  for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
    const hk_element *element = hk_element_of(shape[s]);
    const int nodes = element->nodes;
    double x[2 * 9 * 2];
    hk_index node[18];
    for (int n = 0; n < nodes; n++) {
      node[n] = n, node[nodes + n] = nodes + n;
      x[2 * n] = element->reference[n][0], x[2 * n + 1] = element->reference[n][1];
      x[2 * (nodes + n)] = 5 + element->reference[n][1]; /* mirrored */
      x[2 * (nodes + n) + 1] = element->reference[n][0];
    }
    hk_mesh *mesh = NULL;
    hk_messages *list = NULL;
    mesh = mesh_of_elements(shape[s], 2 * nodes, x, 2, node);
    ok(hk_messages_create(&list));
    for (uint8_t f = 0; f < element->faces; f++)
      ok(add_face_set(mesh, (char[]){(char)('0' + f), 0}, 1, (hk_index[]){1}, &f));
    ok(add_face_set(mesh, "two", 2, (hk_index[]){1, 1}, (uint8_t[]){0, 1}));

    ok(hk_mesh_finish(mesh, "file", list));
    assert_int_equal(messages_with(list, HK_WARNING, "1 elements are numbered clockwise"), 1);
    hk_mesh_quality q;
    ok(hk_mesh_measure(mesh, &q));
    assert_int_equal(q.flipped + q.inverted + q.zero_volume, 0);
    assert_true(fabs(q.volume - 2 * element->volume) <= 1e-14 * q.volume);
    for (uint8_t f = 0; f < element->faces; f++) {
      const hk_set *set = hk_mesh_find_set(mesh, (char[]){(char)('0' + f), 0}, HK_FACE_SET);
      const hk_element_face *before = &element->face[f], *now = &element->face[set->face[0]];
      const hk_index *now_node = hk_mesh_nodes_of(mesh, 1);
      assert_int_equal(now_node[now->node[0]], nodes + before->node[1]);
      assert_int_equal(now_node[now->node[1]], nodes + before->node[0]);
      if (now->nodes == 3) assert_int_equal(now_node[now->node[2]], nodes + before->node[2]);
    }
    const hk_set *two = hk_mesh_find_set(mesh, "two", HK_FACE_SET);
    assert_true(two->face[0] < two->face[1]);
    hk_messages_destroy(&list);
    hk_mesh_destroy(&mesh);
  }
}

/* Of 13 inverted tetrahedra 10 are listed, all are counted, and a user's label is named. */
static void inverted_elements_are_counted(void **state)
{
  (void)state;
  const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  hk_index node[14 * 4];
  for (int e = 0; e < 14; e++)
    memcpy(node + 4 * e, e ? (hk_index[]){0, 2, 1, 3} : (hk_index[]){0, 1, 2, 3}, 4 * sizeof *node);
  hk_mesh *mesh = NULL;
  hk_messages *list = NULL;
  mesh = mesh_of_elements(HK_TET4, 4, x, 14, node);
  ok(hk_messages_create(&list));
  ok(hk_get(&mesh->element_label, 14));
  for (int e = 0; e < 14; e++) mesh->element_label[e] = 100 + e;
  assert_int_equal(hk_mesh_finish(mesh, "file", list), HK_BAD_INPUT);
  assert_int_equal(messages_with(list, HK_ERROR, "is inverted: Jacobian -1"), 10);
  assert_int_equal(messages_with(list, HK_ERROR, "element 101 (tet4)"), 1);
  assert_int_equal(messages_with(list, HK_ERROR, "13 inverted"), 1);
  error_says("element 101");
  hk_mesh_quality q;
  ok(hk_mesh_measure(mesh, &q));
  assert_int_equal(q.inverted, 13);
  hk_messages_destroy(&list);
  hk_mesh_destroy(&mesh);
}

/* The first place that names no node is told, at the ends of the numbers and wherever it stands. */
static void undefined_nodes_are_refused(void **state)
{
  (void)state;
  enum { COUNT = 1001 };
  const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const hk_index wrong[] = {-1, 4, INT32_MIN, INT32_MAX};
  static const int place[] = {0, 4 * 517 + 2, 4 * COUNT - 1};
  for (int w = 0; w < 4; w++)
    for (int p = 0; p < 3; p++) {
      hk_index node[4 * COUNT];
      char words[80];
      for (int i = 0; i < 4 * COUNT; i++) node[i] = i % 4;
      node[place[p]] = wrong[w], node[4 * COUNT - 2] = p ? -7 : 2;
      hk_mesh *mesh = mesh_of_elements(HK_TET4, 4, x, COUNT, node);
      snprintf(words, sizeof words, "element %d has a node that is not defined", place[p] / 4 + 1);
      fails_with(hk_mesh_finish(mesh, "file", NULL), HK_BAD_INPUT, words);
      hk_mesh_destroy(&mesh);
    }
}

static void folded_and_flat_elements_are_refused(void **state)
{
  (void)state;
  static const struct {
    hk_shape shape;
    double x[24];
    const char *text;
  } row[] = {
      {HK_QUAD4, {0, 0, 1, 0, 0.2, 0.2, 0, 1}, "folded"},
      {HK_QUAD4, {0, 0, 1, 0, 0, 1, 1, 1}, "folded"},
      {HK_QUAD4, {0, 0, 1e-3, 0, 2e-3, 0, 3e-3, 0}, "no volume"},
      {HK_TRI3, {0, 0, 1, 1, 2, 2}, "no volume"},
      {HK_TRI3, {3, 3, 3, 3, 3, 3}, "no volume"},
      {HK_TET4, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "no volume"},
      {HK_HEX8,
       {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0.1, 0.1, 1, 0, 1, 1},
       "folded"},
  };
  for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
    hk_mesh *mesh = NULL;
    hk_messages *list = NULL;
    mesh = mesh_of_elements(row[r].shape, hk_element_of(row[r].shape)->nodes, row[r].x, 1,
                            (hk_index[]){0, 1, 2, 3, 4, 5, 6, 7});
    ok(hk_messages_create(&list));
    assert_int_equal(hk_mesh_finish(mesh, "file", list), HK_BAD_INPUT);
    assert_int_equal(messages_with(list, HK_ERROR, row[r].text), 1);
    hk_messages_destroy(&list);
    hk_mesh_destroy(&mesh);
  }
}

/* A needle of 1 : 1e-6 : 1e-6, a hex collapsed to a wedge and a quad collapsed to a triangle are elements like others; a quad whose corners
 * differ and lie in one place, to a last bit, is not. */
static void thin_and_collapsed_elements_pass(void **state)
{
  (void)state;
  const double t = 1e-6;
  const double needle[] = {0, 0, 0, 1, 0, 0, 0, t, 0, 0, 0, t};
  const double wedge[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
  const double quad[] = {0, 0, 1, 0, 0.3, 0.7, 0.3 + 0x1p-52, 0.7};
  hk_mesh *mesh = NULL;
  mesh = mesh_of_elements(HK_QUAD4, 4, quad, 1, (hk_index[]){0, 1, 2, 3});
  assert_int_equal(hk_mesh_finish(mesh, "file", NULL), HK_BAD_INPUT);
  hk_mesh_destroy(&mesh);
  mesh = mesh_of_elements(HK_QUAD4, 3, quad, 1, (hk_index[]){0, 1, 2, 2});
  ok(hk_mesh_finish(mesh, "file", NULL));
  hk_mesh_destroy(&mesh);
  mesh = mesh_of_elements(HK_TET4, 4, needle, 1, (hk_index[]){0, 1, 2, 3});
  ok(hk_mesh_finish(mesh, "file", NULL));
  hk_mesh_destroy(&mesh);
  mesh = mesh_of_elements(HK_HEX8, 6, wedge, 1, (hk_index[]){0, 1, 2, 2, 3, 4, 5, 5});
  ok(hk_mesh_finish(mesh, "file", NULL));
  hk_count faces;
  hk_index *element = NULL;
  uint8_t *face = NULL;
  ok(hk_mesh_boundary(mesh, &faces, &element, &face));
  assert_int_equal(faces, 5); /* the sixth has become a line */
  hk_free(&element);
  hk_free(&face);
  hk_mesh_destroy(&mesh);
}

static void bad_numbers_are_refused(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    hk_mesh *mesh = NULL;
    mesh = mesh_of_elements(HK_TRI3, 3,
                            (double[]){0, 0, 1, 0, 0,
                                       k == 0   ? NAN
                                       : k == 1 ? INFINITY
                                                : 1},
                            1, (hk_index[]){0, 1, k == 2 ? 3 : 2});
    assert_int_equal(hk_mesh_finish(mesh, "file", NULL), HK_BAD_INPUT);
    hk_mesh_destroy(&mesh);
  }
}

static void orphans_and_parts_are_warned_of(void **state)
{
  (void)state;
  const double x[] = {0, 0, 1, 0, 0, 1, 5, 5, 2, 2, 3, 2, 2, 3};
  hk_mesh *mesh = NULL;
  hk_messages *list = NULL;
  mesh = mesh_of_elements(HK_TRI3, 7, x, 2, (hk_index[]){0, 1, 2, 4, 5, 6});
  ok(hk_messages_create(&list));
  ok(hk_mesh_finish(mesh, "file", list));
  assert_int_equal(messages_with(list, HK_WARNING, "1 nodes belong to no element (first: node 4)"),
                   1);
  assert_int_equal(messages_with(list, HK_WARNING, "2 parts"), 1);
  hk_messages_destroy(&list);
  hk_mesh_destroy(&mesh);
}

static void failing_allocations_leave_nothing(void **state)
{
  (void)state;
  const double x[] = {0, 0, 1, 0, 0, 1};
  hk_status status = HK_NO_RESOURCES;
  for (hk_count k = 1; status != HK_OK; k++) {
    const hk_count held = hk_memory_held();
    hk_mesh *mesh = NULL;
    mesh = mesh_of_elements(HK_TRI3, 3, x, 1, (hk_index[]){0, 2, 1});
    ok(hk_get(&mesh->node_label, 3));
    memcpy(mesh->node_label, (int64_t[]){5, 1, 3}, 3 * sizeof(int64_t));
    hk_memory_fail_at(k);
    status = hk_mesh_finish(mesh, "file", NULL);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    hk_memory_fail_at(0);
    hk_mesh_destroy(&mesh);
    assert_int_equal(hk_memory_held(), held);
  }
}

/* Elements that are judged many at a time are sound where each is by itself: those whose vertices are moved too far are not. */
static void judged_together_as_alone(void **state)
{
  (void)state;
  enum { COUNT = 19 };
  static double x[COUNT * HK_LISTED_NODES * 3];
  static hk_index node[COUNT * HK_LISTED_NODES];
  for (int shape = 0; shape < HK_SHAPE_COUNT; shape++) {
    if (!hk_shape_listed((hk_shape)shape)) continue;
    const hk_element *element = hk_element_of((hk_shape)shape);
    const int nodes = element->nodes;
    int good = 0;
    hk_jacobian vertices;
    for (int e = 0; e < COUNT; e++)
      place_element(element, e % 10 < 7 ? 0.02 * e : 2.0 * e, x + e * nodes * element->dim);
    for (int i = 0; i < COUNT * nodes; i++) node[i] = i;
    hk_mesh *mesh = mesh_of_elements((hk_shape)shape, COUNT * nodes, x, COUNT, node);
    hk_jacobian_at_vertices(element, &vertices);
    for (int e = 0; e < COUNT; e++) {
      double at[HK_MOST_NODES][3], least, most;
      hk_jacobian_gather(mesh, nodes, node + e * nodes, at);
      const bool alone = hk_jacobian_judge(&vertices, at, &least, &most) == HK_GOOD && least > 0;
      assert_int_equal(hk_jacobian_all_good(&vertices, mesh, mesh->block, e, e + 1, 1e-9), alone);
      good = alone && good == e ? e + 1 : good;
      assert_int_equal(hk_jacobian_all_good(&vertices, mesh, mesh->block, 0, e + 1, 1e-9),
                       good == e + 1);
    }
    assert_in_range(good, 1, COUNT - 1);
    hk_mesh_destroy(&mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clockwise_elements_are_turned),
      cmocka_unit_test(inverted_elements_are_counted),
      cmocka_unit_test(undefined_nodes_are_refused),
      cmocka_unit_test(folded_and_flat_elements_are_refused),
      cmocka_unit_test(thin_and_collapsed_elements_pass),
      cmocka_unit_test(judged_together_as_alone),
      cmocka_unit_test(bad_numbers_are_refused),
      cmocka_unit_test(orphans_and_parts_are_warned_of),
      cmocka_unit_test(failing_allocations_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
