/* Partitions of the nodes of a mesh into blocks of at most `size` nodes (Huthwaite 2014, sections 3
 * and 3.1), and the files that keep them.
 *
 *   hk_adjacency_create(mesh, &graph);
 *   hk_blocks_partition(mesh, graph, &(hk_partition_desc){.method = HK_PARTITION_ALIGNED}, &blocks);
 *   hk_blocks_arrange(graph, blocks);               papers/pogo/arrange.h: places; may split blocks
 *   hk_blocks_write("weld.blocks", mesh, blocks);
 *
 * A block is what a group of threads computes together; place = row * 32 + column is a node's thread
 * in it. The efficiency is nodes / (blocks * size).
 */
#pragma once
#include "graph/adjacency.h"

enum { HK_BLOCK_COLUMNS = 32, HK_BLOCK_SIZE = 512, HK_BLOCK_MOST = 32768 };

typedef struct hk_blocks {
  hk_index nodes, blocks;
  int dim;  /* of the mesh: 3, else a plane one; 0 in blocks of any mesh (hk_blocks_read_other) */
  int size; /* most nodes of a block; a multiple of 32 */
  hk_index *block; /* block[nodes]: 0 ... blocks - 1; each block has a node */
  int32_t *place;  /* place[nodes]: row * 32 + column, below size; NULL until arranged */
} hk_blocks;

typedef enum hk_partition_method {
  HK_PARTITION_ALIGNED, /* fronts of blocks that advance from the boundary, the paper's section 3.1; then blocks
                           are mended where fronts met (papers/pogo/methods.h) */
  HK_PARTITION_ALIGNED_PAPER, /* the paper's steps alone */
  HK_PARTITION_GREEDY,        /* one block after the other, breadth first (docs/partition.md) */
  HK_PARTITION_METIS,    /* METIS's k-way partition, opened at run time; overfull parts split */
  HK_PARTITION_BISECTION /* the widest side of a box is cut at whole blocks, again and again: full
                            blocks, which may consist of several parts where the mesh has holes */
} hk_partition_method;

/* Constants of the aligned method; 0 takes the paper's rule for `size`. */
typedef struct hk_partition_desc {
  hk_partition_method method;
  int size;   /* nodes of a block, a multiple of 32 from 32 to 32768; 0: 512 */
  int length; /* B: nodes of the boundary that start a block; 0: sqrt(2 size), 3D size^(2/3) */
  int rows;   /* R: rows of the trial advance; 0: 1.25 size / B */
  int least;  /* S_l, S_u: sizes that the trial leaves as they are; */
  int most;   /* 0: 0.6 and 1.55 R B, but 390 and 1000 at size 512 */
} hk_partition_desc;

/* The method where none is named: aligned for plane meshes; bisection for solids, where fronts leave more blocks and take far longer
 * (docs/partition.md). */
hk_partition_method hk_partition_default(int dim);

/* "aligned", "aligned-paper", "greedy", "metis", "bisection", in the order of the methods; NULL behind the last. */
const char *hk_partition_method_name(int method);
/* HK_USAGE for another word, with these. */
hk_status hk_partition_method_of(const char *word, hk_partition_method *out);

/* Puts every node into a block; nodes without element fill blocks that have room. place is NULL. The
 * result depends on the arguments alone. aligned, greedy: O(entries of graph), each block connected
 * (nodes without element aside). HK_BAD_INPUT for an impossible size or constant, HK_USAGE when
 * METIS is asked for and not installed. bisection: O(n log n). */
hk_status hk_blocks_partition(const hk_mesh *mesh, const hk_adjacency *graph,
                              const hk_partition_desc *desc, hk_blocks **out);
void hk_blocks_destroy(hk_blocks **blocks);
double hk_blocks_efficiency(const hk_blocks *blocks);

/* Block files: little-endian; docs/partition.md has the layout. They belong to a mesh's connectivity
 * (number of nodes; shape and nodes of each element), not to its coordinates, sets or loads.
 *
 * Written to a temporary name and renamed. HK_NOT_WRITABLE. */
hk_status hk_blocks_write(const char *path, const hk_mesh *mesh, const hk_blocks *blocks);
/* HK_BAD_INPUT, in words: no block file, another version, cut short, damaged, of another mesh, or
 * impossible contents. */
hk_status hk_blocks_read(const char *path, const hk_mesh *mesh, hk_blocks **out);
/* The blocks of whatever mesh the file was written for, and the marks of its nodes (hk_blocks_mark): mark[nodes], hk_free. */
hk_status hk_blocks_read_other(const char *path, hk_blocks **out, uint64_t **mark);

/* After a change of the mesh (reuse.c). mark[nodes]: a number of where a node stands and of the corners of all elements around it,
 * whatever their numbers and order. Two nodes with equal marks have equal elements around them. O(nodes of all elements). */
hk_status hk_blocks_mark(const hk_mesh *mesh, uint64_t *mark);

/* Keeps each old block whose nodes all have a node with their mark in the mesh, with the places of its nodes; the nodes that are left form
 * new blocks, by bisection, behind them. old_mark[old->nodes]: of the old mesh. *kept: blocks that stay, numbered 0 ... *kept - 1 in the
 * order that they had. Blocks at *kept and behind are for hk_blocks_arrange_from. O(nodes + m log m) for m nodes in new blocks. */
hk_status hk_blocks_reuse(const hk_mesh *mesh, const hk_adjacency *graph, const hk_blocks *old,
                          const uint64_t *old_mark, hk_index *kept, hk_blocks **out);

/* colour[blocks]: 0 ... colours - 1 (at most 64), unlike those of the neighbouring blocks that were
 * coloured before, as long as one is left; all are used about equally often. O(entries of graph). */
hk_status hk_blocks_colour(const hk_adjacency *graph, const hk_blocks *blocks, int colours,
                           uint8_t *colour);
