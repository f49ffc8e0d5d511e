/* What traces of central differences are without their error of phase, u(W) = u_num(w(W)): one sum at the frequencies w(W_j),
 * one transform back to time (D.4), (D.5). */
#include "load/dispersion.h"
#include <math.h>

/* KEPT: of the stability limit. What lies there comes 1 / cos(w dt / 2) = 7 times later than it was computed at most: PERIODS of the length
 * are room for it and its mirror image. */
static const double KEPT = 0.95, GONE = 0.99;
/* Of the energy of what is predicted: below that is rounding, in single and in double, which other devices have otherwise. */
static const double SMALLEST[2] = {1e-8, 1e-11};
enum { PERIODS = 8, ORDER = 32, FITTED = 400, LEAST = 12, SCRATCH = 3 * FITTED };

/* Samples foreseen beyond the end: those before it need some, the more the longer the trace (D.9). */
static hk_count beyond(hk_count steps)
{
  return 32 + (hk_count)ceil(8 * cbrt((double)steps));
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

hk_status hk_restore_create(hk_count steps, bool precise, hk_restore *out)
{
  hk_status status = HK_OK;
  hk_restore r = {.steps = steps, .precise = precise, .length = steps + 1 + beyond(steps)};
  r.period = hk_power_of_two(PERIODS * (double)r.length), r.points = points_of(r.period);
  HK_TRY(hk_get(&r.theta, r.points));
  HK_TRY(hk_get(&r.keep, r.points));
  HK_TRY(hk_get(&r.lift, r.points));
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
  hk_free(&r->theta);
  hk_free(&r->keep);
  hk_free(&r->lift);
  hk_fourier_clear(&r->fourier);
  hk_fft_clear(&r->fft);
}

hk_count hk_restore_plan(hk_count steps, int threads)
{
  const hk_count length = steps + 1 + beyond(steps),
                 period = hk_power_of_two(PERIODS * (double)length), points = points_of(period),
                 spread = hk_power_of_two(2.0 * (double)length + 12);
  return 8 * (3 * points + length + spread + period) +
         threads * (16 * (length + period + points) + 8 * (steps + 1 + SCRATCH));
}

hk_status hk_restore_room_create(const hk_restore *r, hk_restore_room *out)
{
  hk_status status = HK_OK;
  hk_restore_room room = {0};
  HK_TRY(hk_get(&room.x, r->fourier.count));
  HK_TRY(hk_get(&room.scratch, SCRATCH + beyond(r->steps)));
  HK_TRY(hk_get(&room.spread,
                r->fourier.fft.n > r->period / 2 ? r->fourier.fft.n : r->period / 2 + 1));
  HK_TRY(hk_get(&room.spectrum, r->points));
  HK_TRY(hk_get(&room.back, r->period / 2));
  *out = room, room = (hk_restore_room){0};
cleanup:
  hk_restore_room_clear(&room);
  return status;
}

void hk_restore_room_clear(hk_restore_room *room)
{
  hk_free(&room->x);
  hk_free(&room->scratch);
  hk_free(&room->spread);
  hk_free(&room->spectrum);
  hk_free(&room->back);
}

/* Burg's prediction: coefficient[order] with x_n = - sum_k coefficient[k - 1] x_n-k, errors forward and backward least. */
static void predict(const double *x, hk_count count, int order, double smallest, double *forward,
                    double *backward, double *coefficient)
{
  double floor = 0; /* what is smaller is rounding, which other devices have otherwise */
  for (hk_count i = 0; i < count; i++) {
    forward[i] = backward[i] = x[i];
    floor += smallest * x[i] * x[i];
  }
  for (int m = 0; m < order; m++) {
    double product = 0, square = 0, before[ORDER];
    for (hk_count i = m + 1; i < count; i++) {
      product += forward[i] * backward[i - 1];
      square += forward[i] * forward[i] + backward[i - 1] * backward[i - 1];
    }
    const double k = square > 0 ? -2 * product / (square + floor) : 0;
    for (int i = 0; i < m; i++) before[i] = coefficient[i];
    for (int i = 0; i < m; i++) coefficient[i] = before[i] + k * before[m - 1 - i];
    coefficient[m] = k;
    for (hk_count i = count - 1; i > m; i--) {
      const double f = forward[i], b = backward[i - 1];
      forward[i] = f + k * b, backward[i] = b + k * f;
    }
  }
}

/* The parabola nearest to x[count], a[0] + a[1] t + a[2] (t^2 - a[3]), t from -1 at the first to 1 at the last. */
static void find_trend(const double *x, hk_count count, double *a)
{
  double sum[3] = {0}, square[3] = {0};
  a[3] = 0;
  for (hk_count i = 0; i < count; i++) {
    const double t = 2.0 * (double)i / (double)(count - 1) - 1;
    a[3] += t * t / (double)count;
  }
  for (hk_count i = 0; i < count; i++) {
    const double t = 2.0 * (double)i / (double)(count - 1) - 1, by[3] = {1, t, t * t - a[3]};
    for (int k = 0; k < 3; k++) sum[k] += by[k] * x[i], square[k] += by[k] * by[k];
  }
  for (int k = 0; k < 3; k++) a[k] = sum[k] / square[k];
}

static double trend(const double *a, hk_count count, hk_count i)
{
  const double t = 2.0 * (double)i / (double)(count - 1) - 1;
  return a[0] + a[1] * t + a[2] * (t * t - a[3]);
}

/* next[count]: what follows sample[known], a parabola and a prediction of the rest. */
static void foresee(const double *sample, hk_count known, hk_count count, double smallest,
                    double *scratch, double *next)
{
  const hk_count fitted = known < FITTED ? known : FITTED;
  const int order = fitted > 3 * ORDER ? ORDER : (int)(fitted / 3);
  double coefficient[ORDER], a[4], *rest = scratch + 2 * FITTED;
  for (hk_count n = 0; n < count; n++) next[n] = sample[known - 1];
  if (fitted < LEAST) return;
  find_trend(sample + known - fitted, fitted, a);
  for (hk_count i = 0; i < fitted; i++) rest[i] = sample[known - fitted + i] - trend(a, fitted, i);
  predict(rest, fitted, order, smallest, scratch, scratch + FITTED, coefficient);
  for (hk_count n = 0; n < count; n++) {
    next[n] = 0;
    for (int k = 1; k <= order; k++)
      next[n] -= coefficient[k - 1] * (n < k ? rest[fitted + n - k] : next[n - k]);
  }
  for (hk_count n = 0; n < count; n++) next[n] += trend(a, fitted, fitted + n);
}

/* The first half of a row that is odd or even about t = 0: foreseen and faded beyond the end. */
static void lay_out(const hk_restore *r, const double *sample, double *scratch, hk_complex *x)
{
  const hk_count known = r->steps + 1, count = r->length - known;
  double *next = scratch + SCRATCH;
  foresee(sample, known, count, SMALLEST[r->precise], scratch, next);
  for (hk_count n = 0; n < known; n++) x[n] = (hk_complex){sample[n], 0};
  for (hk_count n = 0; n < count; n++) {
    const double t = 2 * (double)(n + 1) / (double)(count + 1) - 1;
    x[known + n] = (hk_complex){next[n] * 0.5 * (1 + cos(M_PI * fmax(0, t))), 0};
  }
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
  lay_out(r, sample, room->scratch, room->x);
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
