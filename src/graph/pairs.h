/* Pairs of neighbouring nodes of one patch of a matrix, shared out among its nodes.
 *
 * The pattern of the patch's rows lists, for each node, its neighbours. A pair of two nodes of the
 * patch is computed once, by its owner: owners are chosen so that the lists of all nodes get
 * equally long. A pair that leaves the patch is computed by its node inside. */
#ifndef HK_GRAPH_PAIRS_H
#define HK_GRAPH_PAIRS_H
#include "base/base.h"

typedef struct hk_pairs {
  hk_index patch;        /* nodes of a patch; local number of the k-th halo node: patch + k */
  hk_index width;        /* lists of so many consecutive nodes take the length of their longest */
  hk_index most_local;   /* bound on patch + halos */
  hk_index most_owned;   /* bound on owned[]: beyond it both nodes of a pair compute it */
  hk_index halos, *halo; /* halo[halos]: nodes outside of the patch in its rows, ascending */
  hk_index *owned;       /* owned[patch]: pairs whose result the node passes on */
  hk_index *length;      /* length[patch]: pairs that the node computes; the owned ones first */
  hk_index *gathered;    /* gathered[patch]: pairs whose result the node gets */
  uint16_t *local;       /* local[q]: local number of the neighbour in entry q of the pattern */
  int16_t *place;    /* place[q]: position in the node's own list; -1: gathered, or the diagonal */
  hk_index *partner; /* partner[q]: the same pair's entry in the other row; -1: leaves the patch */
  hk_index *table, *cursor, *seen, *room, search; /* private, as are the next */
  hk_count halo_capacity, local_capacity, place_capacity, partner_capacity, table_capacity;
} hk_pairs;

hk_status hk_pairs_create(hk_index patch, hk_index width, hk_index most_local, hk_index most_owned,
                          hk_pairs **out);
void hk_pairs_destroy(hk_pairs **pairs);

/* Of the rows [first, first + count), count <= patch: column[begin[i]..begin[i + 1]) are the
 * neighbours of node first + i, ascending, itself among them; the pattern is symmetric. Nodes
 * [count, patch) get empty lists. O(entries); reproducible. HK_NO_RESOURCES beyond most_local. */
hk_status hk_pairs_find(hk_pairs *pairs, hk_index first, hk_index count, const hk_index *begin,
                        const hk_index *column);
#endif
