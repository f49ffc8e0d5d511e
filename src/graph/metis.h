/* METIS's partitions, k-way and by bisection, and its nested dissection, from libmetis.so.5 opened at run time. */
#pragma once
#include "graph/adjacency.h"

/* part[nodes]: 0 ... parts - 1, parts of up to 1.01 times the mean number of nodes (METIS_PartGraphKway). Reproducible: METIS's seed is
 * fixed. HK_USAGE when the library is not installed or is not what we know; HK_NO_RESOURCES when METIS runs out of memory. */
hk_status hk_metis_parts(const hk_adjacency *graph, hk_index parts, hk_index *part);

/* The same by recursive bisection, which balances better: parts of up to 1.001 times the mean, or so many nodes more as there are bisections
 * (METIS_PartGraphRecursive). */
hk_status hk_metis_bisect(const hk_adjacency *graph, hk_index parts, hk_index *part);

bool hk_metis_available(void); /* the library and its nested dissection */
/* order[rows]: the k-th to be eliminated of a symmetric pattern is order[k], by nested dissection (METIS_NodeND). begin[rows + 1],
 * column[..]: with or without the diagonal. HK_USAGE as above, HK_BAD_INPUT beyond 2^31 - 1 entries; HK_NO_RESOURCES. Reproducible. */
hk_status hk_order_metis(hk_index rows, const hk_count *begin, const hk_index *column,
                         hk_index *order);
