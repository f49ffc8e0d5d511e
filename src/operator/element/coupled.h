/* Element matrices of coupled equations (physics/coupled.h), of every shape, in double:
 *
 *   K_e[(n, a)][(m, b)] = sum over q, i, j of  w_q |J_q| c[a][b][i][j] psi_n[i] psi_m[j],   psi = (N, dN/dx, dN/dy, dN/dz)   (I.1)
 *
 * in 2D times the thickness, by hk_conduction_integration; and the fluxes  q_a = -sum over b of (c[a][b][i][j] D_j u_b),  i >= 1,  which are what
 * leaves through a face per area. Solids of order p with constants have kernels of their own (operator/integration/integral.h). */
#pragma once
#include "operator/operator.h"

/* k[nodes * N][nodes * N], row-major. The volume; not above 0 where the element is folded. */
double hk_element_couple(const hk_region *region, const hk_element *element, const double *x,
                         double *k);
/* flux[N][dim] where the element's reference coordinates are xi, of u[nodes][N]; 0 where it is folded. */
void hk_element_coupled_flux(const hk_region *region, const hk_element *element, const double *x,
                             const double xi[3], const double *u, double *flux);
/* HK_BAD_INPUT where a coefficient is no finite number at a point of quadrature of element e. *definite: it stays so where hk_coupled_definite holds at
 * all points; NULL: of no interest. */
hk_status hk_element_coupled_check(const hk_region *region, const hk_mesh *mesh, hk_count e,
                                   bool *definite);
/* HK_BAD_INPUT as above, of any element, and where a region has no coefficients, or those of another number of equations. *unsymmetric: K is not
 * symmetric and positive semidefinite for sure. */
hk_status hk_coupled_check(const hk_operator_desc *desc, bool *unsymmetric);
