/* Traces of central differences without their error of phase, u(W) = u_num(w(W)) (D.4), (D.5): the record, odd or even about t = 0, is summed at
 * the frequencies w(W_j) by a nonuniform Fourier transform (D.10), and transformed back to time by a regular one. Rates are also divided by cos(w
 * dt / 2) (D.8). The steps beyond the end of the record that the sum needs (D.9) are computed by the solver, and the last of them fade out. */
#include "load/dispersion.h"
#include <math.h>

/* KEPT: of the stability limit. What lies there comes 1 / cos(w dt / 2) = 7 times later than it was computed at most: PERIODS of the length
 * are room for it and its mirror image. */
static const double KEPT = 0.95, GONE = 0.99;
enum {
  PERIODS = 8,
  FADE = 12 /* last steps beyond the end: they fade, the others count in full */
};

hk_count hk_restore_beyond(hk_count steps)
{
  return (hk_count)ceil(3.5 * cbrt((double)steps)) + FADE;
}

static hk_count length_of(hk_count steps)
{
  return steps + 1 + hk_restore_beyond(steps);
}

static hk_count points_of(hk_count period)
{
  return (hk_count)floor(GONE / M_PI * (double)period) + 1;
}

static double taper(double x)
{
  const double t = (x - KEPT) / (GONE - KEPT);
  return t <= 0 ? 1 : t >= 1 ? 0 : 0.5 * (1 + cos(M_PI * t));
}

hk_status hk_restore_create(hk_count steps, hk_restore *out)
{
  hk_status status = HK_OK;
  hk_restore r = {.steps = steps, .length = length_of(steps)};
  r.period = hk_power_of_two(PERIODS * (double)r.length), r.points = points_of(r.period);
  HK_TRY(hk_pool_get(&r.pool, &r.theta, r.points));
  HK_TRY(hk_pool_get(&r.pool, &r.keep, r.points));
  HK_TRY(hk_pool_get(&r.pool, &r.lift, r.points));
  for (hk_count j = 0; j < r.points; j++) {
    const double x = M_PI * (double)j / (double)r.period; /* W dt / 2 */
    r.theta[j] = 2 * asin(x), r.keep[j] = taper(x) / (double)r.period;
    r.lift[j] = r.keep[j] / sqrt(1 - x * x);
  }
  HK_TRY(hk_fourier_create(0, r.length, r.points, r.theta, &r.fourier));
  HK_TRY(hk_fft_create(r.period, &r.fft));
  *out = r, r = (hk_restore){0};
cleanup:
  hk_restore_clear(&r);
  return status;
}

void hk_restore_clear(hk_restore *r)
{
  hk_pool_clear(&r->pool);
  hk_fourier_clear(&r->fourier);
  hk_fft_clear(&r->fft);
}

hk_count hk_restore_plan(hk_count steps, int threads)
{
  const hk_count length = length_of(steps), period = hk_power_of_two(PERIODS * (double)length),
                 points = points_of(period), spread = hk_power_of_two(2.0 * (double)length + 12);
  return 8 * (3 * points + length + spread + period) +
         threads * (16 * (length + period + points) + 8 * length);
}

hk_status hk_restore_room_create(const hk_restore *r, hk_restore_room *out)
{
  hk_status status = HK_OK;
  hk_restore_room room = {0};
  HK_TRY(hk_pool_get(&room.pool, &room.x, r->fourier.count));
  const hk_count half = r->period / 2 + 1;
  HK_TRY(hk_pool_get(&room.pool, &room.spread, r->fourier.fft.n > half ? r->fourier.fft.n : half));
  HK_TRY(hk_pool_get(&room.pool, &room.spectrum, r->points));
  HK_TRY(hk_pool_get(&room.pool, &room.back, r->period / 2));
  *out = room, room = (hk_restore_room){0};
cleanup:
  hk_restore_room_clear(&room);
  return status;
}

void hk_restore_room_clear(hk_restore_room *room)
{
  hk_pool_clear(&room->pool);
}

/* The first half of a row that is odd or even about t = 0; it fades where it ends, beyond the end of the record. */
static void lay_out(const hk_restore *r, const double *sample, hk_complex *x)
{
  const hk_count full = r->length - FADE;
  for (hk_count n = 0; n < full; n++) x[n] = (hk_complex){sample[n], 0};
  for (hk_count k = 0; k < FADE; k++)
    x[full + k] = (hk_complex){0.5 * (1 + cos(M_PI * (k + 1) / (FADE + 1))) * sample[full + k], 0};
}

/* Whether a row begins from rest: then it is odd, and the imaginary part of its sum is its spectrum, else the real part. */
static bool is_odd(const hk_restore *r, const double *sample)
{
  double largest = 0;
  for (hk_count n = 0; n <= r->steps; n++) largest = fmax(largest, fabs(sample[n]));
  return fabs(sample[0]) <= 1e-6 * largest;
}

void hk_restore_run(const hk_restore *r, hk_restore_room *room, double *sample, bool rate)
{
  const bool odd = is_odd(r, sample);
  const double *factor = rate ? r->lift : r->keep, first = sample[0];
  lay_out(r, sample, room->x);
  hk_fourier_run(&r->fourier, room->x, room->spread, room->spectrum);
  for (hk_count j = 0; j < r->period / 2; j++) room->back[j] = (hk_complex){0, 0};
  for (hk_count j = 0; j < r->points; j++) {
    const double re = factor[j] * (2 * room->spectrum[j].re - first),
                 im = factor[j] * 2 * room->spectrum[j].im;
    room->back[j] = odd ? (hk_complex){0, im} : (hk_complex){re, 0};
  }
  hk_fft_run_real(&r->fft, room->back, room->spread);
  for (hk_count n = 0; n <= r->steps; n++)
    sample[n] = n % 2 ? room->back[n / 2].im : room->back[n / 2].re;
}
