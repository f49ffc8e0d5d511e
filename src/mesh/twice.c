/* Finds elements that are given twice, in any order of their nodes and in any block.
 * Each element is compared with the earlier ones whose sorted vertices have the same hash. Two
 * elements are the same if their vertices agree, and their other nodes too unless one of them has
 * none. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "base/sort.h"
#include <string.h>

enum { MOST_SORTED = 27 };

static int sorted(const hk_index *node, int count, hk_index *out)
{
  memcpy(out, node, (size_t)count * sizeof *out);
  hk_sort_few(count, out);
  return count;
}

/* The same vertices; and the same other nodes, unless one of the two has none: curved elements may share their vertices and nothing else. */
static bool same_place(const hk_mesh *mesh, hk_count a, hk_count b)
{
  hk_index of_a[MOST_SORTED], of_b[MOST_SORTED];
  const hk_element *shape[2] = {hk_element_of(hk_mesh_block_of(mesh, a)->shape),
                                hk_element_of(hk_mesh_block_of(mesh, b)->shape)};
  const hk_index *node[2] = {hk_mesh_nodes_of(mesh, a), hk_mesh_nodes_of(mesh, b)};
  if (shape[0]->vertices != shape[1]->vertices) return false;
  const size_t vertices = (size_t)sorted(node[0], shape[0]->vertices, of_a);
  sorted(node[1], shape[1]->vertices, of_b);
  if (memcmp(of_a, of_b, vertices * sizeof *of_a) != 0) return false;
  if (shape[0]->nodes == shape[0]->vertices || shape[1]->nodes == shape[1]->vertices) return true;
  if (shape[0]->nodes != shape[1]->nodes || shape[0]->nodes > MOST_SORTED)
    return shape[0] == shape[1];
  const size_t all = (size_t)sorted(node[0], shape[0]->nodes, of_a);
  sorted(node[1], shape[1]->nodes, of_b);
  return memcmp(of_a, of_b, all * sizeof *of_a) == 0;
}

static uint64_t hash_of(const hk_mesh *mesh, hk_count e)
{
  hk_index vertex[MOST_SORTED];
  const int vertices = hk_element_of(hk_mesh_block_of(mesh, e)->shape)->vertices;
  sorted(hk_mesh_nodes_of(mesh, e), vertices, vertex);
  const uint64_t hash = hk_hash(vertex, (size_t)vertices * sizeof *vertex, 0);
  return hash ^ hash >> 32;
}

hk_status hk_mesh_find_twice(const hk_mesh *mesh, hk_count *count, hk_index pair[2])
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_index *last, *before; /* of a hash, 1 + an element; 1 + the one before it */
  hk_count slots = 16;
  *count = 0;
  while (slots < mesh->element_count) slots *= 2;
  HK_TRY(hk_pool_get(&pool, &last, slots));
  HK_TRY(hk_pool_get(&pool, &before, mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_count slot = (hk_count)(hash_of(mesh, e) & (uint64_t)(slots - 1));
    hk_index other = last[slot];
    while (other && !same_place(mesh, other - 1, e)) other = before[other - 1];
    before[e] = last[slot], last[slot] = (hk_index)(e + 1);
    if (other && !(*count)++) pair[0] = other - 1, pair[1] = (hk_index)e;
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}
