/* Gauss-Lobatto-Legendre and Gauss-Lobatto-Jacobi points of the line -1 .. 1 and Lagrange's functions l_j on them.
 *   int f dx = sum_j w[j] f(x[j]) (S.1),  exact up to degree 2 order - 1;   l_j'(x[i]) = d[i * (order + 1) + j] (S.2)
 * x ascending, those of Legendre exactly symmetric. Sources: Abramowitz and Stegun 25.4.32 (points, weights), Canuto et al. 2006, 2.3.28 (d).
 * Jacobi's have the weight of a radius that is 0 at one end (S.16); Bernardi, Dauge and Maday 1999, Fournier et al. 2005. */
#pragma once

enum { HK_MOST_ORDER = 10, HK_LINE_NODES = HK_MOST_ORDER + 1 };

typedef struct hk_gll {
  int order;
  double x[HK_LINE_NODES], w[HK_LINE_NODES], d[HK_LINE_NODES * HK_LINE_NODES];
  double scale[HK_LINE_NODES]; /* 1 / prod_{m != j} (x[j] - x[m]) */
} hk_gll;

/* Order 1..10. Made at the first call of any thread, there until the program ends. */
const hk_gll *hk_gll_of(int order);

/* The end of a line that lies on the axis of an axisymmetric model. */
typedef enum hk_line_axis { HK_NO_AXIS, HK_AXIS_FIRST, HK_AXIS_LAST } hk_line_axis;

/* hk_gll_of, or Jacobi's points of weight 1 + x where the first end is on the axis:
 *   int f (1 + x) dx = sum_j w[j] f(x[j]) (S.16),  exact up to degree 2 order - 1, above 0 at both ends;
 * of weight 1 - x, mirrored, where the last end is. */
const hk_gll *hk_line_of(int order, hk_line_axis axis);
/* Which of these a line is. */
hk_line_axis hk_line_axis_of(const hk_gll *line);
/* w[j] divided by the radius from the axis in units of the line, 1 + x[j] or 1 - x[j]: sum_j of it f(x[j]) times that radius is (S.16); w[j] itself where
 * the radius is 0, or no end is on the axis. */
double hk_line_weight(const hk_gll *line, hk_line_axis axis, int j);

/* l[order + 1], dl[order + 1]: the functions and their derivatives at x; exactly 0 and 1 (l) at the points. Either may be NULL. */
void hk_gll_functions(const hk_gll *gll, double x, double *l, double *dl);

/* |k_h - k| / k of a plane wave along a line of equal elements with lumped mass and exact time, phase = k h > 0 with the length h of an element. At
 * most 1, also where no wave goes through. */
double hk_gll_phase_error(int order, double phase);

/* Gauss's rule of 1..11 points: x[points] ascending, w[points]; exact up to degree 2 points - 1. */
typedef struct hk_gauss {
  int points;
  double x[HK_LINE_NODES], w[HK_LINE_NODES];
} hk_gauss;
const hk_gauss *hk_gauss_of(int points);
