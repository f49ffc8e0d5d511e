/* Tetrahedra as fans around edges, for operator/fans/tets.k.h, of one group of nodes at a time.
 *
 * Greedy: the edge with most tetrahedra left takes those of one region for its fan. Where they do not follow each other around it, the list
 * names the edge's first node between them. Fans get the least colour that no fan at a node of theirs has, long ones first; those of a colour
 * go side by side in slices of `width`, as long as the longest of each. O(tetrahedra). */
#pragma once
#include "base/base.h"

typedef struct hk_tet { /* local numbers */
  hk_index node[4];
  hk_index region;
} hk_tet;

typedef struct hk_fans {
  int width;
  hk_tet *tet; /* tet[tets]: filled by the caller with hk_fans_add, of nodes below `nodes` */
  hk_index tets, nodes;
  /* made: */
  hk_index colours, slices, rows; /* rows of `width` numbers */
  hk_index *colour, *row;         /* colour[colours + 1]: slices; row[slices + 1] */
  uint16_t *list;                 /* list[rows][width]; padding is node number `nodes` */
  struct hk_fans_work *work;      /* private */
  hk_pool pool;                   /* all these arrays */
} hk_fans;

hk_status hk_fans_create(int width, hk_fans **out);
void hk_fans_destroy(hk_fans **fans);
/* Forgets the last group. */
void hk_fans_start(hk_fans *fans);
hk_status hk_fans_add(hk_fans *fans, const hk_tet *tet);
/* nodes: those of the group, at most 65535. */
hk_status hk_fans_make(hk_fans *fans, hk_index nodes);
