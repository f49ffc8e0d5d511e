/* The paper's method (Huthwaite 2014, section 2.3): a row of DIM x DIM blocks per node, summed by that node alone,
 *   f_i = -sum_j K_ij (u_j - u_i) (K.1),   j not i:   K_ii = -sum_j K_ij, for a translation gives no force,
 * and differences keep the digits that a diagonal loses. With DIAGONAL, of axisymmetric solids, a row has an entry of its own node too, whose block
 * is -sum over all j of K_ij, and which takes u_i itself.
 * Rows are sliced by WIDTH (lists interleaved, each slice as long as its longest row); a group is ROWS slices. A block is read once
 * for SHOTS_AT_ONCE shots.
 *   slice  [slices + 1]                     first entry of a slice, in units of WIDTH entries
 *   column [entries][WIDTH]                 internal node; padding repeats the node itself, with a block of zeros
 *   block  [entries][DIM * DIM][WIDTH]      -K_ij, row by row; padding is zero
 * The sum runs in the order of the list: reproducible. */
KERNEL stored_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT slice,
                   GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT block,
                   const int slices BATCH_PARAM)
{
  STATE_BEGIN
  STATE_GRID_WAIT;
  FOR_ITEMS(k, ROWS * WIDTH / LANES) {
    const int item = PATCH_ID * (ROWS * WIDTH / LANES) + k, s = item * LANES / WIDTH,
              w = item * LANES % WIDTH;
    if (s < slices) {
      LANE_LINE(real, own, SHOTS_AT_ONCE * DIM);
      LANE_LINE(real, f, SHOTS_AT_ONCE * DIM);
      FOR_LANES(l) UNROLL
      for (int h = 0; h < SHOTS_AT_ONCE; h++) UNROLL
      for (int c = 0; c < DIM; c++) {
        own[(h * DIM + c) * LANES + l] = u[h * stride + (item * LANES + l) * DIM + c];
        f[(h * DIM + c) * LANES + l] = 0;
      }
      for (int p = slice[s]; p < slice[s + 1]; p++) {
        GLOBAL const int *j = column + (long)p * WIDTH + w;
        GLOBAL const real *m = block + (long)p * (DIM * DIM * WIDTH) + w;
        PREFETCH(m, DIM * DIM * WIDTH);
        FOR_LANES(l) UNROLL
        for (int h = 0; h < SHOTS_AT_ONCE; h++) UNROLL
        for (int d = 0; d < DIM; d++) {
#if DIAGONAL
          const real from = j[l] == item * LANES + l ? 0 : own[(h * DIM + d) * LANES + l];
#else
          const real from = own[(h * DIM + d) * LANES + l];
#endif
          const real x = u[h * stride + j[l] * DIM + d] - from;
          UNROLL
          for (int c = 0; c < DIM; c++)
            f[(h * DIM + c) * LANES + l] += m[(c * DIM + d) * WIDTH + l] * x;
        }
      }
      FOR_LANES(l) UNROLL
      for (int h = 0; h < SHOTS_AT_ONCE; h++) UNROLL
      for (int c = 0; c < DIM; c++) {
        const int i = item * LANES + l, o = h * stride + i * DIM + c;
        finish(out, v, o, own[(h * DIM + c) * LANES + l], f[(h * DIM + c) * LANES + l], LAST(o),
               FACTOR(i), DAMPING(i), LOSS_OF(h));
      }
    }
  }
  LOSS_END
}
