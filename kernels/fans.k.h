/* Stage 3 of assembly for linear triangles and tetrahedra, in one kernel: their gradients are so cheap that each row integrates the
 * elements around it itself. A thread owns one component c of one row i: nobody else adds to it, elements come in ascending order.
 *   K_ij = w / |J| (lambda G_i G_j^T + mu G_j G_i^T + mu G_i.G_j I),  G = |J| g the cofactors of the edges from i, w the reference volume
 * (any law: kernels/law.k.h). Arrays as in kernels/gather.k.h and integrate.k.h; ROWS rows per group, sums in local memory for SPAN
 * entries. VALUES 3: ELL. */
#define CORNERS (DIM + 1)

/* g[CORNERS][DIM]: G of node i (first) and of the others in their order; |J| of the element up to its sign. */
DEVICE real fans_cofactors(PRIVATE const real *v, PRIVATE real *g)
{
#if DIM == 3
  UNROLL
  for (int n = 0; n < 3; n++) {
    PRIVATE const real *a = v + (n + 1) % 3 * 3, *b = v + (n + 2) % 3 * 3;
    UNROLL
    for (int d = 0; d < 3; d++)
      g[(n + 1) * 3 + d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
  }
  UNROLL
  for (int d = 0; d < 3; d++) g[d] = -(g[3 + d] + g[6 + d] + g[9 + d]);
  return v[0] * g[3] + v[1] * g[4] + v[2] * g[5];
#else
  g[2] = v[3], g[3] = -v[2], g[4] = -v[1], g[5] = v[0];
  g[0] = -(g[2] + g[4]), g[1] = -(g[3] + g[5]);
  return v[0] * v[3] - v[1] * v[2];
#endif
}

/* k[CORNERS][DIM] += row c of scale K_ij, j in the order of g. */
DEVICE void fans_row(GLOBAL const real *RESTRICT law, PRIVATE const real *g, const real scale,
                     const int c, PRIVATE real *k)
{
  real gc = g[0];
  UNROLL
  for (int d = 1; d < DIM; d++) gc = c == d ? g[d] : gc;
  if (law[0] > 0) {
    const real lambda = law[1] * scale, mu = law[2] * scale;
    UNROLL
    for (int j = 0; j < CORNERS; j++) {
      real dot = 0, jc = g[j * DIM];
      UNROLL
      for (int d = 0; d < DIM; d++) {
        dot += g[d] * g[j * DIM + d];
        jc = c == d ? g[j * DIM + d] : jc;
      }
      UNROLL
      for (int d = 0; d < DIM; d++)
        k[j * DIM + d] = lambda * gc * g[j * DIM + d] + mu * jc * g[d] + (c == d ? mu * dot : 0);
    }
  } else {
    GLOBAL const real *voigt = law + 3;
    real t[DIM * DIM]; /* t[d][b] = sum of C_cadb G_i[a] */
    UNROLL
    for (int d = 0; d < DIM; d++) UNROLL
    for (int b = 0; b < DIM; b++) {
      real sum = 0;
      UNROLL
      for (int a = 0; a < DIM; a++) sum += voigt[VOIGT(c, a) * VOIGTS + VOIGT(d, b)] * g[a];
      t[d * DIM + b] = sum * scale;
    }
    UNROLL
    for (int j = 0; j < CORNERS; j++) UNROLL
    for (int d = 0; d < DIM; d++) {
      real sum = 0;
      UNROLL
      for (int b = 0; b < DIM; b++) sum += t[d * DIM + b] * g[j * DIM + b];
      k[j * DIM + d] = sum;
    }
  }
}

KERNEL fans_rows(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                 GLOBAL const int *RESTRICT around, GLOBAL const unsigned char *RESTRICT place,
                 GLOBAL const unsigned short *RESTRICT where, GLOBAL const long *RESTRICT begin,
                 GLOBAL const int *RESTRICT node, GLOBAL const int *RESTRICT region,
                 GLOBAL const double *RESTRICT x, GLOBAL const real *RESTRICT law,
                 GLOBAL real *RESTRICT value, GLOBAL int *RESTRICT folded, const int nodes)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, sum, SPAN * DIM * DIM);
  const int row = GROUP_ID * ROWS, last = row + ROWS < nodes ? row + ROWS : nodes;
  const long base = begin[row];
  const int entries = (int)(begin[last] - base);
  FOR_ITEMS(k, entries * (DIM * DIM)) sum[k] = 0;
  BARRIER();
  FOR_ITEMS(t, (last - row) * DIM) {
    const int i = row + t / DIM, c = t % DIM;
    const int line = (int)(begin[i + 1] - begin[i]) * DIM;
    LOCAL real *to = sum + (begin[i] - base) * (DIM * DIM) + c * line;
    for (long p = around_begin[i]; p < around_begin[i + 1]; p++) {
      const int e = around[p], n = place[p];
      GLOBAL const int *of = node + (long)e * CORNERS;
      GLOBAL const unsigned short *at = where + p * CORNERS;
      real v[DIM * DIM], g[CORNERS * DIM], k[CORNERS * DIM];
      UNROLL
      for (int m = 0; m < DIM; m++) UNROLL
      for (int d = 0; d < DIM; d++)
        v[m * DIM + d] = (real)(x[(long)of[m < n ? m : m + 1] * DIM + d] - x[(long)i * DIM + d]);
      const real signed_det = fans_cofactors(v, g), det = n % 2 ? -signed_det : signed_det;
      if (!(det > 0)) folded[0] = 1 + e;
      fans_row(law + (long)region[e] * LAW, g, REAL(1.0) / (DIM == 3 ? 6 : 2) * RECIPROCAL(det), c,
               k);
      UNROLL
      for (int d = 0; d < DIM; d++) to[at[n] * DIM + d] += k[d];
      UNROLL
      for (int m = 0; m < DIM; m++) UNROLL
      for (int d = 0; d < DIM; d++) to[at[m < n ? m : m + 1] * DIM + d] += k[(m + 1) * DIM + d];
    }
  }
  BARRIER();
#if VALUES == 3
  FOR_ITEMS(t, (last - row) * DIM) {
    const int i = row + t / DIM, c = t % DIM, line = (int)(begin[i + 1] - begin[i]) * DIM;
    LOCAL const real *from = sum + (begin[i] - base) * (DIM * DIM) + c * line;
    for (int k = 0; k < line; k++) value[(long)k * nodes * DIM + i * DIM + c] = from[k];
  }
#else
  FOR_ITEMS(k, entries * (DIM * DIM)) value[base * (DIM * DIM) + k] = sum[k];
#endif
}
