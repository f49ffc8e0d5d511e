/* Vectors of Lanczos's iteration for the largest frequency (solver/frequency/lanczos.c). They are in double precision whatever the operator's is, but
 * u and ku, which the operator reads and writes. A group treats CHUNK numbers of each vector; sums are made as solver/linear/sums.k.h says, so that
 * each run gives the same bits.
 *   n: degrees of freedom, padding counted;  scale [n / DIM] = M^-1/2 of each node, 0 on padding;  part [groups]: sums of groups */
#define ALPHA 0 /* of scalar: the coefficients of the tridiagonal matrix of this iteration */
#define BETA 1

/* w = M^-1/2 ku - beta w, where w is the vector before v;  part = v . w */
KERNEL lanczos_multiply(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                        GLOBAL const double *RESTRICT scale, GLOBAL const real *RESTRICT ku,
                        GLOBAL const double *RESTRICT v, GLOBAL double *RESTRICT w,
                        GLOBAL double *RESTRICT part, const int n)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LANE_ARRAY(double, vw);
  const double beta = scalar[BETA];
  FOR_LANES(l) vw[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        const double next = (double)ku[o + l] * scale[(o + l) / DIM] - beta * w[o + l];
        w[o + l] = next;
        vw[l] += v[o + l] * next;
      }
  }
  FOR_LANES(l) sum[THREAD * LANES + l] = vw[l];
  sum_group(sum, part + GROUP_ID);
}

/* w -= alpha v;  part = w . w */
KERNEL lanczos_subtract(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                        GLOBAL const double *RESTRICT v, GLOBAL double *RESTRICT w,
                        GLOBAL double *RESTRICT part, const int n)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LANE_ARRAY(double, ww);
  const double alpha = scalar[ALPHA];
  FOR_LANES(l) ww[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        const double next = w[o + l] - alpha * v[o + l];
        w[o + l] = next;
        ww[l] += next * next;
      }
  }
  FOR_LANES(l) sum[THREAD * LANES + l] = ww[l];
  sum_group(sum, part + GROUP_ID);
}

/* w /= beta: the next v;  u = M^-1/2 w */
KERNEL lanczos_advance(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                       GLOBAL const double *RESTRICT scale, GLOBAL double *RESTRICT w,
                       GLOBAL real *RESTRICT u, const int n)
{
  const double beta = scalar[BETA];
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        const double next = w[o + l] / beta;
        w[o + l] = next;
        u[o + l] = (real)(next * scale[(o + l) / DIM]);
      }
  }
}

/* Takes out of w what moves the held rows:  w -= (unit . w) unit,  row by row. Rows of one bundle may share degrees of freedom; a thread treats
 * a bundle.
 *   bundle [bundles + 1]: rows of each;  begin: entries of a row;  dof, unit: of an entry, a row of length 1 */
KERNEL lanczos_hold(GROUP_PARAM GLOBAL const int *RESTRICT bundle, GLOBAL const int *RESTRICT begin,
                    GLOBAL const int *RESTRICT dof, GLOBAL const double *RESTRICT unit,
                    GLOBAL double *RESTRICT w, const int bundles)
{
  FOR_ITEMS(k, LIST) {
    const int b = GROUP_ID * LIST + k;
    if (b < bundles)
      for (int r = bundle[b]; r < bundle[b + 1]; r++) {
        double along = 0;
        for (int p = begin[r]; p < begin[r + 1]; p++) along += unit[p] * w[dof[p]];
        for (int p = begin[r]; p < begin[r + 1]; p++) w[dof[p]] -= along * unit[p];
      }
  }
}

/* scalar[place] = the sum of part, and its root for BETA. One group. */
KERNEL lanczos_fold(GROUP_PARAM GLOBAL const double *RESTRICT part, GLOBAL double *RESTRICT scalar,
                    const int groups, const int place)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LOCAL_ARRAY(double, other, THREADS *LANES);
  fold_groups(part, groups, 0, sum, other);
  FOR_ITEMS(t, 1) scalar[place] = place == BETA ? sqrt(sum[0]) : sum[0];
}
