#include "solver/block_rows.h"

void hk_block_matrix_clear(hk_block_matrix *m)
{
  hk_free(&m->begin);
  hk_free(&m->column);
  hk_free(&m->block);
  *m = (hk_block_matrix){0};
}

void hk_block_invert(int n, double *a)
{
  bool held[HK_MOST_BLOCK];
  double scale[HK_MOST_BLOCK];
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

/* One thread's row of a product: where each column stands in it. */
typedef struct row {
  hk_index *place;  /* place[columns]: -1: not in the row */
  hk_index *column; /* column[count] */
  hk_index count;
  hk_count capacity;
} row;

static hk_status find_row(const hk_block_matrix *a, const hk_block_matrix *b, hk_index i, row *r)
{
  hk_status status = HK_OK;
  r->count = 0;
  for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++) {
    const hk_index j = a->column[e];
    HK_TRY(hk_reserve(&r->column, r->count + b->begin[j + 1] - b->begin[j], &r->capacity));
    for (hk_count f = b->begin[j]; f < b->begin[j + 1]; f++)
      if (r->place[b->column[f]] < 0)
        r->place[b->column[f]] = r->count, r->column[r->count++] = b->column[f];
  }
cleanup:
  return status;
}

/* c[h][q] += a[h][w] b[w][q] */
static inline __attribute__((always_inline)) void add_product(int h, int w, int q,
                                                              const double *restrict a,
                                                              const double *restrict b,
                                                              double *restrict c)
{
  for (int i = 0; i < h; i++)
    for (int k = 0; k < w; k++)
      for (int j = 0; j < q; j++) c[i * q + j] += a[i * w + k] * b[k * q + j];
}

#define ROW_OF(h, w, q)                                                                            \
  for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)                                         \
    for (hk_count f = b->begin[a->column[e]]; f < b->begin[a->column[e] + 1]; f++)                 \
  add_product(h, w, q, a->block + e * ((h) * (w)), b->block + f * ((w) * (q)),                     \
              to + (hk_count)r->place[b->column[f]] * ((h) * (q)))

/* Blocks of known sizes are unrolled by the compiler. */
static void fill_row(const hk_block_matrix *a, const hk_block_matrix *b, hk_index i, const row *r,
                     double *to)
{
  const int size = a->height * 100 + a->width * 10 + b->width;
  if (size == 336)
    ROW_OF(3, 3, 6);
  else if (size == 636)
    ROW_OF(6, 3, 6);
  else if (size == 666)
    ROW_OF(6, 6, 6);
  else if (size == 223)
    ROW_OF(2, 2, 3);
  else
    ROW_OF(a->height, a->width, b->width);
}

static void forget(row *r)
{
  for (hk_index k = 0; k < r->count; k++) r->place[r->column[k]] = -1;
}

/* First lengths in begin[i + 1], then, once the arrays are there, columns and blocks. */
static hk_status pass(const hk_block_matrix *a, const hk_block_matrix *b, hk_block_matrix *c)
{
  hk_failure failure = {0};
#pragma omp parallel
  {
    row r = {0};
    hk_status status = hk_get(&r.place, b->columns);
    for (hk_index j = 0; status == HK_OK && j < b->columns; j++) r.place[j] = -1;
#pragma omp for schedule(dynamic, 64)
    for (hk_index i = 0; i < a->rows; i++) {
      if (status == HK_OK) status = find_row(a, b, i, &r);
      if (status != HK_OK) continue;
      if (c->column) {
        for (hk_index k = 0; k < r.count; k++) c->column[c->begin[i] + k] = r.column[k];
        fill_row(a, b, i, &r, c->block + c->begin[i] * c->height * c->width);
      } else
        c->begin[i + 1] = r.count;
      forget(&r);
    }
    hk_free(&r.place);
    hk_free(&r.column);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
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

hk_status hk_block_multiply(const hk_block_matrix *a, const hk_block_matrix *b, hk_block_matrix *c)
{
  hk_status status = HK_OK;
  *c = (hk_block_matrix){
      .rows = a->rows, .columns = b->columns, .height = a->height, .width = b->width};
  HK_TRY(hk_get(&c->begin, c->rows + 1));
  HK_TRY(pass(a, b, c));
  HK_TRY(take_entries(c));
  HK_TRY(pass(a, b, c));
cleanup:
  if (status != HK_OK) hk_block_matrix_clear(c);
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
