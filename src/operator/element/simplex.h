/* Linear triangles and tetrahedra: one gradient per node, in closed form. */
#pragma once

/* g[nodes][dim] = det times the gradient of shape function n; returns det, the Jacobian's determinant. x[nodes][dim], the vertices
 * in the order origin, 1 on x, 1 on y (, 1 on z):
 *   det g_1 = e_2 x e_3,  e_d = x_d - x_0,  cyclic;  g_0 = -(g_1 + g_2 + g_3). */
static inline __attribute__((always_inline)) double hk_simplex_cofactors(int dim, const double *x,
                                                                         double *g)
{
  double e[3][3];
  for (int d = 0; d < dim; d++)
    for (int c = 0; c < dim; c++) e[d][c] = x[(d + 1) * dim + c] - x[c];
  if (dim == 2) {
    g[2] = e[1][1], g[3] = -e[1][0], g[4] = -e[0][1], g[5] = e[0][0];
    g[0] = -(g[2] + g[4]), g[1] = -(g[3] + g[5]);
    return e[0][0] * g[2] + e[0][1] * g[3];
  }
  for (int d = 0; d < 3; d++) {
    const double *a = e[(d + 1) % 3], *b = e[(d + 2) % 3];
    g[3 * d + 3] = a[1] * b[2] - a[2] * b[1];
    g[3 * d + 4] = a[2] * b[0] - a[0] * b[2];
    g[3 * d + 5] = a[0] * b[1] - a[1] * b[0];
  }
  for (int c = 0; c < 3; c++) g[c] = -(g[3 + c] + g[6 + c] + g[9 + c]);
  return e[0][0] * g[3] + e[0][1] * g[4] + e[0][2] * g[5];
}
