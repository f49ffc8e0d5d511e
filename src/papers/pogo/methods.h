/* What the methods of partition.h consist of. */
#pragma once
#include "graph/adjacency.h"

/* The greedy partitioner, after Klöckner et al. 2009 (J. Comput. Phys. 228, 7863), which Huthwaite cites: one block after the other, each by
 * its best connected node.
 * block[nodes] (-1 on entry; nodes without neighbours stay so), connected, at most `size` nodes each.
 * A block takes, again and again, the free neighbour with most links to it; of equals the one that
 * has had so many for longest. The next block begins at the first node that this one met and did not
 * take; where all were taken since, at the lowest free node. O(entries of graph). */
hk_status hk_partition_greedy(const hk_adjacency *graph, int size, hk_index *block,
                              hk_index *blocks);

/* block[nodes] (-1 on entry; nodes without neighbours stay so), at most `size` nodes each, from METIS's parts; those that METIS overfilled
 * are split. Errors as hk_metis_parts. */
hk_status hk_partition_metis(const hk_adjacency *graph, int size, hk_index *block,
                             hk_index *blocks);

/* Mends a partition where its fronts met: blocks that are far from full, or whose border is too long
 * for the rows that hold it, are cut anew together with blocks around them.
 * block[nodes], of *blocks blocks of at most `size` nodes, -1: none. A group of blocks is replaced by
 * connected ones where that lowers their number plus the number of those with more than `border`
 * nodes that have neighbours elsewhere, or else what these have too many. In turn: blocks that are to be mended and hang together; each
 * that is not half full with the blocks on the way to one that has room for it; each with too long a
 * border with one neighbour, with all, with theirs. *blocks falls. Reproducible. */
hk_status hk_blocks_repair(const hk_mesh *mesh, const hk_adjacency *graph, hk_index size,
                           hk_index border, hk_index *block, hk_index *blocks);

/* What is cut across: the longest principal axis, or the widest side of the box. */
typedef enum hk_cut_axis { HK_CUT_PRINCIPAL, HK_CUT_BOX } hk_cut_axis;

/* Cuts the points node[count] again and again, into pieces whose numbers of points are equal but for one:
 * node[] is reordered, piece by piece, and begin[pieces + 1] says where each begins. Coordinates
 * x[point][dim]. O(count log pieces). Reproducible. */
hk_status hk_bisect(const double *x, int dim, hk_cut_axis axis, hk_index pieces, hk_index count,
                    hk_index *node, hk_index *begin);

/* Connected pieces of a graph, grown breadth first.
 * piece[nodes] of the graph: pieces of at most `quota` nodes, connected, one after the other. A piece
 * begins at the node that the earlier pieces met first without taking it (the first node from
 * seed[seeds] on, then the lowest, where there is none), and takes nodes breadth first until it is
 * full or has no free neighbour. Nodes with piece[i] == -1 on entry are free, others are left alone;
 * nodes without neighbours stay free. Numbers follow from *pieces, which is updated. O(entries). */
hk_status hk_pieces_grow(const hk_adjacency *graph, hk_index quota, hk_index seeds,
                         const hk_index *seed, hk_index *piece, hk_index *pieces);

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
