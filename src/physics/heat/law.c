/* Fourier's law, heat flux = -k grad T in (A.12) of docs/theory/static.md, of regions whose conductivity is a number or a tensor. It is packed
 * into the parameters of kernels (law.k.h); in 2D it is multiplied by the thickness, as the volume of an element is then an area. The tensor
 * is symmetric, so the upper triangle by rows holds all of it. */
#include "physics/law.h"

static bool serves_even(const hk_region *region, int dim)
{
  (void)dim;
  return region->material.conducts && hk_material_conducts_evenly(&region->material);
}

static void pack_even(const hk_region *region, int dim, double dt, double *p)
{
  double k[9];
  (void)dt;
  hk_region_conductivity(region, dim, k);
  p[0] = k[0];
}

static const char *const number[] = {"k", NULL};

const hk_law hk_law_conduction = {.name = "conduction",
                                  .scalar = true,
                                  .linear = true,
                                  .parameter = {number, number},
                                  .serves = serves_even,
                                  .pack = pack_even};

static bool serves_any(const hk_region *region, int dim)
{
  (void)dim;
  return region->material.conducts;
}

static void pack_any(const hk_region *region, int dim, double dt, double *p)
{
  double k[9];
  (void)dt;
  hk_region_conductivity(region, dim, k);
  for (int i = 0; i < dim; i++)
    for (int j = i; j < dim; j++) *p++ = k[i * dim + j];
}

static const char *const plane[] = {"kxx", "kxy", "kyy", NULL};
static const char *const solid[] = {"kxx", "kxy", "kxz", "kyy", "kyz", "kzz", NULL};

const hk_law hk_law_tensor_conduction = {.name = "tensor_conduction",
                                         .scalar = true,
                                         .linear = true,
                                         .parameter = {plane, solid},
                                         .serves = serves_any,
                                         .pack = pack_any};
