/* Hoare's selection about the median of three. On regular grids these medians can lie near an end again and again (an even grid of m^3 nodes in
 * the order of its lines takes about 0.4 m passes). Then a sorted sample of the points that are left gives the pivot. Large ranges are parted by
 * all threads (part_large), and each point comes to stand where one thread would have put it. */
#include "graph/select.h"
#include <string.h>

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

/* Parting of a large range by pieces. `part` exchanges point i with the first one that is not below the pivot, at L(i), if L(i) of those before
 * point i are below. So the k-th point below comes to stand at k. Another point i comes to stand at L(i), and the next exchange moves it to i + 1.
 * Who stands at j waits there until L = j, which is after the j-th point below, at below[j - 1], and is then moved to the place behind that. */
typedef struct parting {
  hk_point *p, *copy;
  hk_index *below; /* below[k]: place of the k-th point below the pivot */
  hk_index count, all_below;
  int axis;
  int64_t pivot;
} parting;

enum { PIECES = 128 };

static hk_index piece(const parting *k, int number)
{
  return (hk_index)((hk_count)k->count * number / PIECES);
}

static hk_index count_below(const parting *k, int number)
{
  hk_index sum = 0;
  for (hk_index i = piece(k, number); i < piece(k, number + 1); i++)
    sum += key(&k->p[i], k->axis) < k->pivot;
  return sum;
}

static void move_below(const parting *k, int number, hk_index to)
{
  for (hk_index i = piece(k, number); i < piece(k, number + 1); i++) {
    if (key(&k->p[i], k->axis) >= k->pivot) continue;
    k->copy[to] = k->p[i];
    k->below[to++] = i;
  }
}

static void move_others(const parting *k, int number)
{
  for (hk_index i = piece(k, number); i < piece(k, number + 1); i++) {
    if (key(&k->p[i], k->axis) < k->pivot) continue;
    hk_index at = i + 1;
    while (at < k->count && at <= k->all_below) {
      const hk_index next = k->below[at - 1] + 1;
      if (next == k->count) break;
      at = next;
    }
    if (at == k->count) at = k->all_below;
    k->copy[at] = k->p[i];
  }
}

static void put_back(const parting *k, int number)
{
  const hk_index first = piece(k, number), end = piece(k, number + 1);
  memcpy(k->p + first, k->copy + first, (size_t)(end - first) * sizeof *k->p);
}

/* As `part`. */
static hk_index part_large(hk_point *p, hk_index low, hk_index high, int axis,
                           const hk_select_room *room)
{
  const hk_count first = p + low - room->first;
  hk_index begin[PIECES + 1] = {0};
  parting k = {.p = p + low,
               .copy = room->copy + first,
               .below = room->below + first,
               .count = high - low,
               .axis = axis,
               .pivot = key(&p[high], axis)};
#pragma omp taskloop grainsize(1) shared(begin, k)
  for (int c = 0; c < PIECES; c++) begin[c + 1] = count_below(&k, c);
  for (int c = 0; c < PIECES; c++) begin[c + 1] += begin[c];
  k.all_below = begin[PIECES];
#pragma omp taskloop grainsize(1) shared(begin, k)
  for (int c = 0; c < PIECES; c++) move_below(&k, c, begin[c]);
#pragma omp taskloop grainsize(1) shared(k)
  for (int c = 0; c < PIECES; c++) move_others(&k, c);
#pragma omp taskloop grainsize(1) shared(k)
  for (int c = 0; c < PIECES; c++) put_back(&k, c);
  swap(&p[low + k.all_below], &p[high]);
  return low + k.all_below;
}

hk_count hk_points_select(hk_point *p, hk_index n, hk_index k, int axis, const hk_select_room *room)
{
  hk_index low = 0, high = n - 1;
  hk_count compared = 0;
  while (low < high) {
    if (n >= SMALL && compared > (hk_count)PASSES * n)
      put_likely(p, low, high, k, axis);
    else
      put_median(p, low, high, axis);
    const hk_index at = room && high - low >= room->least ? part_large(p, low, high, axis, room)
                                                          : part(p, low, high, axis);
    compared += high - low;
    if (at == k) break;
    if (k < at)
      high = at - 1;
    else
      low = at + 1;
  }
  return compared;
}
