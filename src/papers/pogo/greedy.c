/* The greedy partitioner after Kloeckner et al. (J. Comput. Phys. 228, 2009, 7863), which Huthwaite
 * (2014) compares with. A block repeatedly takes the free node with most links to it; among equals
 * the one that has had this number longest. The next block begins at the first node that was met
 * and not taken. Nodes wait in one queue per number of links; outdated entries stay and are skipped
 * when they come up. */
#include "papers/pogo/methods.h"

typedef struct entry { /* of a queue: a node, and the entry behind it */
  hk_index node;
  hk_count next;
} entry;

typedef struct queue {
  hk_count head, tail; /* entries; -1: none */
} queue;

typedef struct greedy {
  const hk_adjacency *graph;
  hk_index *block;
  hk_index *links; /* links[nodes]: to the block that grows */
  hk_index *met;   /* met[count]: nodes with links, in the order in which they were met */
  hk_index count;
  queue *level; /* level[levels]: nodes with so many links; outdated entries stay */
  hk_index levels, highest;
  entry *entry;
  hk_count entries;
  hk_pool pool; /* all these arrays, but for block */
} greedy;

static hk_status create(const hk_adjacency *graph, hk_index *block, greedy *g)
{
  *g = (greedy){.graph = graph, .block = block};
  for (hk_index i = 0; i < graph->nodes; i++)
    if (graph->begin[i + 1] - graph->begin[i] >= g->levels)
      g->levels = graph->begin[i + 1] - graph->begin[i] + 1;
  HK_PASS(hk_pool_get(&g->pool, &g->links, graph->nodes));
  HK_PASS(hk_pool_get(&g->pool, &g->met, graph->nodes));
  return hk_pool_get(&g->pool, &g->level, g->levels);
}

static hk_status append(greedy *g, hk_index i)
{
  queue *q = &g->level[g->links[i]];
  HK_PASS(hk_pool_room(&g->pool, &g->entry, g->entries + 1));
  g->entry[g->entries] = (entry){i, -1};
  if (q->head < 0)
    q->head = g->entries;
  else
    g->entry[q->tail].next = g->entries;
  q->tail = g->entries++;
  if (g->links[i] > g->highest) g->highest = g->links[i];
  return HK_OK;
}

/* The free node with most links, -1 if there is none. */
static hk_index best_node(greedy *g)
{
  for (; g->highest > 0; g->highest--) {
    queue *q = &g->level[g->highest];
    while (q->head >= 0) {
      const hk_index i = g->entry[q->head].node;
      q->head = g->entry[q->head].next;
      if (g->block[i] == -1 && g->links[i] == g->highest) return i;
    }
  }
  return -1;
}

static hk_status take(greedy *g, hk_index i, hk_index number)
{
  g->block[i] = number;
  for (hk_index k = g->graph->begin[i]; k < g->graph->begin[i + 1]; k++) {
    const hk_index j = g->graph->node[k];
    if (g->block[j] != -1) continue;
    if (g->links[j]++ == 0) g->met[g->count++] = j;
    HK_PASS(append(g, j));
  }
  return HK_OK;
}

/* *next = the first node that was met and left; -1 if there is none. */
static hk_status grow(greedy *g, hk_index seed, int size, hk_index number, hk_index *next)
{
  g->count = 0, g->entries = 0, g->highest = 0;
  for (hk_index l = 0; l < g->levels; l++) g->level[l] = (queue){-1, -1};
  HK_PASS(take(g, seed, number));
  for (int taken = 1; taken < size; taken++) {
    const hk_index i = best_node(g);
    if (i < 0) break;
    HK_PASS(take(g, i, number));
  }
  *next = -1;
  for (hk_index k = 0; k < g->count; k++) {
    if (*next < 0 && g->block[g->met[k]] == -1) *next = g->met[k];
    g->links[g->met[k]] = 0;
  }
  return HK_OK;
}

hk_status hk_partition_greedy(const hk_adjacency *graph, int size, hk_index *block,
                              hk_index *blocks)
{
  hk_status status = HK_OK;
  greedy g = {0};
  hk_index next = -1, lowest = 0;

  *blocks = 0;
  HK_TRY(create(graph, block, &g));
  while (true) {
    for (; next < 0 && lowest < graph->nodes; lowest++)
      if (block[lowest] == -1 && graph->begin[lowest + 1] > graph->begin[lowest]) next = lowest;
    if (next < 0) break;
    HK_TRY(grow(&g, next, size, (*blocks)++, &next));
  }
cleanup:
  hk_pool_clear(&g.pool);
  return status;
}
