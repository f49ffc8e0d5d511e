/* k-d bisection: splits points at the middle along the longest side of their bounding box, down to
 * patches and on to 8 points, so that neighbours are close within a patch too.
 * Hoare's selection finds the middle. Ties are decided by all coordinates and the index, so the
 * order does not depend on threads. Ranges of more than SMALL points are OpenMP tasks. None waits
 * for another: the end of the parallel region waits for all. */
#include "graph/order.h"
#include <math.h>

typedef struct point {
  int32_t x[3]; /* in units of 2^-30 of the widest side of all */
  hk_index index;
} point;

enum { SMALL = 16384 }; /* ranges below this are one task */

/* Order along an axis: unlike for any two points. */
static int64_t key(const point *p, int axis)
{
  return (int64_t)p->x[axis] << 32 | (uint32_t)p->index;
}

static void swap(point *a, point *b)
{
  const point t = *a;
  *a = *b, *b = t;
}

/* Parts p[low..high] by the median of three; returns where it comes to stand. Without branches on
 * the order, which cannot be predicted. */
static hk_index part(point *p, hk_index low, hk_index high, int axis)
{
  const hk_index middle = low + (high - low) / 2;
  if (key(&p[middle], axis) < key(&p[low], axis)) swap(&p[middle], &p[low]);
  if (key(&p[high], axis) < key(&p[low], axis)) swap(&p[high], &p[low]);
  if (key(&p[middle], axis) < key(&p[high], axis)) swap(&p[high], &p[middle]);
  const int64_t pivot = key(&p[high], axis);
  hk_index at = low;
  for (hk_index i = low; i < high; i++) {
    const point t = p[i];
    p[i] = p[at], p[at] = t;
    at += key(&t, axis) < pivot;
  }
  swap(&p[at], &p[high]);
  return at;
}

/* p[0..k) come before p[k..n) along the axis: Hoare's selection. */
static void select_kth(point *p, hk_index n, hk_index k, int axis)
{
  hk_index low = 0, high = n - 1;
  while (low < high) {
    const hk_index at = part(p, low, high, axis);
    if (at == k) return;
    if (k < at)
      high = at - 1;
    else
      low = at + 1;
  }
}

static int widest_axis(const point *p, hk_index n, int dim)
{
  int32_t low[3], high[3];
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
}

/* The corner of the box of the points listed, and what makes its widest side 2^30. */
static double find_units(const double *x, int dim, hk_index count, const hk_index *order,
                         double *corner)
{
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
         side = 0;
#pragma omp parallel for schedule(static) reduction(min : low[:3]) reduction(max : high[:3])
  for (hk_index i = 0; i < count; i++)
    for (int d = 0; d < dim; d++) {
      const double at = x[(hk_count)order[i] * dim + d];
      if (at < low[d]) low[d] = at;
      if (at > high[d]) high[d] = at;
    }
  for (int d = 0; d < dim; d++) corner[d] = low[d], side = fmax(side, high[d] - low[d]);
  return side > 0 ? 0x1p30 / side : 0;
}

hk_status hk_order_bisect(const double *x, int dim, hk_index patch, hk_index count, hk_index *order)
{
  hk_status status = HK_OK;
  point *p = NULL;
  double low[3];
  HK_TRY(hk_get(&p, count));
  const double units = find_units(x, dim, count, order, low);
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < count; i++) {
    p[i].index = order[i];
    for (int d = 0; d < dim; d++)
      p[i].x[d] = (int32_t)((x[(hk_count)order[i] * dim + d] - low[d]) * units);
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
