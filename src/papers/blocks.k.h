/* The paper's method as it stands on a GPU (Huthwaite 2014, sections 2.2-2.3): a group computes a block of `size` nodes, rows of 32,
 * and holds in local memory a tile of all that they are linked to: its own nodes, then sections of other blocks' boundaries, which the
 * block's linked data pointer table lists. Node `column` of row `row` of block b stands at column + 32 (b + blocks * row) in the state (K.6).
 *   f_i = -sum_j K_ij (u_j - u_i) (K.1),   j over the links of i, itself not among them (operator/rows/stored.k.h)
 *   table   [blocks][loads]                  block << 8 | row << 2 | column / 8, or all ones;
 *     loads: load32 | load16 << 10 | load8 << 20 of 32, 16, 8 nodes
 *   begin   [blocks * rows + 1]              first link of a row, in units of 32; as many as its node with most has
 *   pointer [links][32]                      number within the tile; beyond a node's own links the node itself
 *   block   [links][DIM * DIM][32]           -K_ij, row by row; zero there
 * DIM: components of a node, 1 in fluids, 3 of solids in 3D.
 * Sums run in the order of the links: reproducible. Rows without nodes cost nothing. MAX_SIZE, where kernels are
 * compiled: size. */
#define ROW 32
#define RECORD (DIM == 1 ? 1 : 2 * DIM - 2)

/* Number of the node that entry k of the tile's linked part holds; -1: none. */
DEVICE int linked_node(GLOBAL const int *RESTRICT table, const int k, const int load32,
                       const int load16, const int blocks)
{
  const int behind32 = k - load32 * 32, behind16 = behind32 - load16 * 16;
  const int bank = behind32 < 0   ? k / 32
                   : behind16 < 0 ? load32 + behind32 / 16
                                  : load32 + load16 + behind16 / 8;
  const int within = behind32 < 0 ? k % 32 : behind16 < 0 ? behind32 % 16 : behind16 % 8;
  const unsigned entry = (unsigned)table[bank];
  if (entry == 0xffffffffu) return -1;
  return (int)((entry & 3) * 8 + (unsigned)within +
               ROW * ((entry >> 8) + (unsigned)blocks * (entry >> 2 & 63)));
}

/* The next n links of a line of nodes: f -= K_ij (u_j - u_i). */
DEVICE void add_links(LOCAL const real *x, GLOBAL const unsigned short *j, GLOBAL const real *m,
                      const int n, PRIVATE const real *own, PRIVATE real *f)
{
  LANE_LINE(real, t, DIM);
  UNROLL
  for (int q = 0; q < n; q++) {
#if DIM == 1
    FOR_LANES(l) t[l] = x[j[q * ROW + l]];
#else
    LOAD_RECORDS(x, j + q * ROW, t);
#endif
    FOR_LANES(l) UNROLL
    for (int d = 0; d < DIM; d++) {
      const real away = t[d * LANES + l] - own[d * LANES + l];
      UNROLL
      for (int c = 0; c < DIM; c++)
        f[c * LANES + l] += m[(q * DIM * DIM + c * DIM + d) * ROW + l] * away;
    }
  }
}

KERNEL blocks_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT table,
                   GLOBAL const int *RESTRICT begin, GLOBAL const unsigned short *RESTRICT pointer,
                   GLOBAL const real *RESTRICT block, const int blocks, const int size,
                   const int loads)
{
  const int load32 = loads & 1023, load16 = loads >> 10 & 1023, load8 = loads >> 20;
  LOCAL_BEGIN
  LOCAL_ARRAY(real, x, MAX_LOCAL * RECORD);
  const int linked = load32 * 32 + load16 * 16 + load8 * 8;
  GLOBAL const int *own_table = table + PATCH_ID * (load32 + load16 + load8);
  GLOBAL const int *first = begin + PATCH_ID * (size / ROW);
  STATE_BEGIN
  STATE_GRID_WAIT;

  FOR_ITEMS(k, size) {
    const int i = (k / ROW * blocks + PATCH_ID) * ROW + k % ROW;
    UNROLL
    for (int c = 0; c < DIM; c++) x[k * RECORD + c] = u[i * DIM + c];
  }
  FOR_ITEMS(k, linked) {
    const int i = linked_node(own_table, k, load32, load16, blocks);
    if (i >= 0) UNROLL
    for (int c = 0; c < DIM; c++) x[(size + k) * RECORD + c] = u[i * DIM + c];
  }
  BARRIER();

  FOR_EACH(k, size / LANES, MAX_SIZE / LANES)
  {
    const int row = k * LANES / ROW, w = k * LANES % ROW, end = first[row + 1];
    int p = first[row];
    if (p < end) {
      GLOBAL const unsigned short *j = pointer + (long)p * ROW + w;
      GLOBAL const real *m = block + (long)p * (DIM * DIM * ROW) + w;
      LANE_LINE(real, own, DIM);
      LANE_LINE(real, f, DIM);
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++)
        own[c * LANES + l] = x[(k * LANES + l) * RECORD + c], f[c * LANES + l] = 0;
      for (; p + AT_ONCE <= end; p += AT_ONCE) {
        add_links(x, j, m, AT_ONCE, own, f);
        j += AT_ONCE * ROW, m += AT_ONCE * (DIM * DIM * ROW);
      }
      if (AT_ONCE == 4 && p + 2 <= end) {
        add_links(x, j, m, 2, own, f);
        p += 2, j += 2 * ROW, m += 2 * (DIM * DIM * ROW);
      }
      if (AT_ONCE > 1 && p < end) add_links(x, j, m, 1, own, f);
      FOR_LANES(l) {
        const int i = (row * blocks + PATCH_ID) * ROW + w + l;
        UNROLL
        for (int c = 0; c < DIM; c++)
          finish(out, v, i * DIM + c, own[c * LANES + l], f[c * LANES + l], LAST(i * DIM + c),
                 FACTOR(i), DAMPING(i), LOSS);
      }
    }
  }
  LOSS_END
}
