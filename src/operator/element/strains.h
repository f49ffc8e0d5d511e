/* Matrices that are summed point by point from rows of strains, K_e = sum_q w_q |J_q| B^T D B: of axisymmetric elements (ring.h), and of plane meshes whose body
 * moves in its plane and across it (hk_region_is_spatial), u_x, u_y, u_z of x and y:
 *
 *   strain = (du_x/dx, du_y/dy, du_z/dy, du_z/dx, du_x/dy + du_y/dx),   D: rows and columns xx yy yz xz xy of C   (W.30) */
#pragma once
#include "operator/element/integrand.h"

/* Upper triangle of k[size][size] += w b^T d b, b[strains][size] and d[strains][strains], of at most 5 strains; columns of b that are 0 are passed over. */
void hk_strains_add(int strains, int size, double w, const double *b, const double *d, double *k);
/* The lower triangle of k[size][size] from the upper one. */
void hk_strains_mirror(int size, double *k);

/* k[nodes * 3][nodes * 3] of a spatial region, exactly symmetric, times the thickness, by the region's rule; the area, not above 0 where the element is folded. */
double hk_spatial_matrix(const hk_integrand *i, double *k);
