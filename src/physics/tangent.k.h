/* From products of gradients to stiffness, for the law of a region:
 *   K_ij[a][b] = sum over c, d of C_acbd M_ij[c][d],   M_ij = integral of g_i g_j^T   (E.2), (E.3)
 *   isotropic:  K_ij = lambda M_ij + mu M_ij^T + mu tr(M_ij) I   (E.4)
 *   COMPONENTS 1 (heat):  K_ij = k : M_ij,  law: k by rows from law[3] on; law[0] to law[2] are reactions, which are not of M_ij
 *   law [regions][LAW]: isotropic or not, lambda, mu, C by Voigt's rows (3D [6][6] xx yy zz yz xz xy, 2D [3][3] xx yy xy; times the
 *   thickness) */
#ifdef LAW /* reals of a law, 39: given where a kernel uses this */
#if DIM == 3
#define VOIGT(a, b) ((a) == (b) ? (a) : 6 - (a) - (b))
#define VOIGTS 6
#else
#define VOIGT(a, b) ((a) == (b) ? (a) : 2)
#define VOIGTS 3
#endif

/* k = K_ij of m = M_ij, both [DIM * DIM]; heat: k[1]. */
#if COMPONENTS == 1
DEVICE void law_apply(GLOBAL const real *RESTRICT law, PRIVATE const real *m, PRIVATE real *k)
{
  real sum = 0;
  UNROLL
  for (int p = 0; p < DIM * DIM; p++) sum += law[3 + p] * m[p];
  k[0] = sum;
}
#else
DEVICE void law_apply(GLOBAL const real *RESTRICT law, PRIVATE const real *m, PRIVATE real *k)
{
  if (law[0] > 0) {
    const real lambda = law[1], mu = law[2];
    real trace = 0;
    UNROLL
    for (int c = 0; c < DIM; c++) trace += m[c * DIM + c];
    UNROLL
    for (int a = 0; a < DIM; a++) UNROLL
    for (int b = 0; b < DIM; b++)
      k[a * DIM + b] = lambda * m[a * DIM + b] + mu * m[b * DIM + a] + (a == b ? mu * trace : 0);
  } else {
    GLOBAL const real *d = law + 3;
    UNROLL
    for (int a = 0; a < DIM; a++) UNROLL
    for (int b = 0; b < DIM; b++) {
      real sum = 0;
      UNROLL
      for (int p = 0; p < DIM * DIM; p++)
        sum += d[VOIGT(a, p / DIM) * VOIGTS + VOIGT(b, p % DIM)] * m[p];
      k[a * DIM + b] = sum;
    }
  }
}
#endif
#endif
