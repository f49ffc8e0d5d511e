/* Curved edges of blocks as functions of s in 0 .. 1 (curve.h). An arc is found from its circumscribed circle through both ends and the point
 * between, centre + cos t across + sin t along. A spline is the natural cubic one over the length of the polyline; its second derivatives
 * solve a tridiagonal system, by Thomas's elimination. A formula gives coordinates at points of the straight edge; it must meet both ends to
 * 1e-6 of the length and be finite at 65 points. */
#include "mesh/make/curve.h"
#include <math.h>
#include <string.h>

struct hk_curve_knots {
  hk_curve curve;
  double a[3], b[3];
  double centre[3], across[3], along[3], angle; /* ARC: centre + cos t across + sin t along */
  int count;                                    /* knots, the ends among them */
  double *s, (*x)[3], (*bend)[3];               /* bend: second derivatives of the SPLINE */
};

static double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance(const double *a, const double *b)
{
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return sqrt(dot(d, d));
}

/* Centre of the circle through a, b and m, and the two axes of its angle. */
static hk_status prepare_arc(hk_curve_knots *k)
{
  double p[3], q[3], normal[3], to_b[3], to_m[3];
  const double *m = k->curve.point[0];
  for (int c = 0; c < 3; c++) p[c] = m[c] - k->a[c], q[c] = k->b[c] - k->a[c];
  const double pp = dot(p, p), qq = dot(q, q), pq = dot(p, q), square = pp * qq - pq * pq;
  HK_NEED(square > 1e-20 * pp * qq, HK_BAD_INPUT,
          "the arc's point lies on the straight line between its ends: give a point of the circle "
          "between them, or remove the arc");
  const double alpha = qq * (pp - pq) / (2 * square), beta = pp * (qq - pq) / (2 * square);
  for (int c = 0; c < 3; c++) k->centre[c] = k->a[c] + alpha * p[c] + beta * q[c];
  for (int c = 0; c < 3; c++) k->across[c] = k->a[c] - k->centre[c];
  for (int c = 0; c < 3; c++)
    normal[c] = p[(c + 1) % 3] * q[(c + 2) % 3] - p[(c + 2) % 3] * q[(c + 1) % 3];
  /* along = unit normal x across: from a to m to b the angle grows */
  for (int c = 0; c < 3; c++)
    k->along[c] = (normal[(c + 1) % 3] * k->across[(c + 2) % 3] -
                   normal[(c + 2) % 3] * k->across[(c + 1) % 3]) /
                  sqrt(dot(normal, normal));
  for (int c = 0; c < 3; c++) to_b[c] = k->b[c] - k->centre[c], to_m[c] = m[c] - k->centre[c];
  const double turn = 2 * acos(-1.0);
  double angle = atan2(dot(to_b, k->along), dot(to_b, k->across)),
         middle = atan2(dot(to_m, k->along), dot(to_m, k->across));
  if (angle < 0) angle += turn;
  if (middle < 0) middle += turn;
  k->angle = middle < angle ? angle : angle - turn;
  return HK_OK;
}

/* bend: the natural spline through the knots, by Thomas's elimination. */
static hk_status prepare_spline(hk_pool *pool, hk_curve_knots *k)
{
  const int last = k->count - 1;
  double *factor;
  HK_PASS(hk_pool_get(pool, &k->bend, k->count));
  HK_PASS(hk_pool_get(pool, &factor, k->count));
  for (int c = 0; c < 3; c++) {
    for (int i = 1; i < last; i++) {
      const double h = k->s[i] - k->s[i - 1], g = k->s[i + 1] - k->s[i],
                   right =
                       6 * ((k->x[i + 1][c] - k->x[i][c]) / g - (k->x[i][c] - k->x[i - 1][c]) / h),
                   pivot = 2 * (h + g) - h * factor[i - 1];
      factor[i] = g / pivot;
      k->bend[i][c] = (right - h * k->bend[i - 1][c]) / pivot;
    }
    for (int i = last - 1; i > 0; i--) k->bend[i][c] -= factor[i] * k->bend[i + 1][c];
  }
  return HK_OK;
}

static hk_status prepare_knots(hk_pool *pool, hk_curve_knots *k)
{
  k->count = k->curve.count + 2;
  HK_PASS(hk_pool_get(pool, &k->s, k->count));
  HK_PASS(hk_pool_get(pool, &k->x, k->count));
  memcpy(k->x[0], k->a, sizeof k->a);
  if (k->curve.count) memcpy(k->x[1], k->curve.point, (size_t)k->curve.count * sizeof *k->x);
  memcpy(k->x[k->count - 1], k->b, sizeof k->b);
  for (int i = 1; i < k->count; i++) {
    const double step = distance(k->x[i - 1], k->x[i]);
    HK_NEED(step > 0, HK_BAD_INPUT, "two consecutive points of the curve coincide");
    k->s[i] = k->s[i - 1] + step;
  }
  for (int i = 1; i < k->count; i++) k->s[i] /= k->s[k->count - 1];
  if (k->curve.kind == HK_CURVE_SPLINE) HK_PASS(prepare_spline(pool, k));
  return HK_OK;
}

static void at_formula(const hk_curve_knots *k, double s, double x[3])
{
  double straight[3];
  for (int c = 0; c < 3; c++) x[c] = straight[c] = (1 - s) * k->a[c] + s * k->b[c];
  for (int c = 0; c < 3; c++)
    if (k->curve.formula[c]) x[c] = hk_formula_value(k->curve.formula[c], straight);
}

static hk_status check_formula(const hk_curve_knots *k)
{
  enum { PLACES = 65 };
  const double length = distance(k->a, k->b);
  double x[3];
  for (int i = 0; i < PLACES; i++) {
    at_formula(k, i / (PLACES - 1.0), x);
    HK_NEED(isfinite(x[0] + x[1] + x[2]), HK_BAD_INPUT,
            "the formula has no value at %g of the length of the edge", i / (PLACES - 1.0));
    const double *end = i == 0 ? k->a : i == PLACES - 1 ? k->b : NULL;
    HK_NEED(!end || distance(x, end) <= 1e-6 * length, HK_BAD_INPUT,
            "the formula gives (%.9g, %.9g, %.9g) at an end of the edge, which is (%.9g, %.9g, "
            "%.9g): let both agree",
            x[0], x[1], x[2], end[0], end[1], end[2]);
  }
  return HK_OK;
}

hk_status hk_curve_prepare(hk_pool *pool, const hk_curve *curve, int dim, const double a[3],
                           const double b[3], hk_curve_knots **out)
{
  hk_curve_knots *k;
  HK_PASS(hk_pool_get(pool, &k, 1));
  k->curve = *curve;
  for (int c = 0; c < dim; c++) k->a[c] = a[c], k->b[c] = b[c];
  HK_NEED(distance(k->a, k->b) > 0, HK_BAD_INPUT, "its ends coincide");
  if (curve->kind == HK_CURVE_ARC) HK_PASS(prepare_arc(k));
  if (curve->kind == HK_CURVE_POLYLINE || curve->kind == HK_CURVE_SPLINE)
    HK_PASS(prepare_knots(pool, k));
  if (curve->kind == HK_CURVE_FORMULA) HK_PASS(check_formula(k));
  *out = k;
  return HK_OK;
}

static void between_knots(const hk_curve_knots *k, double s, double x[3])
{
  int i = 1;
  while (i < k->count - 1 && s > k->s[i]) i++;
  const double h = k->s[i] - k->s[i - 1], v = (s - k->s[i - 1]) / h, u = 1 - v;
  for (int c = 0; c < 3; c++) {
    x[c] = u * k->x[i - 1][c] + v * k->x[i][c];
    if (k->bend)
      x[c] += h * h / 6 * ((u * u * u - u) * k->bend[i - 1][c] + (v * v * v - v) * k->bend[i][c]);
  }
}

void hk_curve_at(const hk_curve_knots *k, double s, double x[3])
{
  if (s <= 0 || s >= 1) {
    memcpy(x, s <= 0 ? k->a : k->b, 3 * sizeof *x);
  } else if (k->curve.kind == HK_CURVE_ARC) {
    for (int c = 0; c < 3; c++)
      x[c] = k->centre[c] + cos(s * k->angle) * k->across[c] + sin(s * k->angle) * k->along[c];
  } else if (k->curve.kind == HK_CURVE_FORMULA) {
    at_formula(k, s, x);
  } else if (k->curve.kind == HK_CURVE_LINE) {
    for (int c = 0; c < 3; c++) x[c] = (1 - s) * k->a[c] + s * k->b[c];
  } else
    between_knots(k, s, x);
}
