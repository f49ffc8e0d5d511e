/* Mending a partition where its fronts met: blocks that are far from full, or whose border is too long
 * for the rows that hold it, are cut anew together with blocks around them. */
#ifndef HK_PAPERS_POGO_REPAIR_H
#define HK_PAPERS_POGO_REPAIR_H
#include "graph/adjacency.h"

/* block[nodes], of *blocks blocks of at most `size` nodes, -1: none. A group of blocks is replaced by
 * connected ones where that lowers their number plus the number of those with more than `border`
 * nodes that have neighbours elsewhere, or else what these have too many. In turn: blocks that are to be mended and hang together; each
 * that is not half full with the blocks on the way to one that has room for it; each with too long a
 * border with one neighbour, with all, with theirs. *blocks falls. Reproducible. */
hk_status hk_blocks_repair(const hk_mesh *mesh, const hk_adjacency *graph, hk_index size,
                           hk_index border, hk_index *block, hk_index *blocks);
#endif
