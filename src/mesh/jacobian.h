/* Jacobian determinants of elements at fixed points, and what they say about an element.
 *
 *   J[c][d] = sum_n x[n][c] dN_n/dxi_d
 */
#pragma once
#include "element/element.h"
#include "mesh/mesh.h"

typedef struct hk_jacobian {
  const hk_element *element;
  int points;
  const double (*xi)[3];
  const double *weight; /* at_points: of the points */
  /* [point][node * dim + d]; families: not filled */
  double dn[HK_LISTED_POINTS][HK_LISTED_NODES * 3];
} hk_jacobian;

/* At the vertices (one point where J is constant); at the element's quadrature points, of families at those of their second order,
 * which suffice for the volumes of elements that meshes of first and second order were raised to. */
void hk_jacobian_at_vertices(const hk_element *element, hk_jacobian *out);
void hk_jacobian_at_points(const hk_element *element, hk_jacobian *out);

/* Copies the coordinates of an element's nodes to x[nodes][3]; 0 for z in two dimensions. */
void hk_jacobian_gather(const hk_mesh *mesh, int nodes, const hk_index *node, double (*x)[3]);

/* det J at point p; *bound (may be NULL) = product of the lengths of J's columns, >= |det J|. */
double hk_jacobian_det(const hk_jacobian *j, int p, const double (*x)[3], double *bound);

/* FLIPPED: below zero at all vertices; INVERTED: at some; ZERO: no volume anywhere. Zero is
 * |det J| <= 1e-12 times its bound and times the element's largest. */
typedef enum hk_element_state { HK_GOOD, HK_FLIPPED, HK_INVERTED, HK_ZERO } hk_element_state;
hk_element_state hk_jacobian_judge(const hk_jacobian *vertices, const double (*x)[3], double *least,
                                   double *most);

/* Whether elements [from, to) of the block are all sound beyond doubt: GOOD at the vertices, the least determinant above `thin` times the
 * greatest. false: perhaps not, or the shape is not listed; then hk_jacobian_judge tells of each. Many elements at a time, one after the other. */
bool hk_jacobian_all_good(const hk_jacobian *vertices, const hk_mesh *mesh, const hk_block *block,
                          hk_count from, hk_count to, double thin);
