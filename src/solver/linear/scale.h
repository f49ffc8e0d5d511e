/* Vectors brought near 1 by a power of two, which changes no bit: squares of 1e300 overflow, kernels of the host take 1e-310 for zero. By all threads. */
#pragma once
#include "base/base.h"

/* max |v|; NaN where there is one; 0 where n is. */
double hk_scale_most(const double *v, hk_count n);

/* e with 2^-e max |v| in [0.5, 1); 0 where that is within 2^-16 ... 2^16, nothing, or no number. */
int hk_scale_find(const double *v, hk_count n);

/* to[n] = 2^e from[n]; may be the same. */
void hk_scale_by(int e, const double *from, hk_count n, double *to);
