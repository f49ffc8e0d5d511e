/* The nodes of a patch, layer by layer (layers.h): sorted along the last axis and cut at the gaps, and so on with what lies between two cuts. */
#include "space/layers.h"
#include <math.h>
#include <stdlib.h>

typedef struct point {
  double x[3];
  hk_index node;
} point;

static int compare(const point *p, const point *q, int axis)
{
  if (p->x[axis] != q->x[axis]) return p->x[axis] < q->x[axis] ? -1 : 1;
  return p->node < q->node ? -1 : p->node > q->node;
}
static int by_first(const void *p, const void *q)
{
  return compare(p, q, 0);
}
static int by_second(const void *p, const void *q)
{
  return compare(p, q, 1);
}
static int by_third(const void *p, const void *q)
{
  return compare(p, q, 2);
}

static void sort_layers(point *p, hk_index count, int axis)
{
  static int (*const by[3])(const void *, const void *) = {by_first, by_second, by_third};
  const double part = .35;
  hk_index begin = 0;
  if (count < 2) return;
  qsort(p, (size_t)count, sizeof *p, by[axis]);
  if (axis == 0) return;
  const double layers = pow(count, 1.0 / (axis + 1)),
               gap = part * (p[count - 1].x[axis] - p[0].x[axis]) / (layers - 1);
  for (hk_index k = 1; k <= count; k++)
    if (k == count || p[k].x[axis] - p[k - 1].x[axis] > gap) {
      sort_layers(p + begin, k - begin, axis - 1);
      begin = k;
    }
}

hk_status hk_space_sort_layers(const double *x, int dim, hk_index count, hk_index *node)
{
  point *p = NULL;
  HK_PASS(hk_get(&p, count + 1));
  for (hk_index k = 0; k < count; k++) {
    for (int d = 0; d < dim; d++) p[k].x[d] = x[(hk_count)node[k] * dim + d];
    p[k].node = node[k];
  }
  sort_layers(p, count, dim - 1);
  for (hk_index k = 0; k < count; k++) node[k] = p[k].node;
  hk_free(&p);
  return HK_OK;
}
