/* K by pairs of nodes, patch by patch (PERFORMANCE.md, "Edge form of K"): K_ij = -S - T, S symmetric, T w = t x w (2D: t (-w_y, w_x)),
 *   f_i += S (u_j - u_i),  f_j -= S (u_j - u_i);     where t is not zero (surfaces, interfaces) both f_i, f_j += t x (u_j - u_i).
 * Where the material is constant around a pair T is a null Lagrangian and vanishes; there is no diagonal. A group is a patch of PATCH
 * nodes. A pair inside the patch is stored once, with its owner, who passes its force to the other node through a slot; a pair that
 * leaves the patch is stored once in either patch. Lists are sliced by WIDTH.
 *   halo_begin [patches + 1], halo            nodes beyond the patch; local node k < PATCH is the patch's own, PATCH + k the halo's k-th
 *   slice      [slices + 1][4]                first entry of a slice in: pairs, slots, gather, twisted; in units of WIDTH
 *   neighbour  [pairs][WIDTH]                 local node j; padding is the node itself
 *   block      [pairs][DIM (DIM + 1) / 2][WIDTH]   S: 3D xx yy zz yz xz xy, 2D xx yy xy; padding is zero. A slice's first entries, as
 *                                             many as it has slots, go to the slots too
 *   gather     [...][WIDTH]                   slots of the patch to subtract, counted from WIDTH; slots 0.. stay zero, for padding
 *   twisted    [...][WIDTH], twist [...][3 or 1][WIDTH]   local node j, t
 * Sums run in the order of the lists: reproducible. */
#define SYMMETRIC (DIM * (DIM + 1) / 2)
#define TWISTS (2 * DIM - 3)
#define RECORD (2 * DIM - 2)

/* w[c] = x_j - own */
DEVICE void difference(LOCAL const real *x, PRIVATE const real *own, GLOBAL const unsigned short *j,
                       PRIVATE real *w)
{
  LOAD_RECORDS(x, j, w);
  FOR_LANES(l) UNROLL
  for (int c = 0; c < DIM; c++) w[c * LANES + l] -= own[c * LANES + l];
}

/* g = S w, f += g */
DEVICE void add_pair(GLOBAL const real *RESTRICT m, PRIVATE const real *RESTRICT w,
                     PRIVATE real *RESTRICT g, PRIVATE real *RESTRICT f)
{
  FOR_LANES(l) {
#if DIM == 3
    const real a = w[l], b = w[LANES + l], c = w[2 * LANES + l];
    const real yz = m[3 * WIDTH + l], xz = m[4 * WIDTH + l], xy = m[5 * WIDTH + l];
    g[l] = m[l] * a + xy * b + xz * c;
    g[LANES + l] = xy * a + m[WIDTH + l] * b + yz * c;
    g[2 * LANES + l] = xz * a + yz * b + m[2 * WIDTH + l] * c;
#else
    const real a = w[l], b = w[LANES + l], xy = m[2 * WIDTH + l];
    g[l] = m[l] * a + xy * b;
    g[LANES + l] = xy * a + m[WIDTH + l] * b;
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

KERNEL edges_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT halo_begin,
                  GLOBAL const int *RESTRICT halo, GLOBAL const int *RESTRICT slice,
                  GLOBAL const unsigned short *RESTRICT neighbour,
                  GLOBAL const real *RESTRICT block, GLOBAL const unsigned short *RESTRICT gather,
                  GLOBAL const unsigned short *RESTRICT twisted, GLOBAL const real *RESTRICT twist)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, x, MAX_LOCAL * RECORD);
  LOCAL_ARRAY(real, slot, MAX_SLOTS * RECORD);
  LOCAL_ARRAY(real, force, PATCH * DIM);
  const int first = PATCH_ID * PATCH, first_halo = halo_begin[PATCH_ID];
  const int halos = halo_begin[PATCH_ID + 1] - first_halo;
  GLOBAL const int *patch_slice = slice + PATCH_ID * (PATCH / WIDTH) * 4;
  STATE_BEGIN

  FOR_ITEMS(k, PATCH) UNROLL
  for (int c = 0; c < DIM; c++) x[k * RECORD + c] = u[(first + k) * DIM + c];
  FOR_ITEMS(k, halos) UNROLL
  for (int c = 0; c < DIM; c++) x[(PATCH + k) * RECORD + c] = u[halo[first_halo + k] * DIM + c];
  FOR_ITEMS(k, WIDTH * RECORD) slot[k] = 0;
  BARRIER();

  FOR_ITEMS(k, PATCH / LANES) {
    const int w = k * LANES % WIDTH;
    GLOBAL const int *s = patch_slice + k * LANES / WIDTH * 4;
    const int inner = s[0] + s[5] - s[1];
    int to = (s[1] - patch_slice[1] + 1) * WIDTH + w;
    LANE_LINE(real, own, DIM);
    LANE_LINE(real, away, DIM);
    LANE_LINE(real, g, DIM);
    LANE_LINE(real, f, DIM);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) {
      own[c * LANES + l] = x[(k * LANES + l) * RECORD + c];
      f[c * LANES + l] = 0;
    }
    for (int p = s[0]; p < inner; p++, to += WIDTH) {
      PREFETCH(block + (long)p * (SYMMETRIC * WIDTH), SYMMETRIC * WIDTH);
      difference(x, own, neighbour + (long)p * WIDTH + w, away);
      add_pair(block + (long)p * (SYMMETRIC * WIDTH) + w, away, g, f);
      STORE_RECORDS(slot, to, g);
    }
    for (int p = inner; p < s[4]; p++) {
      PREFETCH(block + (long)p * (SYMMETRIC * WIDTH), SYMMETRIC * WIDTH);
      difference(x, own, neighbour + (long)p * WIDTH + w, away);
      add_pair(block + (long)p * (SYMMETRIC * WIDTH) + w, away, g, f);
    }
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) force[(k * DIM + c) * LANES + l] = f[c * LANES + l];
  }
  BARRIER();

  FOR_ITEMS(k, PATCH / LANES) {
    const int w = k * LANES % WIDTH;
    GLOBAL const int *s = patch_slice + k * LANES / WIDTH * 4;
    LANE_LINE(real, own, DIM);
    LANE_LINE(real, g, DIM);
    LANE_LINE(real, f, DIM);
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) {
      own[c * LANES + l] = x[(k * LANES + l) * RECORD + c];
      f[c * LANES + l] = force[(k * DIM + c) * LANES + l];
    }
    for (int p = s[2]; p < s[6]; p++) {
      LOAD_RECORDS(slot, gather + (long)p * WIDTH + w, g);
      FOR_LANES(l) UNROLL
      for (int c = 0; c < DIM; c++) f[c * LANES + l] -= g[c * LANES + l];
    }
    for (int p = s[3]; p < s[7]; p++) {
      PREFETCH(twist + (long)p * (TWISTS * WIDTH), TWISTS * WIDTH);
      difference(x, own, twisted + (long)p * WIDTH + w, g);
      add_twist(twist + (long)p * (TWISTS * WIDTH) + w, g, f);
    }
    FOR_LANES(l) {
      const int i = first + k * LANES + l;
      UNROLL
      for (int c = 0; c < DIM; c++)
        finish(out, v, b, a, i * DIM + c, i, own[c * LANES + l], f[c * LANES + l], LOSS);
    }
  }
  LOSS_END
}
