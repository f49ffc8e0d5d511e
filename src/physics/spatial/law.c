/* The law of plane bodies that move in their plane and across it, packed into the parameters of kernels (law.k.h): rows xx yy yz xz xy of C, symmetric, times
 * the thickness. */
#include "physics/law.h"

static bool serves(const hk_region *region, int dim)
{
  return hk_region_is_spatial(region, dim) && !region->material.fluid;
}

static void pack(const hk_region *region, int dim, double dt, double *p)
{
  double d[HK_SPATIAL_STRAINS * HK_SPATIAL_STRAINS];
  (void)dim, (void)dt;
  hk_region_spatial_stiffness(region, d);
  for (int i = 0; i < HK_SPATIAL_STRAINS; i++)
    for (int j = i; j < HK_SPATIAL_STRAINS; j++) *p++ = d[i * HK_SPATIAL_STRAINS + j];
}

static const char *const names[] = {"c11", "c12", "c14", "c15", "c16", "c22", "c24", "c25",
                                    "c26", "c44", "c45", "c46", "c55", "c56", "c66", NULL};

const hk_law hk_law_spatial = {.name = "spatial",
                               .spatial = true,
                               .linear = true,
                               .parameter = {names, names},
                               .serves = serves,
                               .pack = pack};
