/* Nodes whose forces lie in slots: their sum, in the order of the lists, then the epilogue. Group GROUP_ID - base has the nodes from SPAN times
 * that on.
 *   slice  [slices + 1]              first entry of a slice of WIDTH nodes, in units of WIDTH
 *   from   [entries][WIDTH]          offset in slot of component 0, further ones LANES apart; padding: a slot that stays zero
 * Needs PARTS. Reproducible. */
KERNEL slots_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT slice,
                  GLOBAL const int *RESTRICT from, GLOBAL const real *RESTRICT slot, const int base,
                  const int shot)
{
  STATE_BEGIN
  const int first = (GROUP_ID - base) * SPAN;
  STATE_AWAIT;
  RENEWED(slot);
  FOR_ITEMS(k, SPAN / LANES) {
    const int node = first + k * LANES, w = node % WIDTH;
    const int begin = slice[node / WIDTH], end = slice[node / WIDTH + 1];
    LANE_LINE(real, f, DIM);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) f[c * LANES + l] = 0;
    for (int p = begin; p < end; p++) {
      GLOBAL const int *at = from + (long)p * WIDTH + w;
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) f[c * LANES + l] += slot[at[l] + c * LANES];
    }
    FOR_LANES(l) {
      const int i = node + l;
      UNROLL
      for (int c = 0; c < DIM; c++)
        finish(out, v, i * DIM + c, u[i * DIM + c], f[c * LANES + l], LAST(i * DIM + c), FACTOR(i),
               DAMPING(i), LOSS);
    }
  }
  LOSS_END
}
