/* Where a fluid meets a solid: their forces on each other, after the elements and before the sums of slots. With q the potential of a fluid
 * node, u the displacement of the solid nodes in the same place and a the normal out of the fluid times the node's area,
 *   fluid m q'' = f + a . u',   solid m u'' = f - a q'   (S.8),
 * rates as central differences. They are of the step that is made, so that each fluid node is solved with its solid nodes (S.9); the forces do no
 * work in sum, to rounding, and the stable step is that without them.
 *   list: fluids, first_slot, then
 *   begin  [fluids + 1]      of each fluid node's entries
 *   fluid  [fluids], solid [entries]   nodes;   normal [entries][DIM] a
 *   slot   of fluid node p: number p from first_slot on; of entry j: number fluids + j. Others: operator/spectral/slots.k.h
 *   rate   1 / (2 dt)
 * COLOURS: as in operator/spectral/slots.k.h. Group GROUP_ID has the fluid nodes from SPAN times that on. Needs PARTS. FORM 0: no forces. Reproducible. */
#ifndef COLOURS
#define COLOURS coloured
#endif
DEVICE long fsi_slot(const int first_slot, const int k)
{
  return first_slot + (long)(k / LANES) * (DIM * LANES) + k % LANES;
}

#if FORM
#if FORM == 1
#define LAST_INCREMENT(o) (u[o] - out[o])
#else
#define LAST_INCREMENT(o) v[o]
#endif
/* Component c of the elements' force on a node. */
DEVICE real slots_sum(GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT from,
                      GLOBAL const real *slot, const int first_slot, const int node, const int c,
                      const int coloured)
{
  real sum = COLOURS ? slot[fsi_slot(0, node) + c * LANES] : 0;
  for (int p = slice[node / WIDTH]; p < slice[node / WIDTH + 1]; p++) {
    const int at = from[(long)p * WIDTH + node % WIDTH];
    if (at < first_slot) sum += slot[at + c * LANES];
  }
  return sum;
}

/* Two increments, before and after the step, as it is without the other medium. */
#define FREE_INCREMENTS(node, c)                                                                   \
  ((1 + DAMPING(node)) * LAST_INCREMENT((node)*DIM + (c)) +                                        \
   FACTOR(node) * slots_sum(slice, from, slot, first_slot, node, c, coloured))
#endif

KERNEL fsi_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT list,
                GLOBAL const real *RESTRICT normal, GLOBAL const int *RESTRICT slice,
                GLOBAL const int *RESTRICT from, GLOBAL real *slot, const real rate, const int shot,
                const int coloured)
{
  const int fluids = list[0], first_slot = list[1];
  GLOBAL const int *RESTRICT begin = list + 2;
  GLOBAL const int *RESTRICT fluid = begin + fluids + 1;
  GLOBAL const int *RESTRICT solid = fluid + fluids;
  SHOT_BEGIN((long)SHOT_ID * stride)
  STATE_GRID_WAIT;
  FOR_ITEMS(k, SPAN) {
    const int p = GROUP_ID * SPAN + k;
    if (p < fluids) {
      const int end = begin[p + 1];
      real force = 0, sum = 0;
#if FORM
      const int i = fluid[p];
      const real alpha = FACTOR(i) * rate, alone = FREE_INCREMENTS(i, 0);
      real share = 1;
      sum = alone;
      for (int j = begin[p]; j < end; j++) {
        const int n = solid[j];
        real along = 0, square = 0;
        for (int c = 0; c < DIM; c++) {
          const real w = normal[j * DIM + c];
          along += w * FREE_INCREMENTS(n, c), square += w * w;
        }
        sum += alpha * along, share += alpha * FACTOR(n) * rate * square;
      }
      sum /= share, force = (sum - alone) / FACTOR(i);
#endif
      slot[fsi_slot(first_slot, p)] = force;
      for (int j = begin[p]; j < end; j++)
        for (int c = 0; c < DIM; c++)
          slot[fsi_slot(first_slot, fluids + j) + c * LANES] = -rate * sum * normal[j * DIM + c];
    }
  }
}
