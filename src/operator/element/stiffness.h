/* Stiffness of elements in blocks of pairs of nodes, in double precision on the host. */
#pragma once
#include "operator/element/element_matrix.h"

/* What the rules of a shape take from its reference element: one of the stiffness, and one of the lumped mass. */
typedef struct hk_slopes {
  const hk_element *element;
  const hk_rule *rule, *mass_rule;                       /* linear shapes: the same */
  double dn[HK_LISTED_NODES * 3][HK_LISTED_POINTS];      /* dn[n * dim + d][point] */
  double mass_dn[HK_LISTED_NODES * 3][HK_LISTED_POINTS]; /* at the points of mass_rule */
  double lump[HK_LISTED_NODES][HK_LISTED_POINTS]; /* weight N_n; of other orders weight N_n^2 */
} hk_slopes;

void hk_slopes_find(const hk_element *element, hk_integration integration, hk_slopes *slopes);

/* Products of gradients of an element with nodes x[nodes][dim], for j >= i:
 *   (E.2)  M_ij[dim][dim] = sum_q w |J| g_i g_j^T = m[(i * dim + c) * nodes * dim + j * dim + d],
 * g_i the gradient of shape function i, and its lumped mass[nodes] for density 1 (see element_matrix.h; NULL: not wanted).
 * False when the element is folded. */
bool hk_products_find(const hk_slopes *slopes, const double *x, double *m, double *mass);

/* That mass alone. */
bool hk_slopes_mass(const hk_slopes *slopes, const double *x, double *mass);

/* to[nodes][nodes] += K_ij[dim][dim] of the element with nodes x[nodes][dim], where to[i][j] is not
 * NULL; K_ji = K_ij^T exactly. Of an isotropic law in closed form:
 *   K_ij = lambda M_ij + mu M_ij^T + mu tr(M_ij) I   (E.4)   (2D: lambda, mu times the thickness).
 * False when the element is folded: what was added is of no use. */
bool hk_isotropic_add(const hk_slopes *slopes, const double *x, double lambda, double mu,
                      double *const *to);

/* The same of any law and integration, hk_element_integrate. */
bool hk_stiffness_add(const hk_region *region, const hk_element *element, const double *x,
                      double *const *to);
