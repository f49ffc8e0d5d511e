/* Fourier transforms of 2^k numbers, and Fourier sums at frequencies that lie anywhere.
 *
 *   hk_fft     z_m <- sum_k z_k exp(sign 2 pi i m k / n)                           n log n
 *   hk_fourier y_j = sum_k x_k exp(-i theta_j (first + k)), k = 0 .. count - 1      count log count + 12 points
 *
 * The second spreads a Kaiser-Bessel window over a transform of twice the length (Potts, Steidl and Tasche 2001), (D.10) and
 * (D.11): relative errors of 1e-11. Plans are read only once they are made: threads share them. */
#pragma once
#include "base/base.h"

typedef struct hk_complex {
  double re, im;
} hk_complex;

typedef struct hk_fft {
  hk_count n;       /* a power of two */
  hk_complex *root; /* root[n / 2] = exp(-2 pi i k / n) */
} hk_fft;
hk_count hk_power_of_two(double least); /* the first that is not below `least`; at least 2 */
hk_status hk_fft_create(hk_count n, hk_fft *out);
void hk_fft_run(const hk_fft *fft, int sign, hk_complex *z); /* z[n], in place */
/* x_k = Re(z_0) + 2 sum_j Re(z_j exp(2 pi i j k / n)), j < n / 2, real numbers x_0, x_1, ... x_n-1 behind one another in place of z[n / 2].
 * room[n / 2 + 1] is scratch. Half the work. */
void hk_fft_run_real(const hk_fft *fft, hk_complex *z, hk_complex *room);
void hk_fft_clear(hk_fft *fft);

typedef struct hk_fourier {
  hk_count first, count, points;
  hk_fft fft;          /* of at least 2 count numbers */
  double *correction;  /* correction[count]: 1 / the window's transform */
  const double *theta; /* theta[points], borrowed; |theta| <= pi */
} hk_fourier;
hk_status hk_fourier_create(hk_count first, hk_count count, hk_count points, const double *theta,
                            hk_fourier *out);
/* x[count], y[points]; room[fft.n] is scratch */
void hk_fourier_run(const hk_fourier *plan, const hk_complex *x, hk_complex *room, hk_complex *y);
void hk_fourier_clear(hk_fourier *plan);
