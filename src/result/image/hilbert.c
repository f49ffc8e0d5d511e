/* The Hilbert transform as a convolution with its kernel h. The sum over m has a closed form,
 *
 *   h_j = (cos(pi j / n) - s_j) / (n sin(pi j / n)),   s_j = (-1)^j, for even n times cos(pi j / n),   h_0 = 0
 *
 * The convolution has period n. It is computed by transforms of 2^k >= 2 n - 1 numbers, in which no term meets another one from beyond the
 * ends. h is real: two signals, as real and imaginary parts, are transformed at once. */
#include "result/image/hilbert.h"
#include <math.h>

static double kernel_at(hk_count j, hk_count n)
{
  const double angle = M_PI * (double)j / (double)n, sign = j % 2 ? -1 : 1;
  if (j == 0) return 0;
  return (cos(angle) - sign * (n % 2 ? 1 : cos(angle))) / ((double)n * sin(angle));
}

hk_status hk_hilbert_create(hk_count n, hk_hilbert *out)
{
  hk_status status = HK_OK;
  hk_hilbert h = {.n = n};
  HK_TRY(hk_fft_create(hk_power_of_two(2.0 * (double)n - 1), &h.fft));
  const hk_count room = h.fft.n;
  HK_TRY(hk_get(&h.kernel, room));
  for (hk_count j = 1; j < n; j++)
    h.kernel[j].re = h.kernel[room - n + j].re = kernel_at(j, n) / (double)room;
  hk_fft_run(&h.fft, -1, h.kernel);
  *out = h, h = (hk_hilbert){0};
cleanup:
  hk_hilbert_clear(&h);
  return status;
}

void hk_hilbert_run(const hk_hilbert *h, hk_complex *room)
{
  for (hk_count k = h->n; k < h->fft.n; k++) room[k] = (hk_complex){0, 0};
  hk_fft_run(&h->fft, -1, room);
  for (hk_count k = 0; k < h->fft.n; k++) {
    const hk_complex a = room[k], b = h->kernel[k];
    room[k] = (hk_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  hk_fft_run(&h->fft, 1, room);
}

void hk_hilbert_clear(hk_hilbert *h)
{
  hk_fft_clear(&h->fft);
  hk_free(&h->kernel);
}
