/* K_e = integral B^T D B over an element, in double: integrand.h gives the gradients at the points, modes of incompatible elements are
 * eliminated (condense, (E.9)), hourglass stiffness is added. Results are [size][size] row by row, size = nodes * components, symmetric.
 * conduct.c has those of heat. */
#include "operator/element/element_matrix.h"
#include "operator/element/integrand.h"
#include "operator/element/strains.h"
#include <string.h>

enum { MOST_CONDENSED = 3 * (8 + 3) }; /* of hex8 with modes */

double hk_element_stiffness(const hk_element *element, const double *x, const double *d, double *k)
{
  const hk_integrand f = {.element = element,
                          .x = x,
                          .rule = &element->full,
                          .integration = HK_INTEGRATION_FULL,
                          .functions = element->nodes,
                          .law = d};
  return hk_integrand_matrix(&f, k);
}

bool hk_element_plain(const hk_region *region, const hk_element *element)
{
  const bool product = element->shape == HK_QUAD4 || element->shape == HK_HEX8;
  return !region->varies && !hk_region_is_spatial(region, element->dim) &&
         !(product && region->integration != HK_INTEGRATION_FULL);
}

hk_status hk_element_plain_check(const hk_mesh *mesh, const hk_region *region,
                                 const hk_index *element_region, const char *method)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = mesh->block + b;
    int last = -1;
    for (hk_count e = block->first; e < block->first + block->count; e++) {
      if (element_region[e] == last) continue;
      last = element_region[e];
      HK_NEED(last < 0 || hk_element_plain(region + last, hk_element_of(block->shape)),
              HK_BAD_INPUT,
              "element %lld has one integration point, incompatible modes or cylindrical material "
              "axes, or is axisymmetric, which method %s does not support: give auto or assembled",
              (long long)hk_mesh_element_label(mesh, e), method);
    }
  }
  return HK_OK;
}

/* Eliminates the last of `size` rows down to `keep`, row by row: K_aa - K_ab K_bb^-1 K_ba, in the upper left corner. */
/* k := k_uu - k_ua k_aa^-1 k_au (E.9), u the first `keep`, a the others, which are eliminated from the last one on. */
static void condense(int size, int keep, double *k)
{
  for (int p = size - 1; p >= keep; p--)
    for (int i = 0; i < p; i++) {
      const double factor = k[p * size + i] / k[p * size + p];
      for (int j = 0; j <= i; j++) k[i * size + j] -= factor * k[p * size + j];
    }
  for (int i = 0; i < keep; i++)
    for (int j = 0; j < i; j++) k[j * size + i] = k[i * size + j];
}

double hk_element_integrate(const hk_region *region, const hk_element *element, const double *x,
                            double *k)
{
  const int keep = element->nodes * element->dim;
  double all[MOST_CONDENSED * MOST_CONDENSED];
  hk_integrand f;
  if (!hk_integrand_find(region, element, x, &f)) return -1;
  if (hk_region_is_spatial(region, element->dim)) return hk_spatial_matrix(&f, k);
  const int size = f.functions * element->dim;
  const double volume = hk_integrand_matrix(&f, size > keep ? all : k);
  if (!(volume > 0)) return -1;
  if (size > keep) {
    condense(size, keep, all);
    for (int i = 0; i < keep; i++) memcpy(k + i * keep, all + i * size, (size_t)keep * sizeof *k);
  }
  hk_integrand_hourglass(&f, k);
  return volume;
}
