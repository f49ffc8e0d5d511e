/* The lists of papers/blocks.k.h, and what the paper's method reads and writes by its own count
 * (Huthwaite 2014, appendix A). */
#ifndef HK_PAPERS_BLOCKS_H
#define HK_PAPERS_BLOCKS_H
#include "operator/operator.h"

enum { HK_BLOCK_BUFFERS = 4 };

typedef struct hk_block_lists {
  hk_buffer *buffer[HK_BLOCK_BUFFERS]; /* table, begin, pointer, block */
  int links; /* L: of a node in the paper's lists, at least 12, or as many as one has and itself */
  hk_index warp_links; /* sum over all rows of 32 nodes of the links of the node with most */
} hk_block_lists;

/* For a space by blocks. The pool keeps the buffers; *out zero on entry. */
hk_status hk_blocks_pack(const hk_operator_desc *desc, hk_pool *pool, hk_block_lists *out);

/* Bytes of one step of `blocks` blocks, table A.5: U three times, C', block links, linked U, source
 * pointers and fixed conditions of 2 bytes, `links` link pointers per node, and four terms of K' per
 * node and link that the node's warp loads, here without the node itself; L_av = 32 warp_links / (blocks * size). At 512 nodes and
 * L = 12 in double 48 720 + 16 384 L_av per block (K.7). */
hk_count hk_blocks_count_bytes(const hk_block_layout *layout, hk_count blocks, int links,
                               hk_count warp_links, bool double_precision);
#endif
