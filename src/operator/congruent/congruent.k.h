/* K by rows of a dictionary (docs/theory/stiffness.md): nodes whose elements are congruent have the same row of blocks, which is kept once,
 *   f_i = -sum_n K_{r(i) n} (u_{j(i, n)} - u_i) (K.10),   r(i) the row of node i, j(i, n) its n-th neighbour.
 * Any law, any surface and interface: a block has DIM x DIM numbers. A group is a patch of PATCH nodes. A lane has RUN of them with one row, so
 * that it reads a block once for all: what lanes read of the table bounds the rate. Lanes of one row come together.
 *   begin      [patches + 1][2]      the patch's first entries in halo and slice
 *   halo                             nodes beyond the patch; local node k < PATCH is the patch's own, PATCH + k the halo's k-th
 *   slice      [slices + 1]          first entry of a slice, which has WIDTH lanes, in units of RUN * WIDTH
 *   place      [slices][RUN][WIDTH]  local nodes of a lane; PATCH: none
 *   row        [slices][WIDTH]       its first block in the table
 *   neighbour  [entries][RUN][WIDTH] local node j; padding is the node itself, so that any block will do
 *   table      [blocks][STRIDE]      -K_ij, row by row, DIM * DIM of them
 * Sums run in the order of the lists: reproducible. */
#ifndef RUN
#define RUN 1
#endif
/* Neighbours whose displacements are under way at once. */
#define TOGETHER (RUN > 1 ? 2 : AT_ONCE)
#if DIM == 2
#define STRIDE 4
#elif defined(DOUBLE)
#define STRIDE 10
#else
#define STRIDE 12
#endif

/* f += block w, of the n-th neighbours of the RUN nodes of LANES lanes */
DEVICE void add_blocks(GLOBAL const real *RESTRICT table, STAGED_PLACE const int *row, const int n,
                       PRIVATE const real *RESTRICT own, PRIVATE const real *RESTRICT away,
                       PRIVATE real *RESTRICT f)
{
  FOR_LANES(l) {
    GLOBAL const real *m = table + (row[l] + n) * STRIDE;
    UNROLL
    for (int q = 0; q < RUN; q++) UNROLL
    for (int d = 0; d < DIM; d++) {
      const real w = away[(q * DIM + d) * LANES + l] - own[(q * DIM + d) * LANES + l];
      UNROLL
      for (int c = 0; c < DIM; c++) f[(q * DIM + c) * LANES + l] += m[c * DIM + d] * w;
    }
  }
}

/* t[q]: displacements of the q-th nodes of lanes, n of them further apart than lanes */
DEVICE void load_run(LOCAL const real *x, STAGED_PLACE const unsigned short *n, PRIVATE real *t)
{
  UNROLL
  for (int q = 0; q < RUN; q++) COMPACT_LOAD(x, n + q * WIDTH, t + q * (DIM * LANES));
}

/* Displacements of a patch's nodes and of its halo, once they are there. */
DEVICE void load_all(GLOBAL const real *u, const int first, GLOBAL const int *halo, const int halos,
                     LOCAL real *x)
{
  EARLY(int, early_halo, MAX_LOCAL - PATCH, 1);
  FOR_EACH(k, halos, MAX_LOCAL - PATCH) EARLY_LOAD(early_halo, 1, 0, halo[k]);
  STATE_GRID_WAIT;
  FOR_EACH(k, PATCH, PATCH) UNROLL
  for (int c = 0; c < DIM; c++) x[k * COMPACT(DIM) + c] = u[(first + k) * DIM + c];
  FOR_EACH(k, halos, MAX_LOCAL - PATCH)
  {
    const int n = EARLY_GET(early_halo, 1, 0, halo[k]);
    UNROLL
    for (int c = 0; c < DIM; c++) x[(PATCH + k) * COMPACT(DIM) + c] = u[n * DIM + c];
  }
}

KERNEL congruent_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT begin,
                      GLOBAL const int *RESTRICT halo, GLOBAL const int *RESTRICT slice,
                      GLOBAL const unsigned short *RESTRICT place, GLOBAL const int *RESTRICT row,
                      GLOBAL const unsigned short *RESTRICT neighbour,
                      GLOBAL const real *RESTRICT table)
{
  LOCAL_BEGIN
  STATE_BEGIN
  STATE_ALIGNED
  ALIGNED(table);
  const int first = PATCH_ID * PATCH, first_halo = begin[PATCH_ID * 2];
  const int halos = begin[PATCH_ID * 2 + 2] - first_halo;
  const int first_slice = begin[PATCH_ID * 2 + 1],
            lanes = (begin[PATCH_ID * 2 + 3] - first_slice) * WIDTH;
  GLOBAL const int *entry = slice + first_slice;
  const int entries = entry[0], all = entry[lanes / WIDTH] - entries;
  const int next = GROUP_AHEAD, then = next < 0 ? 0 : PATCH_OF(next);
  const int next_halo = begin[then * 2], next_halo_end = begin[then * 2 + 2];
  const int next_slice = begin[then * 2 + 1], next_slice_end = begin[then * 2 + 3];
  const int next_entries = slice[next_slice], next_end = slice[next_slice_end];
  STAGE_BEGIN
  STAGE(unsigned short, near, MAX_ENTRIES *RUN *WIDTH, neighbour + (long)entries * (RUN * WIDTH),
        all * (RUN * WIDTH));
  STAGE(unsigned short, node, MAX_LANES *RUN, place + (long)first_slice * (RUN * WIDTH),
        lanes * RUN);
  STAGE(int, rows, MAX_LANES, row + first_slice * WIDTH, lanes);
  STAGE_FACTORS(first, PATCH, PATCH);
  STAGE_DAMPING(first, PATCH, PATCH);
  LOCAL_ARRAY(real, x, MAX_LOCAL * COMPACT(DIM));
  load_all(u, first, halo + first_halo, halos, x);
  STAGE_LAST(first, PATCH, PATCH, DIM);
  if (next >= 0) {
    FETCH_BEGIN
    FETCH(neighbour + (long)next_entries * (RUN * WIDTH),
          (next_end - next_entries) * (RUN * WIDTH));
    FETCH(place + (long)next_slice * (RUN * WIDTH), (next_slice_end - next_slice) * (RUN * WIDTH));
    FETCH(row + next_slice * WIDTH, (next_slice_end - next_slice) * WIDTH);
    FETCH(halo + next_halo, next_halo_end - next_halo);
    FETCH_STATE(then * PATCH, PATCH, DIM);
  }
  STAGE_END();

  FOR_EACH(k, lanes / LANES, MAX_LANES / LANES)
  {
    const int i = k * LANES, s = i / WIDTH, end = entry[s + 1] - entry[s];
    STAGED_PLACE const unsigned short *own_node = node + s * (RUN * WIDTH) + i % WIDTH;
    STAGED_PLACE const unsigned short *j = near + (entry[s] - entries) * (RUN * WIDTH) + i % WIDTH;
    LANE_LINE(real, own, RUN * DIM);
    LANE_LINE(real, f, RUN * DIM);
    LANE_LINE(real, away, TOGETHER * RUN * DIM);
    load_run(x, own_node, own);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < RUN * DIM; c++) f[c * LANES + l] = 0;
    int n = 0;
    for (; n + TOGETHER <= end; n += TOGETHER) {
      UNROLL
      for (int q = 0; q < TOGETHER; q++)
        load_run(x, j + (n + q) * (RUN * WIDTH), away + q * (RUN * DIM * LANES));
      UNROLL
      for (int q = 0; q < TOGETHER; q++)
        add_blocks(table, rows + i, n + q, own, away + q * (RUN * DIM * LANES), f);
    }
    for (; n < end; n++) {
      load_run(x, j + n * (RUN * WIDTH), away);
      add_blocks(table, rows + i, n, own, away, f);
    }
    FOR_LANES(l) UNROLL
    for (int q = 0; q < RUN; q++) {
      const int at = own_node[q * WIDTH + l];
      if (RUN > 1 && at >= PATCH) continue;
      UNROLL
      for (int c = 0; c < DIM; c++)
        finish(out, v, (first + at) * DIM + c, own[(q * DIM + c) * LANES + l],
               f[(q * DIM + c) * LANES + l], STAGED_LAST(at, c, DIM), STAGED_FACTOR(at),
               STAGED_DAMPING(at), LOSS);
    }
  }
  LOSS_END
}
