/* Pairs of neighbouring nodes of one patch of a matrix, shared out among its nodes.
 *
 * The pattern of the patch's rows lists, for each node, its neighbours. A pair of two nodes of the
 * patch is computed once, by its owner: owners are chosen so that the lists of all nodes get
 * equally long. A pair that leaves the patch is computed by its node inside. */
#pragma once
#include "base/base.h"

typedef struct hk_pairs {
  hk_pool pool;        /* holds the arrays */
  hk_index patch;      /* nodes of a patch */
  hk_index width;      /* lists of so many consecutive nodes take the length of their longest */
  hk_index most_owned; /* bound on owned[]: beyond it both nodes of a pair compute it */
  hk_index *owned;     /* owned[patch]: pairs whose result the node passes on */
  hk_index *length;    /* length[patch]: pairs that the node computes; the owned ones first */
  hk_index *gathered;  /* gathered[patch]: pairs whose result the node gets */
  int16_t *place;    /* place[q]: position in the node's own list; -1: gathered, or the diagonal */
  hk_index *partner; /* partner[q]: the same pair's entry in the other row; -1: leaves the patch */
  const uint16_t *column; /* private, as are the next; borrowed */
  hk_index *cursor, *seen, *room, search;
  hk_count place_capacity, partner_capacity;
} hk_pairs;

hk_status hk_pairs_create(hk_index patch, hk_index width, hk_index most_owned, hk_pairs **out);
void hk_pairs_destroy(hk_pairs **pairs);

/* Of a patch's rows [0, count), count <= patch: column[begin[i]..begin[i + 1]) are the local numbers
 * of the neighbours of node i, ascending, itself among them; numbers from `patch` on lie outside; the
 * pattern inside is symmetric. Nodes [count, patch) get empty lists. O(entries); reproducible. */
hk_status hk_pairs_find(hk_pairs *pairs, hk_index count, const hk_index *begin,
                        const uint16_t *column);
/* place and partner as hk_pairs_find left them, from a copy of place. */
hk_status hk_pairs_recall(hk_pairs *pairs, hk_index count, const hk_index *begin,
                          const uint16_t *column, const int16_t *place);
