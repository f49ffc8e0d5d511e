/* Vectors brought near 1 by a power of two, which changes no bit: squares of 1e300 overflow, kernels of the host take 1e-310 for zero. */
#pragma once
#include "base/base.h"
#include <math.h>

/* e with 2^-e max |v| in [0.5, 1); 0 where that is within 2^-16 ... 2^16, nothing, or no number. */
static inline int hk_scale_find(const double *v, hk_count n)
{
  enum { NEAR = 16 };
  double most = 0;
  int e = 0;
  for (hk_count i = 0; i < n; i++) most = hk_larger(most, fabs(v[i]));
  if (!(most > 0) || !isfinite(most)) return 0;
  frexp(most, &e);
  return e > -NEAR && e < NEAR ? 0 : e;
}

/* to[n] = 2^e from[n]; may be the same. */
static inline void hk_scale_by(int e, const double *from, hk_count n, double *to)
{
  for (hk_count i = 0; i < n; i++) to[i] = ldexp(from[i], e);
}
