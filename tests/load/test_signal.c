/* Signals: values, the upper end of the band, tables from files. */
#include "load/excitation.h"
#include "load/signal.h"
#include "load/wave/recorded.h"
#include "support/files.h"
#include <omp.h>

static const char file[] = "test_signal.csv";

static double highest(const hk_signal *s, double end)
{
  double f = -1;
  ok(hk_signal_highest_frequency(s, end, &f));
  return f;
}

/* s at chosen times, from the formulas of the header */
static void values(void **state)
{
  (void)state;
  const hk_signal burst = {
      .kind = HK_SIGNAL_TONEBURST, .frequency = 2, .cycles = 5, .hann = true, .scale = 3};
  near(hk_signal_value(&burst, 1.125), 3 * (1 - cos(.9 * M_PI)) / 2 * 1, 1e-12);
  near(hk_signal_value(&burst, -1e-9), 0, 0);
  near(hk_signal_value(&burst, 2.51), 0, 0);
  const hk_signal plain = {.kind = HK_SIGNAL_TONEBURST, .frequency = 2, .cycles = 5, .scale = 1};
  near(hk_signal_value(&plain, .125), 1, 1e-12);
  const hk_signal gauss = {.kind = HK_SIGNAL_GAUSSIAN, .a = 1000, .t0 = .25, .scale = 1};
  near(hk_signal_value(&gauss, .3), exp(-2.5), 1e-12);
  const hk_signal wavelet = {.kind = HK_SIGNAL_RICKER, .frequency = 10, .t0 = .12, .scale = 1};
  near(hk_signal_value(&wavelet, .12), 1, 1e-12);
  near(hk_signal_value(&wavelet, .12 + 1 / (M_PI * 10 * sqrt(2.0))), 0, 1e-12);
  const hk_signal late = {.kind = HK_SIGNAL_RICKER, .frequency = 10, .t0 = 1, .scale = 1};
  near(hk_signal_value(&late, 1), 1, 1e-12);
  const hk_signal at_once = {.kind = HK_SIGNAL_RICKER, .frequency = 10, .scale = 1};
  near(hk_signal_value(&at_once, 0), 1, 0);
  near(hk_signal_value(&at_once, -1e300), 0, 0);
  const hk_signal step = {.kind = HK_SIGNAL_STEP, .scale = 2};
  near(hk_signal_value(&step, 0), 2, 0);
  near(hk_signal_value(&step, -1e-300), 0, 0);
  const hk_signal ramp = {.kind = HK_SIGNAL_RAMP, .period = 4, .scale = 2};
  near(hk_signal_value(&ramp, 1), .5, 1e-15);
  near(hk_signal_value(&ramp, 9), 2, 0);
}

/* tables: linear or smooth between the points, constant outside, a jump at equal times */
static void table_values(void **state)
{
  (void)state;
  double t[4] = {1, 3, 3, 4}, v[4] = {10, 20, -5, 0};
  hk_signal s = {.kind = HK_SIGNAL_TABLE, .count = 4, .time = t, .value = v, .scale = 1};
  near(hk_signal_value(&s, 0), 10, 0);
  near(hk_signal_value(&s, 1.5), 12.5, 1e-12);
  near(hk_signal_value(&s, 3), -5, 0);
  near(hk_signal_value(&s, 3.5), -2.5, 1e-12);
  near(hk_signal_value(&s, 7), 0, 0);
  s.smooth = true;
  near(hk_signal_value(&s, 1.5), 10 + 10 * (.25 * .25 * .25 * (10 - 3.75 + .375)), 1e-12);
  near(hk_signal_value(&s, 2), 15, 1e-12);
}

enum { SAMPLES = 3000 };
static double times[SAMPLES], samples[SAMPLES];

static hk_signal sampled(const hk_signal *of, double to)
{
  for (int i = 0; i < SAMPLES; i++) {
    times[i] = to * i / (SAMPLES - 1);
    samples[i] = hk_signal_value(of, times[i]);
  }
  return (hk_signal){
      .kind = HK_SIGNAL_TABLE, .count = SAMPLES, .time = times, .value = samples, .scale = 1};
}

/* a table of a signal has the band that the closed form states, whatever the quiet time after it:
 * gaussian and ricker to the resolution; bursts: the -40 dB point lies just below the null */
static void table_equals_closed_form(void **state)
{
  (void)state;
  const hk_signal gauss = {.kind = HK_SIGNAL_GAUSSIAN, .a = 1000, .t0 = .25, .scale = 1};
  hk_signal table = sampled(&gauss, 3);
  near(highest(&table, 3) / highest(&gauss, 3), 1, .02);
  const hk_signal wavelet = {.kind = HK_SIGNAL_RICKER, .frequency = 10, .t0 = .12, .scale = 1};
  table = sampled(&wavelet, 3);
  near(highest(&wavelet, 1), 27.64, .01);
  near(highest(&table, 1) / highest(&wavelet, 1), 1, .02);
  const hk_signal burst = {
      .kind = HK_SIGNAL_TONEBURST, .frequency = 5, .cycles = 5, .hann = true, .scale = 7};
  near(highest(&burst, 3), 7, 1e-12);
  table = sampled(&burst, 3);
  const double f = highest(&table, 3);
  assert_true(f >= .93 * 7 && f <= 7);
  const hk_signal plain = {.kind = HK_SIGNAL_TONEBURST, .frequency = 5, .cycles = 10, .scale = 1};
  table = sampled(&plain, 3);
  near(highest(&table, 3) / highest(&plain, 3), 1, .1);
}

/* a recorded wavelet has its band, at most doubled where the record ends while it moves; the end of the run has no part in it */
static void records_that_are_cut(void **state)
{
  static const double end[] = {.48, .5, .52, .55, .6, 1.5};
  const hk_signal wavelet = {.kind = HK_SIGNAL_RICKER, .frequency = 10, .t0 = .5, .scale = 1};
  static double room[SAMPLES], c[SAMPLES + 2];
  (void)state;
  for (int k = 0; k < (int)(sizeof end / sizeof *end); k++) {
    hk_recorded record = {.step = .005, .samples = (hk_count)lround(end[k] / .005) + 1};
    for (hk_count i = 0; i < record.samples; i++)
      samples[i] = hk_signal_value(&wavelet, (double)i * record.step);
    hk_spline_fit(record.samples, samples, room, c);
    const hk_signal spline = hk_spline_signal(&record, c);
    const double part = highest(&spline, .5) / highest(&wavelet, 1);
    if (!(part >= .95 && part <= (end[k] > .55 ? 1.1 : 2))) fail_msg("%g: %g", end[k], part);
    near(highest(&spline, 3) / highest(&wavelet, 1), part, 0);
  }
}

/* a short burst in a long table whose points are close there alone: as the closed form says */
static void tables_of_uneven_points(void **state)
{
  enum { INSIDE = 600 };
  const hk_signal burst = {
      .kind = HK_SIGNAL_TONEBURST, .frequency = 2000, .cycles = 5, .hann = true, .scale = 1};
  hk_signal table = {
      .kind = HK_SIGNAL_TABLE, .count = INSIDE + 1, .time = times, .value = samples, .scale = 1};
  (void)state;
  for (int i = 0; i < INSIDE; i++) {
    times[i] = 5 / 2000. * i / (INSIDE - 1);
    samples[i] = hk_signal_value(&burst, times[i]);
  }
  times[INSIDE] = 3, samples[INSIDE] = 1e-3;
  const double f = highest(&table, 3);
  if (!(f >= .9 * 2800 && f <= 2800)) fail_msg("%g", f);
}

/* the gaussian's closed form is its -40 dB point: exp(-w^2 / (4 a)) = 0.01 */
static void gaussian_band(void **state)
{
  (void)state;
  const hk_signal gauss = {.kind = HK_SIGNAL_GAUSSIAN, .a = 1000, .t0 = .25, .scale = 1};
  const double w = 2 * M_PI * highest(&gauss, 1);
  near(exp(-w * w / 4000), .01, 1e-12);
}

/* a pulse acts where it is above 1e-12 of its scale; a table wherever it is not 0 */
static void tails(void **state)
{
  (void)state;
  hk_signal ricker = {.kind = HK_SIGNAL_RICKER, .frequency = 20, .t0 = .5, .scale = 1e-30};
  assert_true(hk_signal_acts(&ricker, .5) && hk_signal_acts(&ricker, .42));
  assert_true(hk_signal_value(&ricker, .3) != 0 && !hk_signal_acts(&ricker, .3));
  double t[3] = {0, 1, 2}, v[3] = {0, 1e-20, 1};
  const hk_signal table = {.kind = HK_SIGNAL_TABLE, .count = 3, .time = t, .value = v, .scale = 1};
  assert_true(hk_signal_acts(&table, 1) && !hk_signal_acts(&table, 0));
}

/* a ramp that stays and a table of it have the band of the derivative; nothing is known of steps
 * and constants */
static void ramps_and_steps(void **state)
{
  (void)state;
  double t[3] = {0, 2, 50}, v[3] = {0, 1, 1};
  hk_signal table = {.kind = HK_SIGNAL_TABLE, .count = 3, .time = t, .value = v, .scale = 1};
  const hk_signal ramp = {.kind = HK_SIGNAL_RAMP, .period = 2, .scale = 1};
  const hk_signal step = {.kind = HK_SIGNAL_STEP, .scale = 1};
  near(highest(&ramp, 50), 3, 0);
  near(highest(&table, 50), 3, .3);
  near(highest(&step, 50), 0, 0);
  double jump_at[4] = {0, 2, 2, 50}, jump[4] = {0, 0, 1, 1};
  const hk_signal jumps = {
      .kind = HK_SIGNAL_TABLE, .count = 4, .time = jump_at, .value = jump, .scale = 1};
  near(highest(&jumps, 50), 0, 0);
  v[0] = 1;
  near(highest(&table, 50), 0, 0);
  v[0] = 0, table.scale = 0;
  near(highest(&table, 50), 0, 0);
}

/* two columns with any of the separators, in the caller's unit of time */
static void csv(void **state)
{
  (void)state;
  hk_signal s = {0};
  write_text(file, "\xef\xbb\xbf"
                   "time (us),force\r\n# measured\r\n 0, 1\r\n\r\n1.5; -2e1\n2\t.5D0 \n 4 7");
  ok(hk_signal_read_csv(file, 1e-6, &s));
  static const double t[4] = {0, 1.5e-6, 2e-6, 4e-6}, v[4] = {1, -20, .5, 7};
  assert_int_equal(s.count, 4);
  assert_int_equal(s.kind, HK_SIGNAL_TABLE);
  for (int i = 0; i < 4; i++) near(s.time[i], t[i], 1e-20), near(s.value[i], v[i], 0);
  near(s.scale, 1, 0);
  hk_signal_clear(&s);
}

/* what is wrong is named with file and line; the output is left alone */
static void csv_errors(void **state)
{
  (void)state;
  static const char *const row[][2] = {
      {"0,1\n1,x\n", ":2: "}, {"0,1\n0,2\n", ":2: "}, {"t,s\nt,s\n0,1\n", ":2: "},
      {"0,1,2\n", ":1: "},    {"0,nan\n", ":1: "},    {"0,1\n", ":1: "},
      {"", ":0: "},           {"0,1\n1\n", ":2: "}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    hk_signal s = {.cycles = 42};
    write_text(file, row[i][0]);
    assert_int_equal(hk_signal_read_csv(file, 1, &s), HK_BAD_INPUT);
    error_says(file);
    error_says(row[i][1]);
    assert_true(s.cycles == 42 && s.time == NULL);
  }
  hk_signal s = {0};
  assert_int_equal(hk_signal_read_csv("no such file.csv", 1, &s), HK_BAD_INPUT);
}

/* the k-th allocation fails: no memory is lost */
static void failing_memory(void **state)
{
  (void)state;
  write_text(file, "0,0\n1,1\n2,0\n");
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_signal s = {0};
    double f;
    memory.status = hk_signal_read_csv(file, 1, &s);
    if (memory.status == HK_OK) memory.status = hk_signal_highest_frequency(&s, 2, &f);
    hk_signal_clear(&s);
  }
}

/* of s = 3 t: forces take s(n dt), displacements s((n + 1) dt), velocities the sum of s in the middle of steps, 3/2 ((n + 1) dt)^2, and
 * accelerations that of its sums, 3 dt^3 n (n + 1) (n + 2) / 6, in whatever pieces steps are asked for */
static void roles_sample_their_integrals(void **state)
{
  enum { STEPS = 20, STRIDE = 24 };
  const double dt = 0.25;
  double time[] = {0, 100}, value[] = {0, 300}, table[4 * STRIDE];
  const hk_signal line = {
      .kind = HK_SIGNAL_TABLE, .count = 2, .time = time, .value = value, .scale = 1};
  hk_source_signal signal[4] = {{.signal = &line, .role = HK_ROLE_FORCE},
                                {.signal = &line, .role = HK_ROLE_DISPLACEMENT},
                                {.signal = &line, .role = HK_ROLE_VELOCITY},
                                {.signal = &line, .role = HK_ROLE_ACCELERATION}};
  hk_excitation excitation = {.signal_count = 4, .signal = signal};
  (void)state;
  for (int piece = 1; piece <= STEPS; piece += 3)
    for (int first = 0; first < STEPS; first += piece) {
      hk_excitation_sample(&excitation, dt, first, piece, STRIDE, table);
      for (int k = 0; k < piece; k++) {
        const double n = first + k, next = (n + 1) * dt;
        const double expected[4] = {3 * n * dt, 3 * next, 1.5 * next * next,
                                    0.5 * dt * dt * dt * n * (n + 1) * (n + 2)};
        for (int i = 0; i < 4; i++)
          assert_true(fabs(table[i * STRIDE + k] - expected[i]) <= 1e-12 * (1 + expected[i]));
      }
    }
}

/* the table of many signals of each role, delayed by i ms, has the same bits by 1 and by 4 threads, and those of each signal sampled alone */
static void threads_sample_the_same_bits(void **state)
{
  enum { SIGNALS = 600, STEPS = 64 };
  static double one[SIGNALS][STEPS], four[SIGNALS][STEPS], alone[STEPS];
  static hk_source_signal signal[SIGNALS];
  const hk_signal wavelet = {.kind = HK_SIGNAL_RICKER, .frequency = 10, .t0 = .1, .scale = 1};
  hk_excitation all = {.signal_count = SIGNALS, .signal = signal};
  const int threads = omp_get_max_threads();
  (void)state;
  for (int i = 0; i < SIGNALS; i++)
    signal[i] = (hk_source_signal){.signal = &wavelet, .start = 1e-3 * i, .role = (hk_role)(i % 4)};
  omp_set_num_threads(1);
  for (int n = 0; n < STEPS; n += 32) hk_excitation_sample(&all, 5e-3, n, 32, STEPS, one[0] + n);
  omp_set_num_threads(4);
  for (int n = 0; n < STEPS; n += 32) hk_excitation_sample(&all, 5e-3, n, 32, STEPS, four[0] + n);
  omp_set_num_threads(threads);
  assert_memory_equal(four, one, sizeof one);
  for (int i = 0; i < SIGNALS; i++) {
    hk_excitation own = {.signal_count = 1, .signal = signal + i};
    hk_excitation_sample(&own, 5e-3, 0, STEPS, STEPS, alone);
    assert_memory_equal(four[i], alone, sizeof alone);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(values),
                                     cmocka_unit_test(table_values),
                                     cmocka_unit_test(gaussian_band),
                                     cmocka_unit_test(table_equals_closed_form),
                                     cmocka_unit_test(records_that_are_cut),
                                     cmocka_unit_test(tables_of_uneven_points),
                                     cmocka_unit_test(ramps_and_steps),
                                     cmocka_unit_test(tails),
                                     cmocka_unit_test(csv),
                                     cmocka_unit_test(csv_errors),
                                     cmocka_unit_test(failing_memory),
                                     cmocka_unit_test(roles_sample_their_integrals),
                                     cmocka_unit_test(threads_sample_the_same_bits)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove(file);
  return failed;
}
