/* Gauss-Lobatto-Legendre points of the line -1 .. 1 and Lagrange's functions l_j on them.
 *   int f dx = sum_j w[j] f(x[j]) (S.1),  exact up to degree 2 order - 1;   l_j'(x[i]) = d[i * (order + 1) + j] (S.2)
 * x ascending, exactly symmetric. Sources: Abramowitz and Stegun 25.4.32 (points, weights), Canuto et al. 2006, 2.3.28 (d). */
#pragma once

enum { HK_MOST_ORDER = 10, HK_LINE_NODES = HK_MOST_ORDER + 1 };

typedef struct hk_gll {
  int order;
  double x[HK_LINE_NODES], w[HK_LINE_NODES], d[HK_LINE_NODES * HK_LINE_NODES];
  double scale[HK_LINE_NODES]; /* 1 / prod_{m != j} (x[j] - x[m]) */
} hk_gll;

/* Order 1..10. Made at the first call of any thread, there until the program ends. */
const hk_gll *hk_gll_of(int order);

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
