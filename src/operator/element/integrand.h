/* What carries the strain of an element in statics, at the points of its region's rule:
 *
 *   du_i/dx_j (q) = sum_f v[f][i] g[f][j](q),   v = u at the nodes, then the modes' own amplitudes
 *
 * full, reduced: g are the physical gradients of the shape functions (E.1).
 * reduced, quad4 and hex8: one point with the mean over the element of those gradients (E.6), and hourglass stiffness (E.7) as of Flanagan and
 *   Belytschko, IJNME 17 (1981) 679:
 *     K += a sum_k gamma_k gamma_k^T (per component),  gamma_k[n] = h_k[n] - sum_i (sum_m h_k[m] x[m][i]) b[n][i],
 *     a = 5e-4 E V sum_n |b[n]|^2,  b the mean gradients,  h the products of two and more reference coordinates at the nodes;
 *   quads, as hexahedra of unit layers that move alike: 2 a. E is Young's modulus, of anisotropic laws the mean of c11, c22, c33.
 *   CalculiX 2.20 has the same a, h, b (found by experiment), but takes only the sum's last term, i = z: the same for
 *   parallelepipeds, a patch test failed for others.
 * incompatible, quad4 and hex8: the modes 1 - xi_d^2 with the gradients -2 xi_d dxi_d/dx at the centre, times |J| there over
 *   |J| (E.8) (Taylor, Beresford, Wilson, IJNME 10 (1976) 1211); the amplitudes are those of no residual force. CalculiX's C3D8I leaves
 *   the ratio of the determinants away: the same for parallelepipeds, a patch test failed for others. */
#pragma once
#include "element/element.h"
#include "physics/material.h"

enum { HK_MOST_FUNCTIONS = HK_MOST_NODES + 3 };

typedef struct hk_integrand {
  const hk_region *region;
  const hk_element *element;
  const double *x; /* x[nodes][dim], borrowed */
  const hk_rule *rule;
  hk_integration integration; /* rule = that of the element by this name */
  const double *law;      /* Voigt, instead of the region's, which is then not looked at; NULL */
  int functions;          /* nodes, and dim modes */
  bool mean;              /* one point with mean gradients */
  double gradient[8 * 3]; /* mean: those of the shape functions */
  double volume, slope[3][3]; /* mean: of the element; modes: dxi_d/dx_c at the centre */
  double centre;              /* modes: |J| there */
} hk_integrand;

/* False when the element is folded at its centre (looked at where it is needed alone). */
bool hk_integrand_find(const hk_region *region, const hk_element *element, const double *x,
                       hk_integrand *out);

/* g[functions][dim] at point q, and |J| times its weight: not above 0 where the element is folded. */
double hk_integrand_gradients(const hk_integrand *i, int q, double *g);

/* slope[i][j] = du_i/dx_j at point q for v[functions][dim] of hk_integrand_amplitudes; not above 0 where the element is folded. */
double hk_integrand_slope(const hk_integrand *i, int q, const double *v, double slope[3][3]);

/* k[functions * dim][functions * dim] = sum_q w |J| B^T D B, exactly symmetric, without hourglass stiffness; the volume, not above 0
 * where the element is folded. */
double hk_integrand_matrix(const hk_integrand *i, double *k);

/* v[functions][dim]: u[nodes][dim] and the modes' amplitudes that leave no force on them; false where the element is folded. */
bool hk_integrand_amplitudes(const hk_integrand *i, const double *u, double *v);

/* at[3]: the place of point q. */
void hk_integrand_place(const hk_integrand *i, int q, double at[3]);

/* k[nodes * dim][nodes * dim] += the hourglass stiffness; nothing without mean gradients. Its symmetry is exact. */
void hk_integrand_hourglass(const hk_integrand *i, double *k);
