/* Quality factors by standard linear solids (fit.h). With w_l given, (V.2) is linear in y_l at each frequency w:
 *   sum over l of y_l (w_l w + w_l^2 / Q) / (w_l^2 + w^2) = 1 / Q
 * (Emmerich and Korn 1987), and the y_l are those of least squares over SAMPLES frequencies, evenly spaced in the logarithm. The rates w_l are
 * evenly spaced too, from the band's lower end times a factor to its upper end over it; the factor with the least error of Q is taken. */
#include "physics/viscoelastic/fit.h"
#include <complex.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 60, SPREADS = 81 };

static double complex modulus(const hk_relaxation *r, const double *y, double w)
{
  double complex m = 1;
  for (int l = 0; l < HK_MECHANISMS; l++) m -= y[l] * r->rate[l] / (r->rate[l] + I * w);
  return m;
}

void hk_relaxation_modulus(const hk_relaxation *r, const double *y, double w, double out[2])
{
  const double complex m = modulus(r, y, w);
  out[0] = creal(m), out[1] = cimag(m);
}

/* M / M_U at i w = -x, a real number between poles, and its slope. */
static double at_decay(const hk_relaxation *r, const double *y, double x, double *slope)
{
  double m = 1;
  *slope = 0;
  for (int l = 0; l < HK_MECHANISMS; l++) {
    const double away = r->rate[l] - x;
    m -= y[l] * r->rate[l] / away, *slope += y[l] * r->rate[l] / (away * away);
  }
  return m;
}

/* The rates are the zeros of M, one below each of its poles, found by halving; b r = 1 / slope there. */
void hk_relaxation_creep(const hk_relaxation *r, const double *y, double *rate, double *b)
{
  enum { ROUNDS = 200 };
  double slope;
  for (int l = 0; l < HK_MECHANISMS; l++) {
    double low = l ? r->rate[l - 1] : 0, high = r->rate[l];
    for (int k = 0; k < ROUNDS; k++) {
      const double middle = 0.5 * (low + high);
      if (at_decay(r, y, middle, &slope) > 0)
        low = middle;
      else
        high = middle;
    }
    rate[l] = 0.5 * (low + high);
    at_decay(r, y, rate[l], &slope);
    b[l] = isfinite(slope) && slope > 0 ? 1 / (slope * rate[l]) : 0;
  }
}

static double sample(const hk_quality *q, int k)
{
  return 2 * M_PI * q->band[0] * pow(q->band[1] / q->band[0], k / (SAMPLES - 1.0));
}

/* a x = b by elimination, a symmetric and positive definite; x replaces b. */
static void solve(double a[HK_MECHANISMS][HK_MECHANISMS], double b[HK_MECHANISMS])
{
  enum { N = HK_MECHANISMS };
  for (int p = 0; p < N; p++)
    for (int i = 0; i < N; i++) {
      const double factor = i == p ? 0 : a[i][p] / a[p][p];
      for (int j = 0; j < N; j++) a[i][j] -= factor * a[p][j];
      b[i] -= factor * b[p];
    }
  for (int i = 0; i < N; i++) b[i] /= a[i][i];
}

/* y of one Q for the rates of r; the largest relative error of Q over the band, INFINITY where the y are none of a passive medium. */
static double fit_one(const hk_quality *q, double wanted, const hk_relaxation *r, double *y)
{
  double a[HK_MECHANISMS][HK_MECHANISMS] = {{0}}, sum = 0, error = 0;
  memset(y, 0, HK_MECHANISMS * sizeof *y);
  for (int k = 0; k < SAMPLES; k++) {
    double row[HK_MECHANISMS];
    const double w = sample(q, k);
    for (int l = 0; l < HK_MECHANISMS; l++)
      row[l] = r->rate[l] * (w * wanted + r->rate[l]) / (r->rate[l] * r->rate[l] + w * w);
    for (int l = 0; l < HK_MECHANISMS; l++) {
      for (int m = 0; m < HK_MECHANISMS; m++) a[l][m] += row[l] * row[m];
      y[l] += row[l];
    }
  }
  solve(a, y);
  for (int l = 0; l < HK_MECHANISMS; l++) {
    if (!(y[l] >= 0)) return INFINITY;
    sum += y[l];
  }
  for (int k = 0; k < SAMPLES; k++) {
    const double complex m = modulus(r, y, sample(q, k));
    error = fmax(error, fabs(wanted * cimag(m) / creal(m) - 1));
  }
  return sum < 1 ? error : INFINITY;
}

/* Rates with the ends of the band moved inwards by the factor; false: they would meet. */
static bool spread_rates(const hk_quality *q, double factor, hk_relaxation *r)
{
  const double first = 2 * M_PI * q->band[0] * factor, last = 2 * M_PI * q->band[1] / factor;
  for (int l = 0; l < HK_MECHANISMS; l++)
    r->rate[l] = first * pow(last / first, l / (HK_MECHANISMS - 1.0));
  return last > 1.5 * first;
}

/* The best rates, and y of s and, where it is finite, of p. */
static void fit_rates(const hk_quality *q, hk_relaxation *best)
{
  best->error = INFINITY;
  for (int k = 0; k < SPREADS; k++) {
    hk_relaxation r = {.error = 0};
    if (!spread_rates(q, pow(10, 1 - 2 * k / (SPREADS - 1.0)), &r)) continue;
    r.error = fit_one(q, q->s, &r, r.s);
    if (isfinite(q->p)) r.error = fmax(r.error, fit_one(q, q->p, &r, r.p));
    if (r.error < best->error) *best = r;
  }
}

/* M_U / M of a wave whose phase speed at w is sqrt(M / rho):  1 / c = Re sqrt(rho / M(w)) */
static double sudden(const hk_relaxation *r, const double *y, double w)
{
  const double slow = creal(1 / csqrt(modulus(r, y, w)));
  return slow * slow;
}

/* p of a medium whose changes of volume lose nothing: M y_p = 4/3 mu y_s of moduli for sudden strains. M_U follows from y_p again. */
static void lossless_volume(double ratio, double w, hk_relaxation *r)
{
  enum { ROUNDS = 60 };
  r->p_sudden = 1;
  for (int k = 0; k < ROUNDS; k++) {
    for (int l = 0; l < HK_MECHANISMS; l++)
      r->p[l] = 4 / (3 * ratio) * r->s_sudden / r->p_sudden * r->s[l];
    r->p_sudden = sudden(r, r->p, w);
  }
}

/* Q of pressure waves at w. */
static double quality_of(const hk_relaxation *r, const double *y, double w)
{
  const double complex m = modulus(r, y, w);
  return creal(m) / cimag(m);
}

hk_wave_fit hk_relaxation_measure(const hk_relaxation *r, const double *y, double faster,
                                  const hk_quality *q, double wanted)
{
  const bool asked = isfinite(wanted);
  hk_wave_fit out = {.quality = asked ? wanted
                                      : quality_of(r, y, 2 * M_PI * sqrt(q->band[0] * q->band[1])),
                     .largest = asked ? 0 : NAN,
                     .rms = NAN,
                     .relaxed = 1};
  double squares = 0;
  for (int k = 0; k < SAMPLES; k++) {
    const double error = fabs(wanted / quality_of(r, y, sample(q, k)) - 1);
    squares += error * error / SAMPLES;
    if (asked) out.largest = fmax(out.largest, error);
  }
  if (asked) out.rms = sqrt(squares);
  for (int k = 0; k < 2; k++) out.speed[k] = sqrt(faster / sudden(r, y, 2 * M_PI * q->band[k]));
  for (int l = 0; l < HK_MECHANISMS; l++) out.relaxed -= y[l];
  return out;
}

hk_status hk_relaxation_of(const double *constant, bool fluid, hk_quality *q, hk_relaxation *r)
{
  const double any = 2, *given = constant + HK_QUALITY_AT;
  *q = (hk_quality){
      .band = {given[0], given[1]}, .frequency = given[2], .p = given[3], .s = given[4]};
  if (fluid) {
    hk_quality one = *q;
    one.p = INFINITY;
    return hk_quality_fit(&one, any, r);
  }
  *r = (hk_relaxation){.error = NAN};
  memcpy(r->rate, constant, sizeof r->rate);
  memcpy(r->p, constant + HK_MECHANISMS, sizeof r->p);
  memcpy(r->s, constant + 2 * HK_MECHANISMS, sizeof r->s);
  r->p_sudden = sudden(r, r->p, 2 * M_PI * q->frequency);
  r->s_sudden = sudden(r, r->s, 2 * M_PI * q->frequency);
  return HK_OK;
}

hk_status hk_quality_fit(const hk_quality *q, double ratio, hk_relaxation *out)
{
  const double w = 2 * M_PI * q->frequency;
  hk_relaxation r, none;
  fit_rates(q, &r);
  HK_NEED(isfinite(r.error), HK_BAD_INPUT,
          "no medium of %d standard linear solids has q_s %g%s at frequencies from %g to %g: give "
          "larger ones, "
          "or a narrower q_band",
          HK_MECHANISMS, q->s, isfinite(q->p) ? " and such a q_p" : "", q->band[0], q->band[1]);
  r.s_sudden = sudden(&r, r.s, w);
  none = r;
  lossless_volume(ratio, w, &none);
  if (!isfinite(q->p)) {
    *out = none;
    return HK_OK;
  }
  r.p_sudden = sudden(&r, r.p, w);
  for (int l = 0; l < HK_MECHANISMS; l++) {
    const double least = 4 / (3 * ratio) * r.s_sudden / r.p_sudden * r.s[l];
    HK_NEED(r.p[l] >= 0.98 * least, HK_BAD_INPUT,
            "q_p %g is too large beside q_s %g: changes of volume would gain energy; with these "
            "speeds q_p is at most %.4g, which is taken where q_p is not given",
            q->p, q->s, quality_of(&none, none.p, 2 * M_PI * sqrt(q->band[0] * q->band[1])));
    r.p[l] = fmax(r.p[l], least);
  }
  *out = r;
  return HK_OK;
}
