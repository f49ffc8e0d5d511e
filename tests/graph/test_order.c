/* Bisection of points by 1 to 5 threads gives the order of a plain one by one thread: random points, clusters, places of a grid that coincide,
 * points in order and all in one place, in 2 and 3 dimensions, with patches from 32 points to more than all. The middle of a grid is found in
 * a few passes. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include "base/base.h"
#include "graph/order.h"
#include "space/layers.h"
#include "graph/select.h"
#include "support/check.h"

enum { MOST = 150000, CLOUDS = 5 };

typedef struct place {
  int64_t x[3];
  hk_index index;
} place;

static bool is_before(const place *a, const place *b, int axis)
{
  return a->x[axis] != b->x[axis] ? a->x[axis] < b->x[axis] : a->index < b->index;
}

static void exchange(place *a, place *b)
{
  const place t = *a;
  *a = *b, *b = t;
}

/* p[low..high] about the median of three. */
static hk_index part(place *p, hk_index low, hk_index high, int axis)
{
  const hk_index middle = low + (high - low) / 2;
  hk_index at = low;
  if (is_before(&p[middle], &p[low], axis)) exchange(&p[middle], &p[low]);
  if (is_before(&p[high], &p[low], axis)) exchange(&p[high], &p[low]);
  if (is_before(&p[middle], &p[high], axis)) exchange(&p[high], &p[middle]);
  for (hk_index i = low; i < high; i++) {
    exchange(&p[i], &p[at]);
    at += is_before(&p[at], &p[high], axis);
  }
  exchange(&p[at], &p[high]);
  return at;
}

static void bisect(place *p, hk_index n, hk_index patch)
{
  const hk_index unit = n > patch ? patch : 8, cut = (n + unit - 1) / unit / 2 * unit;
  int64_t widest = -1;
  int axis = 0;
  if (n <= 8 || cut >= n) return;
  for (int d = 0; d < 3; d++) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (hk_index i = 0; i < n; i++) {
      if (p[i].x[d] < low) low = p[i].x[d];
      if (p[i].x[d] > high) high = p[i].x[d];
    }
    if (high - low > widest) widest = high - low, axis = d;
  }
  for (hk_index low = 0, high = n - 1, at; low < high;) {
    at = part(p, low, high, axis);
    if (at == cut) break;
    if (cut < at)
      high = at - 1;
    else
      low = at + 1;
  }
  bisect(p, cut, patch);
  bisect(p + cut, n - cut, patch);
}

/* Coordinates are multiples of 2^-30 within 0 and 1, both included, so that the plain order needs no units. */
static double coordinate(int cloud, hk_index i, int d)
{
  static const int across = 45;
  const double random = (double)(rand() % (1 << 20)) * 0x1p-20;
  if (i < 2) return i;
  switch (cloud) {
  case 0: return random;
  case 1: return i % 3 ? random : random / 1024;
  case 2: return (double)(rand() % across) / 64;
  case 3: return (double)(i * (d + 1)) * 0x1p-20;
  default: return 0.5;
  }
}

static void plain_order(const double *x, int dim, hk_index patch, hk_index count, hk_index *order)
{
  place *p = NULL;
  ok(hk_get(&p, count));
  for (hk_index i = 0; i < count; i++) {
    p[i].index = i;
    for (int d = 0; d < dim; d++) p[i].x[d] = (int64_t)(x[(hk_count)i * dim + d] * 0x1p30);
  }
  bisect(p, count, patch);
  for (hk_index i = 0; i < count; i++) order[i] = p[i].index;
  hk_free(&p);
}

static void check(int cloud, int dim, hk_index patch, hk_index count)
{
  double *x = NULL;
  hk_index *plain = NULL, *order = NULL;
  ok(hk_get(&x, (hk_count)count * dim));
  ok(hk_get(&plain, count));
  ok(hk_get(&order, count));
  for (hk_count i = 0; i < (hk_count)count * dim; i++)
    x[i] = coordinate(cloud, (hk_index)(i / dim), (int)(i % dim));
  plain_order(x, dim, patch, count, plain);
  for (int threads = 1; threads <= 5; threads++) {
    omp_set_num_threads(threads);
    for (hk_index i = 0; i < count; i++) order[i] = i;
    ok(hk_order_bisect(x, dim, patch, count, order));
    for (hk_index i = 0; i < count; i++) assert_int_equal(order[i], plain[i]);
  }
  hk_free(&x);
  hk_free(&plain);
  hk_free(&order);
}

static void order_of_all_threads(void **state)
{
  static const hk_index patch[] = {32, 1000, 100000, 2 * MOST};
  (void)state;
  for (int cloud = 0; cloud < CLOUDS; cloud++)
    for (int dim = 2; dim <= 3; dim++)
      check(cloud, dim, patch[(cloud + dim) % 4], MOST - 1111 * cloud);
}

/* Of a cube of even sides, node after node along its lines, p[0..n / 2) come before the others along each axis, after no more than 12 n
 * comparisons: medians of three alone take 25 n. */
static void middle_of_a_grid(void **state)
{
  enum { SIDE = 64, ALL = SIDE * SIDE * SIDE };
  hk_point *p = NULL;
  (void)state;
  ok(hk_get(&p, ALL));
  for (int axis = 0; axis < 3; axis++) {
    for (hk_index i = 0; i < ALL; i++)
      p[i] = (hk_point){{i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)}, i};
    assert_in_range(hk_points_select(p, ALL, ALL / 2, axis, NULL), ALL - 1, 12 * ALL);
    for (hk_index i = 0; i < ALL; i++) assert_int_equal(p[i].x[axis] >= SIDE / 2, i >= ALL / 2);
  }
  hk_free(&p);
}

/* All threads leave points in the order in which one thread leaves them, whichever part of them comes before the cut: 0, 1, half, all but one. The
 * range lies behind others, and some points have the same place. */
static void parts_of_all_threads(void **state)
{
  enum { BEFORE = 1000, ALL = 50000, SIDES = 3 };
  static const hk_index cut[] = {0, 1, 7, ALL / 3, ALL / 2, ALL - 1};
  static const int32_t side[SIDES] = {5, 1000, 1 << 30};
  hk_pool pool = {0};
  hk_point *p, *plain;
  hk_select_room room = {.least = 2};
  (void)state;
  srand(7);
  ok(hk_pool_get(&pool, &p, BEFORE + ALL));
  ok(hk_pool_get(&pool, &plain, BEFORE + ALL));
  ok(hk_pool_get(&pool, &room.copy, BEFORE + ALL));
  ok(hk_pool_get(&pool, &room.below, BEFORE + ALL));
  room.first = p;
  omp_set_num_threads(4);
  for (int way = 0; way < 6 * SIDES; way++) {
    for (hk_index i = 0; i < BEFORE + ALL; i++)
      plain[i] = p[i] = (hk_point){{rand() % side[way / 6], way % 6 ? rand() % 9 : i, i}, i};
    hk_points_select(plain + BEFORE, ALL, cut[way % 6], way / 6 % 2, NULL);
#pragma omp parallel
#pragma omp single
    hk_points_select(p + BEFORE, ALL, cut[way % 6], way / 6 % 2, &room);
    assert_memory_equal(p, plain, (BEFORE + ALL) * sizeof *p);
  }
  hk_pool_clear(&pool);
}

/* Patches of a jittered grid of 24 x 16 x 13 points in random order are boxes of at most 8 layers each way; those of points without layers are full
 * but for the last. The same by any number of threads. */
static void patches_between_layers(void **state)
{
  enum { A = 24, B = 16, C = 13, ALL = A * B * C, PATCH = 512 };
  static double x[3 * ALL];
  static hk_index order[ALL], again[ALL];
  (void)state;
  for (int random = 0; random < 2; random++) {
    hk_index *begin = NULL, patches = 0, seen = 0;
    srand(3);
    for (hk_index i = 0; i < ALL; i++) {
      const hk_index k = i * 7 % ALL, at[3] = {k % A, k / A % B, k / (A * B)};
      for (int d = 0; d < 3; d++)
        x[3 * i + d] = (random ? A : at[d] + 0.2) * 1.0 + (random ? A : 0.4) * rand() / RAND_MAX;
      order[i] = i;
    }
    ok(hk_order_gaps(x, 3, PATCH, ALL, order, &begin, &patches));
    assert_int_equal(patches, random ? (ALL + PATCH - 1) / PATCH : 3 * 2 * 2);
    assert_int_equal(begin[0], 0);
    assert_int_equal(begin[patches], ALL);
    for (hk_index p = 0; p < patches; p++) {
      hk_index low[3] = {A, A, A}, high[3] = {0, 0, 0};
      const hk_index count = begin[p + 1] - begin[p];
      assert_in_range(count, random && p + 1 < patches ? PATCH : 1, PATCH);
      for (hk_index i = begin[p]; i < begin[p + 1]; i++) {
        const hk_index k = order[i] * 7 % ALL, at[3] = {k % A, k / A % B, k / (A * B)};
        seen += k;
        for (int d = 0; d < 3; d++) {
          if (at[d] < low[d]) low[d] = at[d];
          if (at[d] > high[d]) high[d] = at[d];
        }
      }
      hk_index box = 1;
      for (int d = 0; d < 3; d++) box *= high[d] - low[d] + 1;
      if (!random) assert_int_equal(box, count);
      for (int d = 0; d < 3 && !random; d++) assert_in_range(high[d] - low[d], 5, 7);
    }
    assert_int_equal(seen, ALL / 2 * (ALL - 1));
    for (int threads = 1; threads <= 4; threads++) {
      hk_index *other = NULL, n = 0;
      omp_set_num_threads(threads);
      for (hk_index i = 0; i < ALL; i++) again[i] = i;
      ok(hk_order_gaps(x, 3, PATCH, ALL, again, &other, &n));
      assert_int_equal(n, patches);
      assert_memory_equal(again, order, sizeof order);
      assert_memory_equal(other, begin, (size_t)(n + 1) * sizeof *begin);
      hk_free(&other);
    }
    hk_free(&begin);
  }
}

/* Grids of few and many layers, with equal and unequal distances, have as many patches as their numbers of layers tell. */
static void patches_of_a_grid(void **state)
{
  static const hk_index grid[][3] = {{34, 34, 34}, {24, 16, 13}, {100, 7, 9}, {8, 8, 8},
                                     {65, 40, 33}, {9, 9, 9},    {2, 300, 3}, {47, 47, 47}};
  static const double distance[][3] = {{1, 1, 1}, {1, 2, 0.7}};
  (void)state;
  for (int g = 0; g < 16; g++) {
    const hk_index *n = grid[g / 2], all = n[0] * n[1] * n[2];
    const double *h = distance[g % 2];
    hk_index *order = NULL, *begin = NULL, patches = 0;
    double *x = NULL;
    ok(hk_get(&order, all));
    ok(hk_get(&x, 3 * (hk_count)all));
    for (hk_index i = 0; i < all; i++) {
      const hk_index at[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
      for (int d = 0; d < 3; d++) x[3 * i + d] = h[d] * at[d];
      order[i] = i;
    }
    ok(hk_order_gaps(x, 3, 512, all, order, &begin, &patches));
    assert_int_equal(hk_order_grid_patches(n, h, 3, 512), patches);
    hk_free(&order);
    hk_free(&begin);
    hk_free(&x);
  }
}

/* A gap far from the middle leaves points on both sides of it. */
static void gap_near_an_end(void **state)
{
  enum { ALL = 1200, FEW = 20, PATCH = 512 };
  static double x[3 * ALL];
  static hk_index order[ALL];
  hk_index *begin = NULL, patches = 0;
  (void)state;
  for (hk_index i = 0; i < ALL; i++) {
    x[3 * i] = i < FEW ? 50 + 0.01 * i : 1e-4 * i, order[i] = i;
    x[3 * i + 1] = x[3 * i + 2] = 0;
  }
  ok(hk_order_gaps(x, 3, PATCH, ALL, order, &begin, &patches));
  assert_int_equal(begin[patches], ALL);
  for (hk_index p = 0; p < patches; p++) assert_in_range(begin[p + 1] - begin[p], 1, PATCH);
  assert_int_equal(begin[patches] - begin[patches - 1], FEW);
  hk_free(&begin);
}

/* Layers of a grid whose nodes are moved by up to a fifth of a cell, and come in any order: one after another, each row by row. */
static void layers_come_in_order(void **state)
{
  enum { NX = 5, NY = 7, NZ = 4, ALL = NX * NY * NZ };
  double x[3 * ALL];
  hk_index node[ALL];
  (void)state;
  srand(11);
  for (int n = 0; n < ALL; n++) {
    const int cell[3] = {n % NX, n / NX % NY, n / NX / NY};
    for (int d = 0; d < 3; d++)
      x[3 * n + d] = 2.5 * (cell[d] + .4 * ((double)rand() / RAND_MAX - .5)) - 7;
    node[n] = n;
  }
  for (int n = ALL - 1; n > 0; n--) {
    const int other = rand() % (n + 1);
    const hk_index kept = node[n];
    node[n] = node[other], node[other] = kept;
  }
  ok(hk_space_sort_layers(x, 3, ALL, node));
  for (int n = 0; n < ALL; n++) assert_int_equal(node[n], n);
  ok(hk_space_sort_layers(x, 3, 1, node));
  assert_int_equal(node[0], 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_of_all_threads), cmocka_unit_test(middle_of_a_grid),
      cmocka_unit_test(parts_of_all_threads), cmocka_unit_test(patches_between_layers),
      cmocka_unit_test(patches_of_a_grid),    cmocka_unit_test(gap_near_an_end),
      cmocka_unit_test(layers_come_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
