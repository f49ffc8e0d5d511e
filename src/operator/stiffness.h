/* Stiffness matrices of single elements, in double precision on the host. */
#ifndef HK_OPERATOR_STIFFNESS_H
#define HK_OPERATOR_STIFFNESS_H
#include "element/element.h"

/* k[nodes * dim][nodes * dim] = integral B^T D B by the element's quadrature, for node coordinates
 * x[nodes][dim] and the law d (2D [3][3] in xx yy xy, thickness included; 3D [6][6] in xx yy zz yz
 * xz xy; engineering shear). Row-major. */
void hk_element_stiffness(const hk_element *element, const double *x, const double *d, double *k);

/* The same for the linear triangle or tetrahedron and an isotropic law:
 *   K_ij = V (lambda g_i g_j^T + mu g_j g_i^T + mu (g_i . g_j) I),  g_i the gradient of shape
 * function i, V the volume. */
void hk_simplex_stiffness(int dim, const double *x, double lambda, double mu, double *k);
#endif
