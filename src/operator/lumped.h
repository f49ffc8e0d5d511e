/* What the lumped mass and the bound of elements share. */
#ifndef HK_OPERATOR_LUMPED_H
#define HK_OPERATOR_LUMPED_H
#include "element/element.h"
#include "mesh/mesh.h"
#include "physics/material.h"

/* x[nodes][dim] of the i-th element of the block. */
void hk_element_gather(const hk_mesh *mesh, const hk_block *block, hk_count i, double *x);

/* HK_BAD_INPUT unless every element has a region with a density (2D: and a thickness) above 0. */
hk_status hk_element_region_check(const hk_mesh *mesh, const hk_region *region,
                                  const int16_t *element_region);

/* Mass per volume, in 2D per area: density times thickness. */
double hk_element_density(const hk_mesh *mesh, const hk_region *region);

/* mass[nodes] of one element, of that density (see element_matrix.h); false when it is folded. */
bool hk_element_mass(const hk_element *element, const double *x, double density, double *mass);

/* The error of a folded element, set; returns HK_BAD_INPUT. */
hk_status hk_element_folded(const hk_mesh *mesh, hk_count e);
#endif
