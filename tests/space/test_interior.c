/* Numbering by elements (hk_interior): nodes on surfaces in the order in which one thread would come to them, the same for any number of threads. */
#include "space/space.h"
#include "support/mesh.h"
#include <omp.h>

typedef struct model {
  hk_mesh *mesh;
  bool *apart;
  hk_space_desc desc;
} model;

static void model_create(model *m, int seed)
{
  const hk_shape shape = seed % 2 ? HK_HEX8 : HK_QUAD4;
  const int cells = shape == HK_HEX8 ? 5 : 11;
  *m = (model){.desc = {.patch = 16,
                        .slice = 8,
                        .element_lanes = 1 + 3 * (seed / 2 % 2),
                        .element_group = 2,
                        .element_chunk = seed % 3 ? 24 : 0}};
  srand((unsigned)seed);
  m->mesh = make_grid((hk_mesh_grid){
      .cells = {cells, cells + 2, cells - 1}, .shape = shape, .jitter = 0.2, .shuffle = 3});
  ok(hk_mesh_raise_to(m->mesh, 2 + seed % 3));
  ok(hk_get(&m->apart, m->mesh->node_count));
  for (hk_count n = 0; n < m->mesh->node_count; n++) m->apart[n] = rand() % 9 == 0;
  if (seed % 4 == 3) m->desc.apart = m->apart;
}

static bool on_surface(const hk_element *shape, int q)
{
  const int side = shape->order + 1;
  bool any = false;
  for (int d = 0; d < shape->dim; d++, q /= side)
    any = any || q % side == 0 || q % side == shape->order;
  return any;
}

/* owner[mesh node] of those on surfaces: the chunk that alone has the node, chunks: several have it, or it is apart; -1: none. */
static void find_owners(const model *m, const hk_interior *by, const hk_element *shape, int *owner)
{
  for (hk_count n = 0; n < m->mesh->node_count; n++)
    owner[n] = m->desc.apart && m->apart[n] ? by->chunks : -1;
  for (hk_index c = 0; c < by->chunks; c++)
    for (hk_index p = by->chunk_batch[c] * by->lanes; p < by->chunk_batch[c + 1] * by->lanes; p++)
      for (int q = 0; by->element[p] >= 0 && q < shape->nodes; q++) {
        const hk_index n = hk_mesh_nodes_of(m->mesh, by->element[p])[shape->lattice[q]];
        if (on_surface(shape, q)) owner[n] = owner[n] < 0 || owner[n] == c ? c : by->chunks;
      }
}

/* One loop over the elements in their order. */
static void check_numbers(const model *m, const hk_space *s)
{
  const hk_interior *by = s->interior;
  const hk_element *shape = hk_element_of(m->mesh->block[0].shape);
  int *owner = NULL, *next = NULL, inner = 1;
  bool *seen = NULL;
  ok(hk_get(&owner, m->mesh->node_count));
  ok(hk_get(&seen, m->mesh->node_count));
  ok(hk_get(&next, by->chunks + 1));
  for (int d = 0; d < shape->dim; d++) inner *= shape->order - 1;
  for (hk_index c = 0; c <= by->chunks; c++) next[c] = by->chunk_node[c];
  find_owners(m, by, shape, owner);
  for (hk_index p = 0; p < by->batches * by->lanes; p++)
    for (int q = 0, inside = 0; by->element[p] >= 0 && q < shape->nodes; q++) {
      const hk_index n = hk_mesh_nodes_of(m->mesh, by->element[p])[shape->lattice[q]];
      if (!on_surface(shape, q))
        assert_int_equal(s->node[n], by->chunk_node[by->chunks + 1] +
                                         (p / by->lanes * inner + inside++) * by->lanes +
                                         p % by->lanes);
      else if (!seen[n])
        assert_int_equal(s->node[n], next[owner[n]]++);
      seen[n] = true;
    }
  for (hk_index c = 0; c <= by->chunks; c++)
    assert_in_range(by->chunk_node[c + 1] - next[c], c == by->chunks, m->desc.patch);
  hk_free(&owner);
  hk_free(&seen);
  hk_free(&next);
}

static void numbers_are_those_of_one_loop(void **state)
{
  (void)state;
  const int before = omp_get_max_threads();
  for (int seed = 0; seed < 24; seed++)
    for (int threads = 1; threads <= 5; threads += 4) {
      model m;
      hk_space *s = NULL;
      omp_set_num_threads(threads);
      model_create(&m, seed);
      ok(hk_space_create(m.mesh, &m.desc, &s));
      check_numbers(&m, s);
      for (hk_index i = 0; i < s->padded; i++)
        if (s->mesh_node[i] >= 0) assert_int_equal(s->node[s->mesh_node[i]], i);
      hk_space_destroy(&s);
      hk_free(&m.apart);
      hk_mesh_destroy(&m.mesh);
    }
  omp_set_num_threads(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_those_of_one_loop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
