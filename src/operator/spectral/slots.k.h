/* Nodes whose forces lie in slots: their sum, in the order of the lists, then the epilogue. Group GROUP_ID - base has the nodes from SPAN times
 * that on.
 *   slice  [slices + 1]              first entry of a slice of WIDTH nodes, in units of WIDTH
 *   from   [entries][WIDTH]          offset in slot of component 0, further ones LANES apart; padding: a slot that stays zero
 * COLOURS: slots begin with the force that each node has (operator/spectral/spectral.k.h), [nodes / LANES][DIM][LANES]; the lists hold what is added.
 * SLOTS_AT_ONCE: slices are a multiple of it long, where an item works on several entries at once. Needs PARTS. Reproducible. */
#ifndef COLOURS
#define COLOURS coloured
#endif
#if AT_ONCE > 1
#define SLOTS_AT_ONCE 2
#else
#define SLOTS_AT_ONCE 1
#endif
/* Entries of a node that are read while the launch before ends; a multiple of SLOTS_AT_ONCE. */
#if AT_ONCE > 1 && LANES == 1
#define NEAR_SLOTS 4
#define NEAR_SLOT(h) (begin + (h) < end ? from[(long)(begin + (h)) * WIDTH + node % WIDTH] : 0)
#else
#define NEAR_SLOTS 0
#endif
KERNEL slots_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT slice,
                  GLOBAL const int *RESTRICT from, GLOBAL const real *RESTRICT slot, const int base,
                  const int shot, const int coloured)
{
  STATE_BEGIN
  const int first = (GROUP_ID - base) * SPAN;
  EARLY(real, now, SPAN / LANES, DIM);
  EARLY(real, last, SPAN / LANES, DIM);
  EARLY(real, factor, SPAN / LANES, 1);
  EARLY(real, damping, SPAN / LANES, 1);
  EARLY(int, entry, SPAN / LANES, 2);
#if NEAR_SLOTS
  EARLY(int, near, SPAN, NEAR_SLOTS);
#endif
  FOR_EACH(k, SPAN / LANES, SPAN / LANES)
  {
    const int node = first + k * LANES, begin = slice[node / WIDTH], end = slice[node / WIDTH + 1];
    EARLY_LOAD(entry, 2, 0, begin);
    EARLY_LOAD(entry, 2, 1, end);
    EARLY_LOAD(factor, 1, 0, FACTOR(node));
    EARLY_LOAD(damping, 1, 0, DAMPING(node));
#if NEAR_SLOTS
    UNROLL
    for (int h = 0; h < NEAR_SLOTS; h++) EARLY_LOAD(near, NEAR_SLOTS, h, NEAR_SLOT(h));
#endif
  }
  STATE_GRID_FOLLOW;
  RELOAD(slot);
  FOR_EACH(k, SPAN / LANES, SPAN / LANES)
  {
    const int node = first + k * LANES, w = node % WIDTH;
    const int begin = EARLY_GET(entry, 2, 0, slice[node / WIDTH]),
              end = EARLY_GET(entry, 2, 1, slice[node / WIDTH + 1]);
    LANE_LINE(real, f, DIM);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) f[c * LANES + l] = COLOURS ? slot[node * DIM + c * LANES + l] : 0;
    UNROLL
    for (int c = 0; c < DIM; c++) {
      EARLY_LOAD(now, DIM, c, u[node * DIM + c]);
      EARLY_LOAD(last, DIM, c, LAST(node * DIM + c));
    }
#if NEAR_SLOTS
    UNROLL
    for (int h = 0; h < NEAR_SLOTS; h++)
      if (begin + h < end) UNROLL
    for (int c = 0; c < DIM; c++) f[c] += slot[EARLY_GET(near, NEAR_SLOTS, h, NEAR_SLOT(h)) + c];
#endif
    for (int p = begin + NEAR_SLOTS; p < end; p += SLOTS_AT_ONCE) {
      GLOBAL const int *at = from + (long)p * WIDTH + w;
      UNROLL
      for (int h = 0; h < SLOTS_AT_ONCE; h++)
        FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) f[c * LANES + l] += slot[at[h * WIDTH + l] + c * LANES];
    }
    FOR_LANES(l) {
      const int i = node + l;
      UNROLL
      for (int c = 0; c < DIM; c++)
        finish(out, v, i * DIM + c, EARLY_GET(now, DIM, c, u[i * DIM + c]), f[c * LANES + l],
               EARLY_GET(last, DIM, c, LAST(i * DIM + c)), EARLY_GET(factor, 1, 0, FACTOR(i)),
               EARLY_GET(damping, 1, 0, DAMPING(i)), LOSS);
    }
  }
  LOSS_END
}
