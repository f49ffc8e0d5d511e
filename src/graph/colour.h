/* Colours of blocks. */
#ifndef HK_GRAPH_COLOUR_H
#define HK_GRAPH_COLOUR_H
#include "graph/partition.h"

/* colour[blocks]: 0 ... colours - 1 (at most 64), unlike those of the neighbouring blocks that were
 * coloured before, as long as one is left; all are used about equally often. O(entries of graph). */
hk_status hk_blocks_colour(const hk_adjacency *graph, const hk_blocks *blocks, int colours,
                           uint8_t *colour);
#endif
