/* Axisymmetric elements: the strains of a displacement (u_r, u_z), and the matrix
 *
 *   strain = (du_r/dr, du_z/dz, du_r/dz + du_z/dr, u_r / r),   K_e = integral B^T D B 2 pi r dr dz   (E.13)
 *
 * r = x, z = y. On the axis u_r / r is taken by its limit du_r/dr. */
#pragma once
#include "operator/element/integrand.h"

/* Whether the integrand is of an axisymmetric region. */
bool hk_integrand_ring(const hk_integrand *i);

/* k[nodes * 2][nodes * 2], exactly symmetric; the area, not above 0 where the element is folded. No mean gradients, no modes. */
double hk_ring_matrix(const hk_integrand *i, double *k);

/* u_r / r at point q, whose radius is r, of u[nodes][2]. */
double hk_ring_strain(const hk_integrand *i, int q, const double *u, double r);
