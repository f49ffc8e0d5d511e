/* Where a fluid meets a solid, for forms of K whose kernel makes the step of a node at once (operator/rows): behind it, fsi_rows_step changes the
 * increments of both sides to those of operator/spectral/fsi.k.h. With q^, u^ the sums of the increments before the step and after it without the
 * other side,
 *   w_q + w_q' = (q^ + B_q r sum_j a_j . u^_j) / (1 + B_q r sum_j B_j r |a_j|^2)   (S.9),   w_j' += -B_j r a_j (w_q + w_q')
 * fsi_rows_before keeps the increments before the step. With damping (DAMPED) the loss that the operator's kernel counted is corrected, as by
 * springs (operator/springs.k.h). Each solid node has one fluid node. Reproducible.
 *   node [fluids + entries]   fluid nodes, then the solid node of each entry;   begin [fluids + 1]: entries of a fluid node
 *   normal [entries][DIM] a;   before [fluids + entries][shots][DIM];   rate r = 1 / (2 dt)
 * Group base + g, of that number in loss too, has ROWS fluid nodes from ROWS g on, of one shot. */
#define BEFORE(k, c) before[((long)(k)*shots + SHOT_ID) * DIM + (c)]
#if FORM == 2
#define LAST_INCREMENT(o) v[o]
#define NEW_INCREMENT(o) v[o]
#else
#define LAST_INCREMENT(o) (u[o] - out[o])
#define NEW_INCREMENT(o) (out[o] - u[o])
#endif

KERNEL fsi_rows_before(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT node,
                       GLOBAL const int *RESTRICT begin, GLOBAL real *RESTRICT before,
                       const int fluids, const int base)
{
  SHOT_BEGIN((long)SHOT_ID * stride)
  STATE_GRID_WAIT;
  FOR_ITEMS(k, ROWS) {
    const int p = (PATCH_ID - base) * ROWS + k;
    if (p < fluids) {
      BEFORE(p, 0) = LAST_INCREMENT(node[p] * DIM);
      for (int j = begin[p]; j < begin[p + 1]; j++) UNROLL
      for (int c = 0; c < DIM; c++)
        BEFORE(fluids + j, c) = LAST_INCREMENT(node[fluids + j] * DIM + c);
    }
  }
}

/* Component o of node i becomes its increment `free` plus `more`; before: that of the last step. */
#if DAMPED
#define LOSE(i, before, free, more)                                                                \
  lost[0] += (1 - a[i]) * RECIPROCAL(4 * b[i]) * (more) * (2 * ((before) + (free)) + (more))
#else
#define LOSE(i, before, free, more) (void)0
#endif
#if FORM == 2
#define CHANGE(i, o, before, free, more)                                                           \
  LOSE(i, before, free, more), v[o] = (free) + (more), out[o] = u[o] + v[o]
#else
#define CHANGE(i, o, before, free, more)                                                           \
  LOSE(i, before, free, more), out[o] = u[o] + ((free) + (more))
#endif

KERNEL fsi_rows_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT node,
                     GLOBAL const int *RESTRICT begin, GLOBAL const real *RESTRICT normal,
                     GLOBAL const real *RESTRICT before, const real rate, const int fluids,
                     const int base)
{
  STATE_BEGIN
  STATE_GRID_WAIT;
  RELOAD(before);
  FOR_ITEMS(k, ROWS) {
    const int p = (PATCH_ID - base) * ROWS + k;
    if (p < fluids) {
      const int i = node[p], o = i * DIM;
      const real free = NEW_INCREMENT(o), alone = BEFORE(p, 0) + free, alpha = b[i] * rate;
      real sum = alone, share = 1;
      for (int j = begin[p]; j < begin[p + 1]; j++) {
        const int n = node[fluids + j];
        real along = 0, square = 0;
        for (int c = 0; c < DIM; c++) {
          const real w = normal[j * DIM + c];
          along += w * (BEFORE(fluids + j, c) + NEW_INCREMENT(n * DIM + c)), square += w * w;
        }
        sum += alpha * along, share += alpha * b[n] * rate * square;
      }
      const real both = sum / share;
      for (int j = begin[p]; j < begin[p + 1]; j++) UNROLL
      for (int c = 0; c < DIM; c++) {
        const int n = node[fluids + j], s = n * DIM + c;
        const real own = NEW_INCREMENT(s), more = -b[n] * rate * normal[j * DIM + c] * both;
        CHANGE(n, s, BEFORE(fluids + j, c), own, more);
      }
      CHANGE(i, o, BEFORE(p, 0), free, both - alone);
    }
  }
  LOSS_END
}
