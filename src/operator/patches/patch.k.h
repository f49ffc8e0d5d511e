/* Linear elements without a matrix, patch by patch: the forces of an element's corners go to slots of their own, each node of the patch
 * sums its slots. Elements on the rim are computed in every patch that they touch. With unit-cube coordinates t (the element's own
 * edges in a simplex), e_a = dx/dt_a, d_a = du/dt_a, c_a = e_b x e_c, det = e_0 . c_0, at each point of the Gauss rule
 *   grad u = sum_a d_a c_a^T / det,   f_a -= weight stress c_a,   f_a the force that works on d_a.
 * Simplices have one point (weight 1/2, 1/6); squares and cubes 2 per direction, where e_a and d_a depend on the other directions alone
 * (weight 1/4, 1/8). Corners of squares and cubes are numbered i + 2 j + 4 k.
 *   group  [groups][16]     first node | slices | first in halo | halos | first in place | first in slice | first in list, in units of
 *                           WIDTH | law of all isotropic elements, -1: each its own | batches of WIDTH elements: simplices isotropic,
 *                           anisotropic, squares or cubes isotropic, anisotropic | entries in the list, in units of WIDTH | -
 *   slice  [..][slices + 1] first entry of a slice's gather, in units of WIDTH from `first in list`
 *   halo   [..]             nodes beyond the group's own: local numbers go on with them
 *   list   per batch [corners (+ 1)][WIDTH]: local numbers, then the law unless all have the same; per slice [entries][WIDTH]: slots to
 *          sum. Slots count from WIDTH, batch by batch [corners][WIDTH]; slots 0.. stay zero, for padding
 *   place  [..][DIM]        coordinates of local nodes relative to the group's origin
 *   law    [laws][LAW]      lambda, mu, then the stiffness' upper triangle row by row (2D xx yy xy, times the thickness; 3D xx yy zz yz xz xy)
 * With PARTS an element is computed by the group of its first node alone; the group sums what its elements give to its nodes and to its halo, and
 *   target [..] per local node: -1: the node is finished; -2: no element; else the place of the sum in partial [..][RECORD], for patch_shared
 * Hooke's law is written out here: through the functions of physics/law.k.h gcc makes the same statements, but allocates registers so that
 * triangles in double and cubes in single precision take 2 to 15 % longer on the host. The parameters are those that the laws pack.
 * Sums run in the order of the lists: reproducible. The part FORCES knows no FORM: the host compiles it once
 * (cmake/variants/main.c). */
#define RECORD (2 * DIM - 2)
#define STRAINS (3 * DIM - 3)
#define STIFFNESS (STRAINS * (STRAINS + 1) / 2)
#define LAW (STIFFNESS + 2 + (DIM - 2))
#define CORNERS (1 << DIM)
#define EDGES (1 << (DIM - 1))
#define AT(a, m) (a)[(m)*LANES + l]

#ifndef FORCES_MADE
/* One point: rows e_a = dx/dt_a, m_a = du/dt_a; f_a += stress c_a, with the law's factor. */
#if DIM == 3
DEVICE void add_point(PRIVATE const real *RESTRICT e, PRIVATE const real *RESTRICT m,
                      const int row0, const int row1, const int row2,
                      PRIVATE const real *RESTRICT d, const int general, PRIVATE real *RESTRICT f)
{
  PRIVATE const real *e0 = e + row0 * LANES, *e1 = e + row1 * LANES, *e2 = e + row2 * LANES;
  PRIVATE const real *m0 = m + row0 * LANES, *m1 = m + row1 * LANES, *m2 = m + row2 * LANES;
  PRIVATE real *f0 = f + row0 * LANES, *f1 = f + row1 * LANES, *f2 = f + row2 * LANES;
  FOR_LANES(l) {
    const real ax = AT(e0, 0), ay = AT(e0, 1), az = AT(e0, 2), bx = AT(e1, 0), by = AT(e1, 1),
               bz = AT(e1, 2);
    const real cx = AT(e2, 0), cy = AT(e2, 1), cz = AT(e2, 2);
    const real px = by * cz - bz * cy, py = bz * cx - bx * cz, pz = bx * cy - by * cx;
    const real qx = cy * az - cz * ay, qy = cz * ax - cx * az, qz = cx * ay - cy * ax;
    const real rx = ay * bz - az * by, ry = az * bx - ax * bz, rz = ax * by - ay * bx;
    const real over = RECIPROCAL(ax * px + ay * py + az * pz);
    const real xx = AT(m0, 0) * px + AT(m1, 0) * qx + AT(m2, 0) * rx,
               yy = AT(m0, 1) * py + AT(m1, 1) * qy + AT(m2, 1) * ry;
    const real zz = AT(m0, 2) * pz + AT(m1, 2) * qz + AT(m2, 2) * rz;
    const real yz = AT(m0, 1) * pz + AT(m1, 1) * qz + AT(m2, 1) * rz + AT(m0, 2) * py +
                    AT(m1, 2) * qy + AT(m2, 2) * ry;
    const real xz = AT(m0, 0) * pz + AT(m1, 0) * qz + AT(m2, 0) * rz + AT(m0, 2) * px +
                    AT(m1, 2) * qx + AT(m2, 2) * rx;
    const real xy = AT(m0, 0) * py + AT(m1, 0) * qy + AT(m2, 0) * ry + AT(m0, 1) * px +
                    AT(m1, 1) * qx + AT(m2, 1) * rx;
    real s0, s1, s2, s3, s4, s5;
    if (general) {
      s0 = AT(d, 0) * xx + AT(d, 1) * yy + AT(d, 2) * zz + AT(d, 3) * yz + AT(d, 4) * xz +
           AT(d, 5) * xy;
      s1 = AT(d, 1) * xx + AT(d, 6) * yy + AT(d, 7) * zz + AT(d, 8) * yz + AT(d, 9) * xz +
           AT(d, 10) * xy;
      s2 = AT(d, 2) * xx + AT(d, 7) * yy + AT(d, 11) * zz + AT(d, 12) * yz + AT(d, 13) * xz +
           AT(d, 14) * xy;
      s3 = AT(d, 3) * xx + AT(d, 8) * yy + AT(d, 12) * zz + AT(d, 15) * yz + AT(d, 16) * xz +
           AT(d, 17) * xy;
      s4 = AT(d, 4) * xx + AT(d, 9) * yy + AT(d, 13) * zz + AT(d, 16) * yz + AT(d, 18) * xz +
           AT(d, 19) * xy;
      s5 = AT(d, 5) * xx + AT(d, 10) * yy + AT(d, 14) * zz + AT(d, 17) * yz + AT(d, 19) * xz +
           AT(d, 20) * xy;
    } else {
      const real mu = AT(d, 1), trace = AT(d, 0) * (xx + yy + zz);
      s0 = trace + 2 * mu * xx, s1 = trace + 2 * mu * yy, s2 = trace + 2 * mu * zz;
      s3 = mu * yz, s4 = mu * xz, s5 = mu * xy;
    }
    s0 *= over, s1 *= over, s2 *= over, s3 *= over, s4 *= over, s5 *= over;
    AT(f0, 0) += s0 * px + s5 * py + s4 * pz, AT(f0, 1) += s5 * px + s1 * py + s3 * pz,
        AT(f0, 2) += s4 * px + s3 * py + s2 * pz;
    AT(f1, 0) += s0 * qx + s5 * qy + s4 * qz, AT(f1, 1) += s5 * qx + s1 * qy + s3 * qz,
        AT(f1, 2) += s4 * qx + s3 * qy + s2 * qz;
    AT(f2, 0) += s0 * rx + s5 * ry + s4 * rz, AT(f2, 1) += s5 * rx + s1 * ry + s3 * rz,
        AT(f2, 2) += s4 * rx + s3 * ry + s2 * rz;
  }
}
#else
DEVICE void add_point(PRIVATE const real *RESTRICT e, PRIVATE const real *RESTRICT m,
                      const int row0, const int row1, const int row2,
                      PRIVATE const real *RESTRICT d, const int general, PRIVATE real *RESTRICT f)
{
  PRIVATE const real *e0 = e + row0 * LANES, *e1 = e + row1 * LANES, *m0 = m + row0 * LANES,
                     *m1 = m + row1 * LANES;
  PRIVATE real *f0 = f + row0 * LANES, *f1 = f + row1 * LANES;
  (void)row2;
  FOR_LANES(l) {
    const real ax = AT(e0, 0), ay = AT(e0, 1), bx = AT(e1, 0), by = AT(e1, 1);
    const real over = RECIPROCAL(ax * by - ay * bx);
    const real xx = AT(m0, 0) * by - AT(m1, 0) * ay, yy = AT(m1, 1) * ax - AT(m0, 1) * bx;
    const real xy = AT(m1, 0) * ax - AT(m0, 0) * bx + AT(m0, 1) * by - AT(m1, 1) * ay;
    real s0, s1, s2;
    if (general) {
      s0 = AT(d, 0) * xx + AT(d, 1) * yy + AT(d, 2) * xy;
      s1 = AT(d, 1) * xx + AT(d, 3) * yy + AT(d, 4) * xy;
      s2 = AT(d, 2) * xx + AT(d, 4) * yy + AT(d, 5) * xy;
    } else {
      const real mu = AT(d, 1), trace = AT(d, 0) * (xx + yy);
      s0 = trace + 2 * mu * xx, s1 = trace + 2 * mu * yy, s2 = mu * xy;
    }
    s0 *= over, s1 *= over, s2 *= over;
    AT(f0, 0) += s0 * by - s2 * bx, AT(f0, 1) += s2 * by - s1 * bx;
    AT(f1, 0) += s2 * ax - s0 * ay, AT(f1, 1) += s1 * ax - s2 * ay;
  }
}
#endif

#define NEAR REAL(0.78867513459481288) /* (1 +- 1 / sqrt 3) / 2 */
#define FAR REAL(0.21132486540518712)

/* Values x[CORNERS][DIM] -> derivatives e[DIM][EDGES][DIM] at the Gauss points: along t_a, at the points of the other directions. */
DEVICE void to_points(PRIVATE const real *RESTRICT x, PRIVATE real *RESTRICT e)
{
  UNROLL
  for (int a = 0; a < DIM; a++) UNROLL
  for (int c = 0; c < DIM; c++) {
    const int p = (a == 0 ? 2 : 1) * DIM * LANES, step = (1 << a) * DIM * LANES, next = DIM * LANES;
    PRIVATE const real *x0 = x + c * LANES;
    PRIVATE real *to = e + (a * EDGES * DIM + c) * LANES;
#if DIM == 3
    const int r = (a == 2 ? 2 : 4) * DIM * LANES;
    FOR_LANES(l) {
      const real m0 = x0[step + l] - x0[l], m1 = x0[p + step + l] - x0[p + l];
      const real m2 = x0[r + step + l] - x0[r + l], m3 = x0[p + r + step + l] - x0[p + r + l];
      const real n0 = NEAR * m0 + FAR * m1, n1 = FAR * m0 + NEAR * m1, n2 = NEAR * m2 + FAR * m3,
                 n3 = FAR * m2 + NEAR * m3;
      to[l] = NEAR * n0 + FAR * n2, to[next + l] = NEAR * n1 + FAR * n3;
      to[2 * next + l] = FAR * n0 + NEAR * n2, to[3 * next + l] = FAR * n1 + NEAR * n3;
    }
#else
    FOR_LANES(l) {
      const real m0 = x0[step + l] - x0[l], m1 = x0[p + step + l] - x0[p + l];
      to[l] = NEAR * m0 + FAR * m1, to[next + l] = FAR * m0 + NEAR * m1;
    }
#endif
  }
}

/* Its transpose: f[CORNERS][DIM] += that of e. */
DEVICE void from_points(PRIVATE const real *RESTRICT e, PRIVATE real *RESTRICT f)
{
  UNROLL
  for (int a = 0; a < DIM; a++) UNROLL
  for (int c = 0; c < DIM; c++) {
    const int p = (a == 0 ? 2 : 1) * DIM * LANES, step = (1 << a) * DIM * LANES, next = DIM * LANES;
    PRIVATE real *f0 = f + c * LANES;
    PRIVATE const real *g = e + (a * EDGES * DIM + c) * LANES;
#if DIM == 3
    const int r = (a == 2 ? 2 : 4) * DIM * LANES;
    FOR_LANES(l) {
      const real n0 = NEAR * g[l] + FAR * g[2 * next + l], n2 = FAR * g[l] + NEAR * g[2 * next + l];
      const real n1 = NEAR * g[next + l] + FAR * g[3 * next + l],
                 n3 = FAR * g[next + l] + NEAR * g[3 * next + l];
      const real m0 = NEAR * n0 + FAR * n1, m1 = FAR * n0 + NEAR * n1, m2 = NEAR * n2 + FAR * n3,
                 m3 = FAR * n2 + NEAR * n3;
      f0[step + l] += m0, f0[l] -= m0, f0[p + step + l] += m1, f0[p + l] -= m1;
      f0[r + step + l] += m2, f0[r + l] -= m2, f0[p + r + step + l] += m3, f0[p + r + l] -= m3;
    }
#else
    FOR_LANES(l) {
      const real m0 = NEAR * g[l] + FAR * g[next + l], m1 = FAR * g[l] + NEAR * g[next + l];
      f0[step + l] += m0, f0[l] -= m0, f0[p + step + l] += m1, f0[p + l] -= m1;
    }
#endif
  }
}

/* x, u, f [DIM + 1][DIM]; x and u are then relative to the first corner */
DEVICE void simplex_force(PRIVATE real *RESTRICT x, PRIVATE real *RESTRICT u,
                          PRIVATE const real *RESTRICT d, const int general,
                          PRIVATE real *RESTRICT f)
{
  UNROLL
  for (int n = 1; n <= DIM; n++) UNROLL
  for (int c = 0; c < DIM; c++)
    FOR_LANES(l)
      AT(x, n * DIM + c) -= AT(x, c), AT(u, n * DIM + c) -= AT(u, c), AT(f, n * DIM + c) = 0;
  add_point(x, u, DIM, 2 * DIM, 3 * DIM, d, general, f);
  UNROLL
  for (int c = 0; c < DIM; c++)
#if DIM == 3
    FOR_LANES(l) AT(f, c) = -(AT(f, 3 + c) + AT(f, 6 + c) + AT(f, 9 + c));
#else
    FOR_LANES(l) AT(f, c) = -(AT(f, 2 + c) + AT(f, 4 + c));
#endif
}

/* x, u, f [CORNERS][DIM] */
DEVICE void cube_force(PRIVATE const real *RESTRICT x, PRIVATE const real *RESTRICT u,
                       PRIVATE const real *RESTRICT d, const int general, PRIVATE real *RESTRICT f)
{
  LANE_LINE(real, e, DIM * EDGES * DIM);
  LANE_LINE(real, m, DIM * EDGES * DIM);
  LANE_LINE(real, g, DIM * EDGES * DIM);
  UNROLL
  for (int k = 0; k < DIM * EDGES * DIM; k++)
    FOR_LANES(l) AT(g, k) = 0;
  UNROLL
  for (int k = 0; k < CORNERS * DIM; k++)
    FOR_LANES(l) AT(f, k) = 0;
  to_points(x, e);
  to_points(u, m);
  UNROLL
  for (int q = 0; q < CORNERS; q++) {
    const int i = q & 1, j = q >> 1 & 1, k = q >> 2;
    add_point(e, m, (j + 2 * k) * DIM, (EDGES + i + 2 * k) * DIM, (2 * EDGES + i + 2 * j) * DIM, d,
              general, g);
  }
  from_points(g, f);
}

/* Forces of batches of WIDTH elements into their slots from `to` on. */
DEVICE void batch_forces(LOCAL const real *x, LOCAL const real *u, LOCAL real *slot,
                         STAGED_PLACE const unsigned short *list, GLOBAL const real *law,
                         const int common, const int batches, const int to, const int cube,
                         const int general)
{
  const int corners = cube ? CORNERS : DIM + 1, rows = corners + (general || common < 0),
            numbers = general ? STIFFNESS : 2;
  const real factor = cube ? REAL(-1.0) / CORNERS : REAL(-1.0) / (DIM == 3 ? 6 : 2);
  FOR_ITEMS(k, batches * WIDTH / LANES) {
    const int w = k * LANES % WIDTH, batch = k * LANES / WIDTH,
              first = to + batch * corners * WIDTH + w;
    STAGED_PLACE const unsigned short *n = list + batch * rows * WIDTH + w;
    LANE_LINE(real, ex, CORNERS * DIM);
    LANE_LINE(real, eu, CORNERS * DIM);
    LANE_LINE(real, f, CORNERS * DIM);
    LANE_LINE(real, d, STIFFNESS);
    UNROLL
    for (int c = 0; c < corners; c++) {
      COMPACT_LOAD(x, n + c * WIDTH, ex + c * (DIM * LANES));
      COMPACT_LOAD(u, n + c * WIDTH, eu + c * (DIM * LANES));
    }
    if (rows > corners)
      for (int m = 0; m < numbers; m++)
        FOR_LANES(l) AT(d, m) = factor * law[n[corners * WIDTH + l] * LAW + m + (general ? 2 : 0)];
    else
      for (int m = 0; m < 2; m++)
        FOR_LANES(l) AT(d, m) = factor * law[common * LAW + m];
    if (cube)
      cube_force(ex, eu, d, general, f);
    else
      simplex_force(ex, eu, d, general, f);
    UNROLL
    for (int c = 0; c < corners; c++) COMPACT_STORE(slot, first + c * WIDTH, f + c * (DIM * LANES));
  }
}

/* Forces of all elements of a group. */
DEVICE_CALL void element_forces(LOCAL const real *x, LOCAL const real *u, LOCAL real *slot,
                                STAGED_PLACE const unsigned short *n, GLOBAL const real *law,
                                GLOBAL const int *g)
{
  const int more = g[7] < 0;
  int to = WIDTH;
  if (KINDS & 1) batch_forces(x, u, slot, n, law, g[7], g[8], to, 0, 0);
  n += g[8] * (DIM + 1 + more) * WIDTH, to += g[8] * (DIM + 1) * WIDTH;
  if (KINDS & 2) batch_forces(x, u, slot, n, law, g[7], g[9], to, 0, 1);
  n += g[9] * (DIM + 2) * WIDTH, to += g[9] * (DIM + 1) * WIDTH;
  if (KINDS & 4) batch_forces(x, u, slot, n, law, g[7], g[10], to, 1, 0);
  n += g[10] * (CORNERS + more) * WIDTH, to += g[10] * CORNERS * WIDTH;
  if (KINDS & 8) batch_forces(x, u, slot, n, law, g[7], g[11], to, 1, 1);
}

/* Coordinates x and, once they are there, displacements s of a group's nodes first ... first + nodes - 1 and of its halo h; places `at` of
 * all. */
DEVICE void load_nodes(GLOBAL const real *at, GLOBAL const real *u, const int first,
                       GLOBAL const int *h, const int nodes, const int halos, LOCAL real *x,
                       LOCAL real *s)
{
  EARLY(int, early_halo, MAX_HALO, 1);
  FOR_EACH(k, halos, MAX_HALO) EARLY_LOAD(early_halo, 1, 0, h[k]);
  FOR_EACH(k, nodes + halos, MAX_LOCAL) UNROLL
  for (int c = 0; c < DIM; c++) x[k * COMPACT(DIM) + c] = at[k * DIM + c];
  GRID_WAIT();
  GRID_TRIGGER();
  RELOAD(u);
  FOR_EACH(k, nodes, PATCH) UNROLL
  for (int c = 0; c < DIM; c++) s[k * COMPACT(DIM) + c] = u[(first + k) * DIM + c];
  FOR_EACH(k, halos, MAX_HALO)
  {
    const int n = EARLY_GET(early_halo, 1, 0, h[k]);
    UNROLL
    for (int c = 0; c < DIM; c++) s[(nodes + k) * COMPACT(DIM) + c] = u[n * DIM + c];
  }
}

/* f = the sum of the slots in entries [begin, end) of a list. */
DEVICE void sum_slots(LOCAL const real *slot, STAGED_PLACE const unsigned short *list,
                      const int begin, const int end, PRIVATE real *f)
{
  LANE_LINE(real, t, DIM);
  UNROLL
  for (int c = 0; c < DIM; c++)
    FOR_LANES(l) AT(f, c) = 0;
  for (int p = begin; p < end; p++) {
    COMPACT_LOAD(slot, list + p * WIDTH, t);
    UNROLL
    for (int c = 0; c < DIM; c++)
      FOR_LANES(l) AT(f, c) += AT(t, c);
  }
}
#endif

#ifndef KERNELS_MADE
KERNEL patch_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT group,
                  GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT halo,
                  GLOBAL const unsigned short *RESTRICT list, GLOBAL const real *RESTRICT place,
                  GLOBAL const real *RESTRICT law
#if PARTS
                  ,
                  GLOBAL const int *RESTRICT target, GLOBAL real *RESTRICT partial, const int shot
#endif
)
{
  LOCAL_BEGIN
  STATE_BEGIN
  STATE_ALIGNED
  ALIGNED(place);
#if PARTS
  ALIGNED(partial);
#endif
  GLOBAL const int *g = group + PATCH_ID * 16;
  GLOBAL const int *h = halo + g[2];
  GLOBAL const int *begin = slice + g[5];
  GLOBAL const real *at = place + (long)g[4] * DIM;
  const int first = g[0], nodes = g[1] * WIDTH, halos = g[3];
#if PARTS
  GLOBAL const int *to = target + g[4];
  const int summed = nodes + halos, slices = (summed + WIDTH - 1) / WIDTH;
#else
  const int summed = nodes, slices = g[1];
#endif
  const int next = GROUP_AHEAD;
  GLOBAL const int *then = group + (next < 0 ? 0 : PATCH_OF(next)) * 16;
  const int next_first = then[0], next_slices = then[1], next_halo = then[2], next_halos = then[3];
  const int next_place = then[4], next_slice = then[5], next_list = then[6],
            next_entries = then[12];
  STAGE_BEGIN
  STAGE(unsigned short, own, MAX_LIST *WIDTH, list + (long)g[6] * WIDTH, g[12] * WIDTH);
  STAGE_FACTORS(first, nodes, PATCH);
  STAGE_DAMPING(first, nodes, PATCH);
  LOCAL_ARRAY(real, x, MAX_LOCAL * COMPACT(DIM));
  LOCAL_ARRAY(real, s, MAX_LOCAL * COMPACT(DIM));
  LOCAL_ARRAY(real, slot, MAX_SLOTS * COMPACT(DIM));
  LOCAL_ARRAY(int, lists, MAX_LOCAL / WIDTH + 2);
#if PARTS
  LOCAL_ARRAY(int, targets, MAX_LOCAL);
#endif

#if PARTS
  FOR_EACH(k, nodes + halos, MAX_LOCAL) targets[k] = to[k];
#endif
  FOR_ITEMS(k, slices + 1) lists[k] = begin[k];
  FOR_ITEMS(k, WIDTH * COMPACT(DIM)) slot[k] = 0;
  load_nodes(at, u, first, h, nodes, halos, x, s);
  STAGE_LAST(first, nodes, PATCH, DIM);
  if (next >= 0) {
    const int next_locals = next_slices * WIDTH + next_halos;
    FETCH_BEGIN
    FETCH(list + (long)next_list * WIDTH, next_entries * WIDTH);
    FETCH(place + (long)next_place * DIM, next_locals * DIM);
    FETCH(halo + next_halo, next_halos);
    FETCH(slice + next_slice, next_slices + 1);
#if PARTS
    FETCH(target + next_place, next_locals);
#endif
    FETCH_STATE(next_first, next_slices * WIDTH, DIM);
  }
  STAGE_END();

  element_forces(x, s, slot, own, law, g);
  BARRIER();

  FOR_ITEMS(k, summed / LANES) {
    const int w = k * LANES % WIDTH, sum = k * LANES / WIDTH;
    LANE_LINE(real, f, DIM);
    sum_slots(slot, own + w, lists[sum], lists[sum + 1], f);
#if PARTS
    if (targets[k] >= 0) STORE_RECORDS(partial, (long)targets[k], f);
    if (targets[k] == -1)
#endif
      FOR_LANES(l) {
        const int i = first + k * LANES + l;
        UNROLL
        for (int c = 0; c < DIM; c++)
          finish(out, v, i * DIM + c, s[(k * LANES + l) * COMPACT(DIM) + c], AT(f, c),
                 STAGED_LAST(k * LANES + l, c, DIM), STAGED_FACTOR(k * LANES + l),
                 STAGED_DAMPING(k * LANES + l), LOSS);
      }
  }
  LOSS_END
}

#if PARTS
/* Nodes that several groups have parts of: shared[n] is a node, -, its first part, -, and its parts end where the next one's begin. Entries
 * [begin, end), by groups from `base` on. */
KERNEL patch_shared(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT shared,
                    GLOBAL const real *RESTRICT partial, const int begin, const int end,
                    const int base, const int shot)
{
  STATE_BEGIN
  STATE_ALIGNED
  const int n = begin + (GROUP_ID - base) * THREADS + THREAD, there = n < end,
            at = there ? n : begin;
  const int i = shared[4 * at], from = shared[4 * at + 2], to = shared[4 * at + 6];
  const real factor = FACTOR(i), damping = DAMPING(i);
  STATE_GRID_FOLLOW;
  RELOAD(partial);
  if (there) {
    LANE_LINE(real, x, DIM);
    LANE_LINE(real, last, DIM);
    LANE_LINE(real, f, DIM);
    FOR_LANES(l) {
      UNROLL
      for (int c = 0; c < DIM; c++)
        x[c] = u[i * DIM + c], last[c] = LAST(i * DIM + c), f[c] = partial[(long)from * RECORD + c];
      for (int p = from + 1; p < to; p++) UNROLL
      for (int c = 0; c < DIM; c++) f[c] += partial[(long)p * RECORD + c];
      UNROLL
      for (int c = 0; c < DIM; c++)
        finish(out, v, i * DIM + c, x[c], f[c], last[c], factor, damping, LOSS);
    }
  }
  LOSS_END
}
#endif
#endif
