/* K by pairs of nodes, patch by patch (docs/theory/stiffness.md): K_ij = -S - T, S symmetric, T w = t x w (2D: t (-w_y, w_x)) (K.2),
 *   f_i += S (u_j - u_i),  f_j -= S (u_j - u_i);     where t is not zero (surfaces, interfaces) both f_i, f_j += t x (u_j - u_i).
 * (K.4). Where the material is constant around a pair T is a null Lagrangian (K.3) and vanishes; there is no diagonal. A group is a patch of PATCH
 * nodes. A pair inside the patch is stored once, with its owner, who passes its force to the other node through a slot; a pair that
 * leaves the patch is stored once in either patch. Lists are sliced by WIDTH.
 *   halo_begin [patches + 1], halo            nodes beyond the patch; local node k < PATCH is the patch's own, PATCH + k the halo's k-th
 *   slice      [slices + 1][4]                first entry of a slice in: pairs, slots, gather, twisted; in units of WIDTH
 *   neighbour  [pairs][WIDTH]                 local node j; padding is the node itself
 *   block      [pairs][DIM (DIM + 1) / 2][WIDTH]   S: 3D xx yy zz yz xz xy, 2D xx yy xy; padding is zero. A slice's first entries, as
 *                                             many as it has slots, go to the slots too
 *   gather     [...][WIDTH]                   slots of the patch to subtract, counted from WIDTH; slots 0.. stay zero, for padding
 *   twisted    [...][WIDTH], twist [...][3 or 1][WIDTH]   local node j, t
 * Where STAGED the patch's lists are brought to LOCAL memory, and the force of a pair is written over its block: slot numbers are then
 * places in the patch's blocks, and zeros stand behind MAX_PAIRS of them. Sums run in the order of the lists: reproducible.
 * Where PACKED (3D) a block is [WORDS][WIDTH] of 32 bits (double: [4][WIDTH][2], [WIDTH], so that a lane's force lies over its own block):
 * six integers of 20 bits (double: 46) and the power of two that all are multiplied by. S is exact to 2^-17 (2^-43) of its largest entry, and never less stiff (operator/edges/block.h). */
#define SYMMETRIC (DIM * (DIM + 1) / 2)
#if PACKED
#define word unsigned int
#ifdef DOUBLE
#define WORDS 9
#else
#define WORDS 4
#endif
#else
#define word real
#define WORDS SYMMETRIC
#endif
/* reals in the room of WIDTH blocks */
#define BLOCK_REALS (WORDS * WIDTH * (int)sizeof(word) / (int)sizeof(real))
#define TWISTS (2 * DIM - 3)
#define RECORD (2 * DIM - 2)

/* w -= own */
DEVICE void subtract(PRIVATE const real *own, PRIVATE real *w)
{
  FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) w[c * LANES + l] -= own[c * LANES + l];
}

/* Entries xx yy zz yz xz xy of the block at `place` of WIDTH, and the power of two, scale. An integer k of b bits is held as k + 2^(b - 1) and becomes a
 * real as the low part of a mantissa. */
#if PACKED
#ifdef DOUBLE
#define WORD(c) m[(c) < 8 ? ((c) / 2 * WIDTH + place) * 2 + (c) % 2 : 8 * WIDTH + place]
#define INTEGER(high, low) (FROM_BITS(0x43300000u | ((high)&0x3fffu), low) - 4538783999459328.0)
#define UNPACK                                                                                     \
  const unsigned int h0 = WORD(6), h1 = WORD(7), h2 = WORD(8);                                     \
  const real xx = INTEGER(h0, WORD(0)), yy = INTEGER(h0 >> 14, WORD(1)),                           \
             zz = INTEGER(h1, WORD(2)), yz = INTEGER(h1 >> 14, WORD(3)),                           \
             xz = INTEGER(h2, WORD(4)), xy = INTEGER(h2 >> 14, WORD(5)),                           \
             scale = FROM_BITS((h0 >> 28 | h1 >> 28 << 4 | h2 >> 28 << 8) << 20, 0u);
#else
#define WORD(c) m[(c)*WIDTH + place]
#define INTEGER(bits) (FROM_BITS(0x4b000000u | (bits), 0u) - 8912896.0f)
#define UNPACK                                                                                     \
  const unsigned int q0 = WORD(0), q1 = WORD(1), q2 = WORD(2), q3 = WORD(3);                       \
  const real xx = INTEGER(q0 & 0xfffffu), yy = INTEGER(q1 & 0xfffffu),                             \
             zz = INTEGER(q2 & 0xfffffu), yz = INTEGER(q3 & 0xfffffu),                             \
             xz = INTEGER((q0 >> 12 & 0xfff00u) | q1 >> 24),                                       \
             xy = INTEGER((q2 >> 12 & 0xfff00u) | q3 >> 24),                                       \
             scale = FROM_BITS(((q1 >> 20 & 15u) | (q3 >> 16 & 0xf0u)) << 23, 0u);
#endif
#define SCALED(x) (scale * (x))
#else
#define UNPACK                                                                                     \
  const real xx = m[place], yy = m[WIDTH + place], zz = m[2 * WIDTH + place],                      \
             yz = m[3 * WIDTH + place], xz = m[4 * WIDTH + place], xy = m[5 * WIDTH + place];
#define SCALED(x) (x)
#endif

/* g = S w, f += g; the blocks of `lane` and those that follow it */
DEVICE void add_pair(STAGED_PLACE const word *m, const int lane, PRIVATE const real *RESTRICT w,
                     PRIVATE real *RESTRICT g, PRIVATE real *RESTRICT f)
{
  FOR_LANES(l) {
    const int place = lane + l;
#if DIM == 3
    const real a = w[l], b = w[LANES + l], c = w[2 * LANES + l];
    UNPACK
    g[l] = SCALED(xx * a + xy * b + xz * c);
    g[LANES + l] = SCALED(xy * a + yy * b + yz * c);
    g[2 * LANES + l] = SCALED(xz * a + yz * b + zz * c);
#else
    const real a = w[l], b = w[LANES + l], xy = m[2 * WIDTH + place];
    g[l] = m[place] * a + xy * b;
    g[LANES + l] = xy * a + m[WIDTH + place] * b;
#endif
    UNROLL
    for (int d = 0; d < DIM; d++) f[d * LANES + l] += g[d * LANES + l];
  }
}

/* f += t x w */
DEVICE void add_twist(GLOBAL const real *RESTRICT t, PRIVATE const real *RESTRICT w,
                      PRIVATE real *RESTRICT f)
{
  FOR_LANES(l) {
#if DIM == 3
    const real a = w[l], b = w[LANES + l], c = w[2 * LANES + l];
    f[l] += t[WIDTH + l] * c - t[2 * WIDTH + l] * b;
    f[LANES + l] += t[2 * WIDTH + l] * a - t[l] * c;
    f[2 * LANES + l] += t[l] * b - t[WIDTH + l] * a;
#else
    f[l] -= t[l] * w[LANES + l];
    f[LANES + l] += t[l] * w[l];
#endif
  }
}

/* The next n pairs: f += S w; with `step` each stores its force in a slot, from place `to` on. All is loaded before the first store, which
 * compilers keep behind other loads. */
DEVICE void add_pairs(LOCAL const real *x, STAGED_PLACE const unsigned short *near,
                      STAGED_PLACE const word *m, const int lane, const int n, LOCAL real *slot,
                      const int to, const int step, PRIVATE const real *own, PRIVATE real *f)
{
  LANE_LINE(real, away, AT_ONCE * DIM);
  LANE_LINE(real, g, AT_ONCE * DIM);
  UNROLL
  for (int q = 0; q < n; q++) {
    PREFETCH(m + q * (WORDS * WIDTH), BLOCK_REALS);
    COMPACT_LOAD(x, near + q * WIDTH, away + q * (DIM * LANES));
  }
  UNROLL
  for (int q = 0; q < n; q++) {
    subtract(own, away + q * (DIM * LANES));
    add_pair(m + q * (WORDS * WIDTH), lane, away + q * (DIM * LANES), g + q * (DIM * LANES), f);
  }
  if (step) UNROLL
  for (int q = 0; q < n; q++) SLOT_STORE(slot, to + q * step, g + q * (DIM * LANES));
}

/* Pairs [first, last) of the patch. */
DEVICE void add_list(LOCAL const real *x, STAGED_PLACE const unsigned short *near,
                     STAGED_PLACE const word *m, const int lane, const int first, const int last,
                     LOCAL real *slot, int to, const int step, PRIVATE const real *own,
                     PRIVATE real *f)
{
  int p = first;
  near += p * WIDTH, m += p * (WORDS * WIDTH);
  for (; p + AT_ONCE <= last; p += AT_ONCE, to += AT_ONCE * step) {
    add_pairs(x, near, m, lane, AT_ONCE, slot, to, step, own, f);
    near += AT_ONCE * WIDTH, m += AT_ONCE * (WORDS * WIDTH);
  }
  if (AT_ONCE == 4 && p + 2 <= last) {
    add_pairs(x, near, m, lane, 2, slot, to, step, own, f);
    p += 2, to += 2 * step, near += 2 * WIDTH, m += 2 * (WORDS * WIDTH);
  }
  if (AT_ONCE > 1 && p < last) add_pairs(x, near, m, lane, 1, slot, to, step, own, f);
}

#if STAGED
#define SLOT_STEP BLOCK_REALS
#else
#define SLOT_STEP (SLOT_LINES(DIM) * WIDTH)
#endif

/* f = what the pairs [first, last) of item k give, those before `inner` to slots from place `to` on too. */
DEVICE void add_pairs_of(LOCAL const real *x, STAGED_PLACE const unsigned short *near,
                         STAGED_PLACE const word *m, const int lane, LOCAL real *slot, const int k,
                         const int first, const int inner, const int last, const int to,
                         PRIVATE real *f)
{
  LANE_LINE(real, own, DIM);
  FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) {
    own[c * LANES + l] = x[(k * LANES + l) * COMPACT(DIM) + c];
    f[c * LANES + l] = 0;
  }
  add_list(x, near, m, lane, first, inner, slot, to, SLOT_STEP, own, f);
  add_list(x, near, m, lane, inner, last, slot, 0, 0, own, f);
}

/* f -= the slots in entries [begin, end) of a list. */
DEVICE void subtract_slots(LOCAL const real *slot, STAGED_PLACE const unsigned short *list,
                           const int begin, const int end, PRIVATE real *f)
{
  LANE_LINE(real, g, DIM);
  for (int p = begin; p < end; p++) {
    SLOT_LOAD(slot, list + p * WIDTH, g);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) f[c * LANES + l] -= g[c * LANES + l];
  }
}

/* f += t x w of the twisted pairs [begin, end). */
DEVICE void add_twists(LOCAL const real *x, GLOBAL const unsigned short *twisted,
                       GLOBAL const real *twist, const int begin, const int end,
                       PRIVATE const real *own, PRIVATE real *f)
{
  LANE_LINE(real, g, DIM);
  for (int p = begin; p < end; p++) {
    PREFETCH(twist + (long)p * (TWISTS * WIDTH), TWISTS * WIDTH);
    COMPACT_LOAD(x, twisted + (long)p * WIDTH, g);
    subtract(own, g);
    add_twist(twist + (long)p * (TWISTS * WIDTH), g, f);
  }
}

/* Displacements of a patch's nodes and of its halo, once they are there. */
DEVICE void load_nodes(GLOBAL const real *u, const int first, GLOBAL const int *halo,
                       const int halos, LOCAL real *x)
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

KERNEL edges_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT halo_begin,
                  GLOBAL const int *RESTRICT halo, GLOBAL const int *RESTRICT slice,
                  GLOBAL const unsigned short *RESTRICT neighbour,
                  GLOBAL const word *RESTRICT block, GLOBAL const unsigned short *RESTRICT gather,
                  GLOBAL const unsigned short *RESTRICT twisted, GLOBAL const real *RESTRICT twist)
{
  LOCAL_BEGIN
  STATE_BEGIN
  STATE_ALIGNED
  const int first = PATCH_ID * PATCH, first_halo = halo_begin[PATCH_ID];
  const int halos = halo_begin[PATCH_ID + 1] - first_halo;
  GLOBAL const int *begin = slice + PATCH_ID * (PATCH / WIDTH) * 4;
  const int pairs = begin[0], slots = begin[1], gathers = begin[2];
  const int next = GROUP_AHEAD, then = next < 0 ? 0 : PATCH_OF(next);
  GLOBAL const int *next_begin = slice + then * (PATCH / WIDTH) * 4;
  const int next_pairs = next_begin[0], next_pairs_end = next_begin[PATCH / WIDTH * 4];
  const int next_gathers = next_begin[2], next_gathers_end = next_begin[PATCH / WIDTH * 4 + 2];
  const int next_halo = halo_begin[then], next_halo_end = halo_begin[then + 1];
  STAGE_BEGIN
  const int all = begin[PATCH / WIDTH * 4] - pairs;
  STAGE(word, m, MAX_PAIRS * (WORDS * WIDTH) + DIM * WIDTH * (int)(sizeof(real) / sizeof(word)),
        block + (long)pairs * (WORDS * WIDTH), all * (WORDS * WIDTH));
  STAGE(unsigned short, near, MAX_PAIRS *WIDTH, neighbour + (long)pairs * WIDTH, all * WIDTH);
  STAGE(unsigned short, given, MAX_GATHERS *WIDTH, gather + (long)gathers * WIDTH,
        (begin[PATCH / WIDTH * 4 + 2] - gathers) * WIDTH);
  STAGE(int, lists, (PATCH / WIDTH + 1) * 4, begin, (PATCH / WIDTH + 1) * 4);
  STAGE_FACTORS(first, PATCH, PATCH);
  STAGE_DAMPING(first, PATCH, PATCH);
  LOCAL_ARRAY(real, x, MAX_LOCAL * COMPACT(DIM));
  KEEP(real, force, PATCH / LANES, DIM);
#if STAGED
#define SLOT_START(s) ((void)slots, (s)[0] - pairs) * SLOT_STEP
  LOCAL real *slot = (LOCAL real *)m;
  FOR_ITEMS(k, DIM * WIDTH) slot[MAX_PAIRS * BLOCK_REALS + k] = 0;
#else
#define SLOT_START(s) ((s)[1] - slots + 1) * SLOT_STEP
  LOCAL_ARRAY(real, slot, MAX_SLOTS * COMPACT(DIM));
  FOR_ITEMS(k, WIDTH * COMPACT(DIM)) slot[k] = 0;
#endif
  load_nodes(u, first, halo + first_halo, halos, x);
  STAGE_LAST(first, PATCH, PATCH, DIM);
  if (next >= 0) {
    FETCH_BEGIN
    FETCH(block + (long)next_pairs * (WORDS * WIDTH),
          (next_pairs_end - next_pairs) * (WORDS * WIDTH));
    FETCH(neighbour + (long)next_pairs * WIDTH, (next_pairs_end - next_pairs) * WIDTH);
    FETCH(gather + (long)next_gathers * WIDTH, (next_gathers_end - next_gathers) * WIDTH);
    FETCH(halo + next_halo, next_halo_end - next_halo);
    FETCH_STATE(then * PATCH, PATCH, DIM);
  }
  STAGE_END();

  FOR_EACH(k, PATCH / LANES, PATCH / LANES)
  {
    const int w = k * LANES % WIDTH;
    STAGED_PLACE const int *s = lists + k * LANES / WIDTH * 4;
    add_pairs_of(x, near + w, m, w, slot, k, s[0] - pairs, s[0] + s[5] - s[1] - pairs, s[4] - pairs,
                 SLOT_START(s) + w, KEPT(force, k, DIM));
  }
  BARRIER();

  FOR_EACH(k, PATCH / LANES, PATCH / LANES)
  {
    const int w = k * LANES % WIDTH;
    STAGED_PLACE const int *s = lists + k * LANES / WIDTH * 4;
    LANE_LINE(real, own, DIM);
    LANE_LINE(real, f, DIM);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) {
      own[c * LANES + l] = x[(k * LANES + l) * COMPACT(DIM) + c];
      f[c * LANES + l] = KEPT(force, k, DIM)[c * LANES + l];
    }
    subtract_slots(slot, given + w, s[2] - gathers, s[6] - gathers, f);
    add_twists(x, twisted + w, twist + w, s[3], s[7], own, f);
    FOR_LANES(l) {
      const int i = first + k * LANES + l;
      UNROLL
      for (int c = 0; c < DIM; c++)
        finish(out, v, i * DIM + c, own[c * LANES + l], f[c * LANES + l],
               STAGED_LAST(k * LANES + l, c, DIM), STAGED_FACTOR(k * LANES + l),
               STAGED_DAMPING(k * LANES + l), LOSS);
    }
  }
  LOSS_END
}
