/* The discrete Hilbert transform of real numbers x_0 .. x_n-1, taken as periodic, and with it their analytic signal x + i H(x), whose size is
 * the envelope (Marple 1999, IEEE Transactions on Signal Processing 47, 2600).
 *
 *   H(x)_k = sum_j x_j h_(k - j),   h_j = (2 / n) sum_m sin(2 pi j m / n), 0 < m < n / 2
 *
 * for any n, at the cost of a Fourier transform of 2^k >= 2 n - 1 numbers for each x. Plans are read only once they are made: threads share them. */
#pragma once
#include "base/fft.h"

typedef struct hk_hilbert {
  hk_count n;
  hk_fft fft;
  hk_complex *kernel; /* kernel[fft.n]: the transform of h / fft.n */
} hk_hilbert;
hk_status hk_hilbert_create(hk_count n, hk_hilbert *out);
/* room[fft.n]: on entry numbers a in the real and b in the imaginary parts of room[n]; on return H(a) and H(b) there. */
void hk_hilbert_run(const hk_hilbert *plan, hk_complex *room);
void hk_hilbert_clear(hk_hilbert *plan);
