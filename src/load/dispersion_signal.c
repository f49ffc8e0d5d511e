/* Signals for central differences without time dispersion, f_num(w) = f(W(w)) (D.3): a signal is replaced by the one whose spectrum at the
 * frequency w of the steps is that of the given one at W(w) = 2 sin(w dt / 2) / dt (D.1). The derivative is transformed, since its support is
 * finite and the signal may end at any value; forces and displacements follow (D.6), velocities (D.7). It is sampled in fine cells, transformed at
 * the frequencies W_j (D.10), tapered below the stability limit, transformed back and summed. Jumps at t = 0 get the correction of their first
 * five steps (D.12). */
#include "load/dispersion.h"
#include <math.h>

enum { FEW_SIGNALS = 16 };                   /* one thread filters them */
enum { FINE = 8, MOST_CELLS = 1 << 20 };     /* cells of the quadrature: per step, at most */
static const double PASS = 0.7, STOP = 0.95; /* of the stability limit: kept, gone */
static const double SMALL = 1e-10; /* of the largest value: what is left out of the window */

void hk_signal_support(const hk_signal *s, double *from, double *to)
{
  double reach = 0;
  *from = *to = 0;
  if (!s) return;
  switch (s->kind) {
  case HK_SIGNAL_STEP: break;
  case HK_SIGNAL_TONEBURST: *to = s->cycles / s->frequency; break;
  case HK_SIGNAL_RAMP: *to = s->period; break;
  case HK_SIGNAL_GAUSSIAN: reach = 6 / sqrt(s->a); break; /* exp(-36) */
  case HK_SIGNAL_RICKER: reach = 6.4 / (M_PI * s->frequency); break;
  case HK_SIGNAL_TABLE:
    if (s->count) *from = s->time[0], *to = s->time[s->count - 1];
    break;
  case HK_SIGNAL_SPLINE: *from = s->t0, *to = s->t0 + (double)(s->count - 3) * s->period; break;
  }
  if (reach > 0) *from = s->t0 - reach, *to = s->t0 + reach;
}

bool hk_signal_filterable(const hk_source_signal *d, double dt, hk_count steps)
{
  double from, to;
  hk_signal_support(d->signal, &from, &to);
  return (d->start + to) / dt < HK_LONGEST_FILTER || 3.5 * (double)steps < HK_LONGEST_FILTER;
}

/* A jump at t = 0 is 1/2, 1, 1, ... to the solver, which is cos(w dt / 2) / (i W) in frequency and should be 1 / (i W) (D.12): what is missing is
 * - i tan(w dt / 4) / 2 = - i w dt / 8 - i (w dt)^3 / 384 - ..., put there by one-sided differences of first and third order. */
static const double missing[] = {-25.0 / 96 + 5.0 / 768, 1.0 / 2 - 9.0 / 384, -3.0 / 8 + 12.0 / 384,
                                 1.0 / 6 - 7.0 / 384, -1.0 / 32 + 3.0 / 768};
enum { MISSING = sizeof missing / sizeof *missing };

/* Steps after its last change until nothing is left of a signal. */
static hk_count margin(double steps)
{
  return 64 + (hk_count)ceil(10 * cbrt(fmax(steps, 0)));
}

/* The derivative of a signal as impulses in the middle of cells, and its transform at the frequencies of a period. */
typedef struct slope {
  const hk_signal *signal;
  double begin, cell; /* own time of the signal where the cells begin; their length */
  hk_count cells, period, points;
  double *theta;        /* theta[points]: W_j cell */
  hk_complex *spectrum; /* spectrum[points], time counted from `begin` */
} slope;

static void clear(slope *s)
{
  hk_free(&s->theta);
  hk_free(&s->spectrum);
  *s = (slope){0};
}

/* sin(x), x = w dt / 2, up to STOP */
static hk_count points_below(hk_count period)
{
  return (hk_count)floor(asin(STOP) / M_PI * (double)period) + 1;
}

/* 1 up to PASS, 0 from STOP on, smooth between */
static double taper(double x)
{
  const double t = (x - PASS) / (STOP - PASS);
  return t <= 0 ? 1 : t >= 1 ? 0 : 0.5 * (1 + cos(M_PI * t)) * (1 - t * t * t);
}

/* Differences over cells are means of the derivative: divided by their sinc, which makes them the derivative itself. */
static hk_status transform(slope *s)
{
  hk_status status = HK_OK;
  hk_fourier plan = {0};
  hk_complex *x = NULL, *room = NULL;
  HK_TRY(hk_get(&x, s->cells));
  for (hk_count k = 0; k < s->cells; k++)
    x[k].re = hk_signal_value(s->signal, s->begin + s->cell * (double)(k + 1)) -
              hk_signal_value(s->signal, s->begin + s->cell * (double)k);
  HK_TRY(hk_fourier_create(0, s->cells, s->points, s->theta, &plan));
  HK_TRY(hk_get(&room, plan.fft.n));
  hk_fourier_run(&plan, x, room, s->spectrum);
  for (hk_count j = 1; j < s->points; j++) {
    const double half = s->theta[j] / 2, factor = half / sin(half);
    s->spectrum[j].re *= factor, s->spectrum[j].im *= factor;
  }
cleanup:
  hk_fourier_clear(&plan);
  hk_free(&x);
  hk_free(&room);
  return status;
}

/* What is there already serves where signal, beginning and period are the same: the delays of an array. */
static hk_status find_slope(slope *s, const hk_signal *signal, double begin, double end, double dt,
                            hk_count period)
{
  hk_status status = HK_OK;
  hk_count fine = FINE;
  if (s->spectrum && s->signal == signal && s->begin == begin && s->period == period) return HK_OK;
  clear(s);
  if (signal->kind == HK_SIGNAL_SPLINE && signal->period >= 2 * dt)
    fine = 1; /* it has no such detail */
  while (fine > 1 && (end - begin) / dt * (double)fine > MOST_CELLS) fine /= 2;
  s->signal = signal, s->begin = begin, s->period = period, s->cell = dt / (double)fine;
  s->cells = (hk_count)ceil((end - begin) / s->cell) + 1, s->points = points_below(period);
  HK_TRY(hk_get(&s->theta, s->points));
  HK_TRY(hk_get(&s->spectrum, s->points));
  for (hk_count j = 0; j < s->points; j++)
    s->theta[j] = 2 * sin(M_PI * (double)j / (double)period) / (double)fine;
  HK_TRY(transform(s));
cleanup:
  if (status != HK_OK) clear(s);
  return status;
}

/* A jump of the height `step` at its own time 0. */
static hk_status set_jump(slope *s, double step, hk_count period)
{
  clear(s);
  s->period = period, s->points = points_below(period);
  HK_PASS(hk_get(&s->spectrum, s->points));
  for (hk_count j = 0; j < s->points; j++) s->spectrum[j].re = step;
  return HK_OK;
}

/* z[period] = the derivative's samples: of forces and displacements half a step after each whole one (imaginary parts, D.6), of velocities at
 * whole steps (real parts, D.7). `late`: seconds from t = 0 to the middle of the first cell. */
static void sample(const slope *s, const hk_fft *fft, double dt, double late, bool halves,
                   hk_complex *z)
{
  const hk_count period = s->period;
  for (hk_count j = 0; j < period; j++) z[j] = (hk_complex){0, 0};
  for (hk_count j = 0; j < s->points; j++) {
    const double angle = M_PI * (double)j / (double)period, x = sin(angle),
                 turn = 2 * x * late / dt;
    const hk_complex *f = &s->spectrum[j];
    const double c = cos(turn), d = sin(turn), re = c * f->re + d * f->im,
                 im = c * f->im - d * f->re,
                 weight = (j ? 4 : 2) / ((double)period * dt) * taper(x);
    if (halves)
      z[j] = (hk_complex){weight * re, 0};
    else
      z[j] = (hk_complex){-weight * im * cos(angle), -weight * im * sin(angle)};
  }
  hk_fft_run(fft, 1, z);
}

/* The signal itself in z[].re: sums from where nothing changes any more back to t = 0. */
static void sum_up(hk_complex *z, hk_count count, double dt, bool halves, double after)
{
  double sum = after;
  for (hk_count n = count - 1; n >= 0; n--) {
    const double now = sum;
    sum -= dt * (halves ? z[n].re : z[n].im);
    z[n].re = halves ? now : sum; /* of velocities those after n alone */
  }
}

/* The window of z[count] in which there is something else than before and after it. */
static hk_status take_window(const hk_complex *z, hk_count count, double before, double after,
                             hk_filtered *out)
{
  double largest = fmax(fabs(before), fabs(after));
  hk_count first = 0, end = count;
  for (hk_count n = 0; n < count; n++) largest = fmax(largest, fabs(z[n].re));
  while (first < end && fabs(z[first].re - before) <= SMALL * largest) first++;
  while (end > first && fabs(z[end - 1].re - after) <= SMALL * largest) end--;
  HK_PASS(hk_get(&out->value, end - first));
  for (hk_count n = first; n < end; n++) out->value[n - first] = z[n].re;
  out->on = true, out->first = first, out->count = end - first;
  out->before = before, out->after = after;
  return HK_OK;
}

/* z[steps] = a signal that changes after t = 0, between begin and end of its own time. */
static hk_status filter_change(const hk_source_signal *d, double dt, double begin, double end,
                               double after, hk_count steps, slope *s, hk_complex *z)
{
  hk_status status = HK_OK;
  const bool jump = end == begin, halves = d->role == HK_ROLE_VELOCITY;
  const hk_count period = hk_power_of_two(2.0 * (double)steps);
  hk_fft fft = {0};
  if (jump)
    HK_TRY(set_jump(s, after, period));
  else
    HK_TRY(find_slope(s, d->signal, begin, end, dt, period));
  HK_TRY(hk_fft_create(period, &fft));
  sample(s, &fft, dt, d->start + begin + (jump ? 0 : s->cell / 2), halves, z);
  sum_up(z, steps, dt, halves, after);
cleanup:
  hk_fft_clear(&fft);
  return status;
}

static hk_status filter(hk_source_signal *d, double dt, slope *s)
{
  hk_status status = HK_OK;
  double from, to;
  hk_complex *z = NULL;

  hk_filtered_clear(&d->filtered);
  hk_signal_support(d->signal, &from, &to);
  const double begin = fmax(from, -d->start), before = hk_source_signal_at(d, 0);
  const bool jump = to == from, changes = jump ? d->start + to > 0 : to > begin,
             repairs = before != 0 && (d->role == HK_ROLE_FORCE || d->role == HK_ROLE_ACCELERATION);
  if (!changes && !repairs) return HK_OK;
  to = fmin(to, HK_LONGEST_FILTER * dt - d->start);
  const double last = changes ? (d->start + to) / dt : 0;
  const hk_count steps = (hk_count)ceil(last) + margin(last);
  const double after = hk_source_signal_at(d, d->start + to + dt);
  HK_TRY(hk_get(&z, hk_power_of_two(2.0 * (double)steps)));
  for (hk_count n = 0; n < steps; n++) z[n].re = before;
  if (changes) HK_TRY(filter_change(d, dt, jump ? from : begin, to, after, steps, s, z));
  for (int n = 0; repairs && n < MISSING; n++) z[n].re += before * missing[n] * (n ? 1 : 2);
  HK_TRY(take_window(z, steps, repairs ? z[0].re : before, after, &d->filtered));
cleanup:
  hk_free(&z);
  return status;
}

hk_status hk_excitation_filter(hk_excitation *excitation, double dt)
{
  hk_failure failure = {0};
#pragma omp parallel if (excitation->signal_count > FEW_SIGNALS)
  {
    slope s = {0}; /* signals side by side share it */
    hk_status status = HK_OK;
#pragma omp for schedule(static)
    for (int i = 0; i < excitation->signal_count; i++)
      if (status == HK_OK) status = filter(&excitation->signal[i], dt, &s);
    hk_failure_keep(&failure, status);
    clear(&s);
  }
  return hk_failure_tell(&failure);
}
