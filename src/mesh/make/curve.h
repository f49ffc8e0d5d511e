/* Edges of blocks: curves from one corner to another, s in 0 .. 1.
 *
 *   LINE      straight
 *   ARC       of the circle through the ends and point[0]; s in proportion to the angle
 *   POLYLINE  straight from each of point[count] to the next; s to the length
 *   SPLINE    natural cubic through them, over the length of the polyline
 *   FORMULA   the straight edge, with the coordinates that have a formula replaced by its value there */
#pragma once
#include "base/formula.h"

typedef enum hk_curve_kind {
  HK_CURVE_LINE,
  HK_CURVE_ARC,
  HK_CURVE_POLYLINE,
  HK_CURVE_SPLINE,
  HK_CURVE_FORMULA
} hk_curve_kind;

typedef struct hk_curve {
  hk_curve_kind kind;
  int end[2];                   /* numbers of the points that it joins */
  int count;                    /* inner points */
  double (*point)[3];           /* point[count]; borrowed */
  const hk_formula *formula[3]; /* borrowed; NULL: as on the straight edge */
} hk_curve;

/* What a curve is made ready for: its knots with their s, and second derivatives of the spline. */
typedef struct hk_curve_knots hk_curve_knots;
/* From a to b[3], in the pool. HK_BAD_INPUT: three points of an arc on a line, points that coincide, a formula that misses an end (1e-6 of the edge's
 * length) or has no value. `dim` coordinates count. */
hk_status hk_curve_prepare(hk_pool *pool, const hk_curve *curve, int dim, const double a[3],
                           const double b[3], hk_curve_knots **out);
/* Exactly the ends at 0 and 1. */
void hk_curve_at(const hk_curve_knots *knots, double s, double x[3]);
