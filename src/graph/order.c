/* k-d bisection: splits points at the middle along the longest side of their bounding box, down to
 * patches and on to 8 points, so that neighbours are close within a patch too.
 * Selection (select.h) finds the middle. Ties are decided by the index, so the order does not
 * depend on threads. Ranges of more than SMALL points are OpenMP tasks. None waits for another: the
 * end of the parallel region waits for all. Patches that need not be full are cut where the points leave a gap, as between the layers
 * of a mesh, so that fewer elements have nodes on both sides. */
#include "graph/order.h"
#include "graph/select.h"
#include <math.h>
#include <stdlib.h>

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

enum { BINS = 2048 };

/* Points of a range in bins along an axis. Empty bins between others are a gap if they are more than half as many as in the widest gap. */
typedef struct bins {
  hk_index count[BINS];
  int widest;
  hk_index
      layers; /* what gaps leave between them; 0: gaps are less than a quarter of all bins, and there are no layers */
} bins;

static void fill_bins(const hk_point *p, hk_index n, int axis, bins *b)
{
  int32_t least = p[0].x[axis], most = least;
  for (hk_index i = 1; i < n; i++) {
    if (p[i].x[axis] < least) least = p[i].x[axis];
    if (p[i].x[axis] > most) most = p[i].x[axis];
  }
  const double scale = BINS / ((double)most - least + 1);
  *b = (bins){.layers = 1};
  for (hk_index i = 0; i < n; i++) b->count[(int)(((double)p[i].x[axis] - least) * scale)]++;
}

/* Empty bins right before bin k, if it has points and they are a gap. */
static int gap_before(const bins *b, int k)
{
  int width = 0;
  while (b->count[k] && width < k && !b->count[k - width - 1]) width++;
  return 2 * width > b->widest ? width : 0;
}

static void find_layers(bins *b)
{
  int empty = 0, width = 0;
  for (int k = 0; k < BINS; k++) {
    width = b->count[k] ? 0 : width + 1;
    if (width > b->widest) b->widest = width;
  }
  for (int k = 0; k < BINS; k++)
    if (gap_before(b, k)) b->layers++, empty += gap_before(b, k);
  if (4 * empty < BINS) b->layers = 0;
}

/* The gap nearest to `middle`: how many points come before it. There is one. */
static hk_index nearest_gap(const bins *b, hk_index middle)
{
  hk_index sum = 0, best = 0;
  for (int k = 0; k < BINS; sum += b->count[k++])
    if (gap_before(b, k) && (best == 0 || abs(sum - middle) < abs(best - middle))) best = sum;
  return best;
}

/* Where to cut p[0..n), n > patch: between layers, so that patches become cubes of layers; at a multiple of `patch` if there are no layers. */
static hk_index find_cut(const hk_point *p, hk_index n, int axis, int dim, hk_index patch)
{
  bins b;
  const hk_index patches = (n + patch - 1) / patch;
  fill_bins(p, n, axis, &b);
  find_layers(&b);
  if (b.layers < 2) return patches / 2 * patch;
  const hk_index edge = (hk_index)(pow(patch, 1.0 / dim) + 1e-9),
                 parts = b.layers > edge ? (b.layers + edge - 1) / edge : patches;
  return nearest_gap(&b, (hk_index)((hk_count)n * (parts / 2) / parts));
}

/* Marks where the patches of p[0..n) start. */
static void cut_gaps(hk_point *p, hk_index n, int dim, hk_index patch, char *start)
{
  *start = 1;
  if (n <= patch) {
    bisect(p, n, dim, patch);
    return;
  }
  const int axis = widest_axis(p, n, dim);
  const hk_index cut = find_cut(p, n, axis, dim, patch);
  hk_points_select(p, n, cut, axis);
#pragma omp task if (n > SMALL)
  cut_gaps(p, cut, dim, patch, start);
  cut_gaps(p + cut, n - cut, dim, patch, start + cut);
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

/* start[count]: where patches start, which may end at gaps; NULL: they are full. */
static hk_status order_points(const double *x, int dim, hk_index patch, hk_index count,
                              hk_index *order, char *start)
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
  if (start)
    cut_gaps(p, count, dim, patch, start);
  else
    bisect(p, count, dim, patch);
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < count; i++) order[i] = p[i].index;
cleanup:
  hk_free(&p);
  return status;
}

hk_status hk_order_bisect(const double *x, int dim, hk_index patch, hk_index count, hk_index *order)
{
  return order_points(x, dim, patch, count, order, NULL);
}

hk_status hk_order_gaps(const double *x, int dim, hk_index patch, hk_index count, hk_index *order,
                        hk_index **begin, hk_index *patches)
{
  hk_status status = HK_OK;
  char *start = NULL;
  hk_index n = 0;
  HK_TRY(hk_get(&start, count));
  HK_TRY(order_points(x, dim, patch, count, order, start));
  for (hk_index i = 0; i < count; i++) n += start[i];
  HK_TRY(hk_get(begin, n + 1));
  *patches = n, n = 0;
  for (hk_index i = 0; i < count; i++)
    if (start[i]) (*begin)[n++] = i;
  (*begin)[n] = count;
cleanup:
  hk_free(&start);
  return status;
}
