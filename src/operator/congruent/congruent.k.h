/* K by rows of a dictionary (docs/theory/stiffness.md): nodes whose elements are congruent have the same row of blocks, which is kept once,
 *   f_i = -sum_n K_{r(i) n} (u_{j(i, n)} - u_i) (K.10),   r(i) the row of node i, j(i, n) its n-th neighbour.
 * Any law, any surface and interface: a block has DIM x DIM numbers. A group is a patch of PATCH nodes; a lane has one of them, and lanes are
 * sorted so that nodes of one row come together: they read the same places of the table, which stays in caches.
 *   halo_begin [patches + 1], halo   nodes beyond the patch; local node k < PATCH is the patch's own, PATCH + k the halo's k-th
 *   slice      [slices + 1]          first entry of a slice, in units of WIDTH
 *   place      [patches][PATCH]      local node of a lane
 *   row        [patches][PATCH]      its first block in the table
 *   neighbour  [entries][WIDTH]      local node j; padding is the node itself, so that any block will do
 *   table      [blocks][STRIDE]      -K_ij, row by row, DIM * DIM of them
 * Sums run in the order of the lists: reproducible. */
#if DIM == 2
#define STRIDE 4
#elif defined(DOUBLE)
#define STRIDE 10
#else
#define STRIDE 12
#endif

/* f += block w, of the n-th neighbours of LANES nodes */
DEVICE void add_blocks(GLOBAL const real *RESTRICT table, STAGED_PLACE const int *row, const int n,
                       PRIVATE const real *RESTRICT own, PRIVATE const real *RESTRICT away,
                       PRIVATE real *RESTRICT f)
{
  FOR_LANES(l) {
    GLOBAL const real *m = table + (row[l] + n) * STRIDE;
    UNROLL
    for (int d = 0; d < DIM; d++) {
      const real w = away[d * LANES + l] - own[d * LANES + l];
      UNROLL
      for (int c = 0; c < DIM; c++) f[c * LANES + l] += m[c * DIM + d] * w;
    }
  }
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

KERNEL congruent_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT halo_begin,
                      GLOBAL const int *RESTRICT halo, GLOBAL const int *RESTRICT slice,
                      GLOBAL const unsigned short *RESTRICT place, GLOBAL const int *RESTRICT row,
                      GLOBAL const unsigned short *RESTRICT neighbour,
                      GLOBAL const real *RESTRICT table)
{
  LOCAL_BEGIN
  STATE_BEGIN
  STATE_ALIGNED
  ALIGNED(table);
  const int first = PATCH_ID * PATCH, first_halo = halo_begin[PATCH_ID];
  const int halos = halo_begin[PATCH_ID + 1] - first_halo;
  GLOBAL const int *begin = slice + PATCH_ID * (PATCH / WIDTH);
  const int entries = begin[0], all = begin[PATCH / WIDTH] - entries;
  const int next = GROUP_AHEAD, then = next < 0 ? 0 : PATCH_OF(next);
  const int next_entries = slice[then * (PATCH / WIDTH)],
            next_end = slice[(then + 1) * (PATCH / WIDTH)];
  const int next_halo = halo_begin[then], next_halo_end = halo_begin[then + 1];
  STAGE_BEGIN
  STAGE(unsigned short, near, MAX_ENTRIES *WIDTH, neighbour + (long)entries * WIDTH, all * WIDTH);
  STAGE(unsigned short, node, PATCH, place + first, PATCH);
  STAGE(int, rows, PATCH, row + first, PATCH);
  STAGE_FACTORS(first, PATCH, PATCH);
  STAGE_DAMPING(first, PATCH, PATCH);
  LOCAL_ARRAY(real, x, MAX_LOCAL * COMPACT(DIM));
  load_all(u, first, halo + first_halo, halos, x);
  STAGE_LAST(first, PATCH, PATCH, DIM);
  if (next >= 0) {
    FETCH_BEGIN
    FETCH(neighbour + (long)next_entries * WIDTH, (next_end - next_entries) * WIDTH);
    FETCH(place + then * PATCH, PATCH);
    FETCH(row + then * PATCH, PATCH);
    FETCH(halo + next_halo, next_halo_end - next_halo);
    FETCH_STATE(then * PATCH, PATCH, DIM);
  }
  STAGE_END();

  FOR_EACH(k, PATCH / LANES, PATCH / LANES)
  {
    const int i = k * LANES, s = i / WIDTH, end = begin[s + 1] - begin[s];
    STAGED_PLACE const unsigned short *j = near + (begin[s] - entries) * WIDTH + i % WIDTH;
    LANE_LINE(real, own, DIM);
    LANE_LINE(real, f, DIM);
    LANE_LINE(real, away, AT_ONCE * DIM);
    COMPACT_LOAD(x, node + i, own);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) f[c * LANES + l] = 0;
    int n = 0;
    for (; n + AT_ONCE <= end; n += AT_ONCE) {
      UNROLL
      for (int q = 0; q < AT_ONCE; q++)
        COMPACT_LOAD(x, j + (n + q) * WIDTH, away + q * (DIM * LANES));
      UNROLL
      for (int q = 0; q < AT_ONCE; q++)
        add_blocks(table, rows + i, n + q, own, away + q * (DIM * LANES), f);
    }
    for (; n < end; n++) {
      COMPACT_LOAD(x, j + n * WIDTH, away);
      add_blocks(table, rows + i, n, own, away, f);
    }
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++)
      finish(out, v, (first + node[i + l]) * DIM + c, own[c * LANES + l], f[c * LANES + l],
             STAGED_LAST(node[i + l], c, DIM), STAGED_FACTOR(node[i + l]),
             STAGED_DAMPING(node[i + l]), LOSS);
  }
  LOSS_END
}
