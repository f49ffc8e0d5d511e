/* k-d bisection: splits points at the middle along the longest side of their bounding box, down to
 * patches and on to 8 points, so that neighbours are close within a patch too.
 * Selection (select.h) finds the middle. Ties are decided by the index, so the order does not
 * depend on threads. Ranges of more than SMALL points are OpenMP tasks. None waits for another: the
 * end of the parallel region waits for all. */
#include "graph/order.h"
#include "graph/select.h"
#include <math.h>

enum { SMALL = 16384 }; /* ranges below this are one task */

static int widest_axis(const hk_point *p, hk_index n, int dim)
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
static void bisect(hk_point *p, hk_index n, int dim, hk_index patch)
{
  if (n <= 8) return;
  const hk_index unit = n > patch ? patch : 8;
  const hk_index units = (n + unit - 1) / unit;
  const hk_index cut = units / 2 * unit;
  if (cut <= 0 || cut >= n) return;
  hk_points_select(p, n, cut, widest_axis(p, n, dim));
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
  hk_point *p = NULL;
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
