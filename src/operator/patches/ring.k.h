/* Linear triangles without a matrix: each node sums the forces of the triangles around it (docs/theory/stiffness.md).
 * Triangle (i, r_k-1, r_k) of node i with edges e = x_k-1 - x_i, k = x_k - x_i, d and p the same of u, det = e_x k_y - e_y k_x:
 *   grad u = (d (k_y, -k_x) + p (-e_y, e_x)) / det,   f_i -= stress (e_y - k_y, k_x - e_x) / 2   (K.8)
 * A triangle without area adds nothing: the list of a node is cyclic, names the node itself where its triangles do not close and as
 * padding, and the first neighbour again before that padding. A group is a patch of nodes; coordinates are relative to its own origin.
 *   group  [groups][16]              first node | slices | first in halo | halos | first in place | first in slice |
 *                                  first in list, in units of WIDTH | law | 4 words not used | entries and their laws in the list,
 *                                  in units of WIDTH | -
 *   slice  [..][slices + 1]          first entry of a slice's list, counted from `first in list`
 *   halo   [..]                      nodes beyond the group's own: local numbers go on with them
 *   list   [entries][1 + LAWS][WIDTH]    local number; with LAWS the law of the triangle between the entry before and this one
 *   place  [..][2]                   coordinates of local nodes
 *   law    [laws][8]                 lambda, mu, stiffness xx,xx xx,yy xx,xy yy,yy yy,xy xy,xy; times the thickness
 * COMPONENTS 1: temperatures; f_i -= flux . (e_y - k_y, k_x - e_x) / 2, flux = k grad u, and a law is k, -, kxx, kxy, kyy.
 * Hooke's and Fourier's law are written out here, as in patch.k.h. The parameters are those that the laws pack.
 * The part FORCES knows no FORM: the host compiles it once (cmake/variants/main.c).
 * LAWS 0: one isotropic law in the group; 1: a law of any kind per triangle. Sums run in the order of the list: reproducible. */
#define PLANE_LAW 8
/* Where component c of the i-th record of LOAD_QUADS lies, unless the device's dialect tells. */
#ifndef QUAD
#define QUAD(i, c) ((i)*4 + (c))
#endif
#if COMPONENTS == 1
#define EACH 1
#else
#define EACH 2
#endif
#if LAWS
#define LAW_PLACE GLOBAL
#else
#define LAW_PLACE PRIVATE
#endif

#ifndef FORCES_MADE
#if COMPONENTS == 1

/* Minus twice the heat f of nodes own ... own + LANES - 1; ring: the slice's list from lane 0 on. */
DEVICE void ring_force(LOCAL const real *s, const int own, STAGED_PLACE const unsigned short *ring,
                       LAW_PLACE const real *law, const int slots, PRIVATE real *f)
{
  LANE_LINE(real, c,
            4); /* x, y, u, -: the node; the last neighbour, the next one, relative to it */
  LANE_LINE(real, e, 4);
  LANE_LINE(real, k, 4);
  FOR_LANES(l) UNROLL
  for (int m = 0; m < 3; m++) c[m * LANES + l] = s[QUAD(own + l, m)];
  LOAD_QUADS(s, ring + (slots - 1) * ((1 + LAWS) * WIDTH), e);
  FOR_LANES(l) {
    UNROLL
    for (int m = 0; m < 3; m++) e[m * LANES + l] -= c[m * LANES + l];
    f[l] = 0;
  }
  UNROLL
  for (int p = 0; p < slots; p++) {
    STAGED_PLACE const unsigned short *entry = ring + p * ((1 + LAWS) * WIDTH);
    LOAD_QUADS(s, entry, k);
    FOR_LANES(l) {
      const real ex = e[l], ey = e[LANES + l], d = e[2 * LANES + l];
      const real kx = k[l] - c[l], ky = k[LANES + l] - c[LANES + l],
                 q = k[2 * LANES + l] - c[2 * LANES + l];
      const real det = ex * ky - ey * kx, over = det > 0 ? RECIPROCAL(det) : 0;
      const real gx = over * (d * ky - q * ey), gy = over * (q * ex - d * kx);
#if LAWS
      GLOBAL const real *of = law + entry[WIDTH + l] * PLANE_LAW;
      const real qx = of[2] * gx + of[3] * gy, qy = of[3] * gx + of[4] * gy;
#else
      const real qx = law[0] * gx, qy = law[0] * gy;
#endif
      f[l] += qx * (ey - ky) + qy * (kx - ex);
      e[l] = kx, e[LANES + l] = ky, e[2 * LANES + l] = q;
    }
  }
}
#else

/* Minus twice the forces f[2] of nodes own ... own + LANES - 1; ring: the slice's list from lane 0 on. */
DEVICE void ring_force(LOCAL const real *s, const int own, STAGED_PLACE const unsigned short *ring,
                       LAW_PLACE const real *law, const int slots, PRIVATE real *f)
{
  LANE_LINE(real, c,
            4); /* x, y, u_x, u_y: the node; the last neighbour, the next one, relative to it */
  LANE_LINE(real, e, 4);
  LANE_LINE(real, k, 4);
  LANE_LINE(real, sum, 2);
  FOR_LANES(l) UNROLL
  for (int m = 0; m < 4; m++) c[m * LANES + l] = s[QUAD(own + l, m)];
  LOAD_QUADS(s, ring + (slots - 1) * ((1 + LAWS) * WIDTH), e);
  FOR_LANES(l) {
    UNROLL
    for (int m = 0; m < 4; m++) e[m * LANES + l] -= c[m * LANES + l];
    sum[l] = sum[LANES + l] = 0;
  }
  UNROLL
  for (int p = 0; p < slots; p++) {
    STAGED_PLACE const unsigned short *entry = ring + p * ((1 + LAWS) * WIDTH);
    LOAD_QUADS(s, entry, k);
    FOR_LANES(l) {
      const real ex = e[l], ey = e[LANES + l], dx = e[2 * LANES + l], dy = e[3 * LANES + l];
      const real kx = k[l] - c[l], ky = k[LANES + l] - c[LANES + l];
      const real px = k[2 * LANES + l] - c[2 * LANES + l], py = k[3 * LANES + l] - c[3 * LANES + l];
      const real det = ex * ky - ey * kx, q = det > 0 ? RECIPROCAL(det) : 0;
      const real xx = dx * ky - px * ey, xy = px * ex - dx * kx;
      const real yx = dy * ky - py * ey, yy = py * ex - dy * kx;
#if LAWS
      GLOBAL const real *d = law + entry[WIDTH + l] * PLANE_LAW;
      const real sxx = q * (d[2] * xx + d[3] * yy + d[4] * (xy + yx));
      const real syy = q * (d[3] * xx + d[5] * yy + d[6] * (xy + yx));
      const real sxy = q * (d[4] * xx + d[6] * yy + d[7] * (xy + yx));
#else
      const real pressure = law[0] * (xx + yy);
      const real sxx = q * (pressure + 2 * law[1] * xx), syy = q * (pressure + 2 * law[1] * yy),
                 sxy = q * law[1] * (xy + yx);
#endif
      sum[l] += sxx * (ey - ky) + sxy * (kx - ex);
      sum[LANES + l] += sxy * (ey - ky) + syy * (kx - ex);
      e[l] = kx, e[LANES + l] = ky, e[2 * LANES + l] = px, e[3 * LANES + l] = py;
    }
  }
  FOR_LANES(l) f[l] = sum[l], f[LANES + l] = sum[LANES + l];
}
#endif

/* The common lengths are unrolled. */
DEVICE_CALL void ring_forces(LOCAL const real *s, const int own,
                             STAGED_PLACE const unsigned short *ring, LAW_PLACE const real *law,
                             const int slots, PRIVATE real *f)
{
  if (slots == 6)
    ring_force(s, own, ring, law, 6, f);
  else if (slots == 5)
    ring_force(s, own, ring, law, 5, f);
  else if (slots == 7)
    ring_force(s, own, ring, law, 7, f);
  else if (slots == 8)
    ring_force(s, own, ring, law, 8, f);
  else
    ring_force(s, own, ring, law, slots, f);
}
#endif

#ifndef KERNELS_MADE
KERNEL ring_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT group,
                 GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT halo,
                 GLOBAL const unsigned short *RESTRICT list, GLOBAL const real *RESTRICT place,
                 GLOBAL const real *RESTRICT law)
{
  LOCAL_BEGIN
  STATE_BEGIN
  STATE_ALIGNED
  ALIGNED(place);
  GLOBAL const int *g = group + PATCH_ID * 16;
  GLOBAL const int *h = halo + g[2];
  GLOBAL const int *begin = slice + g[5];
  GLOBAL const real *x = place + (long)g[4] * 2;
  const int first = g[0], nodes = g[1] * WIDTH, halos = g[3];
  const int next = GROUP_AHEAD;
  GLOBAL const int *then = group + (next < 0 ? 0 : PATCH_OF(next)) * 16;
  const int next_first = then[0], next_slices = then[1], next_halo = then[2], next_halos = then[3];
  const int next_place = then[4], next_slice = then[5], next_list = then[6],
            next_entries = then[12];
  STAGE_BEGIN
  STAGE(unsigned short, own, MAX_LIST *WIDTH, list + (long)g[6] * WIDTH, g[12] * WIDTH);
  STAGE_FACTORS(first, nodes, PATCH);
  STAGE_DAMPING(first, nodes, PATCH);
  LOCAL_ARRAY(real, s, MAX_LOCAL * 4);
  LOCAL_ARRAY(int, lists, PATCH / WIDTH + 1);
#if LAWS
  GLOBAL const real *mine = law;
#else
  PRIVATE const real mine[2] = {law[g[7] * PLANE_LAW], law[g[7] * PLANE_LAW + 1]};
#endif
  EARLY(int, early_halo, MAX_HALO, 1);

  FOR_EACH(k, halos, MAX_HALO) EARLY_LOAD(early_halo, 1, 0, h[k]);
  FOR_EACH(k, nodes + halos, MAX_LOCAL) UNROLL
  for (int c = 0; c < 2; c++) s[QUAD(k, c)] = x[k * 2 + c];
  FOR_ITEMS(k, g[1] + 1) lists[k] = begin[k];
  STATE_GRID_WAIT;
  STAGE_LAST(first, nodes, PATCH, EACH);
  FOR_EACH(k, nodes, PATCH) UNROLL
  for (int c = 0; c < EACH; c++) s[QUAD(k, 2 + c)] = u[(first + k) * EACH + c];
  FOR_EACH(k, halos, MAX_HALO)
  {
    const int n = EARLY_GET(early_halo, 1, 0, h[k]);
    UNROLL
    for (int c = 0; c < EACH; c++) s[QUAD(nodes + k, 2 + c)] = u[n * EACH + c];
  }
  if (next >= 0) {
    FETCH_BEGIN
    FETCH(list + (long)next_list * WIDTH, next_entries * WIDTH);
    FETCH(place + (long)next_place * 2, (next_slices * WIDTH + next_halos) * 2);
    FETCH(halo + next_halo, next_halos);
    FETCH(slice + next_slice, next_slices + 1);
    FETCH_STATE(next_first, next_slices * WIDTH, EACH);
  }
  STAGE_END();

  FOR_ITEMS(k, nodes / LANES) {
    const int at = lists[k * LANES / WIDTH], slots = lists[k * LANES / WIDTH + 1] - at;
    LANE_LINE(real, f, EACH);
    ring_forces(s, k * LANES, own + at * ((1 + LAWS) * WIDTH) + k * LANES % WIDTH, mine, slots, f);
    FOR_LANES(l) {
      const int i = first + k * LANES + l;
      UNROLL
      for (int c = 0; c < EACH; c++)
        finish(out, v, i * EACH + c, s[QUAD(k * LANES + l, 2 + c)], REAL(-0.5) * f[c * LANES + l],
               STAGED_LAST(k * LANES + l, c, EACH), STAGED_FACTOR(k * LANES + l),
               STAGED_DAMPING(k * LANES + l), LOSS);
    }
  }
  LOSS_END
}
#endif
