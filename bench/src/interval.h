/* Means of repeated measurements. */
#pragma once

typedef struct hk_interval {
  /* mean +- half holds the true mean with 95 % confidence (Student's t); half is not-a-number for one value */
  double mean, half;
  int count;
} hk_interval;

/* half = t s / sqrt(n), s^2 = sum (v - mean)^2 / (n - 1), t the 0.975 quantile with n - 1 degrees of freedom. */
hk_interval hk_interval_of(const double *value, int count);
