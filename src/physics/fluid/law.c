/* The law of waves with one unknown per node. Of a fluid, equation (S.6) of docs/theory/spectral.md: v = grad q / density, where q is minus the integral of the
 * pressure over time; of a solid that moves across its plane (W.23): (stress_xz, stress_yz) = mu grad u_z. The parameter for kernels is
 * 1 / density or mu; in 2D it is multiplied by the thickness, as the volume of an element is then an area. The function of points is in law.k.h. */
#include "physics/law.h"

static bool serves(const hk_region *region, int dim)
{
  (void)dim;
  return hk_region_is_scalar(region);
}

static void pack(const hk_region *region, int dim, double dt, double *p)
{
  (void)dt;
  p[0] = (dim == 2 ? region->thickness : 1) * hk_region_scalar_wave(region).stiffness;
}

static const char *const density[] = {"1/density or mu", NULL};

const hk_law hk_law_fluid = {.name = "fluid",
                             .scalar = true,
                             .linear = true,
                             .parameter = {density, density},
                             .serves = serves,
                             .pack = pack};
