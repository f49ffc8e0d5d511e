/* Viscoelastic solids, packed into the parameters of kernels (law.k.h): those of the elastic law for a sudden strain (solid/), then lambda_l,
 * mu_l and e_l of each mechanism. A material that asks for the law has rates w_l, y_l of lambda + 2 mu and y_l of mu in hk_material.constant
 * (fit.h). Of an anisotropic body lambda and mu are the means over all directions (Voigt). A region without mechanisms, beside one that has them,
 * has C_l = 0. In 2D all moduli are multiplied by the thickness.
 *
 * A Kelvin-Voigt solid, stress = C : (strain + t dstrain/dt) with the rate of the last step, is the same law once dt is known: with one mechanism of
 * e = 0, whose h is the strain of the step before, and C_1 = 2 t / dt C beside the stiffness C + C_1 (V.7). */
#include "physics/viscoelastic/fit.h"
#include "physics/law.h"
#include <math.h>

/* 2 t / dt of a Kelvin-Voigt solid; 0: it is none, or dt is not known. */
static double growth(const hk_region *region, double dt)
{
  return region->material.law && dt > 0 ? 2 * region->material.constant[HK_DELAY_AT] / dt : 0;
}

/* The elastic law by itself, which has this law's parameters in front. */
static void pack_behind(const hk_law *elastic, const hk_region *region, int dim, double dt,
                        double *p)
{
  double d[36], lambda, mu;
  const double *rate = region->material.constant, *y_p = rate + HK_MECHANISMS,
               *y_s = y_p + HK_MECHANISMS, more = growth(region, dt);
  hk_region grown = *region;
  for (int i = 0; i < 36; i++) grown.material.c[i / 6][i % 6] *= 1 + more;
  elastic->pack(&grown, dim, dt, p);
  p += hk_law_parameters(elastic, dim);
  hk_region_stiffness(region, dim, d);
  hk_stiffness_means(dim, d, &lambda, &mu);
  for (int l = 0; l < HK_MECHANISMS; l++, p += 3) {
    const bool any = region->material.law;
    p[1] = any ? mu * y_s[l] : 0;
    p[0] = any ? (lambda + 2 * mu) * y_p[l] - 2 * p[1] : 0;
    p[2] = any ? (2 - rate[l] * dt) / (2 + rate[l] * dt) : 0;
    if (l == 0 && more > 0) p[0] = more * lambda, p[1] = more * mu, p[2] = 0;
  }
}

/* 1 / (1 - sum y) of the shear, pressure or volume that relaxes most. */
static double surplus(const hk_region *region, int dim)
{
  double d[36], lambda, mu, pressure = 0, shear = 0, volume = 0;
  const double *y_p = region->material.constant + HK_MECHANISMS, *y_s = y_p + HK_MECHANISMS;
  hk_region_stiffness(region, dim, d);
  hk_stiffness_means(dim, d, &lambda, &mu);
  for (int l = 0; l < HK_MECHANISMS; l++) {
    pressure += y_p[l], shear += y_s[l];
    volume +=
        ((lambda + 2 * mu) * y_p[l] - (2 - 2.0 / dim) * mu * y_s[l]) / (lambda + 2 * mu / dim);
  }
  return 1 / (1 - fmax(fmax(pressure, shear), fmin(volume, 0.99)));
}

static bool serves_isotropic(const hk_region *region, int dim)
{
  return hk_law_isotropic.serves(region, dim);
}

static void pack_isotropic(const hk_region *region, int dim, double dt, double *p)
{
  pack_behind(&hk_law_isotropic, region, dim, dt, p);
}

static bool serves_anisotropic(const hk_region *region, int dim)
{
  return hk_law_anisotropic.serves(region, dim);
}

static void pack_anisotropic(const hk_region *region, int dim, double dt, double *p)
{
  pack_behind(&hk_law_anisotropic, region, dim, dt, p);
}

#define MECHANISM(l) "lambda_" #l, "mu_" #l, "e_" #l
static const char *const isotropic[] = {"lambda",     "mu",         MECHANISM(1),
                                        MECHANISM(2), MECHANISM(3), NULL};
static const char *const plane[] = {"c11", "c12",        "c16",        "c22",        "c26",
                                    "c66", MECHANISM(1), MECHANISM(2), MECHANISM(3), NULL};
static const char *const solid[] = {
    "c11", "c12", "c13", "c14",        "c15",        "c16",        "c22", "c23", "c24",
    "c25", "c26", "c33", "c34",        "c35",        "c36",        "c44", "c45", "c46",
    "c55", "c56", "c66", MECHANISM(1), MECHANISM(2), MECHANISM(3), NULL};

#define PLANE(l) "xx of " #l, "yy of " #l, "xy of " #l
#define SOLID(l) "xx of " #l, "yy of " #l, "zz of " #l, "yz of " #l, "xz of " #l, "xy of " #l
static const char *const plane_state[] = {PLANE(1), PLANE(2), PLANE(3), NULL};
static const char *const solid_state[] = {SOLID(1), SOLID(2), SOLID(3), NULL};

const hk_law hk_law_viscoelastic = {.name = "viscoelastic",
                                    .covers = true,
                                    .parameter = {isotropic, isotropic},
                                    .state = {plane_state, solid_state},
                                    .serves = serves_isotropic,
                                    .pack = pack_isotropic,
                                    .surplus = surplus};

const hk_law hk_law_viscoelastic_anisotropic = {.name = "viscoelastic",
                                                .covers = true,
                                                .parameter = {plane, solid},
                                                .state = {plane_state, solid_state},
                                                .serves = serves_anisotropic,
                                                .pack = pack_anisotropic,
                                                .surplus = surplus};
