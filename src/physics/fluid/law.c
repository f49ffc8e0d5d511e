/* The law of a fluid, equation (S.6) of docs/theory/spectral.md: v = grad q / density, where q is minus the integral of the pressure over
 * time. The parameter for kernels is 1 / density; in 2D it is multiplied by the thickness, as the volume of an element is then an area. The
 * function of points is in law.k.h. */
#include "physics/law.h"

static bool serves(const hk_region *region, int dim)
{
  (void)dim;
  return region->material.fluid;
}

static void pack(const hk_region *region, int dim, double dt, double *p)
{
  (void)dt;
  p[0] = (dim == 2 ? region->thickness : 1) / region->material.density;
}

static const char *const density[] = {"1/density", NULL};

const hk_law hk_law_fluid = {.name = "fluid",
                             .scalar = true,
                             .linear = true,
                             .parameter = {density, density},
                             .serves = serves,
                             .pack = pack};
