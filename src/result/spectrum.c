/* Amplitude spectra by the fast Fourier transform of a trace with zeros behind it. With `every:` the last sample of a run may lie
 * off the grid of the others: it is then left out. */
#include "result/spectrum.h"
#include <math.h>

static hk_count even_samples(const double *time, hk_count samples)
{
  const bool last = samples < 3 || hk_result_is_even(time, samples);
  return last ? samples : samples - 1;
}

hk_status hk_spectrum_create(hk_result *r, int trace, double most, hk_spectrum *out)
{
  hk_status status = HK_OK;
  const hk_result_trace *t = &r->trace[trace];
  double *time = NULL;
  hk_spectrum s = {.all = t->samples};
  HK_TRY(hk_get(&time, t->samples));
  HK_TRY(hk_result_time(r, trace, time));
  s.samples = even_samples(time, t->samples);
  HK_CHECK(hk_result_is_even(time, s.samples), HK_BAD_INPUT,
           "%s: has no spectrum: it needs two samples at least, at equal intervals (each step of a "
           "model has a dt of its own unless `dt` is given)",
           t->request);
  s.dt = (time[s.samples - 1] - time[0]) / (double)(s.samples - 1);
  HK_TRY(hk_fft_create(hk_power_of_two(fmax(2.0 * (double)s.samples, 1 / (most * s.dt))), &s.fft));
  HK_TRY(hk_get(&s.room, s.fft.n));
  s.count = s.fft.n / 2 + 1, s.interval = 1 / ((double)s.fft.n * s.dt);
  *out = s, s = (hk_spectrum){0};
cleanup:
  hk_free(&time);
  hk_spectrum_clear(&s);
  return status;
}

void hk_spectrum_run(hk_spectrum *s, const double *x, hk_count stride, double *amplitude)
{
  for (hk_count k = 0; k < s->fft.n; k++)
    s->room[k] = (hk_complex){k < s->samples ? x[k * stride] : 0, 0};
  hk_fft_run(&s->fft, -1, s->room);
  for (hk_count j = 0; j < s->count; j++)
    amplitude[j] = s->dt * hypot(s->room[j].re, s->room[j].im);
}

void hk_spectrum_clear(hk_spectrum *s)
{
  hk_fft_clear(&s->fft);
  hk_free(&s->room);
}
