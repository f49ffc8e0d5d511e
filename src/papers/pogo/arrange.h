/* Memory arrangement of blocks of nodes: Huthwaite (2014), sections 2.3 and 3.2.
 *
 * A block has rows of 32 nodes. Nodes that other blocks read, its boundary, stand in its first rows;
 * a block reads the others' boundary in sections of 32, 16 or 8 nodes of one row, a bounded number of
 * each: its linked data pointer table. A kernel's tile holds the block's own nodes, then these
 * sections in the order of the table:
 *
 *   own nodes, size | load[0] x 32 | load[1] x 16 | load[2] x 8
 *
 * At 512 nodes of plane meshes the numbers are the paper's: 4 rows of boundary, 2 + 10 + 8 sections.
 * For other sizes they grow with the length of the boundary, the square root of the size. In 3D the
 * boundary is a surface: any row, 4 + 16 + 96 sections at 512 nodes, which grow with its area. */
#pragma once
#include "papers/pogo/partition.h"

enum { HK_BLOCK_SECTION = 8, HK_BLOCK_LOADS = 3 };

typedef struct hk_block_layout {
  int size, rows;           /* nodes of a block; rows of 32 */
  int boundary;             /* rows at most with nodes that other blocks read */
  int load[HK_BLOCK_LOADS]; /* sections of 32, 16, 8 nodes */
  int loads, linked;        /* sections of all kinds; nodes in them */
} hk_block_layout;

/* size: a multiple of 32; dim 3: of solids, else of plane meshes. */
hk_block_layout hk_block_layout_of(int dim, int size);

/* Tables of all blocks, for one arrangement. */
typedef struct hk_block_links {
  hk_block_layout layout;
  hk_index blocks;
  /* table[blocks][layout.loads]: block << 8 | row << 2 | column / 8; not used: HK_BLOCK_NO_LOAD */
  uint32_t *table;
} hk_block_links;
#define HK_BLOCK_NO_LOAD UINT32_MAX

/* blocks->place, created where NULL, of every node: the boundary first, in order around the block from
 * a join between two of its neighbours, in 3D in the order of papers/pogo/surface.h; then the others by falling number of neighbours, so that rows
 * are about alike. A block whose boundary or table is too small is split between its two ends, and it
 * and those around it are arranged anew, until all pass. Nodes without a block keep place -1.
 * HK_BAD_INPUT names a node that has neighbours in too many places for any block. About 0.3 s per
 * million nodes; reproducible. */
hk_status hk_blocks_arrange(const hk_adjacency *graph, hk_blocks *blocks);
/* The same where blocks below `kept` have places already, 0, 1, ... each: they keep them, unless their table has become too small or one
 * of their nodes beyond the rows of the boundary now has a neighbour outside. */
hk_status hk_blocks_arrange_from(const hk_adjacency *graph, hk_index kept, hk_blocks *blocks);

/* The tables of an arrangement; HK_BAD_INPUT where it has none (made for another mesh or size). */
hk_status hk_blocks_link(const hk_adjacency *graph, const hk_blocks *blocks, hk_block_links **out);
void hk_block_links_destroy(hk_block_links **links);

/* Number within the tile of `block` of the node at `place` of the block `from`; -1: not there. */
int hk_block_links_find(const hk_block_links *links, hk_index block, hk_index from, int place);
