/* The elements that touch each patch, found by 1 to 5 threads, are those with a node in it, each once and ascending: of triangles and
 * tetrahedra in random order with holes, and of two shapes. */
#include <omp.h>
#include "operator/rows/touched.h"
#include "support/mesh.h"

static bool touches(const hk_space *s, hk_index e, hk_index p)
{
  const hk_index *node = hk_mesh_nodes_of(s->mesh, e);
  bool any = false;
  for (int n = 0; n < hk_mesh_block_of(s->mesh, e)->nodes; n++)
    any = any || s->node[node[n]] / s->patch == p;
  return any;
}

static void check(const hk_mesh *mesh, hk_index patch)
{
  hk_space *space = NULL;
  ok(hk_space_create(mesh, &(hk_space_desc){.patch = patch, .slice = patch}, &space));
  for (int threads = 1; threads <= 5; threads++) {
    hk_touched touched = {0};
    hk_count k = 0;
    omp_set_num_threads(threads);
    ok(hk_touched_find(space, &touched));
    for (hk_index p = 0; p < space->patches; p++) {
      assert_int_equal(touched.begin[p], k);
      for (hk_index e = 0; e < mesh->element_count; e++)
        if (touches(space, e, p)) {
          assert_in_range(k, 0, touched.begin[space->patches] - 1);
          assert_int_equal(touched.element[k++], e);
        }
    }
    assert_int_equal(touched.begin[space->patches], k);
    hk_touched_clear(&touched);
  }
  hk_space_destroy(&space);
}

static void random_order(void **state)
{
  static const hk_shape shape[] = {HK_TRI3, HK_TET4};
  (void)state;
  for (int s = 0; s < 2; s++) {
    hk_mesh *mesh = make_grid(
        (hk_mesh_grid){.shape = shape[s], .cells = {7, 6, s ? 5 : 0}, .jitter = 0.1, .shuffle = 3});
    punch(mesh);
    check(mesh, 16);
    hk_mesh_destroy(&mesh);
  }
}

static void two_shapes(void **state)
{
  static const double x[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
  (void)state;
  hk_mesh *mesh = make_mixed(6, x);
  for (hk_index patch = 1; patch <= 8; patch *= 2) check(mesh, patch);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_order), cmocka_unit_test(two_shapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
