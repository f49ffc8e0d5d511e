/* The product of Carrascal-Manzanares et al. (2017), equation (2), as their section 3 changes it: waves of one component in plane elements
 * of order p with N^2 = (p + 1)^2 points that are their nodes, for a measurement,
 *   out += sum over elements of one colour  E^T A^T (c w co(DF) co(DF)^T / J) A E u,   J = det DF, co(DF) its cofactors.
 * WAY 0: as they found it. A is sparse, read from memory with its columns; geometry at each point anew.
 *     1: their memory layout. One N x N matrix, a copy of u by columns beside that by rows; cofactors multiplied once per element.
 *     2: their loops: everything in scalars, all loops unrolled. On a GPU this is their method, an element per thread. Lanes add their forces one
 *        by one: compilers leave a loop that scatters scalar where the processor has no scatter (before AVX-512).
 *   node         [batches][N^2][LANES]
 *   map          [batches][4][LANES]    DF of an element: dx/dr dx/ds dy/dr dy/ds
 *   column       [2][N^2][N]            of A: row n of direction d
 *   coefficient  [2][N^2][N]
 * A batch is LANES elements. Group GROUP_ID treats BATCHES batches from first + GROUP_ID * BATCHES on, up to end; they are of one colour:
 * no node is in two elements. Padding: elements of a node that no other has. */
#define N (ORDER + 1)
#define POINTS (N * N)

#if WAY == 0
DEVICE void treat_batch(GLOBAL const real *u, GLOBAL real *out, GLOBAL const int *node,
                        GLOBAL const real *map, GLOBAL const int *column,
                        GLOBAL const real *coefficient, const real c)
{
  LANE_LINE(real, a, POINTS);
  LANE_LINE(real, g, 2 * POINTS);
  for (int n = 0; n < POINTS; n++)
    FOR_LANES(l) a[n * LANES + l] = u[node[n * LANES + l]];
  for (int n = 0; n < 2 * POINTS; n++) {
    FOR_LANES(l) g[n * LANES + l] = 0;
    for (int m = 0; m < N; m++)
      FOR_LANES(l) g[n * LANES + l] += coefficient[n * N + m] * a[column[n * N + m] * LANES + l];
  }
  for (int n = 0; n < POINTS; n++) {
    const real w = GLL_W[GLL_FIRST(ORDER) + n % N] * GLL_W[GLL_FIRST(ORDER) + n / N];
    FOR_LANES(l) {
      const real xr = map[l], xs = map[LANES + l], yr = map[2 * LANES + l], ys = map[3 * LANES + l];
      const real r = g[n * LANES + l], s = g[(POINTS + n) * LANES + l];
      const real k = c * w / (xr * ys - xs * yr);
      const real x = ys * r - yr * s, y = xr * s - xs * r;
      g[n * LANES + l] = k * (ys * x - xs * y);
      g[(POINTS + n) * LANES + l] = k * (xr * y - yr * x);
    }
  }
  for (int n = 0; n < POINTS; n++)
    FOR_LANES(l) a[n * LANES + l] = 0;
  for (int n = 0; n < 2 * POINTS; n++)
    for (int m = 0; m < N; m++)
      FOR_LANES(l) a[column[n * N + m] * LANES + l] += coefficient[n * N + m] * g[n * LANES + l];
  for (int n = 0; n < POINTS; n++)
    FOR_LANES(l) out[node[n * LANES + l]] += a[n * LANES + l];
}
#elif WAY == 1
/* to = D from, line by line; transposed: to = D^T from. */
DEVICE void multiply_lines(PRIVATE const real *from, PRIVATE real *to, const int transposed)
{
  for (int line = 0; line < POINTS; line += N)
    for (int i = 0; i < N; i++) {
      FOR_LANES(l) to[(line + i) * LANES + l] = 0;
      for (int m = 0; m < N; m++) {
        const real d = transposed ? GLL_D[m * N + i] : GLL_D[i * N + m];
        FOR_LANES(l) to[(line + i) * LANES + l] += d * from[(line + m) * LANES + l];
      }
    }
}
DEVICE void treat_batch(GLOBAL const real *u, GLOBAL real *out, GLOBAL const int *node,
                        GLOBAL const real *map, GLOBAL const int *column,
                        GLOBAL const real *coefficient, const real c)
{
  LANE_LINE(real, rows, POINTS);
  LANE_LINE(real, columns, POINTS);
  LANE_LINE(real, r, POINTS);
  LANE_LINE(real, s, POINTS);
  LANE_LINE(real, k, 3);
  (void)column, (void)coefficient;
  for (int n = 0; n < POINTS; n++) {
    const int turned = n % N * N + n / N;
    FOR_LANES(l) {
      const real x = u[node[n * LANES + l]];
      rows[n * LANES + l] = x, columns[turned * LANES + l] = x;
    }
  }
  multiply_lines(rows, r, 0);
  multiply_lines(columns, s, 0);
  FOR_LANES(l) {
    const real xr = map[l], xs = map[LANES + l], yr = map[2 * LANES + l], ys = map[3 * LANES + l];
    const real t = c / (xr * ys - xs * yr);
    k[l] = t * (xs * xs + ys * ys), k[LANES + l] = -t * (xr * xs + yr * ys);
    k[2 * LANES + l] = t * (xr * xr + yr * yr);
  }
  for (int n = 0; n < POINTS; n++) {
    const int turned = n % N * N + n / N;
    const real w = GLL_W[GLL_FIRST(ORDER) + n % N] * GLL_W[GLL_FIRST(ORDER) + n / N];
    FOR_LANES(l) {
      const real x = w * r[n * LANES + l], y = w * s[turned * LANES + l];
      r[n * LANES + l] = k[l] * x + k[LANES + l] * y;
      s[turned * LANES + l] = k[LANES + l] * x + k[2 * LANES + l] * y;
    }
  }
  multiply_lines(r, rows, 1);
  multiply_lines(s, columns, 1);
  for (int n = 0; n < POINTS; n++) {
    const int turned = n % N * N + n / N;
    FOR_LANES(l) out[node[n * LANES + l]] += rows[n * LANES + l] + columns[turned * LANES + l];
  }
}
#else
DEVICE void treat_batch(GLOBAL const real *u, GLOBAL real *out, GLOBAL const int *node,
                        GLOBAL const real *map, GLOBAL const int *column,
                        GLOBAL const real *coefficient, const real c)
{
  (void)column, (void)coefficient;
#if LANES > 1
  LANE_LINE(real, force, POINTS);
#endif
  FOR_LANES(l) {
    real a[POINTS], b[POINTS];
    const real xr = map[l], xs = map[LANES + l], yr = map[2 * LANES + l], ys = map[3 * LANES + l];
    const real t = c / (xr * ys - xs * yr);
    const real rr = t * (xs * xs + ys * ys), rs = -t * (xr * xs + yr * ys),
               ss = t * (xr * xr + yr * yr);
    UNROLL
    for (int j = 0; j < N; j++) {
      UNROLL
      for (int i = 0; i < N; i++) a[j * N + i] = u[node[(j * N + i) * LANES + l]];
    }
    UNROLL
    for (int i = 0; i < N; i++) { /* b = D along columns */
      UNROLL
      for (int j = 0; j < N; j++) {
        real sum = GLL_D[j * N] * a[i];
        UNROLL
        for (int m = 1; m < N; m++) sum += GLL_D[j * N + m] * a[m * N + i];
        b[j * N + i] = sum;
      }
    }
    UNROLL
    for (int j = 0; j < N; j++) { /* rows: their derivative, fluxes, their divergence to a */
      real r[N];
      UNROLL
      for (int i = 0; i < N; i++) {
        real sum = GLL_D[i * N] * a[j * N];
        UNROLL
        for (int m = 1; m < N; m++) sum += GLL_D[i * N + m] * a[j * N + m];
        r[i] = sum;
      }
      UNROLL
      for (int i = 0; i < N; i++) {
        const real w = GLL_W[GLL_FIRST(ORDER) + i] * GLL_W[GLL_FIRST(ORDER) + j], x = w * r[i],
                   y = w * b[j * N + i];
        r[i] = rr * x + rs * y, b[j * N + i] = rs * x + ss * y;
      }
      UNROLL
      for (int i = 0; i < N; i++) {
        real sum = GLL_D[i] * r[0];
        UNROLL
        for (int m = 1; m < N; m++) sum += GLL_D[m * N + i] * r[m];
        a[j * N + i] = sum;
      }
    }
    UNROLL
    for (int i = 0; i < N; i++) {
      UNROLL
      for (int j = 0; j < N; j++) {
        real sum = a[j * N + i];
        UNROLL
        for (int m = 0; m < N; m++) sum += GLL_D[m * N + j] * b[m * N + i];
#if LANES > 1
        force[(j * N + i) * LANES + l] = sum;
#else
        out[node[(j * N + i) * LANES + l]] += sum;
#endif
      }
    }
  }
#if LANES > 1
  for (int k = 0; k < POINTS * LANES; k++) out[node[k]] += force[k];
#endif
}
#endif

KERNEL stages_product(GROUP_PARAM GLOBAL const real *RESTRICT u, GLOBAL real *RESTRICT out,
                      GLOBAL const int *RESTRICT node, GLOBAL const real *RESTRICT map,
                      GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT coefficient,
                      const real c, const int first, const int end)
{
  FOR_ITEMS(k, BATCHES) {
    const int batch = first + GROUP_ID * BATCHES + k;
    if (batch < end)
      treat_batch(u, out, node + (long)batch * (POINTS * LANES), map + (long)batch * (4 * LANES),
                  column, coefficient, c);
  }
}
