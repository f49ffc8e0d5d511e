/* Attenuation of fluids at nodes (V.6): the mechanisms of a node, whose damping sum g q' is in A and B of the operator's kernel already, push it by
 * f = sum g r s,  s' = q' - r s,  s kept at whole steps:  s_n = k s_n-1 + (1 + k) / 2 (q_n - q_n-1),  k = (2 - r dt) / (2 + r dt).
 * In the step from u_n to u_n+1 mechanisms_step brings s to step n, adds f to component 0, and the work that f took in the step before by the trapezoid
 * rule to loss; mechanisms_sample adds the half of it that the last step took. Follows the operator's kernel, forces and other terms; motions come later.
 *   list     [count] internal nodes, then [count + 1] first mechanisms of each
 *   factor   [2][entries]: k, then g r;  memory [shots][entries]: s;  past [shots][count]: the potential a step before
 *   loaded   [shots][count][DIM]: force row on a degree of freedom, -1: none;  loss, lost [shots][count]
 *   out, v, u, a, b, change: as in solver/explicit/sources.k.h */
#if THREADS > 1
#define ROWS THREADS
#else
#define ROWS CHUNK
#endif

KERNEL mechanisms_step(GROUP_PARAM GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                       GLOBAL const real *RESTRICT u, GLOBAL const real *RESTRICT b,
                       GLOBAL const real *RESTRICT a, GLOBAL const int *RESTRICT list,
                       GLOBAL const real *RESTRICT factor, GLOBAL real *RESTRICT memory,
                       GLOBAL real *RESTRICT past, GLOBAL const int *RESTRICT loaded,
                       GLOBAL double *RESTRICT loss, GLOBAL double *RESTRICT change,
                       const int force_rows, const int count, const int shots, const int padded)
{
  const int first = GROUP_ID * ROWS, left = count * shots - first, rows = left > ROWS ? ROWS : left;
  const int entries = list[2 * count];
  GRID_WAIT();
  GRID_TRIGGER();
  RELOAD(u);
  FOR_EACH(k, rows, ROWS)
  {
    const int r = first + k, i = r % count, shot = r / count, n = list[i];
    const int o = (shot * padded + n) * DIM, pushed = loaded[r * DIM];
    const real d = u[o] - past[r];
    const double B = (double)b[n], free = INCREMENT(o);
    real before = 0, f = 0;
    for (int p = list[count + i]; p < list[count + i + 1]; p++) {
      const real keep = factor[p], weight = factor[entries + p];
      GLOBAL real *s = memory + (long)shot * entries + p;
      before += weight * *s;
      *s = keep * *s + REAL(0.5) * (1 + keep) * d;
      f += weight * *s;
    }
#if FORM == 2
    v[o] = (real)(free + B * (double)f);
    out[o] = u[o] + v[o];
#else
    out[o] = (real)((double)out[o] + B * (double)f);
#endif
    const double after = INCREMENT(o);
    loss[r] += LOSS_CORRECTION(DECAY(n), B, (double)d, free, after) -
               0.5 * ((double)before + (double)f) * (double)d;
    past[r] = u[o];
    if (pushed >= 0) {
      change[2 * (long)force_rows + pushed] += change[pushed] * 0.5 * (after - free);
      change[force_rows + pushed] = after;
    }
  }
}

/* lost = loss - f (u_n+1 - u_n) / 2, with u_n+1 in out. */
KERNEL mechanisms_sample(GROUP_PARAM GLOBAL const real *RESTRICT out, GLOBAL const real *RESTRICT v,
                         GLOBAL const real *RESTRICT u, GLOBAL const int *RESTRICT list,
                         GLOBAL const real *RESTRICT factor, GLOBAL const real *RESTRICT memory,
                         GLOBAL const double *RESTRICT loss, GLOBAL double *RESTRICT lost,
                         const int count, const int shots, const int padded)
{
  const int first = GROUP_ID * ROWS, left = count * shots - first, rows = left > ROWS ? ROWS : left;
  const int entries = list[2 * count];
  FOR_EACH(k, rows, ROWS)
  {
    const int r = first + k, i = r % count, shot = r / count;
    const int o = (shot * padded + list[i]) * DIM;
    real f = 0;
    for (int p = list[count + i]; p < list[count + i + 1]; p++)
      f += factor[entries + p] * memory[(long)shot * entries + p];
    lost[r] = loss[r] - 0.5 * (double)f * INCREMENT(o);
  }
}
