/* Prisms of order p = 1..7: complete polynomials of order p on the triangle (xi_0, xi_1 >= 0, xi_0 + xi_1 <= 1) times polynomials of
 * order p on the line, xi_2 in [-1, 1] (Banas, Plaszewski, Maciol, section 2), as a nodal basis.
 *   N_n(xi) = T_t(xi_0, xi_1) L_k(xi_2) (I.2),  n = k * triangle_nodes + t
 * Nodes t of the triangle: its vertices 0 (0, 0), 1 (1, 0), 2 (0, 1); the p - 1 inside edge 0 1 from 0 to 1, those of 1 2 from 1 to 2,
 * those of 2 0 from 2 to 0; those inside. Layers k from xi_2 = -1 up to 1. Order 1 is wedge6, node by node.
 *
 *      2            t at p = 3. Along each edge nodes are Gauss's and Lobatto's, as on the line; inside the triangle they are those of
 *      7  6         warp and blend (Warburton 2006), which its six symmetries map to themselves: faces that neighbours of equal order
 *      8  9  5      share have the same nodes, however they are turned.
 *      0  3  4  1 */
#pragma once
#include "element/element.h"

enum {
  HK_PRISM_ORDERS = 7, /* the highest */
  HK_PRISM_RULES = 9,  /* the rule with most points */
  HK_PRISM_LINE = 8,   /* most nodes of the line */
  HK_PRISM_TRIANGLE = 36,
  HK_PRISM_NODES = 288,
  HK_PRISM_TRIANGLE_POINTS = 100, /* most points of a rule of the triangle */
  HK_PRISM_LINE_POINTS = 10,
  HK_PRISM_POINTS = 1000
};

typedef struct hk_prism {
  int order, nodes, triangle_nodes;
  const double *line;                    /* line[order + 1]: xi_2 of the layers */
  double triangle[HK_PRISM_TRIANGLE][2]; /* xi_0, xi_1 of the nodes t */
  double reference[HK_PRISM_NODES][3];   /* of the nodes n */
  /* T_t = sum over a of modal[t][a] psi_a, psi of prism.c */
  double modal[HK_PRISM_TRIANGLE][HK_PRISM_TRIANGLE];
} hk_prism;

/* Order 1..7. Made at the first call of any thread, there until the program ends. */
const hk_prism *hk_prism_of(int order);

/* n[nodes], dn[nodes][3]: shape functions and their derivatives to xi[3]; either may be NULL. */
void hk_prism_shape(const hk_prism *prism, const double *xi, double *n, double *dn);
/* The factor of the triangle, t[triangle_nodes] and dt[triangle_nodes][2] (may be NULL) at xi[2]; that of the line is hk_gll_functions. */
void hk_prism_triangle(const hk_prism *prism, const double *xi, double *t, double *dt);

/* Quadrature; point q = k * triangle_points + t of line point k and triangle point t, ascending in xi_2. */
typedef struct hk_prism_rule {
  int points, triangle_points, line_points;
  const double *line, *line_weight; /* [line_points]; sum 2 */
  double triangle[HK_PRISM_TRIANGLE_POINTS][2], triangle_weight[HK_PRISM_TRIANGLE_POINTS]; /* 1/2 */
  double point[HK_PRISM_POINTS][3], weight[HK_PRISM_POINTS];                               /* 1 */
} hk_prism_rule;

/* Exact for degree 2 k on the triangle and 2 k + 1 on the line, k = 1..9. Up to 7 it is Table 1's: a symmetric rule of 3, 6, 12, 16, 25,
 * 33, 42 points times k + 1 of Gauss's, in all 6, 18, 48, 80, 150, 231, 336. Above it is Gauss's in collapsed coordinates,
 * (k + 1)^2 points of the triangle. k = p serves straight and curved prisms (I.11); coefficients that vary a lot in an
 * element want k > p. */
const hk_prism_rule *hk_prism_rule_of(int k);
