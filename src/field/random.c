/* A random medium by the spectral method (Goff and Jordan 1988; Klimes 2002 for the media): a sum of plane waves,
 *   f(x) = std sqrt(2 / N) sum over N of cos(k_n . x + phi_n),
 * whose wave numbers k_n are drawn from the spectrum of the correlation and whose phases are uniform. With r in correlation lengths: Gaussian
 * exp(-r^2): k is normal of variance 2; von Karman of Hurst's number H, spectrum (1 + k^2)^-(H + d/2): k = z / sqrt(w) with z normal and w of chi^2
 * with 2 H degrees of freedom, that is twice a gamma variate of shape H; exponential: H = 1/2. The numbers depend on the seed alone. */
#include "field/field.h"
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct wave {
  double k[3], phase;
} wave;

typedef struct random_field {
  hk_spatial field; /* first */
  double scale;
  int count;
  wave *wave;
} random_field;

static void destroy(hk_spatial *field)
{
  random_field *f = (random_field *)field;
  hk_free(&f->wave);
  hk_free(&f->field.name);
  hk_free(&f);
}

static double value_at(const hk_spatial *field, const double x[3])
{
  const random_field *f = (const random_field *)field;
  double sum = 0;
  for (int n = 0; n < f->count; n++) {
    const wave *w = &f->wave[n];
    sum += cos(w->k[0] * x[0] + w->k[1] * x[1] + w->k[2] * x[2] + w->phase);
  }
  return f->scale * sum;
}

/* Above 0, below 1 (splitmix64, Steele, Lea and Flood 2014). */
static double uniform(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
  const double r = sqrt(-2 * log(uniform(state)));
  return r * cos(2 * M_PI * uniform(state));
}

/* Of shape a <= 1 (Marsaglia and Tsang 2000: of shape a + 1, times u^(1/a)). u^(1/a) may be below all numbers where a is small: the least one gives a wave
 * that is as short as one can be, whose values at any two places have nothing to do with each other, as those of the exact one. */
static double gamma_variate(uint64_t *state, double a)
{
  const double d = a + 2.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    const double x = normal(state), v = pow(1 + c * x, 3), u = uniform(state);
    if (v > 0 && log(u) < 0.5 * x * x + d - d * v + d * log(v))
      return fmax(d * v * pow(uniform(state), 1 / a), DBL_MIN);
  }
}

static wave draw(const hk_random_desc *desc, uint64_t *state)
{
  const double hurst = desc->kind == HK_RANDOM_EXPONENTIAL ? 0.5 : desc->hurst;
  wave w = {.phase = 2 * M_PI * uniform(state)};
  const double spread =
      desc->kind == HK_RANDOM_GAUSSIAN ? sqrt(2) : 1 / sqrt(2 * gamma_variate(state, hurst));
  for (int d = 0; d < desc->dim; d++) w.k[d] = spread * normal(state) / desc->correlation[d];
  return w;
}

hk_status hk_random_create(const hk_random_desc *desc, const char *name, hk_spatial **out)
{
  hk_status status = HK_OK;
  random_field *f = NULL;
  uint64_t state = (uint64_t)desc->seed;
  HK_TRY(hk_new(&f));
  f->field.at = value_at, f->field.destroy = destroy;
  HK_TRY(hk_copy_text((char **)&f->field.name, name));
  HK_TRY(hk_get(&f->wave, desc->modes));
  f->count = desc->modes, f->scale = desc->std * sqrt(2.0 / desc->modes);
  for (int n = 0; n < f->count; n++) f->wave[n] = draw(desc, &state);
  *out = &f->field, f = NULL;
cleanup:
  if (f) destroy(&f->field);
  return status;
}
