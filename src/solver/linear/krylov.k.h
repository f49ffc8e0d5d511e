/* Vectors of flexible conjugate gradients (A.8) (solver/linear/cg.c), and of what else solvers do with whole vectors. A group treats CHUNK numbers
 * of each vector; sums are made per group in double precision, then folded by one group, in an order that depends on the sizes alone, so that each
 * run gives the same bits. The numbers that one iteration passes to the next stay on the device, in `scalar`: */
#define RHO 0   /* r . z */
#define ALPHA 1 /* 0 once done */
#define BETA 2
#define RR 3    /* r . r */
#define LIMIT 4 /* of r . r */
#define DONE 5  /* 0, or why it ended: a reason below */
#define STEP 6  /* iterations so far */
#define MOST 7  /* iterations at most */
/* reasons */
#define CONVERGED 1
#define INDEFINITE 2 /* p . A p or r . z is not above 0 */
#define EXHAUSTED 3

/* part[group] = a . b,  part[groups + group] = a . c */
KERNEL krylov_dots(GROUP_PARAM GLOBAL const real *RESTRICT a, GLOBAL const real *RESTRICT b,
                   GLOBAL const real *RESTRICT c, GLOBAL double *RESTRICT part, const int n,
                   const int groups)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, first, THREADS *LANES);
  LOCAL_ARRAY(double, second, THREADS *LANES);
  LANE_ARRAY(double, ab);
  LANE_ARRAY(double, ac);
  FOR_LANES(l) ab[l] = ac[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        ab[l] += (double)a[o + l] * (double)b[o + l];
        ac[l] += (double)a[o + l] * (double)c[o + l];
      }
  }
  FOR_LANES(l) {
    first[THREAD * LANES + l] = ab[l];
    second[THREAD * LANES + l] = ac[l];
  }
  sum_group(first, part + GROUP_ID);
  sum_group(second, part + groups + GROUP_ID);
}

/* part[group] = a . b */
KERNEL krylov_dot(GROUP_PARAM GLOBAL const real *a, GLOBAL const real *b,
                  GLOBAL double *RESTRICT part, const int n)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LANE_ARRAY(double, ab);
  FOR_LANES(l) ab[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) ab[l] += (double)a[o + l] * (double)b[o + l];
  }
  FOR_LANES(l) sum[THREAD * LANES + l] = ab[l];
  sum_group(sum, part + GROUP_ID);
}

/* x += alpha p,  r -= alpha q,  part[group] = r . r; nothing where alpha is 0 */
KERNEL krylov_advance(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                      GLOBAL const real *RESTRICT p, GLOBAL const real *RESTRICT q,
                      GLOBAL real *RESTRICT x, GLOBAL real *RESTRICT r,
                      GLOBAL double *RESTRICT part, const int n)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LANE_ARRAY(double, rr);
  const double alpha = scalar[ALPHA];
  FOR_LANES(l) rr[l] = 0;
  if (alpha != 0)
    FOR_ITEMS(k, CHUNK / LANES) {
      const long o = (long)GROUP_ID * CHUNK + k * LANES;
      if (o < n)
        FOR_LANES(l) {
          const real left = (real)((double)r[o + l] - alpha * (double)q[o + l]);
          x[o + l] = (real)((double)x[o + l] + alpha * (double)p[o + l]);
          r[o + l] = left;
          rr[l] += (double)left * (double)left;
        }
    }
  FOR_LANES(l) sum[THREAD * LANES + l] = rr[l];
  sum_group(sum, part + GROUP_ID);
}

/* p = z + beta p, and z itself where beta is 0 */
KERNEL krylov_direct(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                     GLOBAL const real *RESTRICT z, GLOBAL real *RESTRICT p, const int n)
{
  const double beta = scalar[BETA];
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n) {
      if (beta != 0)
        FOR_LANES(l) p[o + l] = (real)((double)z[o + l] + beta * (double)p[o + l]);
      else
        FOR_LANES(l) p[o + l] = z[o + l];
    }
  }
}

/* r = f - q,  part[group] = r . r */
KERNEL krylov_residual(GROUP_PARAM GLOBAL const real *RESTRICT f, GLOBAL const real *RESTRICT q,
                       GLOBAL real *RESTRICT r, GLOBAL double *RESTRICT part, const int n)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LANE_ARRAY(double, rr);
  FOR_LANES(l) rr[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        const real left = f[o + l] - q[o + l];
        r[o + l] = left;
        rr[l] += (double)left * (double)left;
      }
  }
  FOR_LANES(l) sum[THREAD * LANES + l] = rr[l];
  sum_group(sum, part + GROUP_ID);
}

/* small = r / |r|, in single precision whatever r is; 0 where r is */
KERNEL krylov_narrow(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                     GLOBAL const real *RESTRICT r, GLOBAL float *RESTRICT small, const int n)
{
  const double scale = scalar[RR] > 0 ? 1 / sqrt(scalar[RR]) : 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) small[o + l] = (float)((double)r[o + l] * scale);
  }
}

KERNEL krylov_widen(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                    GLOBAL const float *RESTRICT small, GLOBAL real *RESTRICT z, const int n)
{
  const double scale = sqrt(scalar[RR]);
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) z[o + l] = (real)((double)small[o + l] * scale);
  }
}

/* x = numbers between -1/2 and 1/2 that are always the same: the index, mixed (Steele, Lea, Flood, OOPSLA 2014). */
KERNEL krylov_scatter(GROUP_PARAM GLOBAL real *RESTRICT x, const int n)
{
  FOR_ITEMS(k, CHUNK / LANES) {
    const long o = (long)GROUP_ID * CHUNK + k * LANES;
    if (o < n)
      FOR_LANES(l) {
        unsigned h = (unsigned)(o + l) * 2654435769u + 1u;
        h = (h ^ (h >> 16)) * 2246822507u;
        h = (h ^ (h >> 13)) * 3266489909u;
        x[o + l] = (real)((double)((h ^ (h >> 16)) >> 8) / 16777216.0 - 0.5);
      }
  }
}

/* What follows from the sums: one group.
 *   stage 0  start:  r . r = sum 0
 *   stage 1  beta = -alpha (z . q) / rho, 0 at first;  rho = r . z: sums 0 r . z, 1 z . q. As r - r_before = -alpha q, this is
 *            z . (r - r_before) / rho_before (Polak and Ribiere), which bears a preconditioner that is not quite symmetric.
 *   stage 2  alpha = rho / (p . q): sum 0
 *   stage 3  r . r = sum 0, and whether that ends it
 * history [MOST + 1]: r . r of each iteration */
KERNEL krylov_fold(GROUP_PARAM GLOBAL const double *RESTRICT part, GLOBAL double *RESTRICT scalar,
                   GLOBAL double *RESTRICT history, const int groups, const int stage)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LOCAL_ARRAY(double, other, THREADS *LANES);
  fold_groups(part, groups, stage == 1, sum, other);
  FOR_ITEMS(t, 1) {
    const double value = sum[0];
    if (stage == 0) {
      scalar[RR] = history[0] = value;
      scalar[ALPHA] = scalar[STEP] = scalar[DONE] = 0;
      if (value <= scalar[LIMIT]) scalar[DONE] = CONVERGED;
    } else if (stage == 1) {
      scalar[BETA] =
          scalar[STEP] > 0 && scalar[RHO] > 0 ? -scalar[ALPHA] * other[0] / scalar[RHO] : 0;
      scalar[RHO] = value;
    } else if (stage == 2) {
      const int bad = !(value > 0) || !(scalar[RHO] > 0);
      if (scalar[DONE] == 0 && bad) scalar[DONE] = INDEFINITE;
      scalar[ALPHA] = scalar[DONE] == 0 ? scalar[RHO] / value : 0;
    } else if (scalar[DONE] == 0) {
      const int step = (int)scalar[STEP] + 1;
      scalar[STEP] = step;
      scalar[RR] = history[step] = value;
      if (value <= scalar[LIMIT])
        scalar[DONE] = CONVERGED;
      else if (step >= (int)scalar[MOST])
        scalar[DONE] = EXHAUSTED;
    }
  }
}

/* Dependent degrees of freedom, u = T w (load/constraints.h): short lists, a thread each.
 *   u[dof[i]] = sum weight u[master],  entries begin[i] ... begin[i + 1] - 1 */
KERNEL krylov_fill(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL const int *RESTRICT begin,
                   GLOBAL const int *RESTRICT master, GLOBAL const double *RESTRICT weight,
                   GLOBAL real *u, const int count)
{
  FOR_ITEMS(k, LIST) {
    const int i = GROUP_ID * LIST + k;
    if (i < count) {
      double sum = 0;
      for (int e = begin[i]; e < begin[i + 1]; e++) sum += weight[e] * (double)u[master[e]];
      u[dof[i]] = (real)sum;
    }
  }
}

/* T^T, first apart: f[dof[i]] += sum weight f[dependent], over masters; the second: zero. */
KERNEL krylov_collect(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL const int *RESTRICT begin,
                      GLOBAL const int *RESTRICT dependent, GLOBAL const double *RESTRICT weight,
                      GLOBAL real *f, const int count)
{
  FOR_ITEMS(k, LIST) {
    const int i = GROUP_ID * LIST + k;
    if (i < count) {
      double sum = (double)f[dof[i]];
      for (int e = begin[i]; e < begin[i + 1]; e++) sum += weight[e] * (double)f[dependent[e]];
      f[dof[i]] = (real)sum;
    }
  }
}

KERNEL krylov_zero(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL real *RESTRICT f,
                   const int count)
{
  FOR_ITEMS(k, LIST) {
    const int i = GROUP_ID * LIST + k;
    if (i < count) f[dof[i]] = 0;
  }
}
