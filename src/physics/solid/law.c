/* Hooke's law, equation (W.1) of docs/theory/waves.md, packed into the parameters of kernels (law.k.h). Isotropic regions give lambda and mu,
 * where their law of the plane or of space has that form; all other solids give the upper triangle of C by rows. In 2D all are multiplied by
 * the thickness, as the volume of an element is then an area. */
#include "physics/law.h"

static bool serves_isotropic(const hk_region *region, int dim)
{
  double lambda, mu;
  return !region->material.fluid && hk_region_lame(region, dim, &lambda, &mu);
}

static void pack_isotropic(const hk_region *region, int dim, double dt, double *p)
{
  (void)dt;
  hk_region_lame(region, dim, &p[0], &p[1]);
  for (int k = 0; k < 2 && dim == 2; k++) p[k] *= region->thickness;
}

static const char *const lame[] = {"lambda", "mu", NULL};

const hk_law hk_law_isotropic = {.name = "isotropic",
                                 .linear = true,
                                 .parameter = {lame, lame},
                                 .serves = serves_isotropic,
                                 .pack = pack_isotropic};

static bool serves_anisotropic(const hk_region *region, int dim)
{
  (void)dim;
  return !region->material.fluid;
}

static void pack_anisotropic(const hk_region *region, int dim, double dt, double *p)
{
  (void)dt;
  const int strains = 3 * dim - 3;
  double d[36];
  hk_region_stiffness(region, dim, d);
  for (int i = 0; i < strains; i++)
    for (int j = i; j < strains; j++) *p++ = 0.5 * (d[i * strains + j] + d[j * strains + i]);
}

static const char *const plane[] = {"c11", "c12", "c16", "c22", "c26", "c66", NULL};
static const char *const solid[] = {"c11", "c12", "c13", "c14", "c15", "c16", "c22", "c23",
                                    "c24", "c25", "c26", "c33", "c34", "c35", "c36", "c44",
                                    "c45", "c46", "c55", "c56", "c66", NULL};

const hk_law hk_law_anisotropic = {.name = "anisotropic",
                                   .linear = true,
                                   .parameter = {plane, solid},
                                   .serves = serves_anisotropic,
                                   .pack = pack_anisotropic};
