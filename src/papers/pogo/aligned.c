/* The aligned partitioner of Huthwaite (2014), section 3.1: fronts of blocks advance from the outer
 * boundary into the mesh, layer by layer. A layer starts with strips of the first row. hk_front_try
 * (steps 3 to 6) joins and splits them, hk_front_fill (steps 7 and 8) fills their blocks, and the
 * free neighbours of the layer become the next first row (step 9). Parts of a block that are not
 * connected to its largest piece are freed again. docs/partition.md lists the choices that the
 * paper leaves open. */
#include "papers/pogo/aligned.h"
#include "papers/pogo/methods.h"
#include <string.h>

static hk_status create(const hk_adjacency *graph, const hk_partition_desc *rule, hk_index *block,
                        hk_front *f)
{
  const hk_index nodes = graph->nodes;
  *f = (hk_front){.graph = graph, .rule = *rule, .block = block};
  HK_PASS(hk_pool_get(&f->pool, &f->label, nodes));
  HK_PASS(hk_pool_get(&f->pool, &f->list, nodes));
  HK_PASS(hk_pool_get(&f->pool, &f->base, nodes));
  HK_PASS(hk_pool_get(&f->pool, &f->next, nodes));
  HK_PASS(hk_pool_get(&f->pool, &f->stamp, nodes));
  HK_PASS(hk_pool_get(&f->pool, &f->queue, nodes));
  for (hk_index i = 0; i < nodes; i++) f->label[i] = -1;
  return HK_OK;
}

void hk_votes_count(const hk_adjacency *graph, const hk_index *value, hk_index least, hk_index i,
                    hk_votes *out)
{
  out->count = 0;
  for (hk_index at = graph->begin[i]; at < graph->begin[i + 1]; at++) {
    const hk_index own = value[graph->node[at]];
    int v = 0;
    if (own < least) continue;
    while (v < out->count && out->value[v] != own) v++;
    if (v == HK_MOST_VOTES) continue;
    if (v == out->count) out->value[v] = own, out->links[v] = 0, out->count++;
    out->links[v]++;
  }
}

/* root[i] of the nodes of the list = the first of them to which equal values connect i. */
static void connect(hk_front *f, const hk_index *value, hk_index *root)
{
  for (hk_index k = 0; k < f->count; k++) root[f->list[k]] = -1;
  f->tick++; /* marks the list */
  for (hk_index k = 0; k < f->count; k++) f->stamp[f->list[k]] = f->tick;
  for (hk_index k = 0; k < f->count; k++) {
    const hk_index start = f->list[k];
    hk_index count = 0;
    if (root[start] >= 0) continue;
    root[start] = start;
    f->queue[count++] = start;
    for (hk_index q = 0; q < count; q++)
      for (hk_index at = f->graph->begin[f->queue[q]]; at < f->graph->begin[f->queue[q] + 1];
           at++) {
        const hk_index j = f->graph->node[at];
        if (f->stamp[j] != f->tick || root[j] >= 0 || value[j] != value[start]) continue;
        root[j] = start;
        f->queue[count++] = j;
      }
  }
}

/* Frees the nodes of the layer that do not hang together with the largest piece of their block. */
static hk_status keep_connected(hk_front *f)
{
  hk_status status = HK_OK;
  hk_index *best = NULL, kept = 0; /* best[strips]: root of the largest piece of each block */
  HK_TRY(hk_get(&best, f->strips));
  connect(f, f->block, f->label);
  for (hk_index k = 0; k < f->count; k++) f->next[f->list[k]] = 0;
  for (hk_index k = 0; k < f->count; k++) f->next[f->label[f->list[k]]]++;
  for (hk_index b = 0; b < f->strips; b++) best[b] = -1;
  for (hk_index k = 0; k < f->count; k++) {
    const hk_index root = f->label[f->list[k]], b = f->block[f->list[k]] - f->blocks;
    if (best[b] < 0 || f->next[root] > f->next[best[b]]) best[b] = root;
  }
  for (hk_index k = 0; k < f->count; k++) {
    const hk_index i = f->list[k];
    if (f->label[i] == best[f->block[i] - f->blocks])
      f->list[kept++] = i;
    else
      f->block[i] = -1;
    f->label[i] = -1;
  }
  f->count = kept;
cleanup:
  hk_free(&best);
  return status;
}

/* The list of labelled nodes becomes the first row of the next layer; connected ones of equal label
 * are one strip. */
static hk_status start_strips(hk_front *f)
{
  connect(f, f->label, f->next);
  f->first = f->count;
  f->strips = 0;
  for (hk_index k = 0; k < f->count; k++) {
    const hk_index i = f->list[k], root = f->next[i];
    if (root == i) {
      HK_PASS(hk_pool_room(&f->pool, &f->strip, (hk_count)f->strips + 1));
      f->strip[f->strips] = (hk_strip){.parent = f->strips};
      f->queue[i] = f->strips++;
    }
    f->label[i] = f->queue[root];
    f->strip[f->label[i]].nodes++;
  }
  return HK_OK;
}

/* Step 9: the free neighbours of the layer, labelled by the block with most links to each. */
static void list_children(hk_front *f)
{
  const hk_index parents = f->count;
  hk_votes votes;
  f->tick++;
  for (hk_index k = 0; k < parents; k++)
    for (hk_index at = f->graph->begin[f->list[k]]; at < f->graph->begin[f->list[k] + 1]; at++) {
      const hk_index j = f->graph->node[at];
      if (f->block[j] >= 0 || f->stamp[j] == f->tick) continue;
      f->stamp[j] = f->tick;
      f->list[f->count++] = j;
    }
  f->count -= parents;
  memmove(f->list, f->list + parents, (size_t)f->count * sizeof *f->list);
  for (hk_index k = 0; k < f->count; k++) {
    int best = 0;
    hk_votes_count(f->graph, f->block, f->blocks, f->list[k], &votes);
    for (int v = 1; v < votes.count; v++)
      if (votes.links[v] > votes.links[best]) best = v;
    f->label[f->list[k]] = votes.value[best];
  }
}

/* Free nodes that no front has reached: what a layer gave back in a corner, parts without boundary.
 * Each connected piece of them is a strip. */
static void list_rest(hk_front *f)
{
  f->count = 0;
  for (hk_index i = 0; i < f->graph->nodes; i++) {
    if (f->block[i] >= 0 || f->graph->begin[i + 1] == f->graph->begin[i]) continue;
    f->label[i] = 0;
    f->list[f->count++] = i;
  }
}

hk_status hk_partition_aligned(const hk_mesh *mesh, const hk_adjacency *graph,
                               const hk_partition_desc *rule, hk_index *block, hk_index *blocks)
{
  hk_status status = HK_OK;
  hk_front f = {0};
  hk_outline outline = {0};

  HK_TRY(create(graph, rule, block, &f));
  HK_TRY(hk_outline_find(mesh, graph, rule->length, &outline));
  for (hk_index k = 0; k < outline.count; k++) f.label[outline.node[k]] = outline.piece[k];
  memcpy(f.list, outline.node, (size_t)outline.count * sizeof *f.list);
  f.count = outline.count;
  while (true) {
    if (f.count == 0) list_rest(&f);
    if (f.count == 0) break;
    HK_TRY(start_strips(&f));
    HK_TRY(hk_front_try(&f));
    HK_TRY(hk_front_fill(&f));
    HK_TRY(keep_connected(&f));
    list_children(&f);
    f.blocks += f.strips;
  }
  *blocks = f.blocks;
cleanup:
  hk_pool_clear(&f.pool);
  hk_outline_clear(&outline);
  return status;
}
