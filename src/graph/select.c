/* Hoare's selection about the median of three. On regular grids these medians can lie near an end again and again (an even grid of m^3 nodes in
 * the order of its lines takes about 0.4 m passes). Then a sorted sample of the points that are left gives the pivot. */
#include "graph/select.h"

/* Points compared, per point, before samples are taken; ranges below SMALL are never sampled. */
enum { PASSES = 8, SMALL = 16384, SAMPLE = 64 };

/* Order along an axis: unlike for any two points. */
static int64_t key(const hk_point *p, int axis)
{
  return (int64_t)p->x[axis] << 32 | (uint32_t)p->index;
}

static void swap(hk_point *a, hk_point *b)
{
  const hk_point t = *a;
  *a = *b, *b = t;
}

/* Of p[low..high] the median of the first, the middle and the last comes to stand last. */
static void put_median(hk_point *p, hk_index low, hk_index high, int axis)
{
  const hk_index middle = low + (high - low) / 2;
  if (key(&p[middle], axis) < key(&p[low], axis)) swap(&p[middle], &p[low]);
  if (key(&p[high], axis) < key(&p[low], axis)) swap(&p[high], &p[low]);
  if (key(&p[middle], axis) < key(&p[high], axis)) swap(&p[high], &p[middle]);
}

/* A point of about the rank k comes to stand last: of a sample from places without a pattern (a linear congruential generator) the one whose part
 * of the sample comes before it. */
static void put_likely(hk_point *p, hk_index low, hk_index high, hk_index k, int axis)
{
  hk_index at[SAMPLE];
  uint64_t state = (uint64_t)low;
  for (int s = 0; s < SAMPLE; s++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const hk_index place = low + (hk_index)((state >> 33) % (uint64_t)(high - low + 1));
    int to = s;
    for (; to > 0 && key(&p[place], axis) < key(&p[at[to - 1]], axis); to--) at[to] = at[to - 1];
    at[to] = place;
  }
  swap(&p[at[(hk_count)(k - low) * SAMPLE / (high - low + 1)]], &p[high]);
}

/* Parts p[low..high] by its last point; returns where that comes to stand. Without branches on the order, which cannot be predicted. */
static hk_index part(hk_point *p, hk_index low, hk_index high, int axis)
{
  const int64_t pivot = key(&p[high], axis);
  hk_index at = low;
  for (hk_index i = low; i < high; i++) {
    const hk_point t = p[i];
    p[i] = p[at], p[at] = t;
    at += key(&t, axis) < pivot;
  }
  swap(&p[at], &p[high]);
  return at;
}

hk_count hk_points_select(hk_point *p, hk_index n, hk_index k, int axis)
{
  hk_index low = 0, high = n - 1;
  hk_count compared = 0;
  while (low < high) {
    if (n >= SMALL && compared > (hk_count)PASSES * n)
      put_likely(p, low, high, k, axis);
    else
      put_median(p, low, high, axis);
    const hk_index at = part(p, low, high, axis);
    compared += high - low;
    if (at == k) break;
    if (k < at)
      high = at - 1;
    else
      low = at + 1;
  }
  return compared;
}
