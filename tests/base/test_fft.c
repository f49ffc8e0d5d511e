/* Transforms are the sums that they stand for. */
#include "base/fft.h"
#include "support/check.h"

static double random_number(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)*state / 4294967296.0 - 0.5;
}

/* sum_k x_k exp(-i theta (first + k)), one by one */
static hk_complex direct(hk_count first, hk_count count, const hk_complex *x, double theta)
{
  hk_complex sum = {0, 0};
  for (hk_count k = 0; k < count; k++) {
    const double angle = theta * (double)(first + k), c = cos(angle), s = -sin(angle);
    sum.re += c * x[k].re - s * x[k].im, sum.im += s * x[k].re + c * x[k].im;
  }
  return sum;
}

static void same(hk_complex got, hk_complex expected, double tolerance)
{
  const double error = hypot(got.re - expected.re, got.im - expected.im);
  if (!(error <= tolerance)) {
    print_message("got %.15g %.15g expected %.15g %.15g: off by %g, tolerance %g\n", got.re, got.im,
                  expected.re, expected.im, error, tolerance);
    fail();
  }
}

/* hk_fft_run = the direct sum, and its inverse leads back */
static void transforms(void **state)
{
  (void)state;
  enum { N = 64 };
  uint32_t seed = 1;
  hk_complex x[N], z[N];
  hk_fft fft;
  for (int k = 0; k < N; k++)
    z[k] = x[k] = (hk_complex){random_number(&seed), random_number(&seed)};
  ok(hk_fft_create(N, &fft));
  hk_fft_run(&fft, -1, z);
  for (int m = 0; m < N; m++) same(z[m], direct(0, N, x, 2 * M_PI * m / N), 1e-12);
  hk_fft_run(&fft, 1, z);
  for (int k = 0; k < N; k++) same((hk_complex){z[k].re / N, z[k].im / N}, x[k], 1e-14);
  hk_fft_clear(&fft);
}

/* hk_fft_run_real = the transform of z and its mirror image */
static void real_transform(void **state)
{
  (void)state;
  enum { N = 64 };
  uint32_t seed = 3;
  hk_complex z[N] = {{0, 0}}, half[N / 2], room[N / 2 + 1];
  hk_fft fft;
  for (int j = 0; j < N / 2; j++) {
    z[j] = half[j] = (hk_complex){random_number(&seed), random_number(&seed)};
    if (j) z[N - j] = (hk_complex){z[j].re, -z[j].im};
  }
  z[0].im = 0;
  ok(hk_fft_create(N, &fft));
  hk_fft_run(&fft, 1, z);
  hk_fft_run_real(&fft, half, room);
  const double *x = &half[0].re;
  for (int k = 0; k < N; k++) same((hk_complex){x[k], 0}, z[k], 1e-13);
  hk_fft_clear(&fft);
}

/* hk_fourier_run = the direct sum at any frequency, to 1e-11 of the sum of magnitudes */
static void anywhere(void **state)
{
  (void)state;
  enum { COUNT = 75, POINTS = 203 };
  static const hk_count first[] = {0, -37, 1000};
  uint32_t seed = 7;
  hk_complex x[COUNT], y[POINTS], room[1024];
  double theta[POINTS], size = 0;
  for (int k = 0; k < COUNT; k++) {
    x[k] = (hk_complex){random_number(&seed), random_number(&seed)};
    size += hypot(x[k].re, x[k].im);
  }
  for (int j = 0; j < POINTS; j++) theta[j] = 2 * M_PI * random_number(&seed);
  theta[0] = 0, theta[1] = M_PI, theta[2] = -M_PI;
  for (int f = 0; f < 3; f++) {
    hk_fourier plan;
    ok(hk_fourier_create(first[f], COUNT, POINTS, theta, &plan));
    assert_true(plan.fft.n <= 1024);
    hk_fourier_run(&plan, x, room, y);
    for (int j = 0; j < POINTS; j++) same(y[j], direct(first[f], COUNT, x, theta[j]), 1e-11 * size);
    hk_fourier_clear(&plan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(transforms), cmocka_unit_test(real_transform),
                                     cmocka_unit_test(anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
