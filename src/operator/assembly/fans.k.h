/* Stage 3 of assembly for linear triangles and tetrahedra, in one kernel: their gradients are so cheap that each row integrates the
 * elements around it itself. The row's edges are staged in local memory, then STEP elements of each row at
 * once as gradients; then a thread owns one component c of
 * one row i: nobody else adds to it, elements come in ascending order.
 *   K_ij = w / |J| (lambda G_i G_j^T + mu G_j G_i^T + mu G_i.G_j I) (A.7),  G = |J| g the cofactors of the edges from i, w the reference volume
 * (any law: physics/tangent.k.h). Arrays as in operator/assembly/gather.k.h and integrate.k.h; ROWS rows per group, sums in local memory for SPAN
 * entries of each row, rows next to each other so that threads meet in no bank. VALUES 3: ELL. SCALED: element e is multiplied by scale[e]. */
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

/* G and w / |J| of an element around a row whose edges v to the others of its nodes are edge[place] (apart ROWS): in the order of the
 * row's own node, which has number n, then the others. Their places go to spot; all apart ROWS * STEP. False: folded. */
DEVICE int fans_find(LOCAL const real *edge, GLOBAL const unsigned short *RESTRICT at, const int n,
                     LOCAL real *to, LOCAL int *spot)
{
  real v[DIM * DIM], g[CORNERS * DIM];
  spot[0] = at[n] * DIM;
  UNROLL
  for (int m = 0; m < DIM; m++) {
    const int place = at[m < n ? m : m + 1] * DIM;
    spot[(m + 1) * (ROWS * STEP)] = place;
    UNROLL
    for (int d = 0; d < DIM; d++) v[m * DIM + d] = edge[(place + d) * ROWS];
  }
  const real signed_det = fans_cofactors(v, g), det = n % 2 ? -signed_det : signed_det;
  UNROLL
  for (int k = 0; k < CORNERS * DIM; k++) to[k * (ROWS * STEP)] = g[k];
  to[CORNERS * DIM * (ROWS * STEP)] = REAL(1.0) / (DIM == 3 ? 6 : 2) * RECIPROCAL(det);
  return det > 0;
}

/* Adds row c of the element to its places in the line of the row: all are read before one is written, for they differ. */
DEVICE void fans_add(GLOBAL const real *RESTRICT law, LOCAL const real *from, LOCAL const int *spot,
                     const int c, LOCAL real *to)
{
  real g[CORNERS * DIM], k[CORNERS * DIM], sum[CORNERS * DIM];
  int place[CORNERS];
  UNROLL
  for (int m = 0; m < CORNERS * DIM; m++) g[m] = from[m * (ROWS * STEP)];
  UNROLL
  for (int m = 0; m < CORNERS; m++) place[m] = spot[m * (ROWS * STEP)];
  UNROLL
  for (int m = 0; m < CORNERS; m++) UNROLL
  for (int d = 0; d < DIM; d++) sum[m * DIM + d] = to[(place[m] + d) * ROWS];
  fans_row(law, g, from[CORNERS * DIM * (ROWS * STEP)], c, k);
  UNROLL
  for (int m = 0; m < CORNERS; m++) UNROLL
  for (int d = 0; d < DIM; d++) to[(place[m] + d) * ROWS] = sum[m * DIM + d] + k[m * DIM + d];
}

KERNEL fans_rows(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                 GLOBAL const int *RESTRICT around, GLOBAL const unsigned short *RESTRICT place,
                 GLOBAL const unsigned short *RESTRICT where, GLOBAL const long *RESTRICT begin,
                 GLOBAL const int *RESTRICT column, GLOBAL const int *RESTRICT region,
                 GLOBAL const double *RESTRICT x, GLOBAL const real *RESTRICT law,
                 GLOBAL real *RESTRICT value, GLOBAL int *RESTRICT folded,
                 GLOBAL const real *RESTRICT scale, const int nodes)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(int, laws, ROWS *STEP);
  LOCAL_ARRAY(int, spots, ROWS *STEP *CORNERS);
  LOCAL_ARRAY(real, gradient, ROWS * STEP * (CORNERS * DIM + 1));
  LOCAL_ARRAY(real, edge, SPAN * DIM * ROWS);
  LOCAL_ARRAY(real, sum, SPAN * DIM * DIM * ROWS);
  const int row = GROUP_ID * ROWS, last = row + ROWS < nodes ? row + ROWS : nodes;
  int steps = 0, longest = 0;
  for (int i = row; i < last; i++) {
    const int length = (int)(around_begin[i + 1] - around_begin[i]);
    const int entries = (int)(begin[i + 1] - begin[i]);
    steps = length > steps ? length : steps;
    longest = entries > longest ? entries : longest;
  }
  FOR_ITEMS(k, longest * (DIM * DIM) * ROWS) sum[k] = 0;
  FOR_ITEMS(k, longest * (last - row)) {
    const int r = k / longest, q = k % longest, i = row + r;
    if (q < begin[i + 1] - begin[i]) {
      const long j = column[begin[i] + q];
      UNROLL
      for (int d = 0; d < DIM; d++)
        edge[(q * DIM + d) * ROWS + r] = (real)(x[j * DIM + d] - x[(long)i * DIM + d]);
    }
  }
  BARRIER();
  for (int start = 0; start < steps; start += STEP) {
    FOR_ITEMS(k, ROWS * STEP) {
      const int r = k / STEP, i = row + r, at = k % STEP * ROWS + r;
      const long p = i < last ? around_begin[i] + start + k % STEP : 0;
      laws[at] = -1;
      if (i < last && p < around_begin[i + 1]) {
        laws[at] = region[around[p]];
        if (!fans_find(edge + r, where + p * CORNERS, place[p], gradient + at, spots + at))
          folded[0] = 1 + around[p];
        if (SCALED) gradient[at + CORNERS * DIM * (ROWS * STEP)] *= scale[around[p]];
      }
    }
    BARRIER();
    FOR_ITEMS(t, ROWS * DIM) {
      const int r = t % ROWS, c = t / ROWS, i = row + r < last ? row + r : row;
      LOCAL real *to = sum + c * (int)(begin[i + 1] - begin[i]) * DIM * ROWS + r;
      for (int s = 0; s < STEP; s++) {
        const int at = s * ROWS + r;
        if (laws[at] >= 0) fans_add(law + (long)laws[at] * LAW, gradient + at, spots + at, c, to);
      }
    }
    BARRIER();
  }
  for (int i = row; i < last; i++) {
    const int line = (int)(begin[i + 1] - begin[i]) * DIM;
    LOCAL const real *from = sum + (i - row);
#if VALUES == 3
    FOR_ITEMS(k, line) UNROLL
    for (int c = 0; c < DIM; c++)
      value[(long)k * nodes * DIM + i * DIM + c] = from[(c * line + k) * ROWS];
#else
    FOR_ITEMS(k, line * DIM) value[begin[i] * (DIM * DIM) + k] = from[k * ROWS];
#endif
  }
}
