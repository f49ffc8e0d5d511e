/* Recursive coordinate bisection: cuts a set of nodes into pieces of about equal size across its
 * longest axis, which is that of the bounding box or the principal axis. The principal axis is the
 * eigenvector of the largest eigenvalue of the covariance of the coordinates, by power iteration.
 * Each cut sorts the nodes by their coordinate along the axis and divides them in proportion to the
 * pieces on both sides. */
#include "papers/pogo/methods.h"
#include "base/sort.h"
#include <math.h>
#include <string.h>

enum { STEPS = 24 };

typedef struct cutter {
  const double *x;
  int dim;
  hk_cut_axis axis;
  uint64_t *key;
} cutter;

/* axis[dim] = eigenvector of the largest eigenvalue of the covariance, by powers of it. */
static void principal_axis(const cutter *c, hk_index count, const hk_index *node, double *axis)
{
  double mean[3] = {0}, moment[3][3] = {{0}}, next[3], length = 0;
  int widest = 0;
  for (hk_index k = 0; k < count; k++)
    for (int d = 0; d < c->dim; d++) mean[d] += c->x[(hk_count)node[k] * c->dim + d] / count;
  for (hk_index k = 0; k < count; k++)
    for (int d = 0; d < c->dim; d++)
      for (int e = 0; e < c->dim; e++)
        moment[d][e] += (c->x[(hk_count)node[k] * c->dim + d] - mean[d]) *
                        (c->x[(hk_count)node[k] * c->dim + e] - mean[e]);
  for (int d = 1; d < c->dim; d++)
    if (moment[d][d] > moment[widest][widest]) widest = d;
  for (int d = 0; d < c->dim; d++) axis[d] = d == widest;
  for (int step = 0; step < STEPS; step++, length = 0) {
    for (int d = 0; d < c->dim; d++) {
      next[d] = 0;
      for (int e = 0; e < c->dim; e++) next[d] += moment[d][e] * axis[e];
      length += next[d] * next[d];
    }
    if (!(length > 0)) return;
    for (int d = 0; d < c->dim; d++) axis[d] = next[d] / sqrt(length);
  }
}

/* Ascending as the number is. */
static uint64_t key_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void box_axis(const cutter *c, hk_index count, const hk_index *node, double *axis)
{
  double widest = -1;
  for (int d = 0; d < c->dim; d++) {
    double low = INFINITY, high = -INFINITY;
    for (hk_index k = 0; k < count; k++) {
      low = fmin(low, c->x[(hk_count)node[k] * c->dim + d]);
      high = fmax(high, c->x[(hk_count)node[k] * c->dim + d]);
    }
    if (high - low <= widest) continue;
    widest = high - low;
    for (int e = 0; e < c->dim; e++) axis[e] = e == d;
  }
}

static hk_status cut(cutter *c, hk_index pieces, hk_index count, hk_index *node, hk_index *begin)
{
  const hk_index half = pieces / 2, rest = pieces - half;
  hk_index left = (hk_index)((hk_count)count * half / pieces);
  double axis[3] = {1, 0, 0};

  if (pieces == 1) return HK_OK;
  if (c->axis == HK_CUT_PRINCIPAL)
    principal_axis(c, count, node, axis);
  else
    box_axis(c, count, node, axis);
  for (hk_index k = 0; k < count; k++) {
    double along = 0;
    for (int d = 0; d < c->dim; d++) along += axis[d] * c->x[(hk_count)node[k] * c->dim + d];
    c->key[k] = key_of(along);
  }
  HK_PASS(hk_mesh_sort(count, c->key, node));
  begin[half] = begin[0] + left;
  HK_PASS(cut(c, half, left, node, begin));
  return cut(c, rest, count - left, node + left, begin + half);
}

hk_status hk_bisect(const double *x, int dim, hk_cut_axis axis, hk_index pieces, hk_index count,
                    hk_index *node, hk_index *begin)
{
  hk_status status = HK_OK;
  cutter c = {.x = x, .dim = dim, .axis = axis};
  HK_TRY(hk_get(&c.key, count));
  begin[0] = 0;
  begin[pieces] = count;
  HK_TRY(cut(&c, pieces, count, node, begin));
cleanup:
  hk_free(&c.key);
  return status;
}
