/* Finds again the nodes of an old mesh in a new one, by marks of what surrounds them, and keeps the blocks whose nodes are all found
 * (Huthwaite 2014, section 4.4, announces it and has no method). A kept block has as many links inside it, and as many
 * to other blocks, as before. Bisection divides the other nodes (new ones, and those of changed blocks) into blocks; all but one of these
 * are full. */
#include "papers/pogo/partition.h"
#include "graph/order.h"
#include <string.h>

static uint64_t mix(uint64_t x)
{
  x ^= x >> 30, x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27, x *= 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

hk_status hk_blocks_mark(const hk_mesh *mesh, uint64_t *mark)
{
  hk_status status = HK_OK;
  uint64_t *place = NULL;
  HK_TRY(hk_get(&place, mesh->node_count));
  for (hk_count i = 0; i < mesh->node_count; i++) {
    for (int d = 0; d < mesh->dim; d++) {
      const double x = mesh->x[i * mesh->dim + d] + 0.0; /* -0 is 0 */
      uint64_t bits;
      memcpy(&bits, &x, sizeof bits);
      place[i] = mix(place[i] * 3 + bits);
    }
    mark[i] = mix(place[i]);
  }
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count e = 0; e < block->count; e++) {
      const hk_index *node = block->node + e * block->nodes;
      uint64_t sum = (uint64_t)block->shape;
      for (int n = 0; n < block->nodes; n++) sum += place[node[n]];
      for (int n = 0; n < block->nodes; n++) mark[node[n]] += mix(sum);
    }
  }
cleanup:
  hk_free(&place);
  return status;
}

/* The old nodes by mark: slot[mask + 1], open addressing; -1: free, and of a node that is taken the number stays. */
typedef struct finder {
  hk_index *slot;
  bool *taken;
  hk_count mask;
  const uint64_t *mark;
} finder;

static hk_status finder_fill(finder *f, hk_index nodes)
{
  f->mask = 15;
  while (f->mask < 2 * (hk_count)nodes) f->mask = 2 * f->mask + 1;
  HK_PASS(hk_get(&f->slot, f->mask + 1));
  HK_PASS(hk_get(&f->taken, nodes));
  for (hk_count k = 0; k <= f->mask; k++) f->slot[k] = -1;
  for (hk_index i = 0; i < nodes; i++) {
    hk_count at = (hk_count)(f->mark[i] & (uint64_t)f->mask);
    while (f->slot[at] >= 0) at = (at + 1) & f->mask;
    f->slot[at] = i;
  }
  return HK_OK;
}

/* An old node of this mark that no node took before; -1: there is none. */
static hk_index take(finder *f, uint64_t mark)
{
  for (hk_count at = (hk_count)(mark & (uint64_t)f->mask); f->slot[at] >= 0;
       at = (at + 1) & f->mask) {
    const hk_index i = f->slot[at];
    if (f->mark[i] != mark || f->taken[i]) continue;
    f->taken[i] = true;
    return i;
  }
  return -1;
}

/* same[nodes]: the old node; -1: new or changed. */
static hk_status find_same(const hk_mesh *mesh, const hk_blocks *old, const uint64_t *old_mark,
                           hk_index *same)
{
  hk_status status = HK_OK;
  finder f = {.mark = old_mark};
  uint64_t *mark = NULL;
  HK_TRY(hk_get(&mark, mesh->node_count));
  HK_TRY(hk_blocks_mark(mesh, mark));
  HK_TRY(finder_fill(&f, old->nodes));
  for (hk_count i = 0; i < mesh->node_count; i++) same[i] = take(&f, mark[i]);
cleanup:
  hk_free(&f.slot);
  hk_free(&f.taken);
  hk_free(&mark);
  return status;
}

/* number[old block]: of a block that stays; -1: it changed, or its places are not 0, 1, .... */
static hk_status find_kept(const hk_blocks *old, hk_index nodes, const hk_index *same,
                           hk_index *number, hk_index *kept)
{
  hk_status status = HK_OK;
  hk_index *lost = NULL, *count = NULL;
  HK_TRY(hk_get(&lost, old->blocks));
  HK_TRY(hk_get(&count, old->blocks));
  for (hk_index i = 0; i < old->nodes; i++) count[old->block[i]]++;
  for (hk_index i = 0; i < old->nodes; i++)
    lost[old->block[i]] += old->place && old->place[i] >= count[old->block[i]] ? 2 : 1;
  for (hk_index i = 0; i < nodes; i++)
    if (same[i] >= 0) lost[old->block[same[i]]]--;
  *kept = 0;
  for (hk_index b = 0; b < old->blocks; b++) number[b] = lost[b] ? -1 : (*kept)++;
cleanup:
  hk_free(&lost);
  hk_free(&count);
  return status;
}

/* Nodes without a block, in the order of bisection, `size` at a time; those without neighbours come last. */
static hk_status cut_rest(const hk_mesh *mesh, const hk_adjacency *graph, hk_blocks *b)
{
  hk_status status = HK_OK;
  hk_index *order = NULL, linked = 0, count = 0;
  HK_TRY(hk_get(&order, b->nodes));
  for (int alone = 0; alone < 2; alone++) {
    for (hk_index i = 0; i < b->nodes; i++)
      if (b->block[i] < 0 && (graph->begin[i] == graph->begin[i + 1]) == alone) order[count++] = i;
    if (!alone) linked = count;
  }
  HK_TRY(hk_order_bisect(mesh->x, mesh->dim, b->size, linked, order));
  for (hk_index k = 0; k < count; k++) b->block[order[k]] = b->blocks + k / b->size;
  b->blocks += (count + b->size - 1) / b->size;
cleanup:
  hk_free(&order);
  return status;
}

hk_status hk_blocks_reuse(const hk_mesh *mesh, const hk_adjacency *graph, const hk_blocks *old,
                          const uint64_t *old_mark, hk_index *kept, hk_blocks **out)
{
  hk_status status = HK_OK;
  hk_index *same = NULL, *number = NULL;
  hk_blocks *b = NULL;
  HK_TRY(hk_new(&b));
  b->nodes = graph->nodes, b->dim = mesh->dim, b->size = old->size;
  HK_TRY(hk_get(&b->block, b->nodes));
  if (old->place) HK_TRY(hk_get(&b->place, b->nodes));
  HK_TRY(hk_get(&same, b->nodes));
  HK_TRY(hk_get(&number, old->blocks));
  HK_TRY(find_same(mesh, old, old_mark, same));
  HK_TRY(find_kept(old, b->nodes, same, number, kept));
  for (hk_index i = 0; i < b->nodes; i++) {
    b->block[i] = same[i] < 0 ? -1 : number[old->block[same[i]]];
    if (old->place) b->place[i] = b->block[i] < 0 ? -1 : old->place[same[i]];
  }
  b->blocks = *kept;
  HK_TRY(cut_rest(mesh, graph, b));
  *out = b, b = NULL;
cleanup:
  hk_blocks_destroy(&b);
  hk_free(&same);
  hk_free(&number);
  return status;
}
