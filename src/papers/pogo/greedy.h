/* The greedy partitioner, after Klöckner et al. 2009 (J. Comput. Phys. 228, 7863), which Huthwaite
 * cites: one block after the other, each by its best connected node. */
#ifndef HK_PAPERS_POGO_GREEDY_H
#define HK_PAPERS_POGO_GREEDY_H
#include "graph/adjacency.h"

/* block[nodes] (-1 on entry; nodes without neighbours stay so), connected, at most `size` nodes each.
 * A block takes, again and again, the free neighbour with most links to it; of equals the one that
 * has had so many for longest. The next block begins at the first node that this one met and did not
 * take; where all were taken since, at the lowest free node. O(entries of graph). */
hk_status hk_partition_greedy(const hk_adjacency *graph, int size, hk_index *block,
                              hk_index *blocks);
#endif
