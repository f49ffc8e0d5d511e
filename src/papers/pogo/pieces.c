/* Grows connected pieces of a graph, breadth first, up to a quota of nodes each. The next piece
 * starts at a node that an earlier one has met and not taken; else at a given seed, else at the
 * free node of lowest number. With the quota of all nodes the pieces are the connected parts of the
 * graph. Nodes without neighbours belong to no piece. */
#include "papers/pogo/methods.h"

typedef struct grower {
  const hk_adjacency *graph;
  hk_index *piece, *met; /* met[nodes]: the last piece, + 1, that queued the node */
  hk_index *queue;
  hk_count queued, capacity;
} grower;

static hk_status queue_neighbours(grower *g, hk_index i, hk_index number)
{
  const hk_index begin = g->graph->begin[i], end = g->graph->begin[i + 1];
  HK_PASS(hk_reserve(&g->queue, g->queued + end - begin, &g->capacity));
  for (hk_index k = begin; k < end; k++) {
    const hk_index j = g->graph->node[k];
    if (g->piece[j] != -1 || g->met[j] == number + 1) continue;
    g->met[j] = number + 1;
    g->queue[g->queued++] = j;
  }
  return HK_OK;
}

static hk_status grow_one(grower *g, hk_index seed, hk_index quota, hk_index number)
{
  hk_count head = g->queued;
  hk_index taken = 1;
  g->piece[seed] = number;
  HK_PASS(queue_neighbours(g, seed, number));
  for (; taken < quota && head < g->queued; head++, taken++) {
    const hk_index i = g->queue[head];
    g->piece[i] = number;
    HK_PASS(queue_neighbours(g, i, number));
  }
  return HK_OK;
}

hk_status hk_pieces_grow(const hk_adjacency *graph, hk_index quota, hk_index seeds,
                         const hk_index *seed, hk_index *piece, hk_index *pieces)
{
  hk_status status = HK_OK;
  grower g = {.graph = graph, .piece = piece};
  hk_count next = 0; /* queue[0 .. next) is taken */
  hk_index given = 0, lowest = 0;

  HK_TRY(hk_get(&g.met, graph->nodes));
  while (true) {
    hk_index start = -1;
    while (next < g.queued && piece[g.queue[next]] != -1) next++;
    if (next < g.queued) start = g.queue[next];
    for (; start < 0 && given < seeds; given++)
      if (piece[seed[given]] == -1) start = seed[given];
    for (; start < 0 && lowest < graph->nodes; lowest++)
      if (piece[lowest] == -1 && graph->begin[lowest + 1] > graph->begin[lowest]) start = lowest;
    if (start < 0) break;
    HK_TRY(grow_one(&g, start, quota, (*pieces)++));
  }
cleanup:
  hk_free(&g.met);
  hk_free(&g.queue);
  return status;
}
