/* Iterations x += d (solver/linear/femses/relax.c), every number that they need on the device. A group treats CHUNK numbers; sums of a group go to
 * part[group] and part[groups + group], and are folded by one group in an order that depends on the sizes alone.
 *   inverse [n]  1 / D_ii; 0: x is held
 *   scalar       c1, c2 of the next step; r . r and d . d of the last; rho, sigma, half of Chebyshev's recurrence, half 0: c1, c2 stay as
 *                they are; the limit of r . r; whether it is done; steps so far and at most; the limit of d . d / (d . d of the first
 *                step), which ends the iteration where it is not negative (Keating, section 4.4.4) */
#define C1 0
#define C2 1
#define RR 2
#define DD 3
#define RHO 4
#define SIGMA 5
#define HALF 6
#define LIMIT 7
#define DONE 8
#define STEP 9
#define MOST 10
#define STILL 11

/* r = f - q,  d = c1 d + c2 D^-1 r,  x += d;  q = A x */
KERNEL relax_step(GROUP_PARAM GLOBAL const double *RESTRICT scalar, GLOBAL const real *RESTRICT f,
                  GLOBAL const real *RESTRICT q, GLOBAL const real *RESTRICT inverse,
                  GLOBAL real *RESTRICT d, GLOBAL real *RESTRICT x, GLOBAL double *RESTRICT part,
                  const int n, const int groups)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, left, THREADS *LANES);
  LOCAL_ARRAY(double, changed, THREADS *LANES);
  LANE_ARRAY(double, rr);
  LANE_ARRAY(double, dd);
  const real c1 = (real)scalar[C1], c2 = (real)scalar[C2];
  FOR_LANES(l) rr[l] = dd[l] = 0;
  if (scalar[DONE] == 0)
    FOR_ITEMS(k, CHUNK / LANES) {
      const long o = (long)GROUP_ID * CHUNK + k * LANES;
      if (o < n)
        FOR_LANES(l) {
          const real r = inverse[o + l] > 0 ? f[o + l] - q[o + l] : 0;
          const real step = c1 * d[o + l] + c2 * inverse[o + l] * r;
          d[o + l] = step;
          x[o + l] += step;
          rr[l] += (double)r * (double)r;
          dd[l] += (double)step * (double)step;
        }
    }
  FOR_LANES(l) {
    left[THREAD * LANES + l] = rr[l];
    changed[THREAD * LANES + l] = dd[l];
  }
  sum_group(left, part + GROUP_ID);
  sum_group(changed, part + groups + GROUP_ID);
}

/* Keating's sweep, damped: d = c2 (next - x), x += d. As next = x + D^-1 r, the residual that it began with is r = (next - x) / inverse. */
KERNEL relax_take(GROUP_PARAM GLOBAL const double *RESTRICT scalar,
                  GLOBAL const real *RESTRICT next, GLOBAL const real *RESTRICT inverse,
                  GLOBAL real *RESTRICT x, GLOBAL double *RESTRICT part, const int n,
                  const int groups)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, left, THREADS *LANES);
  LOCAL_ARRAY(double, changed, THREADS *LANES);
  LANE_ARRAY(double, rr);
  LANE_ARRAY(double, dd);
  const real c2 = (real)scalar[C2];
  FOR_LANES(l) rr[l] = dd[l] = 0;
  if (scalar[DONE] == 0)
    FOR_ITEMS(k, CHUNK / LANES) {
      const long o = (long)GROUP_ID * CHUNK + k * LANES;
      if (o < n)
        FOR_LANES(l) {
          const real change = next[o + l] - x[o + l], w = inverse[o + l];
          const double r = w > 0 ? (double)change / (double)w : 0;
          const real step = c2 * change;
          x[o + l] += step;
          rr[l] += r * r;
          dd[l] += (double)step * (double)step;
        }
    }
  FOR_LANES(l) {
    left[THREAD * LANES + l] = rr[l];
    changed[THREAD * LANES + l] = dd[l];
  }
  sum_group(left, part + GROUP_ID);
  sum_group(changed, part + groups + GROUP_ID);
}

/* One group: the sums, whether they end it, and the numbers of the next step (Saad, Iterative Methods, algorithm 12.1):
 *   rho' = 1 / (2 sigma - rho),  c1 = rho' rho,  c2 = 2 rho' / half
 * history [MOST][2]: r . r before a step and d . d of it */
KERNEL relax_fold(GROUP_PARAM GLOBAL const double *RESTRICT part, GLOBAL double *RESTRICT scalar,
                  GLOBAL double *RESTRICT history, const int groups)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(double, sum, THREADS *LANES);
  LOCAL_ARRAY(double, other, THREADS *LANES);
  fold_groups(part, groups, 1, sum, other);
  FOR_ITEMS(t, 1) {
    if (scalar[DONE] == 0) {
      const int step = (int)scalar[STEP];
      scalar[RR] = history[2 * step] = sum[0];
      scalar[DD] = history[2 * step + 1] = other[0];
      scalar[STEP] = step + 1;
      if (sum[0] <= scalar[LIMIT] || (scalar[STILL] >= 0 && other[0] <= scalar[STILL] * history[1]))
        scalar[DONE] = 1;
      else if (!(step + 1 < (int)scalar[MOST]))
        scalar[DONE] = 2;
      if (scalar[HALF] > 0) {
        const double rho = 1 / (2 * scalar[SIGMA] - scalar[RHO]);
        scalar[C1] = rho * scalar[RHO];
        scalar[C2] = 2 * rho / scalar[HALF];
        scalar[RHO] = rho;
      }
    }
  }
}
