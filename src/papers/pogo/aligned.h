/* The aligned partitioner's parts: fronts of blocks that advance layer by layer (Huthwaite 2014,
 * section 3.1).
 *
 *          first row      trial advance     joined, split     filled        next layer
 *   (1,2)  a a b b c c    R rows (3,4)      (5), then only    smallest      children, one per
 *          ===========    ....              first rows (6)    first (7,8)   connected row (9)
 */
#pragma once
#include "papers/pogo/partition.h"

/* A block to be, in its layer: its nodes are a list through hk_front.next. */
typedef struct hk_strip {
  hk_index parent; /* itself, or the strip that it was joined to */
  hk_index nodes, head, tail;
  hk_index links; /* scratch of the search for a neighbour: to the strip that searches */
  bool touches;   /* scratch: a link among them joins first rows */
} hk_strip;

typedef struct hk_front {
  const hk_adjacency *graph;
  hk_partition_desc rule; /* no zeros */
  hk_index *block; /* block[nodes]: of finished layers and of the one being filled; -1: free */
  hk_index blocks; /* of finished layers */
  hk_index *label; /* label[nodes]: strip of the nodes of the list; -1 */
  hk_index *list, count; /* list[count], room for all nodes: the layer, its first row first */
  hk_index first;        /* nodes of the first row */
  bool *base;            /* base[nodes]: in the first row; set by hk_front_try */
  hk_strip *strip;       /* strip[strips] */
  hk_index strips;
  hk_index *next;  /* next[nodes]: in lists of strips and blocks; -1 ends them */
  hk_index *stamp; /* stamp[nodes]: the last `tick` at which the node was met */
  hk_index tick;
  hk_index *queue; /* queue[nodes]: scratch */
  hk_pool pool;    /* all these arrays, but for block */
} hk_front;

/* The strip that label l belongs to by now. */
hk_index hk_front_strip(hk_front *front, hk_index l);

/* Steps 3 to 6 on a layer's first row list[0 .. first) with label[]: advances all strips by R rows
 * at once, joins those below S_l to the neighbour with most links, splits those above S_u between the
 * ends of their first rows; then the list is the first row again, its labels are 0 ... strips - 1. */
hk_status hk_front_try(hk_front *front);

/* Steps 7 and 8: block[] of the layer, strips as labels from front->blocks on, at most `size` nodes
 * each; the smallest advances first. list[count] = the layer's nodes; labels are -1 again. */
hk_status hk_front_fill(hk_front *front);

/* Among the neighbours of node i: how many have each value >= least. The first 16 values met. */
enum { HK_MOST_VOTES = 16 };
typedef struct hk_votes {
  int count;
  hk_index value[HK_MOST_VOTES];
  int links[HK_MOST_VOTES];
} hk_votes;
void hk_votes_count(const hk_adjacency *graph, const hk_index *value, hk_index least, hk_index i,
                    hk_votes *out);

hk_status hk_partition_aligned(const hk_mesh *mesh, const hk_adjacency *graph,
                               const hk_partition_desc *rule, hk_index *block, hk_index *blocks);
