/* What a step of blocks reads and writes by the count of Huthwaite (2014), Appendix A, from the partition alone (K.7). */
#pragma once
#include "papers/pogo/arrange.h"

/* The lines of Table A.5. */
typedef enum hk_block_part {
  HK_BLOCK_U_PREVIOUS,
  HK_BLOCK_U_CURRENT,
  HK_BLOCK_TABLE,    /* block links */
  HK_BLOCK_U_LINKED, /* U of other blocks */
  HK_BLOCK_C,
  HK_BLOCK_SOURCES,  /* source pointers of 2 bytes */
  HK_BLOCK_FIXED,    /* fixed boundary condition, 2 bytes */
  HK_BLOCK_POINTERS, /* link pointers of 2 bytes, L per node */
  HK_BLOCK_K,        /* of the links that a row of 32 nodes loads, without the node itself */
  HK_BLOCK_U_NEXT,
  HK_BLOCK_PARTS
} hk_block_part;

typedef struct hk_block_count {
  hk_block_layout layout;
  hk_count blocks;
  int links; /* L: of a node in the paper's lists, at least 12, or as many as one has and itself */
  /* sum over all rows of 32 nodes of the links of the node with most: L_av = 32 warp_links / (blocks * size) */
  hk_count warp_links;
  int components; /* of u at a node */
  bool double_precision;
} hk_block_count;

/* "u_previous", ..., "u_next": the lines as keys; NULL behind the last. */
const char *hk_block_part_name(int part);

/* Bytes of one step; part[HK_BLOCK_PARTS], which may be NULL, what each line of Table A.5 adds to it. At 512 nodes, two
 * components and L = 12 in double 48 720 + 16 384 L_av per block. */
hk_count hk_blocks_count_bytes(const hk_block_count *of, hk_count *part);

/* layout, blocks, links and warp_links of arranged blocks. O(entries of graph). */
hk_status hk_blocks_count_links(const hk_adjacency *graph, const hk_blocks *blocks,
                                hk_block_count *out);

/* The k-th size of a sweep over sizes of blocks, 64 to 2048 nodes; 0 behind the last. */
int hk_block_sweep_size(int k);
