/* The mean of repeated measurements with its 95 % confidence interval, t s / sqrt(n) by Student's distribution.
 * Quantiles are a table up to 20 degrees of freedom; beyond it they are the normal distribution's with the first term
 * of the expansion by Cornish and Fisher. */
#include "interval.h"
#include <math.h>

/* 0.975 quantiles of Student's distribution with 1, 2, ... degrees of freedom. */
static const double quantile[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                  2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                  2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
enum { QUANTILES = sizeof quantile / sizeof *quantile };

/* Beyond the table: the normal distribution's, with the first term of Cornish and Fisher. */
static double quantile_of(int freedom)
{
  const double z = 1.959964;
  return freedom <= QUANTILES ? quantile[freedom - 1] : z + (z * z * z + z) / (4.0 * freedom);
}

hk_interval hk_interval_of(const double *value, int count)
{
  double sum = 0, squares = 0;
  for (int i = 0; i < count; i++) sum += value[i];
  const double mean = sum / count;
  for (int i = 0; i < count; i++) squares += (value[i] - mean) * (value[i] - mean);
  return (hk_interval){
      mean, count > 1 ? quantile_of(count - 1) * sqrt(squares / (count - 1) / count) : NAN, count};
}
