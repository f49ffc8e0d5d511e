/* Sparse rows of small dense blocks on the host: transpose by counting, and the inverse of one symmetric positive definite block.
 * block[entries][height][width] row by row, columns of a row in a fixed order. The inverse leaves out rows whose pivot is zero to
 * rounding, which is how held degrees of freedom stay zero. */
#include "solver/linear/sparse/block_rows.h"

void hk_block_matrix_clear(hk_block_matrix *m)
{
  hk_free(&m->begin);
  hk_free(&m->column);
  hk_free(&m->block);
  *m = (hk_block_matrix){0};
}

void hk_block_invert(int n, double *a)
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
    for (int j = 0; j < n; j++) a[k * n + j] /= pivot;
    for (int i = 0; i < n; i++) {
      const double factor = a[i * n + k];
      if (i == k) continue;
      a[i * n + k] = 0;
      for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; held[k] && j < n; j++) a[k * n + j] = a[j * n + k] = 0;
}

static hk_status take_entries(hk_block_matrix *m)
{
  hk_status status = HK_OK;
  for (hk_index i = 0; i < m->rows; i++) m->begin[i + 1] += m->begin[i];
  HK_TRY(hk_get(&m->column, m->begin[m->rows]));
  HK_TRY(hk_get(&m->block, m->begin[m->rows] * m->height * m->width));
cleanup:
  return status;
}

hk_status hk_block_transpose(const hk_block_matrix *a, hk_block_matrix *t)
{
  hk_status status = HK_OK;
  hk_count *next = NULL, *from = NULL;
  const int size = a->height * a->width;
  *t = (hk_block_matrix){
      .rows = a->columns, .columns = a->rows, .height = a->width, .width = a->height};
  HK_TRY(hk_get(&t->begin, t->rows + 1));
  HK_TRY(hk_get(&next, t->rows));
  HK_TRY(hk_get(&from, a->begin[a->rows]));
  for (hk_count e = 0; e < a->begin[a->rows]; e++) t->begin[a->column[e] + 1]++;
  HK_TRY(take_entries(t));
  for (hk_index i = 0; i < t->rows; i++) next[i] = t->begin[i];
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++) {
      const hk_count to = next[a->column[e]]++;
      t->column[to] = i, from[to] = e;
    }
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < t->begin[t->rows]; e++)
    for (int i = 0; i < a->height; i++)
      for (int j = 0; j < a->width; j++)
        t->block[e * size + j * a->height + i] = a->block[from[e] * size + i * a->width + j];
cleanup:
  hk_free(&next);
  hk_free(&from);
  if (status != HK_OK) hk_block_matrix_clear(t);
  return status;
}
