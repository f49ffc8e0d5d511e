/* Vectors and small systems of IDR(S) (solver/linear/idr/idr.c; van Gijzen and Sonneveld, ACM Trans. Math. Softw. 38, 2011, Algorithm 913). A group
 * computes CHUNK components of each vector. The arrays p, g and u contain S vectors each, one after the other. Kernels leave their results for
 * the next kernels in `scalar`; its first eight numbers are those of krylov.k.h: */
#define SIZE 4
#define ALPHA 1 /* omega of this cycle, which krylov_advance takes; 0 once done */
#define RR 3
#define LIMIT 4
#define DONE 5
#define STEP 6
#define MOST 7
#define OMEGA 8      /* of the last cycle */
#define BETA 9       /* 0 once done */
#define F 10         /* f = P r */
#define C (F + SIZE) /* of M c = f */
#define A (C + SIZE) /* by which g_k becomes orthogonal to p_i, i < k */
#define M (A + SIZE) /* M_ij = p_i . g_j, lower triangle: M[i][j] */
#define CONVERGED 1
#define BROKEN 2 /* a pivot or a residual is 0 or no number: the next round begins anew */
#define EXHAUSTED 3

/* p [SIZE][n]: numbers between -1/2 and 1/2 that are always the same, the index mixed (Steele, Lea, Flood, OOPSLA 2014). */
KERNEL idr_shadow(GROUP_PARAM GLOBAL real *RESTRICT p, const int n)
{
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      for (int i = 0; i < SIZE; i++)
        FOR_LANES(l) {
          unsigned h = (unsigned)(o + l) * 2654435769u + (unsigned)i * 374761393u + 1u;
          h = (h ^ (h >> 16)) * 2246822507u;
          h = (h ^ (h >> 13)) * 3266489909u;
          p[(long)i * n + o + l] = (real)((double)((h ^ (h >> 16)) >> 8) / 16777216.0 - 0.5);
        }
  }
}

/* to = 0, SIZE vectors */
KERNEL idr_clear(GROUP_PARAM GLOBAL real *RESTRICT to, const int n)
{
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      for (int i = 0; i < SIZE; i++)
        FOR_LANES(l) to[(long)i * n + o + l] = 0;
  }
}

/* part[i][group] = p_i . q */
KERNEL idr_dots(GROUP_PARAM GLOBAL const real *RESTRICT p, GLOBAL const real *RESTRICT q,
                GLOBAL double *RESTRICT part, const int n, const int groups)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  for (int i = 0; i < SIZE; i++) {
    LANE_ARRAY(double, own);
    GLOBAL const real *from = p + (long)i * n;
    FOR_LANES(l) own[l] = 0;
    FOR_ITEMS(k, CHUNK / LANES) {
      const long o = (long)GROUP_ID * CHUNK + k * LANES;
      if (o < n)
        FOR_LANES(l) own[l] += (double)from[o + l] * (double)q[o + l];
    }
    FOR_LANES(l) sum[THREAD * LANES + l] = own[l];
    sum_group(sum, part + (long)i * groups + GROUP_ID);
    BARRIER();
  }
}

/* v = r - sum over i >= first of c_i g_i */
KERNEL idr_mix(GROUP_PARAM GLOBAL const double *RESTRICT scalar, GLOBAL const real *RESTRICT r,
               GLOBAL const real *RESTRICT g, GLOBAL real *RESTRICT v, const int n, const int first)
{
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        double sum = (double)r[o + l];
        for (int i = first; i < SIZE; i++) sum -= scalar[C + i] * (double)g[(long)i * n + o + l];
        v[o + l] = (real)sum;
      }
  }
}

/* to = omega z + sum over i >= first of c_i u_i */
KERNEL idr_direct(GROUP_PARAM GLOBAL const double *RESTRICT scalar, GLOBAL const real *RESTRICT z,
                  GLOBAL const real *RESTRICT u, GLOBAL real *RESTRICT to, const int n,
                  const int first)
{
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        double sum = scalar[OMEGA] * (double)z[o + l];
        for (int i = first; i < SIZE; i++) sum += scalar[C + i] * (double)u[(long)i * n + o + l];
        to[o + l] = (real)sum;
      }
  }
}

/* g_own = q - sum over i < own of a_i g_i, u_own likewise of `of`;  x += beta u_own,  r -= beta g_own;  part[group] = r . r */
KERNEL idr_advance(GROUP_PARAM GLOBAL const double *RESTRICT scalar, GLOBAL const real *RESTRICT q,
                   GLOBAL const real *RESTRICT of, GLOBAL real *g, GLOBAL real *u,
                   GLOBAL real *RESTRICT x, GLOBAL real *RESTRICT r, GLOBAL double *RESTRICT part,
                   const int n, const int own)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LANE_ARRAY(double, rr);
  const double beta = scalar[BETA];
  FOR_LANES(l) rr[l] = 0;
  if (beta != 0)
    FOR_ITEMS(k, CHUNK / LANES) {
      const long o = (long)GROUP_ID * CHUNK + k * LANES;
      if (o < n)
        FOR_LANES(l) {
          double gk = (double)q[o + l], uk = (double)of[o + l];
          for (int i = 0; i < own; i++) {
            gk -= scalar[A + i] * (double)g[(long)i * n + o + l];
            uk -= scalar[A + i] * (double)u[(long)i * n + o + l];
          }
          const real left = (real)((double)r[o + l] - beta * (double)(real)gk);
          g[(long)own * n + o + l] = (real)gk;
          u[(long)own * n + o + l] = (real)uk;
          x[o + l] = (real)((double)x[o + l] + beta * (double)(real)uk);
          r[o + l] = left;
          rr[l] += (double)left * (double)left;
        }
    }
  FOR_LANES(l) sum[THREAD * LANES + l] = rr[l];
  sum_group(sum, part + GROUP_ID);
}

/* c from M c = f, rows and columns from `first` on. */
DEVICE void idr_solve(GLOBAL double *scalar, const int first)
{
  for (int i = first; i < SIZE; i++) {
    double sum = scalar[F + i];
    for (int j = first; j < i; j++) sum -= scalar[M + i * SIZE + j] * scalar[C + j];
    scalar[C + i] = sum / scalar[M + i * SIZE + i];
  }
}

/* Of d_i = p_i . q in scalar[A ..]: a_i by which g_k = q - sum a_i g_i is orthogonal to p_0 ... p_k-1; column k of M; beta; f. */
DEVICE void idr_column(GLOBAL double *scalar, const int k)
{
  for (int i = 0; i < SIZE; i++) {
    double d = scalar[A + i];
    for (int j = 0; j < (i < k ? i : k); j++) d -= scalar[A + j] * scalar[M + i * SIZE + j];
    if (i < k)
      scalar[A + i] = d / scalar[M + i * SIZE + i];
    else
      scalar[M + i * SIZE + k] = d;
  }
  const double pivot = scalar[M + k * SIZE + k], beta = scalar[F + k] / pivot;
  if (scalar[DONE] == 0 && !(beta * beta > 0 && beta * beta < 1e300)) scalar[DONE] = BROKEN;
  scalar[BETA] = scalar[DONE] == 0 ? beta : 0;
  for (int i = k + 1; i < SIZE; i++) scalar[F + i] -= beta * scalar[M + i * SIZE + k];
}

/* What follows from the sums: one group.
 *   stage 0  start: r . r = sum 0; M = I, omega = 1
 *   stage 1  f = the sums; c for k = 0
 *   stage 2  the sums are p_i . q: column k of M, beta, f
 *   stage 3  r . r = sum 0, whether that ends it, and c for k + 1
 *   stage 4  omega = t . r / t . t, the sums, larger where they are nearly orthogonal (Sleijpen and van der Vorst, Numer. Algorithms 10, 1995)
 *   stage 5  r . r = sum 0, and whether that ends it
 * history [MOST + 1]: r . r of each product */
KERNEL idr_fold(GROUP_PARAM GLOBAL const double *RESTRICT part, GLOBAL double *RESTRICT scalar,
                GLOBAL double *RESTRICT history, const int groups, const int stage, const int k)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LOCAL_ARRAY(double, other, THREADS *LANES);
  const int sums = stage == 1 || stage == 2 ? SIZE : 1;
  for (int i = 0; i < sums; i++) {
    fold_groups(part + (long)i * groups, groups, stage == 4, sum, other);
    FOR_ITEMS(t, 1)
      if (sums > 1) scalar[(stage == 1 ? F : A) + i] = sum[0];
    BARRIER();
  }
  FOR_ITEMS(t, 1) {
    const double value = sum[0];
    if (stage == 0) {
      scalar[RR] = history[0] = value;
      scalar[STEP] = scalar[ALPHA] = scalar[BETA] = 0;
      scalar[OMEGA] = 1;
      scalar[DONE] = value <= scalar[LIMIT] ? CONVERGED : 0;
      for (int i = 0; i < SIZE * SIZE; i++) scalar[M + i] = i / SIZE == i % SIZE;
    } else if (stage == 1) {
      idr_solve(scalar, 0);
    } else if (stage == 2) {
      idr_column(scalar, k);
    } else if (stage == 4) {
      const double tt = value, tr = other[0], rr = scalar[RR], least = 0.7;
      const double cosine = fabs(tr) / sqrt(tt * rr);
      double omega = tr / tt;
      if (cosine < least) omega *= least / cosine;
      if (scalar[DONE] == 0 && !(omega * omega > 0 && omega * omega < 1e300)) scalar[DONE] = BROKEN;
      scalar[ALPHA] = scalar[DONE] == 0 ? omega : 0;
      if (scalar[DONE] == 0) scalar[OMEGA] = omega;
    } else if (scalar[DONE] == 0) {
      const int step = (int)scalar[STEP] + 1;
      scalar[STEP] = step;
      scalar[RR] = history[step] = value;
      if (!(value < 1e300))
        scalar[DONE] = BROKEN;
      else if (value <= scalar[LIMIT])
        scalar[DONE] = CONVERGED;
      else if (step >= (int)scalar[MOST])
        scalar[DONE] = EXHAUSTED;
      if (stage == 3 && k + 1 < SIZE) idr_solve(scalar, k + 1);
    }
  }
}
