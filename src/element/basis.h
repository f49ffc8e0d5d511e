/* What the shapes are made of: functions that several of them share, quadrature rules, and families of order p.
 *
 * Functions are those of hk_element.functions; the nodes' reference coordinates pick them. Rules have point[points][3] and weight[points],
 * which sum to the reference volume: exact to the degree that is named, for polynomials of that total degree (simplices) or of that degree
 * in each direction (products). */
#pragma once
#include "element/element.h"

/* Triangle, tetrahedron: order 1: L_i; order 2: L_i (2 L_i - 1) at vertices, 4 L_i L_j on edges,
 * with the barycentric L_0 = 1 - sum xi, L_i = xi_(i-1). */
void hk_basis_simplex(const hk_element *e, const double *xi, double *n, double *dn);

/* Lagrange products: N = prod_d l(r_d, xi_d) of the line's functions of that order. */
void hk_basis_tensor(const hk_element *e, const double *xi, double *n, double *dn);

/* Serendipity of order 2: vertices prod_d (1 + r_d xi_d)/2 (sum_d r_d xi_d - (dim - 1)); on edges
 * the product of the linear functions with 1 - xi_d^2 along the edge. */
void hk_basis_serendipity(const hk_element *e, const double *xi, double *n, double *dn);

/* Wedges of 6 and 18 nodes: triangle(x, y) of that order times line(z). */
void hk_basis_wedge(const hk_element *e, const double *xi, double *n, double *dn);

/* Serendipity wedge of 15 nodes: vertices L_i (2 L_i - 1) (1 + r z)/2 - L_i (1 - z^2)/2,
 * horizontal edges 4 L_i L_j (1 + r z)/2, vertical edges L_i (1 - z^2). */
void hk_basis_wedge15(const hk_element *e, const double *xi, double *n, double *dn);

/* The hk_rule of one of these names. */
#define HK_RULE_OF(name)                                                                           \
  {                                                                                                \
    sizeof name##_weight / sizeof *name##_weight, name, name##_weight                              \
  }

#define HK_RULE(name, points) extern const double name[points][3], name##_weight[points]
HK_RULE(hk_rule_tri1, 1);     /* degree 1 */
HK_RULE(hk_rule_tri3, 3);     /* degree 2 */
HK_RULE(hk_rule_tri6, 6);     /* degree 4 */
HK_RULE(hk_rule_tet1, 1);     /* degree 1 */
HK_RULE(hk_rule_tet4, 4);     /* degree 2 */
HK_RULE(hk_rule_tet14, 14);   /* degree 5 */
HK_RULE(hk_rule_quad1, 1);    /* degree 1 */
HK_RULE(hk_rule_quad4, 4);    /* degree 3 */
HK_RULE(hk_rule_quad9, 9);    /* degree 5 */
HK_RULE(hk_rule_hex1, 1);     /* degree 1 */
HK_RULE(hk_rule_hex8, 8);     /* degree 3 */
HK_RULE(hk_rule_hex27, 27);   /* degree 5 */
HK_RULE(hk_rule_wedge2, 2);   /* degree 1 over the triangle, 3 along */
HK_RULE(hk_rule_wedge6, 6);   /* degree 2 over the triangle, 3 along */
HK_RULE(hk_rule_wedge9, 9);   /* degree 2 over the triangle, 5 along */
HK_RULE(hk_rule_wedge18, 18); /* degree 4 over the triangle, 5 along */
#undef HK_RULE

/* The shape HK_TRI_P + p, HK_QUAD_P + p, HK_HEX_P + p, HK_WEDGE_P + p or HK_AXIS_P + 10 face + p. */
const hk_element *hk_family_of(hk_shape shape);
