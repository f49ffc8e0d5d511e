#include "graph/order.h"
#include <string.h>

typedef struct point {
  float x[3];
  hk_index index;
} point;

enum { SMALL = 16384 }; /* ranges below this are one task */

static bool before(const point *a, const point *b, int axis)
{
  return a->x[axis] < b->x[axis] || (a->x[axis] == b->x[axis] && a->index < b->index);
}

static void swap(point *a, point *b)
{
  const point t = *a;
  *a = *b, *b = t;
}

/* p[0..k) come before p[k..n) along the axis: Hoare's selection with the median of three. */
static void select_kth(point *p, hk_index n, hk_index k, int axis)
{
  hk_index low = 0, high = n - 1;
  while (low < high) {
    const hk_index middle = low + (high - low) / 2;
    if (before(&p[middle], &p[low], axis)) swap(&p[middle], &p[low]);
    if (before(&p[high], &p[low], axis)) swap(&p[high], &p[low]);
    if (before(&p[high], &p[middle], axis)) swap(&p[high], &p[middle]);
    const point pivot = p[middle];
    hk_index i = low, j = high;
    while (i <= j) {
      while (before(&p[i], &pivot, axis)) i++;
      while (before(&pivot, &p[j], axis)) j--;
      if (i <= j) swap(&p[i++], &p[j--]);
    }
    if (k <= j)
      high = j;
    else if (k >= i)
      low = i;
    else
      return;
  }
}

static int widest_axis(const point *p, hk_index n, int dim)
{
  float low[3], high[3];
  for (int d = 0; d < dim; d++) low[d] = high[d] = p[0].x[d];
  for (hk_index i = 1; i < n; i++)
    for (int d = 0; d < dim; d++) {
      if (p[i].x[d] < low[d]) low[d] = p[i].x[d];
      if (p[i].x[d] > high[d]) high[d] = p[i].x[d];
    }
  int axis = 0;
  for (int d = 1; d < dim; d++)
    if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
  return axis;
}

/* Ranges of a patch and less are bisected on, down to 8 points, so that neighbours lie close within
 * a patch too. */
static void bisect(point *p, hk_index n, int dim, hk_index patch)
{
  if (n <= 8) return;
  const hk_index unit = n > patch ? patch : 8;
  const hk_index units = (n + unit - 1) / unit;
  const hk_index cut = units / 2 * unit;
  if (cut <= 0 || cut >= n) return;
  select_kth(p, n, cut, widest_axis(p, n, dim));
#pragma omp task if (n > SMALL)
  bisect(p, cut, dim, patch);
  bisect(p + cut, n - cut, dim, patch);
#pragma omp taskwait
}

hk_status hk_order_bisect(const double *x, int dim, hk_index patch, hk_index count, hk_index *order)
{
  hk_status status = HK_OK;
  point *p = NULL;
  HK_TRY(hk_get(&p, count));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < count; i++) {
    p[i].index = order[i];
    for (int d = 0; d < dim; d++) p[i].x[d] = (float)x[(hk_count)order[i] * dim + d];
  }
#pragma omp parallel
#pragma omp single
  bisect(p, count, dim, patch);
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < count; i++) order[i] = p[i].index;
cleanup:
  hk_free(&p);
  return status;
}
