/* A kernel's reals in memory of the host: floats or doubles by the precision, one by one. */
#pragma once
#include "base/base.h"

static inline void hk_put_real(void *reals, bool double_precision, hk_count at, double value)
{
  if (double_precision)
    ((double *)reals)[at] = value;
  else
    ((float *)reals)[at] = (float)value;
}

static inline double hk_real_at(const void *reals, bool double_precision, hk_count at)
{
  return double_precision ? ((const double *)reals)[at] : (double)((const float *)reals)[at];
}
