/* A reference element tabulated at points of quadrature: what integration needs of its shape functions and of its geometry. */
#pragma once
#include "element/prism.h"

/* N_n(xi) = T_t(xi_0, xi_1) L_r(xi_2) with n = place[r * nodes + t] (I.2), at points q = z * points + s of the triangle's s and the line's z. */
typedef struct hk_factors {
  int nodes, layers;  /* functions T and L; 0: shape functions are no such products */
  int points, planes; /* of the triangle and of the line */
  double *triangle;   /* [points][3][nodes]: T, dT/dxi_0, dT/dxi_1 */
  double *line;       /* [planes][2][layers]: L, dL/dxi_2 */
  int32_t *place;     /* [layers * nodes] */
} hk_factors;

typedef struct hk_reference {
  int points, shapes, corners; /* corners: nodes of the geometry */
  double *phi;                 /* [points][4][shapes]: N, then dN/dxi_0, dN/dxi_1, dN/dxi_2 */
  double *slope;               /* [points][corners][3]: derivatives of the geometry's functions */
  double *weight;              /* [points] */
  hk_factors factors;          /* of prisms of order p */
  hk_pool pool;                /* all these arrays */
} hk_reference;

/* The prism of order 1..7 at the points of hk_prism_rule_of(rule), with the geometry of HK_WEDGE6, HK_WEDGE15 or HK_WEDGE18. *out is the
 * caller's (hk_reference_clear), untouched on failure. */
hk_status hk_reference_prism(int order, int rule, hk_shape geometry, hk_reference *out);
/* Any solid element at the points of a rule, its geometry by its own shape functions: corners = shapes, its nodes in their order. */
hk_status hk_reference_element(const hk_element *element, const hk_rule *rule, hk_reference *out);
void hk_reference_clear(hk_reference *reference);

/* terms[10]: a[d][c] = dxi_d / dx_c and the determinant |J| at point q, x[corners][3]. */
void hk_reference_jacobian(const hk_reference *reference, int q, const double *x, double *terms);
