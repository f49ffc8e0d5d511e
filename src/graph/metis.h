/* METIS's k-way partition, from libmetis.so.5 opened at run time. */
#ifndef HK_GRAPH_METIS_H
#define HK_GRAPH_METIS_H
#include "graph/adjacency.h"

/* block[nodes] (-1 on entry; nodes without neighbours stay so), at most `size` nodes each. Parts that
 * METIS overfilled are split. Reproducible: METIS's seed is fixed. HK_USAGE when the library is not
 * installed or is not what we know; HK_NO_RESOURCES when METIS runs out of memory. */
hk_status hk_partition_metis(const hk_adjacency *graph, int size, hk_index *block,
                             hk_index *blocks);
#endif
