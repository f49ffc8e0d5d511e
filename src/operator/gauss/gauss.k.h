/* K u of elements of any listed shape without a matrix, from the points of their quadrature: with slopes d_a = du/dt_a and directions e_a = dx/dt_a,
 *   grad u = sum over a of d_a c_a^T / det,   f_n = weight sum over a of dN_n/dt_a stress c_a,   c_a = e_b x e_c, det = e_a . c_a   (E.1)
 * What that leaves at each corner is summed by its node (operator/patches/scatter.k.h), so that nothing is added by two at once.
 *   node   [count / WIDTH][NODES + 1][WIDTH]   of the elements of one shape, then the place of their parameters in `law`; padding repeats
 *   place  [padded][DIM]                       coordinates of nodes
 *   table  [points][NODES DIM + 1]             dN_n/dt_a, then the weight
 *   law    parameters of law number LAW of solids (physics/law.k.h), region by region
 *   corner [..][count / WIDTH][NODES DIM][WIDTH]   from `first` on
 * Coordinates and displacements are relative to the first node, whose force is minus the sum of the others: translations leave exactly none. A
 * group has ELEMENTS elements. */
#define COMPONENTS DIM
#define PARAMETER_PLACE PRIVATE
#define PARAMETER_STRIDE LANES
#include "physics/law.k.h"
#include "operator/element/cofactors.k.h"
#define AT(a, m) (a)[(m)*LANES + l]
#define ROWS_OF_TABLE (NODES * DIM + 1)
#define MOST_PARAMETERS (VOIGTS * (VOIGTS + 1) / 2)

/* x = the values at the nodes of LANES elements, relative to the first. */
DEVICE void gauss_take(GLOBAL const int *RESTRICT node, GLOBAL const real *RESTRICT value,
                       PRIVATE real *x)
{
  for (int n = 0; n < NODES; n++)
    FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) AT(x, n * DIM + c) = value[(long)node[n * WIDTH + l] * DIM + c];
  for (int n = 1; n < NODES; n++)
    FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) AT(x, n * DIM + c) -= AT(x, c);
}

/* m: slopes m[DIM][DIM] = du_c/dt_a in, the forces on them out; e[DIM][DIM] = dx_c/dt_a; rows are a. */
DEVICE void gauss_point(PRIVATE const real *RESTRICT e, PRIVATE const real *RESTRICT d,
                        const real weight, PRIVATE real *RESTRICT m)
{
  FOR_LANES(l) {
    real direction[DIM * DIM], slope[DIM * DIM], cofactor[DIM * DIM], gradient[DIM * DIM];
    real strain[STRAINS], flux[STRAINS], force[DIM * DIM];
    UNROLL
    for (int a = 0; a < DIM; a++) UNROLL
    for (int c = 0; c < DIM; c++)
      direction[a * DIM + c] = AT(e, a * DIM + c), slope[c * DIM + a] = AT(m, a * DIM + c);
    cofactors(direction, cofactor);
    const real over = RECIPROCAL(determinant(direction, cofactor));
    gradients(slope, cofactor, DIM, gradient);
    UNROLL
    for (int k = 0; k < DIM * DIM; k++) gradient[k] *= over;
    strain_of(gradient, strain);
    law_flux(LAW, d + l, weight, strain, 0, flux);
    tensor_of(flux, gradient);
    slope_forces(gradient, cofactor, DIM, force);
    UNROLL
    for (int a = 0; a < DIM; a++) UNROLL
    for (int c = 0; c < DIM; c++) AT(m, a * DIM + c) = force[c * DIM + a];
  }
}

/* f of the nodes behind the first += what one point gives; t: its row of the table. */
DEVICE void gauss_add(GLOBAL const real *RESTRICT t, PRIVATE const real *RESTRICT x,
                      PRIVATE const real *RESTRICT u, PRIVATE const real *RESTRICT d,
                      PRIVATE real *RESTRICT f)
{
  LANE_LINE(real, e, DIM * DIM);
  LANE_LINE(real, m, DIM * DIM);
  UNROLL
  for (int k = 0; k < DIM * DIM; k++)
    FOR_LANES(l) AT(e, k) = 0, AT(m, k) = 0;
  for (int n = 1; n < NODES; n++) UNROLL
  for (int a = 0; a < DIM; a++) {
    const real s = t[n * DIM + a];
    UNROLL
    for (int c = 0; c < DIM; c++)
      FOR_LANES(l) {
        AT(e, a * DIM + c) += s * AT(x, n * DIM + c);
        AT(m, a * DIM + c) += s * AT(u, n * DIM + c);
      }
  }
  gauss_point(e, d, t[NODES * DIM], m);
  for (int n = 1; n < NODES; n++) UNROLL
  for (int a = 0; a < DIM; a++) {
    const real s = t[n * DIM + a];
    UNROLL
    for (int c = 0; c < DIM; c++)
      FOR_LANES(l) AT(f, n * DIM + c) += s * AT(m, a * DIM + c);
  }
}

KERNEL gauss_forces(GROUP_PARAM GLOBAL const int *RESTRICT node, GLOBAL const real *RESTRICT place,
                    GLOBAL const real *RESTRICT table, GLOBAL const real *RESTRICT law,
                    GLOBAL const real *RESTRICT u, GLOBAL real *RESTRICT corner, const int first,
                    const int count, const int points, const int shots, const int stride,
                    const int corner_stride)
{
  const int group = GROUP_ID / shots, shot = GROUP_ID % shots;
  u += (long)shot * stride;
  corner += (long)shot * corner_stride + first;
  FOR_ITEMS(k, ELEMENTS / LANES) {
    const int i = group * ELEMENTS + k * LANES;
    if (i < count) {
      GLOBAL const int *of = node + (long)(i / WIDTH) * (NODES + 1) * WIDTH + i % WIDTH;
      GLOBAL real *to = corner + (long)(i / WIDTH) * NODES * DIM * WIDTH + i % WIDTH;
      LANE_LINE(real, x, NODES * DIM);
      LANE_LINE(real, own, NODES * DIM);
      LANE_LINE(real, f, NODES * DIM);
      LANE_LINE(real, d, MOST_PARAMETERS);
      const int parameters = law_parameters(LAW);
      gauss_take(of, place, x);
      gauss_take(of, u, own);
      for (int m = 0; m < parameters; m++)
        FOR_LANES(l) AT(d, m) = law[of[NODES * WIDTH + l] + m];
      for (int m = 0; m < NODES * DIM; m++)
        FOR_LANES(l) AT(f, m) = 0;
      for (int q = 0; q < points; q++) gauss_add(table + q * ROWS_OF_TABLE, x, own, d, f);
      for (int n = 1; n < NODES; n++)
        FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) AT(f, c) -= AT(f, n * DIM + c);
      for (int m = 0; m < NODES * DIM; m++)
        FOR_LANES(l) to[(long)m * WIDTH + l] = AT(f, m);
    }
  }
}
