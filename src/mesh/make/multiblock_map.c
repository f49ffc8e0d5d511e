/* Where the lattice points of a block lie: transfinite interpolation of its edges (Gordon and Hall 1973; the equation stands in multiblock.h).
 * A face is the Boolean sum of its four edges, the inside of a 3D block that of its six faces: faces less edges plus corners. Along a
 * direction cells grow by one factor r with r^(cells - 1) = grading, the last cell over the first; nodes between those of cells lie in the
 * middle. */
#include "mesh/make/multiblock_parts.h"
#include <math.h>
#include <string.h>

/* The edge between corners p and q of block b, s of the way from p. */
static void at_edge(const hk_multiblock_maker *m, int b, int p, int q, double s, double x[3])
{
  const int from = m->desc->part[b].corner[p], to = m->desc->part[b].corner[q];
  for (int k = 0; k < m->desc->curves; k++) {
    const int *end = m->desc->curve[k].end;
    if (end[0] == from && end[1] == to) {
      hk_curve_at(m->knots[k], s, x);
      return;
    }
    if (end[0] == to && end[1] == from) {
      hk_curve_at(m->knots[k], 1 - s, x);
      return;
    }
  }
  const double *a = m->desc->point[from], *z = m->desc->point[to];
  for (int c = 0; c < 3; c++) x[c] = c < m->desc->dim ? (1 - s) * a[c] + s * z[c] : 0;
}

/* Corner at the ends side[d] (0, 1) of the directions. */
static int corner_at(const int side[3])
{
  return (side[1] ? 3 - side[0] : side[0]) + 4 * side[2];
}

/* The edge along direction d, at the ends side[] of the others. */
static void at_edge_along(const hk_multiblock_maker *m, int b, int d, const int side[3], double s,
                          double x[3])
{
  int p[3] = {side[0], side[1], side[2]}, q[3] = {side[0], side[1], side[2]};
  p[d] = 0, q[d] = 1;
  at_edge(m, b, corner_at(p), corner_at(q), s, x);
}

static const double *corner_place(const hk_multiblock_maker *m, int b, const int side[3])
{
  return m->desc->point[m->desc->part[b].corner[corner_at(side)]];
}

/* The face across direction n at its end side[n]: the Boolean sum of its four edges. */
static void at_face(const hk_multiblock_maker *m, int b, int n, const int side[3],
                    const double t[3], double x[3])
{
  const int d = n == 0 ? 1 : 0, e = n == 2 ? 1 : 2;
  double sum[3] = {0}, own[3];
  for (int k = 0; k < 2; k++) {
    int at[3] = {side[0], side[1], side[2]};
    at[e] = k;
    at_edge_along(m, b, d, at, t[d], own);
    for (int c = 0; c < 3; c++) sum[c] += (k ? t[e] : 1 - t[e]) * own[c];
    memcpy(at, side, sizeof at);
    at[d] = k;
    at_edge_along(m, b, e, at, t[e], own);
    for (int c = 0; c < 3; c++) sum[c] += (k ? t[d] : 1 - t[d]) * own[c];
    for (int h = 0; h < 2; h++) {
      at[e] = h;
      const double *z = corner_place(m, b, at), w = (k ? t[d] : 1 - t[d]) * (h ? t[e] : 1 - t[e]);
      for (int c = 0; c < m->desc->dim; c++) sum[c] -= w * z[c];
    }
  }
  memcpy(x, sum, sizeof sum);
}

/* Faces less edges plus corners. */
static void at_inside(const hk_multiblock_maker *m, int b, const double t[3], double x[3])
{
  double sum[3] = {0}, own[3];
  for (int n = 0; n < 3; n++)
    for (int k = 0; k < 2; k++) {
      int at[3] = {0};
      at[n] = k;
      at_face(m, b, n, at, t, own);
      for (int c = 0; c < 3; c++) sum[c] += (k ? t[n] : 1 - t[n]) * own[c];
    }
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < 4; k++) {
      const int p = (d + 1) % 3, q = (d + 2) % 3;
      int at[3] = {0};
      at[p] = k & 1, at[q] = k >> 1;
      at_edge_along(m, b, d, at, t[d], own);
      const double w = (at[p] ? t[p] : 1 - t[p]) * (at[q] ? t[q] : 1 - t[q]);
      for (int c = 0; c < 3; c++) sum[c] -= w * own[c];
    }
  for (int k = 0; k < 8; k++) {
    const int at[3] = {k & 1, k >> 1 & 1, k >> 2};
    double w = 1;
    for (int d = 0; d < 3; d++) w *= at[d] ? t[d] : 1 - t[d];
    for (int c = 0; c < 3; c++) sum[c] += w * corner_place(m, b, at)[c];
  }
  memcpy(x, sum, sizeof sum);
}

/* (r^k - 1) / (r^cells - 1) with r^(cells - 1) = grading: exact near r = 1, and no power overflows. */
static double end_of_cells(hk_count cells, double grading, double k)
{
  const double n = (double)cells, rate = log(grading) / (n - 1);
  return rate < 0 ? expm1(k * rate) / expm1(n * rate)
                  : exp((k - n) * rate) * expm1(-k * rate) / expm1(-n * rate);
}

/* Cells grow by one factor; nodes between those of cells lie in their middles. */
static double graded(hk_count cells, double grading, double i)
{
  if (cells == 1 || grading == 1) return i / (double)cells;
  const double low = floor(i), a = end_of_cells(cells, grading, low);
  return i > low ? (a + end_of_cells(cells, grading, low + 1)) / 2 : a;
}

void hk_multiblock_map(const hk_multiblock_maker *m, int b, double (*x)[3])
{
  const hk_lattice *l = &m->lattice[b];
  const hk_part *part = &m->desc->part[b];
  const int order = m->desc->order;
#pragma omp parallel for schedule(static)
  for (hk_count p = 0; p < l->points; p++) {
    const hk_count at[3] = {p % l->line[0], p / l->line[0] % l->line[1],
                            p / (l->line[0] * l->line[1])};
    double t[3] = {0};
    for (int d = 0; d < m->desc->dim; d++)
      t[d] = at[d] == l->line[d] - 1
                 ? 1
                 : graded(part->cells[d], part->grading[d], (double)at[d] / order);
    if (m->desc->dim == 2)
      at_face(m, b, 2, (int[3]){0}, t, x[p]);
    else
      at_inside(m, b, t, x[p]);
  }
}
