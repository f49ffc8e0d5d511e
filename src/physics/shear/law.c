/* The law of viscoelastic solids that move across their plane, packed into the parameters of kernels (law.k.h): mu for a sudden strain, then mu_l and e_l
 * of each mechanism, times the thickness. A material that asks for the law "viscoelastic" has rates w_l and y_l of mu in hk_material.constant, as in the plane
 * (viscoelastic/); a Kelvin-Voigt solid has one mechanism of e = 0 and mu_1 = 2 t / dt mu beside mu + mu_1 (V.7). */
#include "physics/law.h"
#include "physics/viscoelastic/fit.h"

static bool serves(const hk_region *region, int dim)
{
  return dim == 2 && region->plane == HK_ANTIPLANE && !region->material.fluid;
}

static void pack(const hk_region *region, int dim, double dt, double *p)
{
  const hk_material *m = &region->material;
  const double mu = region->thickness * hk_region_scalar_wave(region).stiffness,
               *rate = m->constant, *y = rate + 2 * HK_MECHANISMS;
  const double more = m->law && dt > 0 ? 2 * m->constant[HK_DELAY_AT] / dt : 0;
  (void)dim;
  p[0] = mu * (1 + more);
  for (int l = 0; l < HK_MECHANISMS; l++) {
    p[2 * l + 1] = m->law ? mu * y[l] : 0;
    p[2 * l + 2] = m->law ? (2 - rate[l] * dt) / (2 + rate[l] * dt) : 0;
  }
  if (more > 0) p[1] = mu * more, p[2] = 0;
}

static double surplus(const hk_region *region, int dim)
{
  const double *y = region->material.constant + 2 * HK_MECHANISMS;
  double sum = 0;
  (void)dim;
  for (int l = 0; l < HK_MECHANISMS; l++) sum += y[l];
  return 1 / (1 - sum);
}

#define MECHANISM(l) "mu_" #l, "e_" #l
#define STATE(l) "xz of " #l, "yz of " #l
static const char *const parameters[] = {"mu", MECHANISM(1), MECHANISM(2), MECHANISM(3), NULL};
static const char *const states[] = {STATE(1), STATE(2), STATE(3), NULL};

const hk_law hk_law_viscoelastic_shear = {.name = "viscoelastic",
                                          .scalar = true,
                                          .covers = true,
                                          .parameter = {parameters, parameters},
                                          .state = {states, states},
                                          .serves = serves,
                                          .pack = pack,
                                          .surplus = surplus};
