/* Amplitude spectra of traces.
 *
 *   |X(f)|, X(f) = integral of x(t) exp(-2 pi i f t) dt ~ dt sum_k x_k exp(-2 pi i f t_k)
 *
 * at f_j = j / (n dt), 0 <= j <= n / 2, n a power of two, at least twice the samples: zeros follow the last sample, and no window is laid over them. The unit is that of x
 * over that of f. Only f >= 0 is kept, and amplitudes are not doubled: integral of x^2 dt = 2 integral of |X|^2 df over f >= 0 (Parseval). */
#pragma once
#include "base/fft.h"
#include "result/result.h"

typedef struct hk_spectrum {
  hk_count all;        /* samples of a trace */
  hk_count samples;    /* those that count: one fewer where the last is off the grid */
  hk_count count;      /* of frequencies: n / 2 + 1 */
  double dt, interval; /* frequency j: j interval */
  hk_fft fft;
  hk_complex *room; /* room[n] */
} hk_spectrum;
/* For traces at the times of a trace of `result`; frequencies lie `most` apart or less: INFINITY: with as few zeros as above. HK_BAD_INPUT: fewer than two samples, or uneven ones (steps of different dt). */
hk_status hk_spectrum_create(hk_result *result, int trace, double most, hk_spectrum *out);
/* x[samples], one every `stride` numbers; amplitude[count]: not-a-number throughout where a sample is. n log n. */
void hk_spectrum_run(hk_spectrum *plan, const double *x, hk_count stride, double *amplitude);
void hk_spectrum_clear(hk_spectrum *plan);
