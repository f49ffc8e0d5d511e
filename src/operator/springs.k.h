/* Springs between nodes (physics/spring.h), added to what the operator's kernel left in its step:
 *   f_i = sum_j k_ij (u_j - u_i);   store: out -= f;   else  increment += b f
 * Row r is the node node[r] with the entries begin[r] ... begin[r + 1], in a fixed order: reproducible. Group base + g, of that number in loss too, has
 * the rows start[g] ... start[g + 1], ROWS at most, of one shot.
 *   node [rows], begin [rows + 1], other [entries] internal nodes;  block [entries][DIM][DIM]
 *   before [rows][shots][DIM]  increments before the step, which springs_before keeps where there is damping (DAMPED): the loss that the
 *   operator's kernel counted is that of its own increment alone */
KERNEL springs_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT node,
                    GLOBAL const int *RESTRICT begin, GLOBAL const int *RESTRICT other,
                    GLOBAL const real *RESTRICT block, GLOBAL const real *RESTRICT before,
                    GLOBAL const int *RESTRICT start, const int base)
{
  STATE_BEGIN
  STATE_GRID_WAIT;
#if DAMPED
  RELOAD(before);
#endif
  FOR_ITEMS(k, ROWS) {
    const int r = start[PATCH_ID - base] + k;
    if (r < start[PATCH_ID - base + 1]) {
      const int i = node[r];
      real f[DIM];
      UNROLL
      for (int c = 0; c < DIM; c++) f[c] = 0;
      for (int p = begin[r]; p < begin[r + 1]; p++) UNROLL
      for (int d = 0; d < DIM; d++) {
        const real x = u[other[p] * DIM + d] - u[i * DIM + d];
        UNROLL
        for (int c = 0; c < DIM; c++) f[c] += block[((long)p * DIM + c) * DIM + d] * x;
      }
      UNROLL
      for (int c = 0; c < DIM; c++) {
        const int o = i * DIM + c;
#if FORM == 0
        out[o] -= f[c];
#else
#if FORM == 2
        const real free = v[o];
#else
        const real free = out[o] - u[o];
#endif
        const real after = free + b[i] * f[c];
#if DAMPED
        const real sum = before[((long)r * shots + SHOT_ID) * DIM + c] + free;
        lost[0] += (1 - a[i]) * RECIPROCAL(4 * b[i]) * (after - free) * (sum + sum + after - free);
#endif
#if FORM == 2
        v[o] = after;
#endif
        out[o] = u[o] + after;
#endif
      }
    }
  }
  LOSS_END
}

#if FORM && DAMPED
KERNEL springs_before(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT node,
                      GLOBAL real *RESTRICT before, GLOBAL const int *RESTRICT start,
                      const int base)
{
  SHOT_BEGIN((long)SHOT_ID * stride)
  STATE_GRID_WAIT;
  FOR_ITEMS(k, ROWS) {
    const int r = start[PATCH_ID - base] + k;
    if (r < start[PATCH_ID - base + 1]) {
      UNROLL
      for (int c = 0; c < DIM; c++) {
        const int o = node[r] * DIM + c;
#if FORM == 2
        before[((long)r * shots + SHOT_ID) * DIM + c] = v[o];
#else
        before[((long)r * shots + SHOT_ID) * DIM + c] = u[o] - out[o];
#endif
      }
    }
  }
}
#endif
