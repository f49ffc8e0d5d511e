/* Sums over elements that say what rounding makes of K u (solver/linear/accuracy.h has the equations):
 *   bound_i = components * sum over elements with i of sqrt(D_i) * (sum over their nodes m of sqrt(D_m)) * most
 *   noise_i = sum over elements with i of rho_i / eps
 * An element's part is made of D and of u at its nodes alone. */
#pragma once
#include "space/space.h"

/* weight[padded] = D, u[dofs] in internal order, most = max |u|, differences: K u sums K_ij (u_j - u_i); bound[dofs] and noise[dofs] are added to, by all threads: the sums have the bits of a loop
 * over the elements. HK_NO_RESOURCES. */
hk_status hk_noise_add(const hk_space *space, bool differences, const double *weight,
                       const double *u, double most, double *bound, double *noise);
/* uses[padded] = the number of elements around each node, overwritten. */
void hk_noise_uses(const hk_space *space, hk_index *uses);
