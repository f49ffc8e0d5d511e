/* Sparse rows of blocks on the host, and the same sliced on a device: the matrices of levels and what takes vectors between them. */
#pragma once
#include "device/device.h"

enum { HK_MOST_BLOCK = 6, HK_MOST_INVERTED = 80 }; /* 16 nodes of five unknowns */

typedef struct hk_block_matrix { /* of the host */
  hk_index rows, columns;        /* in blocks */
  int height, width;             /* of a block */
  hk_count *begin;               /* begin[rows + 1] */
  hk_index *column;              /* column[begin[rows]], in a fixed order in a row */
  double *block;                 /* block[begin[rows]][height][width] */
} hk_block_matrix;
void hk_block_matrix_clear(hk_block_matrix *matrix);
/* a[n][n], symmetric and positive definite, becomes its inverse, n <= HK_MOST_INVERTED; rows and columns whose own entry is, or becomes, zero to rounding are
 * left out: zero in the inverse. */
void hk_block_invert(int n, double *a);
/* a[n][n], symmetric and positive semidefinite, becomes its inverse, of any n; rows and columns without a pivot above 0 become zero. By all threads, the same bits for any number of them.
 * room: hk_dense_room(n) numbers. 2 n^3 operations. */
void hk_dense_invert(hk_count n, double *a, double *room);
hk_count hk_dense_room(hk_count n);

typedef struct hk_block_rows { /* of a device: solver/linear/multigrid/level.k.h, level_multiply */
  hk_index nodes;              /* rows, rounded up to the device's width */
  hk_buffer *slice, *column, *block;
  hk_kernel *multiply;
  int components; /* of nodes whose pairs have one weight: level_transfer; 0: blocks */
  int group;      /* nodes of a group */
  hk_count first, groups,
      bytes;    /* groups [first, first + groups) are launched: all, but of ranks that share rows */
  hk_pool pool; /* of them */
} hk_block_rows;

/* The kernel and bytes of rows whose nodes, components and lists are there, blocks of height x width (hk_galerkin_pack). */
hk_status hk_block_rows_finish(hk_device *device, int height, int width, bool double_precision,
                               hk_block_rows *rows);
void hk_block_rows_destroy(hk_block_rows *rows);
/* y = A x; or, with `from` (which may be y), y = from + sign A x. Of weights y = W x and, with from = y and sign 1, y += W x. A launch. */
hk_status hk_block_rows_multiply(const hk_block_rows *rows, const hk_buffer *x,
                                 const hk_buffer *from, double sign, hk_buffer *y);

/* Nodes that a group of the other kernels of solver/linear/multigrid/level.k.h treats. */
int hk_level_group(const hk_device *device);
hk_status hk_level_kernel(hk_pool *pool, hk_device *device, const char *function, int block,
                          int columns, bool double_precision, hk_kernel **out);
