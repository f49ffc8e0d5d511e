/* k-d bisection: splits points at the middle along the longest side of their bounding box, down to
 * patches and on to 8 points, so that neighbours are close within a patch too.
 * Selection (select.h) finds the middle. Ties are decided by the index, so the order does not
 * depend on threads. Ranges of more than SMALL points are OpenMP tasks, which do not wait for one another.
 * The first ranges are fewer than the threads, so that all threads look at them and part them piece by piece (select.h). Patches that need not be full are cut where the points leave a gap, as between the layers
 * of a mesh, so that fewer elements have nodes on both sides. */
#include "graph/order.h"
#include "graph/select.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum {
  SMALL = 16384,
  LARGE = 1 << 16
};                    /* ranges below SMALL are one task; from LARGE on several */
enum { PIECES = 32 }; /* of a large range */

typedef struct cutting {
  int dim;
  hk_index patch;
  const hk_select_room *room; /* NULL: no range is large */
} cutting;

static bool is_large(const cutting *k, hk_index n)
{
  return k->room && n >= k->room->least;
}

typedef struct box {
  int32_t low[3], high[3];
} box;

static box box_of(const hk_point *p, hk_index n, int dim)
{
  box b;
  for (int d = 0; d < dim; d++) b.low[d] = b.high[d] = p[0].x[d];
  for (hk_index i = 1; i < n; i++)
    for (int d = 0; d < dim; d++) {
      if (p[i].x[d] < b.low[d]) b.low[d] = p[i].x[d];
      if (p[i].x[d] > b.high[d]) b.high[d] = p[i].x[d];
    }
  return b;
}

static hk_index piece(hk_index n, int number)
{
  return (hk_index)((hk_count)n * number / PIECES);
}

static box box_of_large(const hk_point *p, hk_index n, int dim)
{
  box part[PIECES];
#pragma omp taskloop grainsize(1) shared(part)
  for (int c = 0; c < PIECES; c++)
    part[c] = box_of(p + piece(n, c), piece(n, c + 1) - piece(n, c), dim);
  for (int c = 1; c < PIECES; c++)
    for (int d = 0; d < dim; d++) {
      if (part[c].low[d] < part[0].low[d]) part[0].low[d] = part[c].low[d];
      if (part[c].high[d] > part[0].high[d]) part[0].high[d] = part[c].high[d];
    }
  return part[0];
}

static int widest_axis(const cutting *k, const box *b)
{
  int axis = 0;
  for (int d = 1; d < k->dim; d++)
    if (b->high[d] - b->low[d] > b->high[axis] - b->low[axis]) axis = d;
  return axis;
}

static box find_box(const cutting *k, const hk_point *p, hk_index n)
{
  return is_large(k, n) ? box_of_large(p, n, k->dim) : box_of(p, n, k->dim);
}

/* Ranges of a patch and less are bisected on, down to 8 points, so that neighbours lie close within
 * a patch too. */
static void bisect(const cutting *k, hk_point *p, hk_index n)
{
  if (n <= 8) return;
  const hk_index unit = n > k->patch ? k->patch : 8;
  const hk_index units = (n + unit - 1) / unit;
  const hk_index cut = units / 2 * unit;
  if (cut <= 0 || cut >= n) return;
  const box b = find_box(k, p, n);
  hk_points_select(p, n, cut, widest_axis(k, &b), k->room);
#pragma omp task if (n > SMALL)
  bisect(k, p, cut);
  bisect(k, p + cut, n - cut);
}

enum { BINS = 2048 };

/* Points of a range in bins along an axis. Empty bins between others are a gap if they are more than half as many as in the widest gap. */
typedef struct bins {
  hk_index count[BINS];
  int widest;
  hk_index
      layers; /* what gaps leave between them; 0: gaps are less than a quarter of all bins, and there are no layers */
} bins;

/* Adds p[0..n) to count[BINS], from `least` on. */
static void count_points(const hk_point *p, hk_index n, int axis, int32_t least, double scale,
                         hk_index *count)
{
  for (hk_index i = 0; i < n; i++) count[(int)(((double)p[i].x[axis] - least) * scale)]++;
}

/* The same of a large range. */
static void count_large(const hk_point *p, hk_index n, int axis, int32_t least, double scale,
                        hk_index *count)
{
  hk_index part[PIECES][BINS];
#pragma omp taskloop grainsize(1) shared(part)
  for (int c = 0; c < PIECES; c++) {
    for (int b = 0; b < BINS; b++) part[c][b] = 0;
    count_points(p + piece(n, c), piece(n, c + 1) - piece(n, c), axis, least, scale, part[c]);
  }
  for (int c = 0; c < PIECES; c++)
    for (int b = 0; b < BINS; b++) count[b] += part[c][b];
}

static void fill_bins(const cutting *k, const hk_point *p, hk_index n, int axis, const box *of,
                      bins *b)
{
  const int32_t least = of->low[axis];
  const double scale = BINS / ((double)of->high[axis] - least + 1);
  *b = (bins){.layers = 1};
  if (is_large(k, n))
    count_large(p, n, axis, least, scale, b->count);
  else
    count_points(p, n, axis, least, scale, b->count);
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

/* How many of n points, n > patch, come before the middle of so many layers: parts of them are as wide as a cube of `patch` points. */
static hk_index middle_of(hk_index layers, hk_count n, int dim, hk_index patch)
{
  const hk_index edge = (hk_index)(pow(patch, 1.0 / dim) + 1e-9);
  const hk_count parts = layers > edge ? (layers + edge - 1) / edge : (n + patch - 1) / patch;
  return (hk_index)(n * (parts / 2) / parts);
}

/* Where to cut p[0..n), n > patch: between layers, so that patches become cubes of layers; at a multiple of `patch` if there are no layers. */
static hk_index find_cut(const cutting *k, const hk_point *p, hk_index n, int axis, const box *of)
{
  bins b;
  fill_bins(k, p, n, axis, of, &b);
  find_layers(&b);
  if (b.layers < 2) return (n + k->patch - 1) / k->patch / 2 * k->patch;
  return nearest_gap(&b, middle_of(b.layers, n, k->dim, k->patch));
}

/* Marks where the patches of p[0..n) start. */
static void cut_gaps(const cutting *k, hk_point *p, hk_index n, char *start)
{
  *start = 1;
  if (n <= k->patch) {
    bisect(k, p, n);
    return;
  }
  const box b = find_box(k, p, n);
  const int axis = widest_axis(k, &b);
  const hk_index cut = find_cut(k, p, n, axis, &b);
  hk_points_select(p, n, cut, axis, k->room);
#pragma omp task if (n > SMALL)
  cut_gaps(k, p, cut, start);
  cut_gaps(k, p + cut, n - cut, start + cut);
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

/* Where few threads share large ranges, more is written for it than is won. */
static hk_status make_room(hk_pool *pool, hk_count count, hk_point *p, hk_select_room *room)
{
  enum { FEW = 4 };
  const int threads = omp_get_max_threads();
  const hk_count least = count / (2 * threads);
  *room = (hk_select_room){.first = p, .least = (hk_index)(least < LARGE ? LARGE : least)};
  if (threads < FEW || count < LARGE) return HK_OK;
  HK_PASS(hk_pool_get(pool, &room->copy, count));
  return hk_pool_get(pool, &room->below, count);
}

/* start[count]: where patches start, which may end at gaps; NULL: they are full. */
static hk_status order_points(const double *x, int dim, hk_index patch, hk_index count,
                              hk_index *order, char *start)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_select_room room;
  hk_point *p;
  double low[3];
  HK_TRY(hk_pool_get(&pool, &p, count));
  HK_TRY(make_room(&pool, count, p, &room));
  const cutting k = {.dim = dim, .patch = patch, .room = room.below ? &room : NULL};
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
    cut_gaps(&k, p, count, start);
  else
    bisect(&k, p, count);
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < count; i++) order[i] = p[i].index;
cleanup:
  hk_pool_clear(&pool);
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

hk_count hk_order_grid_patches(const hk_index *layers, const double *distance, int dim,
                               hk_index patch)
{
  hk_index part[3] = {1, 1, 1};
  hk_count n = 1;
  int axis = 0;
  for (int d = 0; d < dim; d++) {
    n *= part[d] = layers[d];
    if ((layers[d] - 1) * distance[d] > (layers[axis] - 1) * distance[axis]) axis = d;
  }
  if (n <= patch || layers[axis] < 2) return (n + patch - 1) / patch;
  const hk_count each = n / layers[axis], middle = middle_of(layers[axis], n, dim, patch);
  hk_count before = (2 * middle + each - 1) / (2 * each); /* of two as near the first */
  if (before < 1) before = 1;
  if (before >= layers[axis]) before = layers[axis] - 1;
  part[axis] = (hk_index)before;
  const hk_count first = hk_order_grid_patches(part, distance, dim, patch);
  part[axis] = layers[axis] - (hk_index)before;
  return first + hk_order_grid_patches(part, distance, dim, patch);
}
