/* Finds elements that are given twice, in any order of their nodes and in any block.
 * Each element is compared with the earlier ones whose sorted vertices have the same hash; each thread has a range of the hash's slots. Two
 * elements are the same if their vertices agree, and their other nodes too unless one of them has none. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "base/sort.h"
#include <omp.h>
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

/* Of the sorted vertices: the multiplier is that of Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4). */
static uint32_t hash_of(const hk_element *shape, const hk_index *node)
{
  hk_index vertex[MOST_SORTED];
  uint64_t hash = 0;
  sorted(node, shape->vertices, vertex);
  for (int v = 0; v < shape->vertices; v++)
    hash = (hash ^ (hash >> 29) ^ (uint64_t)vertex[v]) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(hash >> 32);
}

static void hash_all(const hk_mesh *mesh, uint32_t *hash)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_element *shape = hk_element_of(block->shape);
#pragma omp parallel for schedule(static)
    for (hk_count e = 0; e < block->count; e++)
      hash[block->first + e] = hash_of(shape, block->node + e * block->nodes);
  }
}

typedef struct chains { /* of elements whose hashes have one slot, the latest first */
  uint32_t *hash;
  hk_index *last, *before; /* last[slots], before[element]: 1 + an element; 0: none */
  hk_count slots;
} chains;

/* The elements in slots [from, to), in their order. */
static void find_in(const hk_mesh *mesh, const chains *c, hk_count from, hk_count to,
                    hk_count *count, hk_index pair[2])
{
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_count slot = (hk_count)c->hash[e] & (c->slots - 1);
    if (slot < from || slot >= to) continue;
    hk_index other = c->last[slot];
    while (other && (c->hash[other - 1] != c->hash[e] || !same_place(mesh, other - 1, e)))
      other = c->before[other - 1];
    c->before[e] = c->last[slot], c->last[slot] = (hk_index)(e + 1);
    if (other && !(*count)++) pair[0] = other - 1, pair[1] = (hk_index)e;
  }
}

hk_status hk_mesh_find_twice(const hk_mesh *mesh, hk_count *count, hk_index pair[2])
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  chains c = {.slots = 16};
  hk_count parts = omp_get_max_threads(), all = 0;
  hk_index first[2] = {0, INT32_MAX};
  while (c.slots < mesh->element_count) c.slots *= 2;
  HK_TRY(hk_pool_get(&pool, &c.hash, mesh->element_count));
  HK_TRY(hk_pool_get(&pool, &c.last, c.slots));
  HK_TRY(hk_pool_get(&pool, &c.before, mesh->element_count));
  hash_all(mesh, c.hash);
#pragma omp parallel for schedule(static) reduction(+ : all)
  for (hk_count p = 0; p < parts; p++) {
    hk_count own = 0;
    hk_index found[2] = {0, 0};
    find_in(mesh, &c, p * c.slots / parts, (p + 1) * c.slots / parts, &own, found);
    all += own;
#pragma omp critical(hk_mesh_twice)
    if (own && found[1] < first[1]) first[0] = found[0], first[1] = found[1];
  }
  *count = all;
  if (all) pair[0] = first[0], pair[1] = first[1];
cleanup:
  hk_pool_clear(&pool);
  return status;
}
