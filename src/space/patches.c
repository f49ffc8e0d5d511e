/* Numbers the nodes on surfaces of elements by patches, groups of elements that one group of a kernel sums in local memory.
 * Nodes of several patches, rims, come first: those of one set of patches follow one another, from a multiple of four on, in the order in which
 * the first of these patches comes to them. Behind them, patch by patch and again from multiples of four on, come the nodes of one patch alone:
 * those of at most two elements, then the others. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "space/space.h"
#include <string.h>

enum { ALIGNED = 4 };

typedef struct patches {
  hk_pool pool;
  const hk_mesh *mesh;
  const hk_element *shape;
  hk_interior *by;
  const bool *inside; /* inside[mesh node] */
  hk_index *number;   /* number[mesh node] */
  hk_index count,
      *found; /* found[count]: nodes on surfaces of the patch at hand, in the order in which its elements come to them */
  hk_index *last;       /* last[mesh node]: patch that found it last; -1: none */
  uint8_t *elements;    /* elements[mesh node]: of the patch at hand, 255 at most */
  hk_index *begin, *of; /* of[begin[node] .. begin[node + 1]): patches of a mesh node, ascending */
} patches;

static hk_index round_up(hk_index n, hk_index to)
{
  return (n + to - 1) / to * to;
}

/* The nodes on surfaces of a patch. */
static void find(patches *k, hk_index patch)
{
  const hk_interior *by = k->by;
  const hk_count each = (hk_count)by->group * by->lanes;
  k->count = 0;
  for (hk_count p = patch * each; p < (patch + 1) * each; p++) {
    if (by->element[p] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(k->mesh, by->element[p]);
    for (int q = 0; q < k->shape->nodes; q++) {
      const hk_index n = node[k->shape->lattice[q]];
      if (k->inside[n]) continue;
      if (k->last[n] != patch) k->found[k->count++] = n, k->elements[n] = 0;
      k->last[n] = patch;
      if (k->elements[n] < UINT8_MAX) k->elements[n]++;
    }
  }
}

static void forget(patches *k)
{
  for (hk_count n = 0; n < k->mesh->node_count; n++) k->last[n] = -1;
}

/* begin and of: the patches of each node. */
static hk_status find_sets(patches *k)
{
  const hk_index all = k->by->batches / k->by->group;
  hk_index *next;
  HK_PASS(hk_pool_get(&k->pool, &k->begin, k->mesh->node_count + 1));
  HK_PASS(hk_pool_get(&k->pool, &next, k->mesh->node_count + 1));
  forget(k);
  for (hk_index g = 0; g < all; g++) {
    find(k, g);
    for (hk_index i = 0; i < k->count; i++) k->begin[k->found[i] + 1]++;
  }
  hk_count sum = 0;
  for (hk_count n = 0; n < k->mesh->node_count; n++) {
    sum += k->begin[n + 1];
    HK_PASS(hk_narrow(sum, "nodes of patches", &k->begin[n + 1]));
  }
  memcpy(next, k->begin, (size_t)(k->mesh->node_count + 1) * sizeof *next);
  HK_PASS(hk_pool_get(&k->pool, &k->of, sum));
  forget(k);
  for (hk_index g = 0; g < all; g++) {
    find(k, g);
    for (hk_index i = 0; i < k->count; i++) k->of[next[k->found[i]]++] = g;
  }
  return HK_OK;
}

static hk_index patches_of(const patches *k, hk_index node)
{
  return k->begin[node + 1] - k->begin[node];
}

static bool same_patches(const patches *k, hk_index a, hk_index b)
{
  const hk_index count = patches_of(k, a);
  return count == patches_of(k, b) &&
         !memcmp(k->of + k->begin[a], k->of + k->begin[b], (size_t)count * sizeof *k->of);
}

/* Rims whose first patch is the one at hand, set by set, from *at on. */
static void number_rims(patches *k, hk_index patch, hk_index *at)
{
  for (hk_index i = 0; i < k->count; i++) {
    const hk_index n = k->found[i];
    if (patches_of(k, n) < 2 || k->of[k->begin[n]] != patch || k->number[n] >= 0) continue;
    *at = round_up(*at, ALIGNED);
    for (hk_index j = i; j < k->count; j++)
      if (k->number[k->found[j]] < 0 && same_patches(k, n, k->found[j]))
        k->number[k->found[j]] = (*at)++;
  }
}

/* The nodes of the patch at hand alone. */
static void number_own(patches *k, hk_index *at)
{
  *at = round_up(*at, ALIGNED);
  for (int many = 0; many < 2; many++)
    for (hk_index i = 0; i < k->count; i++)
      if (patches_of(k, k->found[i]) == 1 && (k->elements[k->found[i]] > 2) == many)
        k->number[k->found[i]] = (*at)++;
}

/* number[mesh node] of nodes on surfaces, which were -1; by->rims and by->chunk_node, of one chunk. */
hk_status hk_space_number_patches(const hk_mesh *mesh, const bool *inside, hk_index span,
                                  hk_interior *by, hk_index *number)
{
  hk_status status = HK_OK;
  const hk_element *shape = hk_element_of(mesh->block[0].shape);
  const hk_index all = by->batches / by->group;
  patches k = {.mesh = mesh, .shape = shape, .by = by, .inside = inside, .number = number};
  hk_index at = 0;
  HK_TRY(hk_pool_get(&k.pool, &k.found, (hk_count)by->group * by->lanes * shape->nodes));
  HK_TRY(hk_pool_get(&k.pool, &k.last, mesh->node_count));
  HK_TRY(hk_pool_get(&k.pool, &k.elements, mesh->node_count));
  HK_TRY(find_sets(&k));
  forget(&k);
  for (hk_index g = 0; g < all; g++) {
    find(&k, g);
    number_rims(&k, g, &at);
  }
  by->rims = at = round_up(at, span);
  forget(&k);
  for (hk_index g = 0; g < all; g++) {
    find(&k, g);
    number_own(&k, &at);
  }
  by->chunk_node[0] = 0, by->chunk_node[1] = round_up(round_up(at, ALIGNED), span);
  HK_TRY(hk_narrow((hk_count)by->chunk_node[1] + span, "number of nodes", &by->chunk_node[2]));
cleanup:
  hk_pool_clear(&k.pool);
  return status;
}
