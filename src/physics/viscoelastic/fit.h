/* Constant quality factors over a band of frequencies by standard linear solids: the modulus of a wave at the angular frequency w is
 *   M(w) = M_U (1 - sum over l of y_l w_l / (w_l + i w)),   Q(w) = Re M / Im M   (V.2)
 * with M_U the modulus for a sudden strain (Emmerich and Korn 1987).
 *
 *   hk_quality quality = {.band = {1e5, 1e7}, .frequency = 1e6, .p = 80, .s = 40};
 *   HK_TRY(hk_quality_fit(&quality, 3.0, &relaxation));   // of a medium with M = lambda + 2 mu = 3 mu
 */
#pragma once
#include "base/base.h"

enum { HK_MECHANISMS = 3 }; /* MECHANISMS of law.k.h */
/* Place in hk_material.constant where a material with attenuation keeps its hk_quality: the band, the frequency, p and s. */
enum { HK_QUALITY_AT = 3 * HK_MECHANISMS };
/* Of a Kelvin-Voigt solid, stress = C : (strain + t dstrain/dt): the place of t; its mechanisms are 0. */
enum { HK_DELAY_AT = HK_QUALITY_AT + 5 };

typedef struct hk_quality {
  double band[2];   /* frequencies, ascending, above 0 */
  double frequency; /* where the moduli are those of the medium */
  double p, s;      /* Q of pressure and shear waves; p INFINITY: changes of volume lose nothing */
} hk_quality;

typedef struct hk_relaxation {
  double rate[HK_MECHANISMS];                /* w_l, ascending */
  double p[HK_MECHANISMS], s[HK_MECHANISMS]; /* y_l of M = lambda + 2 mu, and of mu */
  double p_sudden, s_sudden; /* M_U / M and mu_U / mu, M and mu at quality->frequency */
  double error;              /* the largest of |Q wanted / Q fitted - 1| over the band */
} hk_relaxation;

/* The fit for a medium in which M = lambda + 2 mu is ratio times mu at quality->frequency: waves have the phase speeds sqrt(M / rho) and
 * sqrt(mu / rho) there. HK_BAD_INPUT for a Q so small that no such mechanisms have it, and where changes of volume would gain energy, as of p
 * far above s: the message tells the largest p. Cost: a few thousand operations. */
hk_status hk_quality_fit(const hk_quality *quality, double ratio, hk_relaxation *out);
/* Of hk_material.constant: what was asked for, and the mechanisms in use. The constants of solids have the mechanisms, those of fluids are fitted again. */
hk_status hk_relaxation_of(const double *constant, bool fluid, hk_quality *quality,
                           hk_relaxation *out);

typedef struct hk_wave_fit { /* of one kind of waves over the band */
  double quality;            /* asked for, or, where none was, Q in the middle of the band */
  double largest,
      rms; /* of |quality / Q - 1|, the relative error of 1 / Q; NAN where none was asked for */
  double speed[2]; /* phase speed at the ends of the band over that at quality->frequency */
  double relaxed;  /* the modulus at frequency 0 over M_U */
} hk_wave_fit;

/* wanted: Q that was asked for, INFINITY: none was; y[HK_MECHANISMS] and sudden, M_U over the modulus at quality->frequency, of the same waves. */
hk_wave_fit hk_relaxation_measure(const hk_relaxation *relaxation, const double *y, double sudden,
                                  const hk_quality *quality, double wanted);
/* M_U / M(w) = 1 + sum over l of b_l r_l / (r_l + i w): rates r[HK_MECHANISMS], ascending, and b >= 0. */
void hk_relaxation_creep(const hk_relaxation *relaxation, const double *y, double *rate, double *b);
/* M(w) / M_U of y[HK_MECHANISMS]: real and imaginary part. */
void hk_relaxation_modulus(const hk_relaxation *relaxation, const double *y, double w,
                           double modulus[2]);
