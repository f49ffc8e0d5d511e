/* `fibre:` of a trace: a cable through given points that measures its strain over gauge lengths. Channels have their middles on the cable, a spacing apart, the first half a gauge
 * from its beginning; a channel that goes around a bend is of several straight pieces. */
#include "input/case/case.h"
#include <math.h>
#include <string.h>

typedef struct cable {
  hk_count count;
  double (*at)[3]; /* at[count] */
  double *arc;     /* arc[count]: length from the beginning */
} cable;

static hk_status measure(hk_pool *pool, cable *k)
{
  HK_PASS(hk_pool_get(pool, &k->arc, k->count));
  for (hk_count i = 1; i < k->count; i++) {
    double length = 0;
    for (int d = 0; d < 3; d++) length = hypot(length, k->at[i][d] - k->at[i - 1][d]);
    k->arc[i] = k->arc[i - 1] + length;
  }
  return HK_OK;
}

/* The point of the segment from point i on at the length s. */
static void place(const cable *k, hk_count i, double s, double at[3])
{
  const double part = (s - k->arc[i]) / (k->arc[i + 1] - k->arc[i]);
  for (int d = 0; d < 3; d++) at[d] = (1 - part) * k->at[i][d] + part * k->at[i + 1][d];
}

/* Appends the pieces of [from, to] to end[*pieces], or counts them where `end` is NULL. A sliver that rounding leaves beyond a bend is none.
 * *first: the segment that holds `from`, found from that of an earlier channel. */
static void cut(const cable *k, double from, double to, double (*end)[2][3], hk_count *first,
                hk_count *pieces)
{
  const double least = 1e-9 * (to - from);
  while (*first + 2 < k->count && k->arc[*first + 1] <= from) ++*first;
  for (hk_count i = *first; i + 1 < k->count && k->arc[i] < to; i++) {
    const double a = fmax(from, k->arc[i]), b = fmin(to, k->arc[i + 1]);
    if (!(b - a > least)) continue;
    if (end) place(k, i, a, end[*pieces][0]), place(k, i, b, end[*pieces][1]);
    ++*pieces;
  }
}

/* at[channels][3] and the pieces; the middle of a channel is that of the cable. */
static hk_status make_channels(hk_case *c, const cable *k, double gauge, double spacing,
                               hk_trace_request *trace)
{
  hk_pool *pool = &c->model->pool;
  hk_fibre *f;
  hk_count pieces = 0, used = 0, first = 0, on = 0;
  const hk_count channels = trace->point_count;
  HK_PASS(hk_pool_get(pool, &f, 1));
  HK_PASS(hk_pool_get(pool, &f->begin, channels + 1));
  HK_PASS(hk_pool_get(pool, &trace->at, 3 * channels));
  f->gauge = gauge;
  for (hk_count i = 0; i < channels; i++)
    cut(k, (double)i * spacing, (double)i * spacing + gauge, NULL, &first, &pieces);
  HK_PASS(hk_pool_get(pool, &f->end, pieces));
  first = 0;
  for (hk_count i = 0; i < channels; i++) {
    const double from = (double)i * spacing, middle = from + gauge / 2;
    while (on + 2 < k->count && k->arc[on + 1] < middle) on++;
    place(k, on, middle, trace->at + 3 * i);
    cut(k, from, from + gauge, f->end, &first, &used);
    f->begin[i + 1] = used;
  }
  trace->fibre = f;
  return HK_OK;
}

static bool check_lengths(hk_case *c, const hk_node *map, const cable *k)
{
  for (hk_count i = 1; i < k->count; i++)
    if (!(k->arc[i] > k->arc[i - 1])) {
      hk_case_error(c, map, "fibre: points %lld and %lld are one place: remove one", (long long)i,
                    (long long)i + 1);
      return false;
    }
  return true;
}

hk_status hk_case_fibre(hk_case *c, const hk_node *map, hk_trace_request *trace)
{
  const double most = 1e7;
  cable k = {0};
  const hk_node *points = hk_case_value(map, "points");
  const double gauge = hk_case_number(map, "gauge", 0),
               spacing = hk_case_number(map, "spacing", gauge);
  const hk_count errors = c->tree.errors;
  if (!points || !(gauge > 0)) return HK_OK; /* told by the keys */
  HK_PASS(hk_case_points(c, &c->model->pool, points, &k.count, &k.at));
  if (c->tree.errors > errors || k.count < 2) return HK_OK;
  HK_PASS(measure(&c->model->pool, &k));
  if (!check_lengths(c, points, &k)) return HK_OK;
  const double length = k.arc[k.count - 1], room = length * (1 + 1e-9) - gauge;
  if (!(room >= 0))
    hk_case_error(
        c, hk_case_value(map, "gauge"),
        "gauge: the fibre is %.6g long, shorter than its gauge length: give a shorter one", length);
  else if (room / spacing > most)
    hk_case_error(c, map, "fibre: %.3g channels: at most 1e7 are possible: give a larger spacing",
                  room / spacing);
  if (c->tree.errors > errors) return HK_OK;
  trace->point_count = (hk_count)floor(room / spacing) + 1;
  return make_channels(c, &k, gauge, spacing, trace);
}
