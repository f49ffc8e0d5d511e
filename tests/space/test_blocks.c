/* Degrees of freedom numbered by the paper's blocks. */
#include "space/space.h"
#include "support/mesh.h"

static hk_mesh *make_plate(int cells)
{
  return make_grid((hk_mesh_grid){
      .to = {1, 1}, .cells = {cells, cells}, .shape = HK_TRI3, .jitter = 0.2, .shuffle = 4});
}

/* node of place (x, y) of block b = (y blocks + b) 32 + x, every method of partition; each node once */
static void addresses(void **state)
{
  static const hk_partition_method method[] = {HK_PARTITION_ALIGNED, HK_PARTITION_GREEDY,
                                               HK_PARTITION_BISECTION};
  hk_mesh *mesh = make_plate(70);
  (void)state;
  for (int m = 0; m < 3; m++) {
    hk_space *s = NULL;
    hk_index met = 0;
    ok(hk_space_create(mesh, &(hk_space_desc){.patch = 512, .blocks = true, .partition = method[m]},
                       &s));
    assert_int_equal(s->patches, s->blocks->blocks);
    assert_int_equal(s->padded, s->patches * 512);
    for (hk_index n = 0; n < mesh->node_count; n++) {
      const int x = s->blocks->place[n] % 32, y = s->blocks->place[n] / 32;
      assert_int_equal(s->node[n], (y * s->patches + s->blocks->block[n]) * 32 + x);
      assert_int_equal(s->mesh_node[s->node[n]], n);
      assert_int_equal(hk_space_place(s, s->blocks->block[n], s->blocks->place[n]), s->node[n]);
    }
    for (hk_index i = 0; i < s->padded; i++) met += s->mesh_node[i] >= 0;
    assert_int_equal(met, mesh->node_count);
    hk_space_destroy(&s);
  }
  hk_mesh_destroy(&mesh);
}

/* values of nodes to internal order and back are themselves; padding is 0 */
static void values_come_back(void **state)
{
  hk_mesh *mesh = make_plate(40);
  hk_space *s = NULL;
  double *value = NULL, *internal = NULL, *back = NULL;
  (void)state;
  ok(hk_space_create(
      mesh, &(hk_space_desc){.patch = 128, .blocks = true, .partition = HK_PARTITION_BISECTION},
      &s));
  assert_true(s->padded > s->nodes);
  ok(hk_get(&value, mesh->node_count * 2));
  ok(hk_get(&back, mesh->node_count * 2));
  ok(hk_get(&internal, s->padded * 2));
  for (hk_count k = 0; k < mesh->node_count * 2; k++) value[k] = 1 + (double)k;
  hk_space_to_internal(s, 2, value, internal);
  hk_space_from_internal(s, 2, internal, back);
  assert_memory_equal(value, back, (size_t)mesh->node_count * 2 * sizeof *value);
  for (hk_index i = 0; i < s->padded; i++)
    assert_true((internal[2 * i] == 0) == (s->mesh_node[i] < 0));
  hk_free(&value);
  hk_free(&back);
  hk_free(&internal);
  hk_space_destroy(&s);
  hk_mesh_destroy(&mesh);
}

/* given blocks are taken as they are, with their size; those without places are arranged */
static void given_blocks(void **state)
{
  hk_mesh *mesh = make_plate(40);
  hk_space *made = NULL, *taken = NULL;
  (void)state;
  ok(hk_space_create(
      mesh, &(hk_space_desc){.patch = 96, .blocks = true, .partition = HK_PARTITION_GREEDY},
      &made));
  for (int arranged = 1; arranged >= 0; arranged--) {
    hk_blocks given = *made->blocks;
    if (!arranged) given.place = NULL;
    ok(hk_space_create(mesh, &(hk_space_desc){.patch = 512, .blocks = true, .given = &given},
                       &taken));
    assert_int_equal(taken->patch, 96);
    assert_int_equal(taken->padded, made->padded);
    assert_memory_equal(taken->node, made->node, (size_t)mesh->node_count * sizeof *made->node);
    hk_space_destroy(&taken);
  }
  hk_space_destroy(&made);
  hk_mesh_destroy(&mesh);
}

/* an allocation that fails gives HK_NO_RESOURCES and leaves nothing behind */
static void allocations_fail(void **state)
{
  hk_mesh *mesh = make_plate(30);
  (void)state;
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_space *s = NULL;
    memory.status = hk_space_create(
        mesh, &(hk_space_desc){.patch = 128, .blocks = true, .partition = HK_PARTITION_BISECTION},
        &s);
    hk_space_destroy(&s);
  }
  assert_true(memory.k > 20);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(addresses), cmocka_unit_test(values_come_back),
      cmocka_unit_test(given_blocks), cmocka_unit_test(allocations_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
