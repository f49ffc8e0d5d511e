/* Additions of elements to their nodes by all threads: the sums have the bits of a loop over the elements, for any number of threads.
 * After hk_scatter_sort(s, count, node) a loop over the owners o, parallel and of static schedule, has an inner one over k from s->begin[o] to
 * s->begin[o + 1], which adds value[s->place[k]] to sum[node[s->place[k]]].
 * The nodes go in turn, HK_SCATTER_RUN after HK_SCATTER_RUN, to owners. A thread adds what concerns its owners, in ascending places. */
#ifndef HK_MESH_SCATTER_H
#define HK_MESH_SCATTER_H
#include "base/base.h"

/* Nodes of a run share few cache lines with another owner's. There are more owners than threads, so that all have about as much.
 * Threads wait for each other after each HK_SCATTER_MOST places. */
enum { HK_SCATTER_OWNERS = 256, HK_SCATTER_RUN = 16, HK_SCATTER_MOST = 1 << 21 };

typedef struct hk_scatter {
  hk_index begin[HK_SCATTER_OWNERS + 1];
  hk_index *place;                   /* place[begin[o]..begin[o + 1]): of owner o, ascending */
  hk_index (*at)[HK_SCATTER_OWNERS]; /* where each thread writes the next place of an owner */
  hk_count most;                     /* room of place */
  int chunks;                        /* room of at */
} hk_scatter;

/* Room for `most` places at a time, HK_SCATTER_MOST at most: 4 bytes each, and 1 kB for each thread. HK_NO_RESOURCES. */
hk_status hk_scatter_create(hk_count most, hk_scatter **out);
void hk_scatter_destroy(hk_scatter **scatter);

/* Elements of `nodes` nodes that are sorted at a time: of `count` that are left. */
hk_count hk_scatter_part(hk_count count, int nodes);

/* Sorts the places 0..count - 1 of node[count] by owner. O(count) by all threads. */
void hk_scatter_sort(hk_scatter *s, hk_count count, const hk_index *node);
#endif
