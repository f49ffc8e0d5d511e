/* Colours of blocks, and of elements. */
#ifndef HK_GRAPH_COLOUR_H
#define HK_GRAPH_COLOUR_H
#include "graph/partition.h"

/* colour[blocks]: 0 ... colours - 1 (at most 64), unlike those of the neighbouring blocks that were
 * coloured before, as long as one is left; all are used about equally often. O(entries of graph). */
hk_status hk_blocks_colour(const hk_adjacency *graph, const hk_blocks *blocks, int colours,
                           uint8_t *colour);

/* colour[mesh element]: 0 ... *colours - 1; elements of one colour share no node. All elements are quadrilaterals, or hexahedra, of one order
 * of a family. Where they hang together as a grid, however it is numbered and turned, an element's colour is whether its place along each
 * direction is even: 4 in 2D, 8 in 3D. Elsewhere the least that no element with a node of its own has, from neighbour to neighbour. O(elements). */
hk_status hk_elements_colour(const hk_mesh *mesh, hk_index *colour, hk_index *colours);
#endif
