/* The upper end of a signal's band: the highest frequency whose amplitude counts. Bursts and ramps have closed forms; Gaussian and Ricker pulses
 * end where their spectrum is at 1 % (-40 dB) of its largest amplitude. A table is sampled where it changes and transformed: the band ends behind
 * the last side lobe above -25 dB, where it falls below -40 dB. A table that does not end at its first value is transformed as its differences
 * from sample to sample. A recorded wave (spline) is transformed as a whole, also behind the end of the run, and its last quarter is tapered: a
 * record often ends while the wave moves, and its end is no jump of the wave. */
#include "base/fft.h"
#include "load/signal.h"
#include <math.h>

static const double band = 0.01;              /* -40 dB */
static const double side_lobe = 0.0562341325; /* -25 dB */

/* Last k whose amplitude counts: above -25 dB, then up to where it falls below -40 dB. */
static hk_count last_of_band(hk_count count, const double *amplitude)
{
  double peak = 0;
  hk_count k = count - 1;
  for (hk_count i = 0; i < count; i++) peak = fmax(peak, amplitude[i]);
  if (!(peak > 0)) return 0;
  while (k > 0 && !(amplitude[k] >= side_lobe * peak)) k--;
  while (k < count - 1 && amplitude[k] >= band * peak) k++;
  return k;
}

/* The part [from, to] of [0, end] in which a table changes; false if there is none. Of a spline all samples. */
static bool changing_part(const hk_signal *s, double end, double *from, double *to)
{
  hk_count first = 0, last = s->count - 1;
  *from = s->t0, *to = s->t0 + (double)(s->count - 3) * s->period;
  if (s->kind == HK_SIGNAL_SPLINE) return *to > *from;
  while (first < last && s->value[first + 1] == s->value[first]) first++;
  while (last > first && s->value[last - 1] == s->value[last]) last--;
  if (first >= last) return false;
  *from = fmax(0, s->time[first]);
  *to = fmin(end, s->time[last]);
  return *to > *from;
}

/* Enough samples for the shortest interval of the table, a power of two in 2^10..2^18. */
static hk_count sample_count(const hk_signal *s, double duration)
{
  double shortest = duration;
  hk_count n = 1 << 10;
  if (s->kind == HK_SIGNAL_SPLINE) shortest = s->period;
  for (hk_count i = 1; s->time && i < s->count; i++)
    if (s->time[i] > s->time[i - 1]) shortest = fmin(shortest, s->time[i] - s->time[i - 1]);
  while (n < 1 << 18 && (double)n * shortest < 2 * duration) n *= 2;
  return n;
}

/* The last quarter of y[n] falls to 0 as half a cosine. */
static void taper(hk_count n, double *y)
{
  const hk_count first = n - n / 4;
  for (hk_count i = first; i < n; i++)
    y[i] *= 0.5 + 0.5 * cos(M_PI * (double)(i - first) / (double)(n - first));
}

static hk_status table_frequency(const hk_signal *s, double end, double *frequency)
{
  enum { PADDING = 8 }; /* points of the spectrum per 1 / duration */
  hk_status status = HK_OK;
  double *re = NULL, from, to, largest = 0;
  hk_complex *z = NULL;
  hk_fft fft = {0};

  *frequency = 0;
  if (!changing_part(s, end, &from, &to)) return HK_OK;
  const hk_count n = sample_count(s, to - from), size = PADDING * n;
  const double step = (to - from) / (double)n;
  HK_TRY(hk_get(&re, size));
  HK_TRY(hk_get(&z, size));
  HK_TRY(hk_fft_create(size, &fft));
  const double start = hk_signal_value(s, from);
  for (hk_count i = 0; i <= n; i++) {
    re[i] = hk_signal_value(s, from + step * (double)i) - start;
    largest = fmax(largest, fabs(re[i]));
  }
  if (!(fabs(re[n]) <= 0.01 * largest)) {
    for (hk_count i = 0; i < n; i++) re[i] = re[i + 1] - re[i];
    re[n] = 0;
  }
  if (s->kind == HK_SIGNAL_SPLINE) taper(n + 1, re);
  for (hk_count k = 0; k < size; k++) z[k].re = re[k];
  hk_fft_run(&fft, -1, z);
  for (hk_count k = 0; k <= size / 2; k++) re[k] = hypot(z[k].re, z[k].im);
  *frequency = (double)last_of_band(size / 2 + 1, re) / ((double)size * step);
cleanup:
  hk_free(&re);
  hk_free(&z);
  hk_fft_clear(&fft);
  return status;
}

/* x > 1 with x^2 exp(1 - x^2) = band. */
static double ricker_factor(void)
{
  double low = 1, high = 10;
  for (int i = 0; i < 60; i++) {
    const double x = (low + high) / 2;
    if (x * x * exp(1 - x * x) > band)
      low = x;
    else
      high = x;
  }
  return high;
}

hk_status hk_signal_highest_frequency(const hk_signal *signal, double end, double *frequency)
{
  const double f = signal->frequency;
  switch (signal->kind) {
  case HK_SIGNAL_STEP: *frequency = 0; break;
  case HK_SIGNAL_TONEBURST: *frequency = f * (1 + (signal->hann ? 2 : 6) / signal->cycles); break;
  case HK_SIGNAL_GAUSSIAN: *frequency = sqrt(-signal->a * log(band)) / M_PI; break;
  case HK_SIGNAL_RICKER: *frequency = f * ricker_factor(); break;
  case HK_SIGNAL_RAMP: *frequency = 6 / signal->period; break;
  case HK_SIGNAL_TABLE:
  case HK_SIGNAL_SPLINE: return table_frequency(signal, end, frequency);
  }
  return HK_OK;
}
