/* Stiffness of linear simplices in closed form, in double precision on the host. */
#ifndef HK_OPERATOR_STIFFNESS_H
#define HK_OPERATOR_STIFFNESS_H
#include "operator/element_matrix.h"

/* What hk_element_stiffness makes, for the linear triangle or tetrahedron and an isotropic law:
 *   K_ij = V (lambda g_i g_j^T + mu g_j g_i^T + mu (g_i . g_j) I),  g_i the gradient of shape
 * function i, V the volume. */
void hk_simplex_stiffness(int dim, const double *x, double lambda, double mu, double *k);
#endif
