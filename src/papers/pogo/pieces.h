/* Connected pieces of a graph, grown breadth first. */
#pragma once
#include "graph/adjacency.h"

/* piece[nodes] of the graph: pieces of at most `quota` nodes, connected, one after the other. A piece
 * begins at the node that the earlier pieces met first without taking it (the first node from
 * seed[seeds] on, then the lowest, where there is none), and takes nodes breadth first until it is
 * full or has no free neighbour. Nodes with piece[i] == -1 on entry are free, others are left alone;
 * nodes without neighbours stay free. Numbers follow from *pieces, which is updated. O(entries). */
hk_status hk_pieces_grow(const hk_adjacency *graph, hk_index quota, hk_index seeds,
                         const hk_index *seed, hk_index *piece, hk_index *pieces);

/* block[nodes] (-1 on entry; nodes without neighbours stay so), at most `size` nodes each, from METIS's parts; those that METIS overfilled
 * are split. Errors as hk_metis_parts. */
hk_status hk_partition_metis(const hk_adjacency *graph, int size, hk_index *block,
                             hk_index *blocks);

/* The start of fronts: nodes of the outer boundary of every part of the mesh, in connected pieces of
 * about `length` nodes: node[count], piece[count] < pieces. Boundaries of holes and cavities are not
 * outer ones. A part without boundary
 * has none. */
typedef struct hk_outline {
  hk_index count, pieces;
  hk_index *node, *piece; /* owned */
} hk_outline;
hk_status hk_outline_find(const hk_mesh *mesh, const hk_adjacency *graph, hk_index length,
                          hk_outline *out);
void hk_outline_clear(hk_outline *outline);
