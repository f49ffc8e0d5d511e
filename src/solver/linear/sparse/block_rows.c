/* Rows of small dense blocks: on the host the inverse of one symmetric positive definite block, which leaves out rows whose pivot is zero to rounding
 * (so held degrees of freedom stay zero); on a device rows sliced by its width, the matrices of levels and the interpolation between them.
 * A slice is as long as its longest row; lists are interleaved, so that threads side by side read side by side. y = A x or y = from + sign A x is
 * one launch of level.k.h. */
#include "solver/linear/sparse/block_rows.h"
#include "element/wide.h"

void hk_block_matrix_clear(hk_block_matrix *m)
{
  hk_free(&m->begin);
  hk_free(&m->column);
  hk_free(&m->block);
  *m = (hk_block_matrix){0};
}

HK_WIDE void hk_block_invert(int n, double *a)
{
  bool held[HK_MOST_INVERTED];
  double scale[HK_MOST_INVERTED];
  for (int i = 0; i < n; i++) scale[i] = a[i * n + i];
  for (int k = 0; k < n; k++) {
    const double pivot = a[k * n + k];
    held[k] = !(pivot > 1e-12 * scale[k]) || !(scale[k] > 0);
    for (int j = 0; held[k] && j < n; j++) a[k * n + j] = a[j * n + k] = 0;
    if (held[k]) continue;
    a[k * n + k] = 1;
#pragma omp simd
    for (int j = 0; j < n; j++) a[k * n + j] /= pivot;
    for (int i = 0; i < n; i++) {
      const double factor = a[i * n + k], *restrict from = a + k * n;
      double *restrict to = a + i * n;
      if (i == k) continue;
      to[k] = 0;
#pragma omp simd
      for (int j = 0; j < n; j++) to[j] -= factor * from[j];
    }
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; held[k] && j < n; j++) a[k * n + j] = a[j * n + k] = 0;
}

enum { HOST_GROUP = 64, GROUP = 256 };

int hk_level_group(const hk_device *device)
{
  return hk_kernel_size(hk_device_describe(device), GROUP, HOST_GROUP);
}

hk_status hk_level_kernel(hk_pool *pool, hk_device *device, const char *function, int block,
                          int columns, bool double_precision, hk_kernel **out)
{
  return hk_kernel_get(
      pool, device,
      &(hk_kernel_desc){.text = "level",
                        .function = function,
                        .double_precision = double_precision,
                        .define = {{"BLOCK", block},
                                   {"COLUMNS", columns},
                                   {"NODES", hk_level_group(device)},
                                   {"ROWS", block}},
                        .local = hk_local_bytes((hk_count)hk_level_group(device) * block,
                                                double_precision ? 8 : 4)},
      out);
}

/* A group has a slice, and a thread one of the rows of a node; or, where kernels were built for that, a group several slices and a thread
 * all rows of its nodes. */
hk_status hk_block_rows_finish(hk_device *device, int height, int width, bool double_precision,
                               hk_block_rows *rows)
{
  const hk_device_info *info = hk_device_describe(device);
  const int nodes =
      rows->components ? hk_level_group(device) : hk_kernel_size(info, info->width, HOST_GROUP);
  rows->bytes =
      hk_buffer_bytes(rows->slice) + hk_buffer_bytes(rows->column) + hk_buffer_bytes(rows->block);
  rows->groups = (rows->nodes + nodes - 1) / nodes;
  if (rows->components)
    return hk_level_kernel(&rows->pool, device, "level_transfer", rows->components,
                           rows->components, double_precision, &rows->multiply);
  return hk_kernel_get(&rows->pool, device,
                       &(hk_kernel_desc){.text = "level",
                                         .function = "level_multiply",
                                         .double_precision = double_precision,
                                         .define = {{"BLOCK", height},
                                                    {"COLUMNS", width},
                                                    {"NODES", nodes},
                                                    {"ROWS", hk_kernel_size(info, 1, height)}},
                                         .threads = info->width * height},
                       &rows->multiply);
}

void hk_block_rows_destroy(hk_block_rows *rows)
{
  hk_pool_clear(&rows->pool);
  *rows = (hk_block_rows){0};
}

hk_status hk_block_rows_multiply(const hk_block_rows *rows, const hk_buffer *x,
                                 const hk_buffer *from, double sign, hk_buffer *y)
{
  if (rows->components)
    return hk_kernel_launch(
        rows->multiply, rows->first, rows->groups,
        HK_ARGUMENTS(rows->slice, rows->column, rows->block, x, y, from != NULL, rows->nodes));
  return hk_kernel_launch(
      rows->multiply, rows->first, rows->groups,
      HK_ARGUMENTS(rows->slice, rows->column, rows->block, x, from, y, sign, rows->nodes));
}
