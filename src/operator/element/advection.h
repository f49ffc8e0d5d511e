/* Heat carried by a material that moves: the integrals of  a . grad T - div(k grad T) + beta T = s,  a = rho c v  (A.12), with streamline
 * stabilisation (SUPG: Brooks and Hughes, Comput. Methods Appl. Mech. Engrg. 32, 1982):
 *
 *   K_nm = int  N_n (a . g_m + beta N_m) + g_n . k g_m + tau a . g_n (a . g_m + beta N_m - div(k g_m))     (A.30)
 *   f_n  = int  (N_n + tau a . g_n) s
 *   1 / tau = 2 |a| / (h (coth P - 1 / P)) + beta,   P = |a| h / (2 k_a),   k_a = a . k a / |a|^2,   h = 2 |a| / sum_n |a . g_n|    (A.31)
 *
 * tau = 0 where P <= 1, unless the material asks for another choice. All of it is residual: the solution of the equation solves it too. The div
 * of the flux is that of its interpolation from the nodes, which is exact on undistorted elements. */
#pragma once
#include "operator/element/element_matrix.h"
#include "operator/operator.h"

/* k[nodes][nodes], row-major, unsymmetric: (A.30) of a region that flows, of elements of HK_LISTED_NODES at most. The volume; not above 0 where it
 * is folded. */
double hk_element_advect(const hk_region *region, const hk_element *element, const double *x,
                         double *k);
/* heat[nodes] += int N_n a . grad T + tau a . g_n (a . grad T + beta T - div(k grad T)): what is carried, and stabilisation. Nothing where nothing
 * flows. */
void hk_element_carry(const hk_region *region, const hk_element *element, const double *x,
                      const double *t, double *heat);
/* f[nodes] += int tau a . g_n s, the part of heat s = amount by(x) (by may be NULL: 1) that stabilisation adds. Nothing where nothing flows. */
void hk_element_carry_source(const hk_region *region, const hk_element *element, const double *x,
                             double amount, const hk_formula *by, double *f);

typedef struct hk_advection_survey {
  hk_count flowing, stabilised; /* elements with velocity; of them with tau above 0 somewhere */
  double peclet;                /* the largest P */
} hk_advection_survey;
/* Whether the material of any of `count` regions moves. */
bool hk_advection_any(const hk_region *region, int count);
/* Of all elements. Cost: a pass over those that flow. */
void hk_advection_survey_find(const hk_mesh *mesh, const hk_region *region,
                              const hk_index *element_region, hk_advection_survey *survey);
