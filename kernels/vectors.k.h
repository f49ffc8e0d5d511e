/* Work on vectors and sparse rows beside the operator's kernel. All arrays are in internal node order, [padded][DIM]. */

/* Energies of the state between two steps (d the last increment, ku = K u of the step's start, u_next at its end):
 *   kinetic 1/2 sum m d^2 / dt^2 = sum mass d^2 (mass = m / (2 dt^2)),  strain 1/2 sum u_next . ku
 *   positions: d = u_next - u_before;   sums [groups][THREADS * LANES][2] */
KERNEL vectors_energy(GROUP_PARAM GLOBAL const real *RESTRICT next, GLOBAL const real *RESTRICT d,
                      GLOBAL const real *RESTRICT before, GLOBAL const real *RESTRICT ku,
                      GLOBAL const real *RESTRICT mass, GLOBAL double *RESTRICT sums,
                      const int padded)
{
  LANE_ARRAY(double, kinetic);
  LANE_ARRAY(double, strain);
  FOR_LANES(l) kinetic[l] = strain[l] = 0;
  FOR_ITEMS(k, CHUNK / LANES) {
    const int first = GROUP_ID * CHUNK + k * LANES;
    if (first < padded) {
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) {
        const int o = (first + l) * DIM + c;
#if FORM == 1
        const real e = next[o] - before[o];
#else
        const real e = d[o];
#endif
        kinetic[l] += (double)(mass[first + l] * e) * (double)e;
        strain[l] += 0.5 * (double)next[o] * (double)ku[o];
      }
    }
  }
  FOR_LANES(l) {
    const int o = ((GROUP_ID * THREADS + THREAD) * LANES + l) * 2;
    sums[o] = kinetic[l];
    sums[o + 1] = strain[l];
  }
}

/* Forces of sources, after the operator's kernel of step n (state u_n -> u_n+1):
 *   x = sum_s coefficient s table[signal][n];   increment += B x, u += B x
 * Their work x (u_n+1 - u_n-1) / 2 and the correction of the loss that the kernel counted without them are added.
 *   dof [rows] node * DIM + component;  begin [rows + 1];  signal, coefficient [begin[rows]];  table [signals][stride];
 *   last [rows] the increment before;  work, loss, now [rows], now: x */
KERNEL vectors_force(GROUP_PARAM GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                     GLOBAL const real *RESTRICT b, GLOBAL const real *RESTRICT a,
                     GLOBAL const int *RESTRICT dof, GLOBAL const int *RESTRICT begin,
                     GLOBAL const int *RESTRICT signal, GLOBAL const double *RESTRICT coefficient,
                     GLOBAL const double *RESTRICT table, GLOBAL const real *RESTRICT u,
                     GLOBAL double *RESTRICT last, GLOBAL double *RESTRICT work,
                     GLOBAL double *RESTRICT loss, GLOBAL double *RESTRICT now, const int rows,
                     const int stride, const int k)
{
  FOR_ITEMS(i, CHUNK) {
    const int r = GROUP_ID * CHUNK + i;
    if (r < rows) {
      const int o = dof[r], n = o / DIM;
      const double before = last[r];
      double x = 0, mended = 0;
      for (int s = begin[r]; s < begin[r + 1]; s++)
        x += coefficient[s] * table[(long)signal[s] * stride + k];
#if FORM == 2
      v[o] += (real)((double)b[n] * x);
      out[o] += (real)((double)b[n] * x);
      const double after = (double)v[o];
#else
      out[o] += (real)((double)b[n] * x);
      const double after = (double)out[o] - (double)u[o];
#endif
#if DAMPED
      const double free = after - (double)b[n] * x;
      mended = (1 - (double)a[n]) / (4 * (double)b[n]) *
               ((after + before) * (after + before) - (free + before) * (free + before));
#endif
      work[r] += x * 0.5 * (after + before);
      loss[r] += mended;
      last[r] = after;
      now[r] = x;
    }
  }
}

/* Prescribed motion along rows: sum_j weight_j u_dof_j = base + drift t_n+1 + value g[signal][n + 1], held by a force along the row
 * (rows share no dof):  lambda = (goal - sum weight u) / sum weight^2 B,  u_j += B_j weight_j lambda.
 * The force of row r is reaction[r] = lambda; its work and the correction of the loss that the kernel counted are added;
 * so is what forces on the row's dofs do as the row moves them: x push / 2.
 *   loaded [begin[rows]]: row of the force on a dof, -1: none;  force_now, force_last [its rows]: x, the increment
 *   begin [rows + 1];  dof, weight, last [begin[rows]];  signal, value, base, drift [rows];  goals [signals][stride];
 *   signal -1: value 0;  time t_n+1 */
KERNEL vectors_motion(GROUP_PARAM GLOBAL real *RESTRICT out, GLOBAL real *RESTRICT v,
                      GLOBAL const real *RESTRICT b, GLOBAL const real *RESTRICT a,
                      GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT dof,
                      GLOBAL const double *RESTRICT weight, GLOBAL const int *RESTRICT signal,
                      GLOBAL const double *RESTRICT value, GLOBAL const double *RESTRICT base,
                      GLOBAL const double *RESTRICT drift, GLOBAL const double *RESTRICT goals,
                      GLOBAL const real *RESTRICT u, GLOBAL double *RESTRICT last,
                      GLOBAL double *RESTRICT reaction, GLOBAL double *RESTRICT work,
                      GLOBAL double *RESTRICT loss, GLOBAL const int *RESTRICT loaded,
                      GLOBAL const double *RESTRICT force_now, GLOBAL double *RESTRICT force_last,
                      const int rows, const int stride, const int k, const double time)
{
  FOR_ITEMS(i, CHUNK) {
    const int r = GROUP_ID * CHUNK + i;
    if (r < rows) {
      double have = 0, compliance = 0, lambda, moved = 0, mended = 0;
      const double goal = base[r] + drift[r] * time +
                          (signal[r] < 0 ? 0 : value[r] * goals[(long)signal[r] * stride + k]);
      for (int p = begin[r]; p < begin[r + 1]; p++) {
        have += weight[p] * (double)out[dof[p]];
        compliance += weight[p] * weight[p] * (double)b[dof[p] / DIM];
      }
      lambda = (goal - have) / compliance;
      for (int p = begin[r]; p < begin[r + 1]; p++) {
        const int o = dof[p], n = o / DIM, pushed = loaded[p], alone = begin[r + 1] - begin[r] == 1;
        const double push = (double)b[n] * weight[p] * lambda, before = last[p];
#if FORM == 2
        const double free = (double)v[o], after = free + push;
#else
        const double free = (double)out[o] - (double)u[o], after = free + push;
#endif
#if DAMPED
        mended += (1 - (double)a[n]) / (4 * (double)b[n]) *
                  ((after + before) * (after + before) - (free + before) * (free + before));
#endif
        /* a single prescribed dof takes its goal exactly, without the rounding of u + push */
        out[o] = alone ? (real)(goal / weight[p]) : (real)((double)out[o] + push);
#if FORM == 2
        v[o] = alone ? out[o] - u[o] : (real)after;
        last[p] = (double)v[o];
#else
        last[p] = (double)out[o] - (double)u[o];
#endif
        moved += weight[p] * 0.5 * (after + before);
        if (pushed >= 0) {
          work[r] += force_now[pushed] * 0.5 * push;
          force_last[pushed] = last[p];
        }
      }
      reaction[r] = lambda;
      work[r] += lambda * moved;
      loss[r] += mended;
    }
  }
}

/* Receivers: rows of weights over dofs, sampled into a ring.
 *   x = sum weight u_next, or with `rates` sum weight (u_next - u);   ring[slot][row] = scale x, or with `add` += scale x */
KERNEL vectors_sample(GROUP_PARAM GLOBAL const real *RESTRICT next, GLOBAL const real *RESTRICT v,
                      GLOBAL const real *RESTRICT u, GLOBAL const int *RESTRICT begin,
                      GLOBAL const int *RESTRICT dof, GLOBAL const double *RESTRICT weight,
                      GLOBAL double *RESTRICT ring, const int first_row, const int rows,
                      const int slot, const int rates, const int add, const double scale)
{
  FOR_ITEMS(i, CHUNK) {
    const int r = GROUP_ID * CHUNK + i;
    if (r < rows) {
      const long at = (long)slot * rows + r;
      double sum = 0;
      for (int p = begin[first_row + r]; p < begin[first_row + r + 1]; p++) {
        const int o = dof[p];
#if FORM == 2
        sum += weight[p] * (double)(rates ? v[o] : next[o]);
#else
        sum += weight[p] * ((double)next[o] - (rates ? (double)u[o] : 0));
#endif
      }
      ring[at] = (add ? ring[at] : 0) + scale * sum;
    }
  }
}
