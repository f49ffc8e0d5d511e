/* Sets are ordered unions; labels find their numbers. */
#include "mesh/mesh.h"
#include "support/check.h"

static hk_status add(hk_mesh *mesh, const char *name, hk_set_kind kind, hk_count count,
                     const hk_index *item, const uint8_t *face)
{
  hk_status status = HK_OK;
  hk_index *i = NULL;
  uint8_t *f = NULL;
  HK_TRY(hk_get(&i, count));
  if (face) HK_TRY(hk_get(&f, count));
  for (hk_count k = 0; k < count; k++) {
    i[k] = item[k];
    if (face) f[k] = face[k];
  }
  HK_TRY(hk_mesh_add_set(mesh, name, kind, count, &i, &f));
  assert_null(i);
  assert_null(f);
cleanup:
  hk_free(&i);
  hk_free(&f);
  return status;
}

static hk_mesh *empty_mesh(void)
{
  hk_mesh *mesh = NULL;
  ok(hk_mesh_begin(3, &mesh));
  return mesh;
}

/* {7, 2, 7, 300} added, then {2, 5}: {2, 5, 7, 300} */
static void sets_are_ordered_unions(void **state)
{
  (void)state;
  hk_mesh *mesh = empty_mesh();
  ok(add(mesh, "a", HK_NODE_SET, 4, (hk_index[]){7, 2, 7, 300}, NULL));
  assert_int_equal(hk_mesh_find_set(mesh, "a", HK_NODE_SET)->count, 3);
  ok(add(mesh, "a", HK_NODE_SET, 2, (hk_index[]){2, 5}, NULL));
  assert_int_equal(mesh->set_count, 1);
  const hk_set *set = hk_mesh_find_set(mesh, "a", HK_NODE_SET);
  assert_int_equal(set->count, 4);
  assert_memory_equal(set->item, ((hk_index[]){2, 5, 7, 300}), 4 * sizeof(hk_index));
  hk_mesh_destroy(&mesh);
}

/* Faces are ordered by element, then face, and (element, face) is what is unique. */
static void face_sets_keep_pairs(void **state)
{
  (void)state;
  hk_mesh *mesh = empty_mesh();
  ok(add(mesh, "f", HK_FACE_SET, 4, (hk_index[]){9, 1, 9, 1}, (uint8_t[]){0, 5, 3, 5}));
  ok(add(mesh, "f", HK_FACE_SET, 1, (hk_index[]){1}, (uint8_t[]){2}));
  const hk_set *set = hk_mesh_find_set(mesh, "f", HK_FACE_SET);
  assert_int_equal(set->count, 4);
  assert_memory_equal(set->item, ((hk_index[]){1, 1, 9, 9}), 4 * sizeof(hk_index));
  assert_memory_equal(set->face, ((uint8_t[]){2, 5, 0, 3}), 4);
  hk_mesh_destroy(&mesh);
}

static void exact_names_come_first(void **state)
{
  (void)state;
  hk_mesh *mesh = empty_mesh();
  ok(add(mesh, "Base", HK_NODE_SET, 1, (hk_index[]){1}, NULL));
  ok(add(mesh, "BASE", HK_NODE_SET, 1, (hk_index[]){2}, NULL));
  ok(add(mesh, "base", HK_ELEMENT_SET, 1, (hk_index[]){3}, NULL));
  assert_int_equal(hk_mesh_find_set(mesh, "BASE", HK_NODE_SET)->item[0], 2);
  assert_int_equal(hk_mesh_find_set(mesh, "base", HK_NODE_SET)->item[0], 1);
  assert_int_equal(hk_mesh_find_set(mesh, "base", HK_ELEMENT_SET)->item[0], 3);
  assert_null(hk_mesh_find_set(mesh, "bases", HK_NODE_SET));
  hk_mesh_destroy(&mesh);
}

/* find(label[i]) = i and find(anything else) = -1, before and after the index is made */
static void labels_find_numbers(void **state)
{
  (void)state;
  static const int64_t row[4][5] = {{1, 2, 3, 4, 5},
                                    {100, 101, 102, 103, 104},
                                    {2, 30, 31, 400, 1ll << 40},
                                    {70000, 3, -8, 1ll << 33, 500}};
  for (int r = 0; r < 4; r++) {
    hk_mesh *mesh = empty_mesh();
    mesh->node_count = mesh->element_count = 5;
    ok(hk_get(&mesh->node_label, 5));
    ok(hk_get(&mesh->element_label, 5));
    memcpy(mesh->node_label, row[r], sizeof row[r]);
    memcpy(mesh->element_label, row[r], sizeof row[r]);
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < 5; i++) {
        assert_int_equal(hk_mesh_find_node(mesh, row[r][i]), i);
        assert_int_equal(hk_mesh_find_element(mesh, row[r][i]), i);
        assert_int_equal(hk_mesh_node_label(mesh, i), row[r][i]);
        assert_int_equal(hk_mesh_element_label(mesh, i), row[r][i]);
      }
      static const int64_t absent[] = {0, 6, 99, 105, -9, 32, 1ll << 41};
      for (size_t k = 0; k < sizeof absent / sizeof *absent; k++)
        assert_int_equal(hk_mesh_find_node(mesh, absent[k]), -1);
      ok(hk_mesh_index_labels(mesh));
    }
    assert_true((mesh->node_label == NULL) == (r == 0));
    hk_mesh_destroy(&mesh);
  }
}

static void repeated_labels_are_refused(void **state)
{
  (void)state;
  hk_mesh *mesh = empty_mesh();
  mesh->node_count = 3;
  ok(hk_get(&mesh->node_label, 3));
  memcpy(mesh->node_label, (int64_t[]){17, 4, 17}, 3 * sizeof(int64_t));
  assert_int_equal(hk_mesh_index_labels(mesh), HK_BAD_INPUT);
  error_says("node 17");
  hk_mesh_destroy(&mesh);
}

static void failing_allocations_leave_nothing(void **state)
{
  (void)state;
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_mesh *mesh = NULL;
    memory.status = hk_mesh_begin(2, &mesh);
    if (memory.status == HK_OK)
      memory.status = add(mesh, "a", HK_FACE_SET, 3, (hk_index[]){3, 2, 1}, (uint8_t[]){0, 1, 2});
    if (memory.status == HK_OK)
      memory.status = add(mesh, "a", HK_FACE_SET, 2, (hk_index[]){2, 0}, (uint8_t[]){0, 1});
    hk_mesh_destroy(&mesh);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sets_are_ordered_unions),
      cmocka_unit_test(face_sets_keep_pairs),
      cmocka_unit_test(exact_names_come_first),
      cmocka_unit_test(labels_find_numbers),
      cmocka_unit_test(repeated_labels_are_refused),
      cmocka_unit_test(failing_allocations_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
