/* Colours blocks for pictures, greedily: each block takes the first colour that no coloured
 * neighbour has, starting after the colour of the block before, so that all colours are used about
 * equally. Where every colour is taken, neighbours may share one. Two blocks are neighbours if a
 * link of the graph joins their nodes. */
#include "papers/pogo/partition.h"

enum { NONE = 255 };

/* Nodes by block: node[begin[b] .. begin[b + 1]). */
static hk_status sort_nodes(const hk_blocks *b, hk_index **begin, hk_index **node)
{
  HK_PASS(hk_get(begin, (hk_count)b->blocks + 2));
  HK_PASS(hk_get(node, b->nodes));
  for (hk_index i = 0; i < b->nodes; i++) (*begin)[b->block[i] + 2]++;
  for (hk_index k = 0; k < b->blocks; k++) (*begin)[k + 2] += (*begin)[k + 1];
  for (hk_index i = 0; i < b->nodes; i++) (*node)[(*begin)[b->block[i] + 1]++] = i;
  return HK_OK;
}

/* Bit c: a neighbour of block b has colour c. */
static uint64_t taken_around(const hk_adjacency *graph, const hk_blocks *blocks, hk_index count,
                             const hk_index *node, const uint8_t *colour)
{
  uint64_t taken = 0;
  for (hk_index k = 0; k < count; k++)
    for (hk_index at = graph->begin[node[k]]; at < graph->begin[node[k] + 1]; at++) {
      const uint8_t c = colour[blocks->block[graph->node[at]]];
      if (c != NONE) taken |= (uint64_t)1 << c;
    }
  return taken;
}

hk_status hk_blocks_colour(const hk_adjacency *graph, const hk_blocks *blocks, int colours,
                           uint8_t *colour)
{
  hk_status status = HK_OK;
  hk_index *begin = NULL, *node = NULL;
  int first = 0;

  HK_TRY(sort_nodes(blocks, &begin, &node));
  for (hk_index b = 0; b < blocks->blocks; b++) colour[b] = NONE;
  for (hk_index b = 0; b < blocks->blocks; b++) {
    const uint64_t taken =
        taken_around(graph, blocks, begin[b + 1] - begin[b], node + begin[b], colour);
    int c = 0;
    while (c < colours - 1 && taken >> (first + c) % colours & 1) c++;
    first = (first + c) % colours;
    colour[b] = (uint8_t)first;
    first = (first + 1) % colours;
  }
cleanup:
  hk_free(&begin);
  hk_free(&node);
  return status;
}
