/* The paper's method (Huthwaite 2014, section 2.3): a row of DIM x DIM blocks per node, summed by that node alone,
 *   f_i = -sum_j K_ij u_j.
 * Rows are sliced by WIDTH (lists interleaved, each slice as long as its longest row); a group is ROWS slices.
 *   slice  [slices + 1]                     first entry of a slice, in units of WIDTH entries
 *   column [entries][WIDTH]                 internal node; padding repeats the node itself
 *   block  [entries][DIM * DIM][WIDTH]      -K_ij, row by row; padding is zero
 * The sum runs in the order of the list: reproducible. */
KERNEL stored_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT slice,
                   GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT block,
                   const int slices)
{
  STATE_BEGIN
  FOR_ITEMS(k, ROWS * WIDTH / LANES) {
    const int item = PATCH_ID * (ROWS * WIDTH / LANES) + k, s = item * LANES / WIDTH,
              w = item * LANES % WIDTH;
    if (s < slices) {
      LANE_LINE(real, f, DIM);
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) f[c * LANES + l] = 0;
      for (int p = slice[s]; p < slice[s + 1]; p++) {
        GLOBAL const int *j = column + (long)p * WIDTH + w;
        GLOBAL const real *m = block + (long)p * (DIM * DIM * WIDTH) + w;
        PREFETCH(m, DIM * DIM * WIDTH);
        FOR_LANES(l) {
          UNROLL
          for (int d = 0; d < DIM; d++) {
            const real x = u[j[l] * DIM + d];
            UNROLL
            for (int c = 0; c < DIM; c++) f[c * LANES + l] += m[(c * DIM + d) * WIDTH + l] * x;
          }
        }
      }
      FOR_LANES(l) {
        const int i = item * LANES + l;
        UNROLL
        for (int c = 0; c < DIM; c++)
          finish(out, v, a, i * DIM + c, i, u[i * DIM + c], f[c * LANES + l], LAST(i * DIM + c),
                 FACTOR(i), LOSS);
      }
    }
  }
  LOSS_END
}
