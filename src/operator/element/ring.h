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

/* r of a point of an element at x[nodes][2], 0 where it lies on the axis, up to 1e-9 of the element's largest radius. */
double hk_ring_radius(const hk_element *element, const double *x, double r);

/* The depth normal to the meridian plane at radius r of an element at x[nodes][2], where its functions have the derivatives dn[nodes][2]: 2 pi r; on the axis,
 * where the weights of a face on it have no radius (S.16), 2 pi dr/dxi across that face (S.17). */
double hk_ring_depth(const hk_element *element, const double *x, double r, const double *dn);

/* Of a point with gradients g[nodes][2] and shape functions n[nodes] at that radius: around[node], what u_r of each node adds to u_r / r. */
void hk_ring_around(int nodes, double r, const double *n, const double *g, double *around);

/* volume[nodes] = integral N_n 2 pi r dr dz of linear shapes (E.14), which is above 0 on the axis too, of families by their nodes as points (S.17), else in proportion to integral N_n^2 2 pi r dr dz with
 * the volume of the ring as their sum (W.4). False where the element is folded. */
bool hk_ring_volumes(const hk_element *element, const double *x, double *volume);

/* u_r / r at point q, whose radius is r, of u[nodes][2]. */
double hk_ring_strain(const hk_integrand *i, int q, const double *u, double r);
