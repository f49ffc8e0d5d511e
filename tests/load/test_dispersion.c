/* An oscillator u'' + w^2 u = f, stepped by central differences with a filtered signal, has after restoring the displacement, velocity,
 * acceleration and integral of the differential equation: (D.3), (D.4), (D.8). dt = 1. */
#include "load/dispersion.h"
#include "support/check.h"

enum { STEPS = 1500, ALL = 1600, FINE = 40 };

typedef struct motion { /* u, its rates and its integral at every step, and at some more */
  double u[ALL + 1], v[ALL + 1], a[ALL + 1], sum[ALL + 1];
} motion;

typedef struct oscillator {
  double w, v0;        /* frequency; velocity at t = 0 */
  double (*f)(double); /* the exact force; NULL: that of the signal */
  hk_source_signal signal;
} oscillator;

static double force(const oscillator *o, double t)
{
  return o->f ? o->w * o->w * o->f(t) : hk_source_signal_at(&o->signal, t);
}

/* Runge and Kutta's fourth order with a fortieth of the step; forces just inside each small step, since they may jump between. */
static void solve_exactly(const oscillator *o, motion *out)
{
  const double h = 1.0 / FINE, w2 = o->w * o->w;
  double u = 0, v = o->v0, sum = 0;
  for (int n = 0; n <= STEPS; n++) {
    out->u[n] = u, out->v[n] = v, out->sum[n] = sum, out->a[n] = force(o, n) - w2 * u;
    for (int k = 0; k < FINE; k++) {
      const double t = n + k * h, f0 = force(o, t + 1e-9 * h), f1 = force(o, t + h / 2),
                   f2 = force(o, t + h - 1e-9 * h);
      const double k1 = f0 - w2 * u, v2 = v + h / 2 * k1, k2 = f1 - w2 * (u + h / 2 * v);
      const double v3 = v + h / 2 * k2, k3 = f1 - w2 * (u + h / 2 * v2), v4 = v + h * k3,
                   k4 = f2 - w2 * (u + h * v3);
      sum += h * u + h * h / 6 * (v + v2 + v3);
      u += h / 6 * (v + 2 * v2 + 2 * v3 + v4), v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
  }
}

/* f_n of a force is in the table at n; a prescribed motion g_n+1 is, and g_0 = 0: it acts by w^2 g. */
static double sampled(hk_excitation *excitation, const oscillator *o, int n)
{
  double f = 0;
  if (o->signal.role == HK_ROLE_FORCE)
    hk_excitation_sample(excitation, 1, n, 1, 1, &f);
  else if (n > 0)
    hk_excitation_sample(excitation, 1, n - 1, 1, 1, &f);
  return o->signal.role == HK_ROLE_FORCE ? f : o->w * o->w * f;
}

/* (W.5) with the start (W.7), and what watches make of it: solver/explicit/sources.k.h */
static void step(hk_excitation *excitation, const oscillator *o, motion *out)
{
  double u = 0, f = sampled(excitation, o, 0), next = o->v0 + f / 2, before = -o->v0 + f / 2;
  for (int n = 0; n <= ALL; n++) {
    out->u[n] = u, out->v[n] = (next - before) / 2, out->a[n] = next - 2 * u + before;
    out->sum[n] = n ? out->sum[n - 1] + (out->u[n - 1] + u) / 2 : 0;
    before = u, u = next, f = sampled(excitation, o, n + 1);
    next = 2 * u - before + f - o->w * o->w * u;
  }
}

static double distance(const double *a, const double *b)
{
  double sum = 0, size = 0;
  for (int n = 0; n <= STEPS; n++) sum += (a[n] - b[n]) * (a[n] - b[n]), size += b[n] * b[n];
  return sqrt(sum / size);
}

static void within(const char *what, double error, double tolerance)
{
  if (!(error <= tolerance)) {
    print_message("%s: L2 %g, tolerance %g\n", what, error, tolerance);
    fail();
  }
}

static motion exact, found;

/* Displacement and integral to `smooth`, velocity to `rate`, acceleration to `rough`: a kink or a jump in time is cut where the band ends. */
static void compare(oscillator o, double smooth, double rate, double rough)
{
  hk_excitation excitation = {.signal_count = 1};
  hk_restore plan;
  hk_restore_room room;
  ok(hk_get(&excitation.signal, 1));
  excitation.signal[0] = o.signal;
  ok(hk_restore_create(STEPS, &plan));
  ok(hk_restore_room_create(&plan, &room));
  assert_true(plan.length <= ALL + 1);
  solve_exactly(&o, &exact);
  step(&excitation, &o, &found);
  const double computed = distance(found.u, exact.u);
  assert_true(computed > 5 * smooth); /* what is put right is there */
  ok(hk_excitation_filter(&excitation, 1));
  step(&excitation, &o, &found);
  hk_restore_run(&plan, &room, found.u, false);
  hk_restore_run(&plan, &room, found.v, true);
  hk_restore_run(&plan, &room, found.a, false);
  hk_restore_run(&plan, &room, found.sum, true);
  within("displacement", distance(found.u, exact.u), smooth);
  within("velocity", distance(found.v, exact.v), rate);
  within("acceleration", distance(found.a, exact.a), rough);
  within("integral", distance(found.sum, exact.sum), smooth);
  hk_restore_room_clear(&room);
  hk_restore_clear(&plan);
  hk_excitation_clear(&excitation);
}

static const double frequency[] = {0.15, 0.4}; /* 42 and 16 steps per period */
static const hk_signal ricker = {.kind = HK_SIGNAL_RICKER, .frequency = 0.03, .t0 = 50, .scale = 1},
                       burst = {.kind = HK_SIGNAL_TONEBURST,
                                .frequency = 0.04,
                                .cycles = 5,
                                .hann = true,
                                .scale = 2},
                       ramp = {.kind = HK_SIGNAL_RAMP, .period = 80, .scale = 1},
                       jump = {.kind = HK_SIGNAL_STEP, .scale = 1};

/* Pulses, at once and late: exact to what is left beyond the band */
static void pulses(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double w = frequency[k];
    compare((oscillator){.w = w, .signal = {.signal = &ricker}}, 5e-5, 5e-5, 5e-5);
    compare((oscillator){.w = w, .signal = {.signal = &ricker, .start = 333.3}}, 5e-5, 5e-5, 5e-5);
    compare((oscillator){.w = w, .signal = {.signal = &burst}}, 2e-5, 2e-5, 5e-5);
    compare((oscillator){.w = w, .signal = {.signal = &burst, .start = 500.25}}, 5e-5, 5e-5, 5e-5);
  }
}

/* Signals that end at a constant, or are one; a jump at t = 0 (D.12) and one later */
static void constants(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double w = frequency[k];
    compare((oscillator){.w = w, .signal = {.signal = &ramp}}, 2e-4, 1e-2, 2e-2);
    compare((oscillator){.w = w, .signal = {.signal = &jump}}, 4e-4, 2e-3, 1e-2);
    compare((oscillator){.w = w, .signal = {.signal = NULL}}, 4e-4, 2e-3, 1e-2);
    compare((oscillator){.w = w, .signal = {.signal = &jump, .start = 200}}, 3e-4, 5e-3, 3e-2);
  }
}

static double once(double t) /* integral of the ricker */
{
  return (t - 50) * exp(-pow(M_PI * 0.03 * (t - 50), 2));
}

static double twice(double t) /* and that of once */
{
  return -exp(-pow(M_PI * 0.03 * (t - 50), 2)) / (2 * pow(M_PI * 0.03, 2));
}

static double same(double t)
{
  return hk_signal_value(&ricker, t);
}

static double steady(double t)
{
  return t;
}

/* Prescribed displacements, velocities and accelerations drive as w^2 g */
static void motions(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double w = frequency[k];
    compare((oscillator){.w = w, .f = same, .signal = {&ricker, 0, HK_ROLE_DISPLACEMENT}}, 5e-5,
            5e-5, 5e-5);
    compare((oscillator){.w = w, .f = once, .signal = {&ricker, 0, HK_ROLE_VELOCITY}}, 5e-5, 5e-5,
            5e-5);
    compare((oscillator){.w = w, .f = twice, .signal = {&ricker, 0, HK_ROLE_ACCELERATION}}, 5e-5,
            5e-5, 5e-5);
    compare((oscillator){.w = w, .f = steady, .signal = {&jump, 0, HK_ROLE_VELOCITY}}, 5e-5, 1e-3,
            1e-2);
  }
}

/* An initial velocity is an impulse: exact */
static void impulse(void **state)
{
  (void)state;
  const hk_signal none = {.kind = HK_SIGNAL_STEP, .scale = 0};
  for (int k = 0; k < 2; k++)
    compare((oscillator){.w = frequency[k], .v0 = 1, .signal = {.signal = &none}}, 3e-4, 5e-5,
            5e-5);
}

/* A filtered signal is the same whoever stands beside it, and is at rest before it begins and after its end */
static void windows(void **state)
{
  (void)state;
  hk_excitation excitation = {.signal_count = 3};
  double table[3][64];
  ok(hk_get(&excitation.signal, 3));
  excitation.signal[0] = (hk_source_signal){.signal = &ricker, .start = 5000};
  excitation.signal[1] = (hk_source_signal){.signal = &burst};
  excitation.signal[2] = (hk_source_signal){.signal = &ricker, .start = 40};
  ok(hk_excitation_filter(&excitation, 1));
  const hk_filtered late = excitation.signal[0].filtered;
  assert_true(late.on && late.first > 4000 && late.count < 1200);
  hk_excitation alone = {.signal_count = 1};
  ok(hk_get(&alone.signal, 1));
  alone.signal[0] = (hk_source_signal){.signal = &ricker, .start = 40};
  ok(hk_excitation_filter(&alone, 1));
  const hk_filtered *a = &alone.signal[0].filtered, *b = &excitation.signal[2].filtered;
  assert_int_equal(a->first, b->first);
  assert_int_equal(a->count, b->count);
  assert_memory_equal(a->value, b->value, (size_t)a->count * sizeof *a->value);
  hk_excitation_sample(&excitation, 1, 0, 64, 64, table[0]);
  for (int n = 0; n < 64; n++) assert_true(table[0][n] == 0);
  hk_excitation_clear(&alone);
  hk_excitation_clear(&excitation);
}

/* what is held for a transform is what the plan says, up to a tenth and a kilobyte, for any number of threads */
static void memory_is_planned(void **state)
{
  (void)state;
  for (hk_count steps = 10; steps < 300000; steps *= 9)
    for (int threads = 1; threads < 4; threads++) {
      hk_restore plan = {0};
      hk_restore_room room[3] = {{0}};
      double *sample[3] = {NULL};
      const hk_count before = hk_memory_held();
      ok(hk_restore_create(steps, &plan));
      for (int t = 0; t < threads; t++) {
        ok(hk_restore_room_create(&plan, &room[t]));
        ok(hk_get(&sample[t], plan.length));
      }
      const double held = (double)(hk_memory_held() - before),
                   planned = (double)hk_restore_plan(steps, threads);
      if (!(held <= 1.1 * planned + 1024 && planned <= 1.5 * held))
        fail_msg("%lld steps, %d threads: %g bytes are held, %g planned", (long long)steps, threads,
                 held, planned);
      for (int t = 0; t < threads; t++) {
        hk_restore_room_clear(&room[t]);
        hk_free(&sample[t]);
      }
      hk_restore_clear(&plan);
      assert_int_equal(hk_memory_held(), before);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pulses),  cmocka_unit_test(constants), cmocka_unit_test(motions),
      cmocka_unit_test(impulse), cmocka_unit_test(windows),   cmocka_unit_test(memory_is_planned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
