/* Powers of two near the largest component of a vector, and vectors times them. Where 2^e is a number of its own the product with it is what ldexp gives,
 * subnormal ones too: both are rounded once. */
#include "solver/linear/scale.h"
#include <math.h>

enum { FEW = 1 << 13 }; /* that one thread treats alone */

double hk_scale_most(const double *v, hk_count n)
{
  double most = 0;
  bool broken = false;
#pragma omp parallel for schedule(static) reduction(max : most) reduction(|| : broken) if (n > FEW)
  for (hk_count i = 0; i < n; i++) {
    const double own = fabs(v[i]);
    broken = broken || isnan(own);
    most = own > most ? own : most;
  }
  return broken ? NAN : most;
}

int hk_scale_find(const double *v, hk_count n)
{
  enum { NEAR = 16 };
  const double most = hk_scale_most(v, n);
  int e = 0;
  if (!(most > 0) || !isfinite(most)) return 0;
  frexp(most, &e);
  return e > -NEAR && e < NEAR ? 0 : e;
}

void hk_scale_by(int e, const double *from, hk_count n, double *to)
{
  enum { NORMAL = 1022 };
  const double factor = ldexp(1, e);
  if (!e && from == to) return;
  if (e < -NORMAL || e > NORMAL) {
    for (hk_count i = 0; i < n; i++) to[i] = ldexp(from[i], e);
    return;
  }
#pragma omp parallel for schedule(static) if (n > FEW)
  for (hk_count i = 0; i < n; i++) to[i] = from[i] * factor;
}
