/* The order of the nodes on the surface of a block in 3D, for which Huthwaite (2014) has no rule.
 *
 * The readers of a node are the neighbouring blocks that it has links to. A block reads others in
 * sections of 8 places, so a section is read by all readers of its nodes together. What is read is
 * the sum over the sections of
 *
 *   |union of the readers of its nodes|
 *
 * A face of the surface has one reader, an edge about three, a corner about seven. */
#pragma once
#include "base/base.h"

typedef struct hk_block_surface_node {
  uint64_t readers; /* one bit per neighbouring block */
  int32_t links;    /* of the node, in its block and elsewhere */
  hk_index member;  /* the caller's number */
} hk_block_surface_node;

typedef struct hk_block_surface {
  hk_block_surface_node *node; /* node[count] */
  /* private */
  struct hk_block_surface_group *group;     /* nodes with equal readers */
  struct hk_block_surface_section *section; /* places 8 s ... 8 s + 7 */
  hk_block_surface_node *sorted;
  uint64_t *others; /* readers of the other nodes of a section */
  hk_pool pool;     /* all these arrays */
} hk_block_surface;

/* Room for so many nodes. hk_pool_clear(&surface->pool) frees. */
hk_status hk_block_surface_create(hk_index most, hk_block_surface *surface);
/* Orders surface->node[count]: sections of nodes with equal readers as far as there are 8, then sections of what is left that have few
 * readers together. Sections with many links come first, so that rows of 32 nodes have similar numbers of links; within a section
 * too. Reproducible. O(count log count + groups count + m^2), m nodes of sections that mix groups. */
void hk_block_surface_order(hk_block_surface *surface, hk_index count);
