/* The map of an element at a point, x(t) with directions e_a = dx/dt_a, by the cofactors of its Jacobian instead of the inverse (E.1). Rows of
 * cofactors are c_a = e_b x e_c (in 2D e_0 and e_1 turned), so that
 *   c_a . e_b = det delta_ab,   grad u = sum over a of du/dt_a c_a^T / det
 * Nothing is divided here: gradients are multiplied by the determinant, or by what else the given cofactors hold (a scaled inverse). */
/* cofactor[DIM][DIM] of direction[DIM][DIM]. */
DEVICE void cofactors(PRIVATE const real *direction, PRIVATE real *cofactor)
{
  UNROLL
  for (int a = 0; a < DIM; a++) UNROLL
  for (int d = 0; d < DIM; d++)
#if DIM == 3
  {
    PRIVATE const real *e = direction + (a + 1) % 3 * 3, *f = direction + (a + 2) % 3 * 3;
    cofactor[a * 3 + d] = e[(d + 1) % 3] * f[(d + 2) % 3] - e[(d + 2) % 3] * f[(d + 1) % 3];
  }
#else
    cofactor[a * 2 + d] = a == d ? direction[3 - a * 3] : -direction[2 - a];
#endif
}

/* The determinant of the directions. */
DEVICE real determinant(PRIVATE const real *direction, PRIVATE const real *cofactor)
{
  real sum = direction[0] * cofactor[0];
  UNROLL
  for (int d = 1; d < DIM; d++) sum += direction[d] * cofactor[d];
  return sum;
}

/* gradient[components][DIM], times the determinant, of slope[components][DIM] = du/dt_a. */
DEVICE void gradients(PRIVATE const real *slope, PRIVATE const real *cofactor, const int components,
                      PRIVATE real *gradient)
{
  UNROLL
  for (int c = 0; c < components; c++) UNROLL
  for (int d = 0; d < DIM; d++) {
    real sum = slope[c * DIM] * cofactor[d];
    UNROLL
    for (int a = 1; a < DIM; a++) sum += slope[c * DIM + a] * cofactor[a * DIM + d];
    gradient[c * DIM + d] = sum;
  }
}

/* force[components][DIM] = flux[components][DIM] times the cofactors: what works on the slopes. */
DEVICE void slope_forces(PRIVATE const real *flux, PRIVATE const real *cofactor,
                         const int components, PRIVATE real *force)
{
  UNROLL
  for (int c = 0; c < components; c++) UNROLL
  for (int a = 0; a < DIM; a++) {
    real sum = flux[c * DIM] * cofactor[a * DIM];
    UNROLL
    for (int d = 1; d < DIM; d++) sum += flux[c * DIM + d] * cofactor[a * DIM + d];
    force[c * DIM + a] = sum;
  }
}
