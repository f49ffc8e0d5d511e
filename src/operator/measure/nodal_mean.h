/* Means at the nodes of a mesh of what its elements have there: over the elements of each material around a node, then over its materials,
 *
 *   mean[n] = 1/M_n sum_m 1/E_nm sum_e value_e[n],   E_nm elements of material m at node n, M_n materials there.
 *
 * Regions of equal constants, axes and plane law are one material. Elements are added piece by piece in their order: the means have the same bits for any
 * number of threads and any pieces. After hk_nodal_mean_create, for each piece of consecutive elements: hk_nodal_mean_begin, values of each of its elements
 * (by all threads), hk_nodal_mean_add; in the end hk_nodal_mean_find. */
#pragma once
#include "base/kinds.h"
#include "mesh/mesh.h"
#include "physics/material.h"

typedef struct hk_nodal_mean hk_nodal_mean;

typedef struct hk_nodal_mean_desc {
  const hk_mesh *mesh;
  const hk_region *region; /* region[region_count] */
  int region_count;
  const hk_index *element_region; /* below 0: the element has no values */
  bool solids;                    /* elements of fluids have no values */
  bool fits;                      /* hk_nodal_mean_fit is called */
  int values;                     /* of an element at a node */
  hk_count elements;              /* of a piece at most; their nodes: HK_SCATTER_MOST at most */
} hk_nodal_mean_desc;

/* Arrays of desc are borrowed. HK_NO_RESOURCES. */
hk_status hk_nodal_mean_create(const hk_nodal_mean_desc *desc, hk_nodal_mean **out);
void hk_nodal_mean_destroy(hk_nodal_mean **mean);

/* The region whose material element e has; below 0: it has no values. */
int hk_nodal_mean_region(const hk_nodal_mean *mean, hk_count e);

/* The next piece: elements [first, first + count). */
void hk_nodal_mean_begin(hk_nodal_mean *mean, hk_count first, hk_count count);

/* value[nodes][values] of element e of the piece, to be filled. */
double *hk_nodal_mean_of(hk_nodal_mean *mean, hk_count e);

/* Fills them by extrapolation (hk_stress_extrapolation) of a[points][n], and behind these b[points][n] (may be NULL), from the points of the rule;
 * n: 2, 3, 4 or 6. */
void hk_nodal_mean_fit(hk_nodal_mean *mean, hk_count e, hk_integration integration, int n,
                       const double *a, const double *b);

/* Adds the piece, by all threads. */
void hk_nodal_mean_add(hk_nodal_mean *mean);

/* out[mesh node][count]: means of the values from `from` on; 0 at nodes without elements that have values. */
void hk_nodal_mean_find(const hk_nodal_mean *mean, int from, int count, double *out);
