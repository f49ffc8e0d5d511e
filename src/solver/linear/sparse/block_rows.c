/* Rows of small dense blocks: on the host the inverse of one symmetric positive definite block, which leaves out rows whose pivot is zero to rounding
 * (so held degrees of freedom stay zero); on a device rows sliced by its width, the matrices of levels and the interpolation between them.
 * A slice is as long as its longest row; lists are interleaved, so that threads side by side read side by side. y = A x or y = from + sign A x is
 * one launch of level.k.h. */
#include "solver/linear/sparse/block_rows.h"
#include "element/wide.h"
#include <string.h>

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

/* Columns that are eliminated at a time. */
enum { PANEL = 32 };

hk_count hk_dense_room(hk_count n)
{
  return n * PANEL;
}

/* a[n][n], n at most PANEL, becomes its inverse by Gauss and Jordan; rows and columns without a pivot above 0 become zero. */
static void invert_panel(int n, double *a)
{
  for (int k = 0; k < n; k++) {
    const double pivot = a[k * n + k];
    const bool held = !(pivot > 0);
    for (int j = 0; j < n; j++) a[k * n + j] = held ? 0 : a[k * n + j] / pivot;
    a[k * n + k] = held ? 0 : 1 / pivot;
    for (int i = 0; i < n; i++) {
      const double factor = a[i * n + k];
      if (i == k) continue;
      a[i * n + k] = 0;
      for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

/* row[n] -= row[first + q] r[q][n], its columns from first on zero before. */
HK_WIDE static void eliminate(hk_count n, hk_count first, int columns, const double *r, double *row)
{
  double f[PANEL + 3] = {0};
  for (int q = 0; q < columns; q++) f[q] = row[first + q], row[first + q] = 0;
  for (int q = 0; q < columns; q += 4) {
    const double *r0 = r + q * n, *r1 = q + 1 < columns ? r0 + n : r0,
                 *r2 = q + 2 < columns ? r1 + n : r0, *r3 = q + 3 < columns ? r2 + n : r0;
#pragma omp simd
    for (hk_count j = 0; j < n; j++)
      row[j] -= f[q] * r0[j] + f[q + 1] * r1[j] + f[q + 2] * r2[j] + f[q + 3] * r3[j];
  }
}

/* r[columns][n] = inverse[columns][columns] times the rows of a from first on; the inverse itself in its own columns. */
HK_WIDE static void scale_row(hk_count n, hk_count first, int columns, const double *inverse,
                              const double *a, double *r)
{
  for (hk_count j = 0; j < n; j++) r[j] = 0;
  for (int p = 0; p < columns; p++) {
    const double factor = inverse[p], *from = a + (first + p) * n;
#pragma omp simd
    for (hk_count j = 0; j < n; j++) r[j] += factor * from[j];
  }
  memcpy(r + first, inverse, (size_t)columns * sizeof *r);
}

void hk_dense_invert(hk_count n, double *a, double *room)
{
  double inverse[PANEL * PANEL];
  for (hk_count first = 0; first < n; first += PANEL) {
    const int columns = n - first < PANEL ? (int)(n - first) : PANEL;
    for (int q = 0; q < columns; q++)
      memcpy(inverse + q * columns, a + (first + q) * n + first, (size_t)columns * sizeof *inverse);
    invert_panel(columns, inverse);
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int q = 0; q < columns; q++)
        scale_row(n, first, columns, inverse + q * columns, a, room + q * n);
#pragma omp for schedule(static)
      for (hk_count i = 0; i < n; i++)
        if (i < first || i >= first + columns) eliminate(n, first, columns, room, a + i * n);
    }
    memcpy(a + first * n, room, (size_t)(columns * n) * sizeof *a);
  }
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
  rows->group = nodes;
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
