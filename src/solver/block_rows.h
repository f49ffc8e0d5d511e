/* Sparse rows of blocks on the host, and the same sliced on a device: the matrices of levels and what takes vectors between them. */
#ifndef HK_SOLVER_BLOCK_ROWS_H
#define HK_SOLVER_BLOCK_ROWS_H
#include "device/device.h"

typedef struct hk_block_matrix { /* of the host */
  hk_index rows, columns;        /* in blocks */
  int height, width;             /* of a block */
  hk_count *begin;               /* begin[rows + 1] */
  hk_index *column;              /* column[begin[rows]], ascending in a row */
  double *block;                 /* block[begin[rows]][height][width] */
} hk_block_matrix;
void hk_block_matrix_clear(hk_block_matrix *matrix);

typedef struct hk_block_rows { /* of a device: kernels/level.k.h, level_multiply */
  hk_index nodes;              /* rows, rounded up to the device's width */
  hk_buffer *slice, *column, *block;
  hk_kernel *multiply;
  hk_count groups, bytes;
} hk_block_rows;

/* HK_NO_RESOURCES. Destroy also after a failure. */
hk_status hk_block_rows_create(hk_device *device, const hk_block_matrix *matrix,
                               bool double_precision, hk_block_rows *rows);
void hk_block_rows_destroy(hk_block_rows *rows);
/* y = A x; or, with `from` (which may be y), y = from + sign A x. A launch. */
hk_status hk_block_rows_multiply(const hk_block_rows *rows, const hk_buffer *x,
                                 const hk_buffer *from, double sign, hk_buffer *y);

/* Nodes that a group of the other kernels of kernels/level.k.h treats. */
int hk_level_group(const hk_device *device);
hk_status hk_level_kernel(hk_device *device, const char *function, int block, int columns,
                          bool double_precision, hk_kernel **out);
#endif
