/* Scans: images that need no speed of waves. A B-scan shows the envelopes of an array's own echoes side by side, a C-scan the largest envelope in a gate of
 * times at each receiver of a grid. The grid is found from the receivers' places: one receiver at each crossing of the lines along two axes. */
#include "result/image/image.h"
#include <math.h>
#include <stdlib.h>

/* Samples [*first, *end) in the gate. */
static hk_status gated(const hk_capture *c, const hk_image_how *how, hk_count *first, hk_count *end)
{
  const double low = ceil((how->gate[0] - c->start) / c->step - 1e-9);
  const double high = floor((how->gate[1] - c->start) / c->step + 1e-9);
  *first = (hk_count)fmax(0, fmin((double)c->samples, low));
  *end = (hk_count)fmax(0, fmin((double)c->samples, high + 1));
  HK_NEED(*end - *first > 1, HK_BAD_INPUT,
          "gate from %g to %g: has fewer than two samples; the record goes from %g to %g",
          how->gate[0], how->gate[1], c->start, hk_capture_end(c));
  return HK_OK;
}

static double envelope(const hk_complex *z)
{
  return hypot(z->re, z->im);
}

/* Length of the path through the elements. */
static void measure_path(const hk_capture *c, double *at)
{
  at[0] = 0;
  for (hk_count i = 1; i < c->receivers; i++) {
    double square = 0;
    for (int d = 0; d < 3; d++) square += pow(c->receiver[i][d] - c->receiver[i - 1][d], 2);
    at[i] = at[i - 1] + sqrt(square);
  }
}

hk_status hk_image_bscan(const hk_capture *c, const hk_image_how *how, hk_image *i)
{
  hk_count first, end;
  HK_NEED(c->receivers > 1, HK_BAD_INPUT, "a B-scan needs two elements or more");
  HK_PASS(gated(c, how, &first, &end));
  i->axis[0] = (hk_image_axis){"distance", c->length_unit, c->receivers, NULL};
  i->axis[1] = (hk_image_axis){"time", c->time_unit, end - first, NULL};
  for (int k = 0; k < 2; k++) HK_PASS(hk_pool_get(&i->pool, &i->axis[k].at, i->axis[k].count));
  HK_PASS(hk_pool_get(&i->pool, &i->value, c->receivers * (end - first)));
  measure_path(c, i->axis[0].at);
  for (hk_count k = 0; k < end - first; k++)
    i->axis[1].at[k] = c->start + (double)(first + k) * c->step;
#pragma omp parallel for schedule(static)
  for (hk_count k = first; k < end; k++)
    for (hk_count e = 0; e < c->receivers; e++)
      i->value[(k - first) * c->receivers + e] = envelope(c->signal + e * c->samples + k);
  i->unit = c->unit, i->down = true;
  return HK_OK;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Distinct coordinates along axis d, to a millionth of the grid's size: at[receivers], *count of them. */
static void find_lines(const hk_capture *c, int d, double size, double *at, hk_count *count)
{
  for (hk_count i = 0; i < c->receivers; i++) at[i] = c->receiver[i][d];
  qsort(at, (size_t)c->receivers, sizeof *at, ascending);
  *count = 1;
  for (hk_count i = 1; i < c->receivers; i++)
    if (at[i] - at[*count - 1] > 1e-6 * size) at[(*count)++] = at[i];
}

static hk_count nearest(const hk_image_axis *a, double x)
{
  hk_count k = 0;
  while (k + 1 < a->count && fabs(a->at[k + 1] - x) < fabs(a->at[k] - x)) k++;
  return k;
}

/* The two axes along which there is more than one line, and their lines. */
static hk_status find_grid(const hk_capture *c, hk_image *i, int *axis)
{
  static const char *const name[] = {"x", "y", "z"};
  const double size = hk_capture_size(c);
  int count = 0;
  hk_count cells = 1;
  for (int d = 0; d < c->dim; d++) {
    double *at;
    hk_count lines;
    HK_PASS(hk_pool_get(&i->pool, &at, c->receivers));
    find_lines(c, d, size, at, &lines);
    if (lines > 1 && count < 2) {
      axis[count] = d, i->axis[count] = (hk_image_axis){name[d], c->length_unit, lines, at};
      cells *= lines;
    }
    count += lines > 1;
  }
  HK_NEED(count == 2 && cells == c->receivers, HK_BAD_INPUT,
          "a C-scan needs receivers at all points of a grid along two axes; these %lld %s",
          (long long)c->receivers,
          count == 2   ? "are not at all points of their grid, or are there twice"
          : count == 3 ? "are not all in a plane of two axes"
          : count == 1 ? "are all on one line along an axis"
                       : "are all at one place");
  return HK_OK;
}

hk_status hk_image_cscan(const hk_capture *c, const hk_image_how *how, hk_image *i)
{
  hk_count first, end;
  int axis[2];
  HK_PASS(gated(c, how, &first, &end));
  HK_PASS(find_grid(c, i, axis));
  HK_PASS(hk_pool_get(&i->pool, &i->value, c->receivers));
  for (hk_count e = 0; e < c->receivers; e++) i->value[e] = -1;
  for (hk_count e = 0; e < c->receivers; e++) {
    const hk_count k = nearest(&i->axis[0], c->receiver[e][axis[0]]) +
                       nearest(&i->axis[1], c->receiver[e][axis[1]]) * i->axis[0].count;
    HK_NEED(i->value[k] < 0, HK_BAD_INPUT, "a C-scan needs one receiver at each point of its grid");
    i->value[k] = 0;
    for (hk_count n = first; n < end; n++)
      i->value[k] = fmax(i->value[k], envelope(c->signal + e * c->samples + n));
  }
  i->unit = c->unit, i->plane = true;
  return HK_OK;
}
