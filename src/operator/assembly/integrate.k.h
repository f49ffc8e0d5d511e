/* Stage 3 of assembly, the first half of ours: matrices of elements, each integrated once per list that it is in.
 *   M_ij = sum over points q of  w_q |J_q| g_i g_j^T,   K_ij by physics/tangent.k.h
 * A group has ELEMENTS * LANES elements. Their geometry is staged in local memory, gradients g of all points are found once, and an item
 * sums the products of 2 x 2 nodes I, I + T and J, J + T (T half of the nodes) over the points in its registers, J >= I; K_ji = K_ij^T.
 * Matrices are put together in local memory, where the gradients were, and written as they lie there.
 *   list [count]                     elements; those of another kind are passed over
 *   node [elements][stride];  region, kind [elements];  x [nodes][DIM] double;  law [regions][LAW]
 *   slope [nodes of one][DIM][points]  derivatives of the shape functions;  weight [points];  shape [nodes of one][points]  their values
 *   matrix [count][size]             K_e row by row, (n, c) then (m, d), tight in the first of them
 *   folded [1]                       1 + an element whose |J| is not above 0 somewhere, if any
 *   reacts                           whether laws have a reaction beta, law[0], or a lumped one, law[1]: heat alone, K_ij += beta M_ij with
 *                                    M_ij = sum over q of w_q |J_q| N_i N_j, and on the diagonal lumped M_ii V / sum over j of M_jj (E.12)
 *   t [nodes of all][2]              DEPENDS: temperatures T and T0. law[12], law[14] rows of tables from law [law[13]], law [law[15]] on: factors of k
 *                                    at T, and of law[1] and law[2], the reaction that is stored: their mean between T0 and T1 = T0 + (T - T0) law[16]
 *                                    (A.26), or that at T1 where law[17] is 1; no rows: 1
 * COMPONENTS: of a node, DIM or 1 (heat). NODES and POINTS: those of the element (EXACT 1), or the most that local memory is laid out for. */
#define PAIRS (DIM * DIM)
#define HALF ((NODES + 1) / 2)
#define TILES (HALF * (HALF + 1) / 2)
#define GRADIENTS (POINTS * DIM * NODES)
#define WHOLE (NODES * COMPONENTS * LINE_OF(NODES))
#define GRADIENT(s, q, d, n) (gradient + ((((s)*points + (q)) * DIM + (d)) * nodes + (n)) * LANES)
#define COORDINATE(s, n, d) (coordinate + (((s)*nodes + (n)) * DIM + (d)) * LANES)
#define DENSITY(s, q) (density + ((s)*points + (q)) * LANES)
#define DENSITIES (DEPENDS ? 3 : 1) /* w |J|, times the factor of k, times that of c */

/* a = cofactors of j, so that dxi_d / dx_c = a[d][c] / |j|; its determinant. */
DEVICE real integrate_invert(PRIVATE const real *j, PRIVATE real *a)
{
#if DIM == 3
  UNROLL
  for (int r = 0; r < 3; r++) UNROLL
  for (int c = 0; c < 3; c++) {
    const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    a[c * 3 + r] = j[r1 * 3 + c1] * j[r2 * 3 + c2] - j[r1 * 3 + c2] * j[r2 * 3 + c1];
  }
  return j[0] * a[0] + j[1] * a[3] + j[2] * a[6];
#else
  a[0] = j[3], a[1] = -j[1], a[2] = -j[2], a[3] = j[0];
  return j[0] * j[3] - j[1] * j[2];
#endif
}

/* Blocks (i, j) and (j, i) of an element's matrix, whose rows lie LINE_OF apart: one more than they are long, for the banks of local memory. */
#define LINE_OF(nodes) ((nodes)*COMPONENTS + 1)
DEVICE void integrate_store(LOCAL real *whole, PRIVATE const real *k, const int i, const int j,
                            const int line, const int both)
{
  UNROLL
  for (int c = 0; c < COMPONENTS; c++) UNROLL
  for (int d = 0; d < COMPONENTS; d++) {
    const real value = k[c * COMPONENTS + d];
    whole[(i * COMPONENTS + c) * line + j * COMPONENTS + d] = value;
    if (both) whole[(j * COMPONENTS + d) * line + i * COMPONENTS + c] = value;
  }
}

/* Coordinates from the element's first node on; 0 where there is none of this kind. */
DEVICE void integrate_place(LOCAL real *coordinate, LOCAL const int *element,
                            GLOBAL const int *RESTRICT node, GLOBAL const double *RESTRICT x,
                            const int s, const int n, const int stride, const int nodes)
{
  for (int l = 0; l < LANES; l++) {
    const int e = element[s * LANES + l];
    GLOBAL const int *of = node + (long)(e < 0 ? 0 : e) * stride;
    UNROLL
    for (int d = 0; d < DIM; d++) COORDINATE(s, n, d)
    [l] = e < 0 ? 0 : (real)(x[(long)of[n] * DIM + d] - x[(long)of[0] * DIM + d]);
  }
}

/* w |J| and g of all nodes at point q of element s. */
DEVICE void integrate_point(LOCAL const real *coordinate, LOCAL real *density, LOCAL real *gradient,
                            GLOBAL const real *RESTRICT slope, GLOBAL const real *RESTRICT weight,
                            const int s, const int q, const int nodes, const int points)
{
  LANE_LINE(real, j, PAIRS);
  LANE_LINE(real, a, PAIRS);
  FOR_LANES(l) UNROLL
  for (int p = 0; p < PAIRS; p++) j[p * LANES + l] = 0;
  for (int n = 0; n < nodes; n++) {
    LOCAL const real *xn = COORDINATE(s, n, 0);
    GLOBAL const real *dn = slope + n * DIM * points + q;
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) UNROLL
    for (int d = 0; d < DIM; d++)
      j[(c * DIM + d) * LANES + l] += xn[c * LANES + l] * dn[d * points];
  }
  FOR_LANES(l) {
    real own[PAIRS], cofactor[PAIRS];
    UNROLL
    for (int p = 0; p < PAIRS; p++) own[p] = j[p * LANES + l];
    const real det = integrate_invert(own, cofactor), inverse = RECIPROCAL(det);
    UNROLL
    for (int p = 0; p < PAIRS; p++) a[p * LANES + l] = cofactor[p] * inverse;
    DENSITY(s, q)[l] = det * weight[q];
  }
  for (int n = 0; n < nodes; n++) {
    GLOBAL const real *dn = slope + n * DIM * points + q;
    FOR_LANES(l) UNROLL
    for (int c = 0; c < DIM; c++) {
      real g = 0;
      UNROLL
      for (int d = 0; d < DIM; d++) g += dn[d * points] * a[(d * DIM + c) * LANES + l];
      GRADIENT(s, q, c, n)[l] = g;
    }
  }
}

/* m[4][PAIRS] = M of the nodes (i0, j0), (i0, j1), (i1, j0), (i1, j1) of element s. */
DEVICE void integrate_pairs(LOCAL const real *density, LOCAL const real *gradient, PRIVATE real *m,
                            const int s, const int i0, const int i1, const int j0, const int j1,
                            const int nodes, const int points)
{
  FOR_LANES(l) UNROLL
  for (int p = 0; p < 4 * PAIRS; p++) m[p * LANES + l] = 0;
  for (int q = 0; q < points; q++) {
    LOCAL const real *g = GRADIENT(s, q, 0, 0), *w = DENSITY(s, q);
    FOR_LANES(l) {
      real gi[2 * DIM], gj[2 * DIM];
      UNROLL
      for (int d = 0; d < DIM; d++) {
        gi[d] = w[l] * g[(d * nodes + i0) * LANES + l];
        gi[DIM + d] = w[l] * g[(d * nodes + i1) * LANES + l];
        gj[d] = g[(d * nodes + j0) * LANES + l];
        gj[DIM + d] = g[(d * nodes + j1) * LANES + l];
      }
      UNROLL
      for (int b = 0; b < 4; b++) UNROLL
      for (int c = 0; c < DIM; c++) UNROLL
      for (int d = 0; d < DIM; d++)
        m[(b * PAIRS + c * DIM + d) * LANES + l] += gi[b / 2 * DIM + c] * gj[b % 2 * DIM + d];
    }
  }
}

#if DEPENDS
/* The factor of a table of (temperature, factor): linear between rows, constant outside. */
DEVICE real integrate_factor(GLOBAL const real *RESTRICT row, const int rows, const real t)
{
  int k = 1;
  if (rows == 0) return 1;
  if (!(t > row[0])) return row[1];
  while (k < rows && t > row[2 * k]) k++;
  if (k == rows) return row[2 * rows - 1];
  const real from = row[2 * k - 2], to = row[2 * k];
  return row[2 * k - 1] + (row[2 * k + 1] - row[2 * k - 1]) * ((t - from) / (to - from));
}

/* The mean of the factor between two temperatures: between rows that at the middle of the part, so nothing cancels. */
DEVICE real integrate_mean(GLOBAL const real *RESTRICT row, const int rows, const real from,
                           const real to)
{
  const real low = from < to ? from : to, high = from < to ? to : from;
  real sum = 0;
  if (rows == 0) return 1;
  if (!(high > low)) return integrate_factor(row, rows, to);
  for (int k = 0; k <= rows; k++) {
    const real begin = k > 0 && row[2 * (k > 0 ? k - 1 : 0)] > low ? row[2 * k - 2] : low,
               end = k < rows && row[2 * (k < rows ? k : 0)] < high ? row[2 * k] : high;
    if (end > begin)
      sum += (end - begin) * integrate_factor(row, rows, begin + (end - begin) * REAL(0.5));
  }
  return sum / (high - low);
}

/* w |J| times factors at point q of element e, apart from w |J| by `apart` and twice that. */
DEVICE void integrate_warm(LOCAL real *density, GLOBAL const int *RESTRICT node,
                           GLOBAL const real *RESTRICT shape, GLOBAL const real *RESTRICT t,
                           GLOBAL const real *RESTRICT laws, GLOBAL const real *RESTRICT law,
                           const int apart, const int nodes, const int points)
{
  const real w = density[0];
  real here = 0, before = 0;
  for (int n = 0; n < nodes; n++) {
    here += shape[n * points] * t[2 * node[n]];
    before += shape[n * points] * t[2 * node[n] + 1];
  }
  density[apart] = w * integrate_factor(laws + (int)law[13], (int)law[12], here);
  const real after = before + (here - before) * law[16];
  density[2 * apart] =
      w * integrate_mean(laws + (int)law[15], (int)law[14], law[17] > 0 ? after : before, after);
}
#endif

/* Tile number `tile` of the pairs I <= J < span. */
DEVICE int integrate_low(const int tile, const int span)
{
  int low = 0, left = tile;
  while (left >= span - low) left -= span - low, low++;
  return low;
}

DEVICE int integrate_high(const int tile, const int low, const int span)
{
  return tile - low * span + low * (low - 1) / 2 + low;
}

#if COMPONENTS == 1
/* sum over q of w |J| N_i N_j, by the w |J| of one element. */
DEVICE real integrate_react(LOCAL const real *density, GLOBAL const real *RESTRICT shape,
                            const int i, const int j, const int points)
{
  GLOBAL const real *ni = shape + i * points, *nj = shape + j * points;
  real sum = 0;
  for (int q = 0; q < points; q++) sum += density[q * LANES] * (ni[q] * nj[q]);
  return sum;
}
#endif

#if COMPONENTS == 1
/* M_ii V / sum over j of M_jj, V = sum over q of w |J| of one element. */
DEVICE real integrate_lump(LOCAL const real *density, GLOBAL const real *RESTRICT shape,
                           const int i, const int nodes, const int points)
{
  real volume = 0, all = 0;
  for (int q = 0; q < points; q++) volume += density[q * LANES];
  for (int j = 0; j < nodes; j++) all += integrate_react(density, shape, j, j, points);
  return integrate_react(density, shape, i, i, points) * volume / all;
}
#endif

/* The law, and the blocks of a tile to their places; m [4][PAIRS], LANES apart. */
DEVICE void integrate_blocks(GLOBAL const real *RESTRICT law, PRIVATE const real *m,
                             LOCAL const real *density, LOCAL const real *heat,
                             GLOBAL const real *RESTRICT shape, LOCAL real *whole, const int low,
                             const int high, const int nodes, const int points, const int reacts)
{
  const int span = (nodes + 1) / 2;
  UNROLL
  for (int b = 0; b < 4; b++) {
    const int i = low + b / 2 * span, j = high + b % 2 * span;
    real own[PAIRS], block[COMPONENTS * COMPONENTS];
    UNROLL
    for (int p = 0; p < PAIRS; p++) own[p] = m[(b * PAIRS + p) * LANES];
    law_apply(law, own, block);
#if COMPONENTS == 1
    if (reacts && i < nodes && j < nodes)
      block[0] += law[0] * integrate_react(density, shape, i, j, points);
    if (reacts && law[2] > 0 && i < nodes && j < nodes)
      block[0] += law[2] * integrate_react(heat, shape, i, j, points);
    if (reacts && law[1] > 0 && i == j && i < nodes)
      block[0] += law[1] * integrate_lump(heat, shape, i, nodes, points);
#endif
    if (i < nodes && j < nodes) integrate_store(whole, block, i, j, LINE_OF(nodes), low != high);
  }
}

KERNEL integrate_elements(GROUP_PARAM GLOBAL const int *RESTRICT list,
                          GLOBAL const int *RESTRICT node, GLOBAL const int *RESTRICT region,
                          GLOBAL const int *RESTRICT kind, GLOBAL const double *RESTRICT x,
                          GLOBAL const real *RESTRICT law, GLOBAL const real *RESTRICT slope,
                          GLOBAL const real *RESTRICT weight, GLOBAL const real *RESTRICT shape,
                          GLOBAL real *RESTRICT matrix, GLOBAL int *RESTRICT folded,
                          GLOBAL const int *RESTRICT about, GLOBAL const real *RESTRICT t,
                          const int first, const int count, const int own_kind)
{
  const int nodes = EXACT ? NODES : ABOUT_NODES(about, own_kind),
            points = EXACT ? POINTS : ABOUT_POINTS(about, own_kind),
            reacts = ABOUT_REACTS(about, own_kind), stride = ABOUT_STRIDE(about),
            size = ABOUT_SIZE(about);
  (void)t;
  LOCAL_BEGIN
  LOCAL_ARRAY(int, element, ELEMENTS *LANES);
  LOCAL_ARRAY(real, coordinate, ELEMENTS * NODES * DIM * LANES);
  LOCAL_ARRAY(real, density, DENSITIES * ELEMENTS * POINTS * LANES);
  LOCAL_ARRAY(real, pool, ELEMENTS * LANES * (GRADIENTS > WHOLE ? GRADIENTS : WHOLE));
  LOCAL real *const gradient = pool, *const whole = pool;
  LOCAL real *const flow = density + (DEPENDS ? ELEMENTS * POINTS * LANES : 0),
                    *const heat = density + (DEPENDS ? 2 * ELEMENTS * POINTS * LANES : 0);
  KEEP(real, sums, ELEMENTS * TILES, 4 * PAIRS);
  const int span = (nodes + 1) / 2, tiles = span * (span + 1) / 2, width = nodes * COMPONENTS,
            line = LINE_OF(nodes);

  FOR_ITEMS(s, ELEMENTS * LANES) {
    const int at = GROUP_ID * ELEMENTS * LANES + s;
    const int e = at < count ? list[first + at] : -1;
    element[s] = e >= 0 && kind[e] == own_kind ? e : -1;
  }
  BARRIER();
  FOR_ITEMS(k, ELEMENTS * nodes)
    integrate_place(coordinate, element, node, x, k / nodes, k % nodes, stride, nodes);
  BARRIER();
  FOR_ITEMS(k, ELEMENTS * points) {
    const int s = k / points, q = k % points;
    integrate_point(coordinate, density, gradient, slope, weight, s, q, nodes, points);
    for (int l = 0; l < LANES; l++)
      if (element[s * LANES + l] >= 0 && !(DENSITY(s, q)[l] > 0))
        folded[0] = 1 + element[s * LANES + l];
#if DEPENDS
    for (int l = 0; l < LANES; l++) {
      const int e = element[s * LANES + l];
      if (e >= 0)
        integrate_warm(DENSITY(s, q) + l, node + (long)e * stride, shape + q, t, law,
                       law + (long)region[e] * LAW, ELEMENTS * POINTS * LANES, nodes, points);
    }
#endif
  }
  BARRIER();
  FOR_EACH(k, ELEMENTS * tiles, ELEMENTS * TILES)
  {
    const int i0 = integrate_low(k % tiles, span), j0 = integrate_high(k % tiles, i0, span);
    /* the second nodes of the last tile of an odd number are its first again, and not stored */
    const int i1 = i0 + span < nodes ? i0 + span : i0, j1 = j0 + span < nodes ? j0 + span : j0;
    integrate_pairs(flow, gradient, KEPT(sums, k, 4 * PAIRS), k / tiles, i0, i1, j0, j1, nodes,
                    points);
  }
  BARRIER();
  FOR_EACH(k, ELEMENTS * tiles, ELEMENTS * TILES)
  {
    const int i0 = integrate_low(k % tiles, span), j0 = integrate_high(k % tiles, i0, span);
    for (int l = 0; l < LANES; l++) {
      const int s = k / tiles * LANES + l, e = element[s];
      if (e >= 0)
        integrate_blocks(law + (long)region[e] * LAW, KEPT(sums, k, 4 * PAIRS) + l,
                         density + k / tiles * points * LANES + l,
                         heat + k / tiles * points * LANES + l, shape, whole + s * width * line, i0,
                         j0, nodes, points, reacts);
    }
  }
  BARRIER();
  for (int s = 0; s < ELEMENTS * LANES; s++) {
    GLOBAL real *to = matrix + (long)(GROUP_ID * ELEMENTS * LANES + s) * size;
    if (element[s] >= 0)
      for (int r = 0; r < width; r++)
        FOR_ITEMS(k, width) to[r * width + k] = whole[(s * width + r) * line + k];
  }
}
