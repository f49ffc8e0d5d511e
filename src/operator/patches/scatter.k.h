/* What elements leave at their corners (operator/elements/elements.k.h), summed by the nodes in the order of the elements: the same bits in each run.
 *   slice [nodes / WIDTH + 1]  first entry of a slice of WIDTH nodes;  list [entries][WIDTH]  where a corner's component 0 lies, WIDTH before
 *   the next one; padding names a place that holds zeros. A group has NODES nodes. */

/* Entries of a node that are asked for before the first is added. */
#define SCATTER_AHEAD (LANES > 1 ? 1 : 4)

/* sum = what is left at the corners of nodes i ... i + LANES - 1 */
DEVICE void scatter_gather(GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT list,
                           GLOBAL const real *RESTRICT corner, PRIVATE real *sum, const int i)
{
  const int end = slice[i / WIDTH + 1];
  FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) sum[c * LANES + l] = 0;
  for (int p = slice[i / WIDTH]; p < end; p += SCATTER_AHEAD) {
    real k[SCATTER_AHEAD * DIM * LANES];
    UNROLL
    for (int a = 0; a < SCATTER_AHEAD; a++) {
      GLOBAL const int *at = list + (long)(p + a) * WIDTH + i % WIDTH;
      FOR_LANES(l) {
        const int from = p + a < end ? at[l] : -1;
        UNROLL
        for (int c = 0; c < DIM; c++)
          k[(a * DIM + c) * LANES + l] = from < 0 ? 0 : corner[from + c * WIDTH];
      }
    }
    UNROLL
    for (int a = 0; a < SCATTER_AHEAD; a++)
      FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) sum[c * LANES + l] += k[(a * DIM + c) * LANES + l];
  }
}

KERNEL scatter_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT slice,
                    GLOBAL const int *RESTRICT list, GLOBAL const real *RESTRICT corner,
                    const int nodes, const int corner_stride)
{
  STATE_BEGIN
  corner += (long)SHOT_ID * corner_stride;
  FOR_ITEMS(k, NODES / LANES) {
    const int i = PATCH_ID * NODES + k * LANES;
    if (i < nodes) {
      LANE_LINE(real, f, DIM);
      scatter_gather(slice, list, corner, f, i);
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) {
        const int o = (i + l) * DIM + c;
        finish(out, v, o, u[o], -f[c * LANES + l], LAST(o), FACTOR(i + l), DAMPING(i + l), LOSS);
      }
    }
  }
  LOSS_END
}

/* out[node][size], number `place` of each: the sums of component 0 */
KERNEL scatter_sum(GROUP_PARAM GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT list,
                   GLOBAL const real *RESTRICT corner, GLOBAL real *RESTRICT out, const int nodes,
                   const int size, const int place)
{
  FOR_ITEMS(k, NODES / LANES) {
    const int i = GROUP_ID * NODES + k * LANES;
    if (i < nodes) {
      LANE_ARRAY(real, sum);
      FOR_LANES(l) sum[l] = 0;
      for (int p = slice[i / WIDTH]; p < slice[i / WIDTH + 1]; p++) {
        GLOBAL const int *at = list + (long)p * WIDTH + i % WIDTH;
        FOR_LANES(l) sum[l] += corner[at[l]];
      }
      FOR_LANES(l) out[(long)(i + l) * size + place] = sum[l];
    }
  }
}

/* Keating (4.3), (A.15): out_i = sum over elements of A_rr / w_i u_r, the corners being A_rr u_r, inverse_i = 1 / w_i; 0: u is held as it is. */
KERNEL scatter_weigh(GROUP_PARAM GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT list,
                     GLOBAL const real *RESTRICT corner, GLOBAL const real *RESTRICT inverse,
                     GLOBAL const real *RESTRICT u, GLOBAL real *RESTRICT out, const int nodes)
{
  FOR_ITEMS(k, NODES / LANES) {
    const int i = GROUP_ID * NODES + k * LANES;
    if (i < nodes) {
      LANE_LINE(real, sum, DIM);
      scatter_gather(slice, list, corner, sum, i);
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) {
        const int o = (i + l) * DIM + c;
        out[o] = inverse[o] > 0 ? sum[c * LANES + l] * inverse[o] : u[o];
      }
    }
  }
}
