/* Deformation of solids: quantities that are linear in the gradient of the displacement u.
 *
 *   strain_ij = (du_i/dx_j + du_j/dx_i) / 2,  stress = C : strain,  divergence = sum_i du_i/dx_i,  rotation = curl u / 2    (E.10)
 *
 * Strain and stress have the components of operator/measure/stress.h; rotation has z in 2D, x y z in 3D. In 2D the divergence is that in the plane, about an axis
 * with u_r / r. With the plane HK_ANTIPLANE u has one component, u_z: strain and stress have xz yz, rotation x y, and the divergence is 0.
 * With HK_SPATIAL u has three components, and all is as in 3D, with derivatives along z of 0.
 * C is that of the material's constants. The gradient is that of the element's shape functions. At a node, and at a point between elements, it is found in
 * each element around, and the mean is taken over the elements of each material, then over materials: whatever the numbering. Elements of fluids have no
 * deformation and no part in the mean. */
#pragma once
#include "base/base.h"
#include "operator/measure/stress.h"

typedef enum hk_deformation {
  HK_DEFORMATION_STRAIN,
  HK_DEFORMATION_STRESS,
  HK_DEFORMATION_DIVERGENCE,
  HK_DEFORMATION_ROTATION
} hk_deformation;

int hk_deformation_components(hk_deformation kind, int dim, hk_plane plane);

/* The body whose deformation is asked for; everything is borrowed. */
typedef struct hk_deformed {
  const hk_mesh *mesh;
  const hk_region *region;
  int region_count;
  const hk_index *element_region; /* element_region[mesh element]; < 0: none */
} hk_deformed;

typedef struct hk_site { /* where a receiver takes a share of its value */
  hk_index element;
  double xi[3], share;
} hk_site;
/* Receiver i has site[begin[i]] .. site[begin[i + 1] - 1]; none in fluids. */
typedef struct hk_sites {
  hk_count receivers;
  hk_count *begin;      /* begin[receivers + 1] */
  const hk_index *node; /* node[receivers], borrowed; NULL: points */
  HK_LIST(hk_site) site;
} hk_sites;
/* Of points at[count][3], in all elements of solids that hold them; of nodes. Arrays live in the pool.
 * HK_BAD_INPUT: a point outside the mesh. O((elements + count) log elements). */
hk_status hk_sites_of_points(const hk_deformed *body, hk_count count, const double *at,
                             hk_pool *pool, hk_sites *out);
hk_status hk_sites_of_nodes(const hk_deformed *body, hk_count count, const hk_index *node,
                            hk_pool *pool, hk_sites *out);

/* value[c] of receiver i = sum_k sum_d weight[c][d] u[node][d] over entries k in begin[i] .. begin[i + 1); a node may come again. The first
 * entry of a receiver at a node is of that node. */
typedef struct hk_deformation_entry {
  hk_index node;
  double weight[HK_MOST_STRESSES][3];
} hk_deformation_entry;
typedef struct hk_deformation_rows {
  hk_count *begin; /* begin[receivers + 1] */
  HK_LIST(hk_deformation_entry) entry;
} hk_deformation_rows;
/* Arrays live in the pool. HK_BAD_INPUT: a folded element. */
hk_status hk_deformation_rows_find(const hk_deformed *body, const hk_sites *sites,
                                   hk_deformation kind, hk_pool *pool, hk_deformation_rows *out);

/* value[mesh node][components] of u[mesh node][components of u]; 0 at nodes without an element of a solid. Bit-reproducible for any number of threads.
 * HK_BAD_INPUT names a folded element. */
hk_status hk_deformation_nodes(const hk_deformed *body, hk_deformation kind, const double *u,
                               double *value);

/* value[nodes][components] at the nodes of one element, x[nodes][dim], u[nodes][components of u]. False: it is folded. */
bool hk_deformation_element(const hk_region *region, const hk_element *element, hk_deformation kind,
                            const double *x, const double *u, double *value);

/* Whether two regions are of one material: equal constants, axes and plane law. */
bool hk_region_same_material(const hk_region *a, const hk_region *b);
