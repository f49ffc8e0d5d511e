/* Local numbers of the nodes of a patch: its own nodes, consecutive globally, come first; the
 * others that were added, its halo, follow in ascending order, of their own numbers or of given ones. */
#pragma once
#include "base/base.h"

typedef struct hk_local {
  hk_pool pool;          /* holds the arrays */
  hk_index first, count; /* own nodes [first, first + count) */
  hk_index halos, *halo; /* halo[halos] */
  hk_index *key, *value; /* private: table of the halo, as are the next */
  hk_index table;
  uint64_t *rank; /* scratch of a given order */
  hk_count halo_capacity, rank_capacity;
} hk_local;

hk_status hk_local_create(hk_local **out);
void hk_local_destroy(hk_local **local);

/* Forgets the last patch. */
void hk_local_start(hk_local *local, hk_index first, hk_index count);
hk_status hk_local_add(hk_local *local, hk_index node);
/* After the last add: orders the halo by order[node] (NULL: by node). O(halos). */
hk_status hk_local_finish(hk_local *local, const hk_index *order);
/* Local number of a node that is the patch's own or was added. */
hk_index hk_local_find(const hk_local *local, hk_index node);
/* The node of a local number. */
hk_index hk_local_node(const hk_local *local, hk_index number);
