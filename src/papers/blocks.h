/* The lists of papers/blocks.k.h. */
#pragma once
#include "operator/operator.h"

enum { HK_BLOCK_BUFFERS = 4 };

typedef struct hk_block_lists {
  hk_buffer *buffer[HK_BLOCK_BUFFERS]; /* table, begin, pointer, block */
  int links;                           /* as in hk_block_count */
  hk_index warp_links;
} hk_block_lists;

/* For a space by blocks. The pool keeps the buffers; *out zero on entry. */
hk_status hk_blocks_pack(const hk_operator_desc *desc, hk_pool *pool, hk_block_lists *out);
