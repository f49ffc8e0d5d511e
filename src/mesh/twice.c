/* Finds elements that are given twice, in any order of their nodes and in any block.
 * Each element is compared with the earlier ones whose vertices have the same hash. A counting sort by the hash's highest bits puts
 * elements into buckets, in their order, and each bucket is searched by one thread while it is in the cache. Two elements are the same if their
 * vertices agree, and their other nodes too unless one of them has none. */
#include "element/element.h"
#include "element/wide.h"
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

/* Of the vertices in any order: the sum of a hash of each, whose bits all depend on each other (the last steps of Appleby's MurmurHash3). Many
 * elements are hashed at a time, in words that vectors multiply. */
static inline __attribute__((always_inline)) uint32_t hash_of(int vertices, const hk_index *node)
{
  uint32_t sum = 0;
  for (int v = 0; v < vertices; v++) {
    uint32_t hash = (uint32_t)node[v] * UINT32_C(0x9e3779b1);
    hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
    hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
    sum += hash ^ hash >> 16;
  }
  return sum;
}

/* hash[count] of the elements of a block from `first` on. */
HK_WIDE static void hash_some(const hk_block *block, hk_count first, hk_count count, uint32_t *hash)
{
  const int vertices = hk_element_of(block->shape)->vertices, nodes = block->nodes;
  const hk_index *node = block->node + first * nodes;
  if (block->shape == HK_TET4)
    for (hk_count e = 0; e < count; e++) hash[e] = hash_of(4, node + 4 * e);
  else
    for (hk_count e = 0; e < count; e++) hash[e] = hash_of(vertices, node + e * nodes);
}

enum { BUCKET = 1 << 12, MOST_BUCKETS = 1 << 12, SOME = 1 << 10 };

typedef struct entry {
  uint32_t hash;
  hk_index element;
} entry;

/* Elements by the highest bits of their hashes: entry[begin[b]..begin[b + 1]) are those of bucket b, ascending. In a bucket a table has
 * chains of those whose lowest bits agree, the latest first. */
typedef struct buckets {
  hk_pool pool;
  entry *entry;
  hk_index *before;        /* before[entry]: 1 + the one before it in its chain; 0: none */
  hk_index *last;          /* last[part][slots]: 1 + the latest entry of each chain */
  hk_count *at, *begin;    /* at[part][buckets]; begin[buckets + 1] */
  int shift, parts;        /* 32 - log2(buckets) */
  hk_count buckets, slots; /* powers of two */
} buckets;

static hk_status get_buckets(hk_count elements, buckets *s)
{
  s->buckets = 1, s->shift = 32, s->slots = 16, s->parts = omp_get_max_threads();
  while (s->buckets < MOST_BUCKETS && s->buckets * BUCKET < elements) s->buckets *= 2, s->shift--;
  while (s->slots * s->buckets < elements) s->slots *= 2;
  HK_PASS(hk_pool_get(&s->pool, &s->entry, elements));
  HK_PASS(hk_pool_get(&s->pool, &s->before, elements));
  HK_PASS(hk_pool_get(&s->pool, &s->last, s->parts * s->slots));
  HK_PASS(hk_pool_get(&s->pool, &s->at, s->parts * s->buckets));
  return hk_pool_get(&s->pool, &s->begin, s->buckets + 1);
}

static hk_count bucket_of(const buckets *s, uint32_t hash)
{
  return (hk_count)((uint64_t)hash >> s->shift);
}

/* Counts a part of the elements in at[bucket]; or, where there is a list, puts them where `at` tells, so that it tells where the
 * part's ones end. Hashes are computed both times, some elements at a time. */
static void visit_part(const buckets *s, const hk_mesh *mesh, int p, entry *list)
{
  const hk_count last = mesh->element_count * (p + 1) / s->parts;
  hk_count *at = s->at + p * s->buckets, count;
  uint32_t hash[SOME];
  for (hk_count e = mesh->element_count * p / s->parts; e < last; e += count) {
    const hk_block *block = hk_mesh_block_of(mesh, e);
    const hk_count stop = block->first + block->count, end = stop < last ? stop : last;
    count = end - e < SOME ? end - e : SOME;
    hash_some(block, e - block->first, count, hash);
    for (hk_count i = 0; i < count; i++) {
      hk_count *to = &at[bucket_of(s, hash[i])];
      if (list) list[*to] = (entry){hash[i], (hk_index)(e + i)};
      ++*to;
    }
  }
}

/* A stable counting sort: each part counts, and then places, a range of elements. */
static void fill_buckets(buckets *s, const hk_mesh *mesh)
{
#pragma omp parallel for schedule(static)
  for (int p = 0; p < s->parts; p++) visit_part(s, mesh, p, NULL);
  hk_count sum = 0;
  for (hk_count b = 0; b < s->buckets; b++) {
    s->begin[b] = sum;
    for (int p = 0; p < s->parts; p++) {
      const hk_count count = s->at[p * s->buckets + b];
      s->at[p * s->buckets + b] = sum, sum += count;
    }
  }
  s->begin[s->buckets] = sum;
#pragma omp parallel for schedule(static)
  for (int p = 0; p < s->parts; p++) visit_part(s, mesh, p, s->entry);
}

/* Counts the elements of a bucket that come twice; pair: the first of them, where its number is lower than that of pair[1]. */
static hk_count find_in(const hk_mesh *mesh, const buckets *s, hk_count bucket, hk_index *last,
                        hk_index pair[2])
{
  hk_count count = 0;
  memset(last, 0, (size_t)s->slots * sizeof *last);
  for (hk_count k = s->begin[bucket]; k < s->begin[bucket + 1]; k++) {
    const entry own = s->entry[k];
    hk_index *slot = &last[own.hash & (uint32_t)(s->slots - 1)], other = *slot;
    while (other && (s->entry[other - 1].hash != own.hash ||
                     !same_place(mesh, s->entry[other - 1].element, own.element)))
      other = s->before[other - 1];
    s->before[k] = *slot, *slot = (hk_index)(k + 1);
    count += other != 0;
    if (other && own.element < pair[1])
      pair[0] = s->entry[other - 1].element, pair[1] = own.element;
  }
  return count;
}

hk_status hk_mesh_find_twice(const hk_mesh *mesh, hk_count *count, hk_index pair[2])
{
  hk_status status = HK_OK;
  buckets s = {.parts = 1};
  hk_count all = 0;
  hk_index first[2] = {0, INT32_MAX};
  HK_TRY(get_buckets(mesh->element_count, &s));
  fill_buckets(&s, mesh);
#pragma omp parallel num_threads(s.parts) reduction(+ : all)
  {
    hk_index *last = s.last + omp_get_thread_num() * s.slots, found[2] = {0, INT32_MAX};
#pragma omp for schedule(dynamic)
    for (hk_count b = 0; b < s.buckets; b++) all += find_in(mesh, &s, b, last, found);
#pragma omp critical(hk_mesh_twice)
    if (found[1] < first[1]) first[0] = found[0], first[1] = found[1];
  }
  *count = all;
  if (all) pair[0] = first[0], pair[1] = first[1];
cleanup:
  hk_pool_clear(&s.pool);
  return status;
}
