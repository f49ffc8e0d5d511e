/* Fourier transforms.
 * hk_fft is the fast transform of 2^k numbers, radix 2 with decimation in time. A transform to real
 * numbers puts those of even and odd places into the real and imaginary parts of a transform of
 * half the length.
 * hk_fourier sums at arbitrary frequencies theta: it divides the numbers by the transform of a
 * Kaiser-Bessel window, transforms to twice the length, and sums the 12 values around each theta
 * with the window (D.10), (D.11). */
#include "base/fft.h"
#include <math.h>

enum { HALF = 6 };                                        /* half the window's width, in points */
static const double SHAPE = 1.5 * 3.14159265358979323846; /* pi (2 - 1 / 2): twice the length */

hk_count hk_power_of_two(double least)
{
  hk_count n = 2;
  while ((double)n < least) n *= 2;
  return n;
}

hk_status hk_fft_create(hk_count n, hk_fft *out)
{
  hk_complex *root = NULL;
  HK_PASS(hk_get(&root, n / 2));
  for (hk_count k = 0; k < n / 2; k++) {
    const double angle = 2 * M_PI * (double)k / (double)n;
    root[k] = (hk_complex){cos(angle), -sin(angle)};
  }
  *out = (hk_fft){n, root};
  return HK_OK;
}

void hk_fft_clear(hk_fft *fft)
{
  hk_free(&fft->root);
  fft->n = 0;
}

/* z_i <-> z_j, j the bits of i backwards */
static void turn_bits(hk_count n, hk_complex *z)
{
  for (hk_count i = 1, j = 0; i < n; i++) {
    hk_count bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const hk_complex x = z[i];
    z[i] = z[j], z[j] = x;
  }
}

/* `skip`: the roots are those of a transform that many times as long */
static void run(const hk_complex *roots, hk_count n, hk_count skip, int sign, hk_complex *z)
{
  const double turn = sign < 0 ? 1 : -1;
  turn_bits(n, z);
  for (hk_count half = 1, every = n / 2 * skip; half < n; half *= 2, every /= 2)
    for (hk_count first = 0; first < n; first += 2 * half)
      for (hk_count k = 0; k < half; k++) {
        const double c = roots[k * every].re, s = turn * roots[k * every].im;
        hk_complex *a = z + first + k, *b = a + half;
        const double re = c * b->re - s * b->im, im = s * b->re + c * b->im;
        b->re = a->re - re, b->im = a->im - im;
        a->re += re, a->im += im;
      }
}

void hk_fft_run(const hk_fft *fft, int sign, hk_complex *z)
{
  run(fft->root, fft->n, 1, sign, z);
}

/* Numbers of even and of odd places are real and imaginary parts of a transform of half the length. */
void hk_fft_run_real(const hk_fft *fft, hk_complex *z, hk_complex *room)
{
  const hk_count half = fft->n / 2;
  for (hk_count j = 0; j < half; j++) room[j] = z[j];
  room[0].im = 0, room[half] = (hk_complex){0, 0};
  for (hk_count j = 0; j < half; j++) {
    const hk_complex *a = &room[j], *b = &room[half - j];
    const double re = a->re - b->re, im = a->im + b->im, c = fft->root[j].re, s = -fft->root[j].im;
    z[j] = (hk_complex){a->re + b->re - s * re - c * im, a->im - b->im + c * re - s * im};
  }
  run(fft->root, half, 2, 1, z);
}

/* Modified Bessel function I_0 by its power series: x <= SHAPE HALF = 28.3 takes some fifty terms. */
static double bessel(double x)
{
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-17 * sum; k++) {
    term *= x * x / (4.0 * k * k);
    sum += term;
  }
  return sum;
}

/* phi(u) = sinh(b sqrt(m^2 - u^2)) / (pi sqrt(m^2 - u^2)), |u| < m   (D.11) */
static double window(double u)
{
  const double square = HALF * HALF - u * u;
  if (!(square > 1e-12)) return square > -1e-12 ? SHAPE / M_PI : 0;
  const double root = sqrt(square), e = exp(SHAPE * root);
  return (e - 1 / e) / (2 * M_PI * root);
}

hk_status hk_fourier_create(hk_count first, hk_count count, hk_count points, const double *theta,
                            hk_fourier *out)
{
  hk_status status = HK_OK;
  hk_fourier f = {.first = first, .count = count, .points = points, .theta = theta};
  HK_TRY(hk_fft_create(hk_power_of_two(2.0 * (double)count + 2 * HALF), &f.fft));
  HK_TRY(hk_get(&f.correction, count));
  const hk_count middle = count / 2;
  for (hk_count k = 0; k < count; k++) {
    const double x = 2 * M_PI * (double)(k - middle) / (double)f.fft.n;
    f.correction[k] = 1 / bessel(HALF * sqrt(SHAPE * SHAPE - x * x));
  }
  *out = f, f = (hk_fourier){0};
cleanup:
  hk_fourier_clear(&f);
  return status;
}

void hk_fourier_clear(hk_fourier *f)
{
  hk_fft_clear(&f->fft);
  hk_free(&f->correction);
}

/* The window's sum over the transform around theta, turned to where the numbers begin (D.10). */
static hk_complex gather(const hk_fourier *f, const hk_complex *spectrum, double theta)
{
  const hk_count n = f->fft.n, middle = f->first + f->count / 2;
  const double at = theta * (double)n / (2 * M_PI), shift = theta * (double)middle;
  const hk_count left = (hk_count)floor(at) - HALF + 1;
  hk_complex sum = {0, 0};
  for (int k = 0; k < 2 * HALF; k++) {
    const hk_complex *z = &spectrum[(left + k) & (n - 1)];
    const double weight = window(at - (double)(left + k));
    sum.re += weight * z->re, sum.im += weight * z->im;
  }
  const double c = cos(shift), s = -sin(shift);
  return (hk_complex){c * sum.re - s * sum.im, s * sum.re + c * sum.im};
}

void hk_fourier_run(const hk_fourier *f, const hk_complex *x, hk_complex *room, hk_complex *y)
{
  const hk_count n = f->fft.n;
  for (hk_count k = 0; k < n; k++) room[k] = (hk_complex){0, 0};
  for (hk_count k = 0; k < f->count; k++) {
    hk_complex *z = &room[(k - f->count / 2) & (n - 1)];
    z->re = x[k].re * f->correction[k], z->im = x[k].im * f->correction[k];
  }
  hk_fft_run(&f->fft, -1, room);
  for (hk_count j = 0; j < f->points; j++) y[j] = gather(f, room, f->theta[j]);
}
