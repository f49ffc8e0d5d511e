/* What the lumped mass and the bound of elements share. */
#pragma once
#include "element/element.h"
#include "mesh/mesh.h"
#include "physics/material.h"

/* x[nodes][dim] of the i-th element of the block; those some elements on are asked for. */
void hk_element_gather(const hk_mesh *mesh, const hk_block *block, hk_count i, double *x);

enum { HK_ELEMENT_PART = 8192 }; /* elements that are computed in parallel, then added in order */

/* HK_BAD_INPUT unless every element has a region with a density (2D: and a thickness) above 0. */
hk_status hk_element_region_check(const hk_mesh *mesh, const hk_region *region,
                                  const hk_index *element_region);

/* One more than the highest region of an element. */
int hk_element_regions(const hk_mesh *mesh, const hk_index *element_region);

/* Mass per volume, in 2D per area: density times thickness. */
double hk_element_density(const hk_mesh *mesh, const hk_region *region);

/* What multiplies the second derivative in time of the unknown: the density (S.3), of fluids 1 / K (S.7). In 2D times thickness. */
double hk_element_inertia(const hk_mesh *mesh, const hk_region *region);

/* The error of a folded element, set; returns HK_BAD_INPUT. */
hk_status hk_element_folded(const hk_mesh *mesh, hk_count e);
