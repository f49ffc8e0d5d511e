/* Coefficients of N coupled equations for N unknowns u_b of a place, as a list of terms. In the weak form, for all test functions v_a,
 *
 *   sum over a, b, i, j of  int  c[a][b][i][j] D_j u_b D_i v_a  =  int f_a v_a + fluxes of faces,   D_0 = 1, D_1 to D_3 the derivatives   (A.40)
 *
 * reaction is i = j = 0, convection i = 0, diffusion i, j >= 1, and i >= 1, j = 0 what a stream carries in its conservative form. Capacity is a
 * reaction that multiplies the rate of u_b. A term is a number, times a formula of the place where there is one. */
#pragma once
#include "base/formula.h"

enum { HK_MOST_EQUATIONS = 5, HK_MOST_COEFFICIENTS = HK_MOST_EQUATIONS * HK_MOST_EQUATIONS * 16 };

typedef struct hk_coupled_term { /* c[equation][unknown][i][j] += value by(x) */
  uint8_t equation, unknown, i, j;
  double value;
  const hk_formula *by; /* borrowed; NULL: 1 */
} hk_coupled_term;

typedef struct hk_coupled {
  int equations; /* N, 1 to HK_MOST_EQUATIONS */
  int steady;    /* term[0 .. steady) are of c, */
  int count;     /* term[steady .. count) of the capacity */
  hk_coupled_term *term;
} hk_coupled;

/* c[N][N][4][4] at x[3], with the capacity times `storage`. */
void hk_coupled_at(const hk_coupled *coupled, double storage, const double x[3], double *c);
/* Whether it differs from place to place. */
bool hk_coupled_varies(const hk_coupled *coupled);
/* Whether gradients alone are multiplied by gradients: c is 0 but for diffusion, and there is no capacity. */
bool hk_coupled_diffuses(const hk_coupled *coupled);
/* Whether c[N][N][4][4], as a matrix of rows (a, i) and columns (b, j), is symmetric and positive semidefinite, to 1e-12 of its diagonal entries: then
 * so is K. */
bool hk_coupled_definite(int equations, const double *c);
/* As a copy, whose term[] is borrowed, with the capacity in place of everything else. */
hk_coupled hk_coupled_capacity(const hk_coupled *coupled);
