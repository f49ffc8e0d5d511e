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
/* M_U / M(w) = 1 + sum over l of b_l r_l / (r_l + i w): rates r[HK_MECHANISMS], ascending, and b >= 0. */
void hk_relaxation_creep(const hk_relaxation *relaxation, const double *y, double *rate, double *b);
/* M(w) / M_U of y[HK_MECHANISMS]: real and imaginary part. */
void hk_relaxation_modulus(const hk_relaxation *relaxation, const double *y, double w,
                           double modulus[2]);
