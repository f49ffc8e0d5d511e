/* Blocks from METIS's k-way partition, with parts of 98.5 % of the block size (docs/partition.md).
 * Nodes of parts that are too large move to the neighbouring part with most links that has room, in
 * a few passes; nodes that still exceed the size are freed, and pieces.c makes blocks of them. */
#include "graph/metis.h"
#include "papers/pogo/aligned.h"
#include "papers/pogo/methods.h"

/* Moves nodes out of overfull blocks into neighbours with room: once over all nodes. */
static bool even_out(const hk_adjacency *graph, int size, hk_index *block, hk_index *count)
{
  hk_votes votes;
  bool moved = false;
  for (hk_index i = 0; i < graph->nodes; i++) {
    hk_index to = -1;
    int most = 0;
    if (block[i] < 0 || count[block[i]] <= size) continue;
    hk_votes_count(graph, block, 0, i, &votes);
    for (int v = 0; v < votes.count; v++)
      if (count[votes.value[v]] < size && votes.links[v] > most)
        to = votes.value[v], most = votes.links[v];
    if (to < 0) continue;
    count[block[i]]--, count[to]++;
    block[i] = to;
    moved = true;
  }
  return moved;
}

hk_status hk_partition_metis(const hk_adjacency *graph, int size, hk_index *block, hk_index *blocks)
{
  hk_status status = HK_OK;
  hk_index *count = NULL;
  const hk_index parts = (hk_index)(graph->nodes / (0.985 * size)) + 1;

  *blocks = 1;
  if (graph->nodes <= size)
    for (hk_index i = 0; i < graph->nodes; i++) block[i] = 0;
  else {
    *blocks = parts;
    HK_TRY(hk_metis_parts(graph, parts, block));
  }
  HK_TRY(hk_get(&count, *blocks));
  for (hk_index i = 0; i < graph->nodes; i++) {
    if (graph->begin[i + 1] == graph->begin[i])
      block[i] = -1;
    else
      count[block[i]]++;
  }
  for (int pass = 0; pass < 8 && even_out(graph, size, block, count);) pass++;
  for (hk_index i = 0; i < graph->nodes; i++)
    if (block[i] >= 0 && count[block[i]] > size) count[block[i]]--, block[i] = -1;
  HK_TRY(hk_pieces_grow(graph, size, 0, NULL, block, blocks));
cleanup:
  hk_free(&count);
  return status;
}
