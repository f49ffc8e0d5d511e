/* Linear elements without a matrix, patch by patch: the forces of an element's corners go to slots of their own, each node of the patch
 * sums its slots. Elements on the rim are computed in every patch that they touch. With unit-cube coordinates t (the element's own
 * edges in a simplex), e_a = dx/dt_a, d_a = du/dt_a, c_a = e_b x e_c, det = e_0 . c_0, at each point of the Gauss rule
 *   grad u = sum_a d_a c_a^T / det,   f_a -= weight stress c_a,   f_a the force that works on d_a.
 * Simplices have one point (weight 1/2, 1/6); squares and cubes 2 per direction, where e_a and d_a depend on the other directions alone
 * (weight 1/4, 1/8). Corners of squares and cubes are numbered i + 2 j + 4 k.
 *   group  [groups][12]     first node | slices | first in halo | halos | first in place | first in slice | first in list, in units of
 *                           WIDTH | law of all isotropic elements, -1: each its own | batches of WIDTH elements: simplices isotropic,
 *                           anisotropic, squares or cubes isotropic, anisotropic
 *   slice  [..][slices + 1] first entry of a slice's gather, in units of WIDTH from `first in list`
 *   halo   [..]             nodes beyond the group's own: local numbers go on with them
 *   list   per batch [corners (+ 1)][WIDTH]: local numbers, then the law unless all have the same; per slice [entries][WIDTH]: slots to
 *          sum. Slots count from WIDTH, batch by batch [corners][WIDTH]; slots 0.. stay zero, for padding
 *   place  [..][DIM]        coordinates of local nodes relative to the group's origin
 *   law    [laws][LAW]      lambda, mu, then the stiffness' upper triangle row by row (2D xx yy xy, times the thickness; 3D xx yy zz yz xz xy)
 * Sums run in the order of the lists: reproducible. The functions of forces know no FORM: FORCES_ALONE leaves the kernel out,
 * FORCES_MADE them, so that the host compiles them once. */
#define RECORD (2 * DIM - 2)
#define STRAINS (3 * DIM - 3)
#define STIFFNESS (STRAINS * (STRAINS + 1) / 2)
#define LAW (STIFFNESS + 2 + (DIM - 2))
#define CORNERS (1 << DIM)
#define EDGES (1 << (DIM - 1))
#define AT(a, m) a[(m) * LANES + l]

#ifndef FORCES_MADE
/* stress (xx yy xy; xx yy zz yz xz xy) of the displacement gradient h[DIM][DIM] of lane l */
DEVICE void stress_of(PRIVATE const real *h, PRIVATE const real *d, const int l, const int general, PRIVATE real *s)
{
#if DIM == 3
  const real strain[6] = {h[0], h[4], h[8], h[5] + h[7], h[2] + h[6], h[1] + h[3]};
#else
  const real strain[3] = {h[0], h[3], h[1] + h[2]};
#endif
  if (general) {
    UNROLL for (int i = 0; i < STRAINS; i++)
    {
      s[i] = 0;
      UNROLL for (int j = 0; j < STRAINS; j++)
      {
        const int low = i < j ? i : j, high = i < j ? j : i;
        s[i] += AT(d, low * STRAINS - low * (low - 1) / 2 + high - low) * strain[j];
      }
    }
  } else {
    real trace = 0;
    UNROLL for (int i = 0; i < DIM; i++) trace += strain[i];
    UNROLL for (int i = 0; i < DIM; i++) s[i] = AT(d, 0) * trace + 2 * AT(d, 1) * strain[i];
    UNROLL for (int i = DIM; i < STRAINS; i++) s[i] = AT(d, 1) * strain[i];
  }
}

/* One point: e, m [DIM][DIM]: dx/dt_a, du/dt_a, row a at line step[a]; f at the same lines += stress c_a, with the law's factor. */
DEVICE void add_point(PRIVATE const real *RESTRICT e, PRIVATE const real *RESTRICT m, PRIVATE const int *step,
                      PRIVATE const real *RESTRICT d, const int general, PRIVATE real *RESTRICT f)
{
  const int p = step[0], q = step[1];
#if DIM == 3
  const int r = step[2];
#endif
  FOR_LANES(l)
  {
    real h[DIM * DIM], s[STRAINS];
#if DIM == 3
    const real ex = AT(e, p), ey = AT(e, p + 1), ez = AT(e, p + 2), gx = AT(e, q), gy = AT(e, q + 1), gz = AT(e, q + 2);
    const real kx = AT(e, r), ky = AT(e, r + 1), kz = AT(e, r + 2);
    const real c[9] = {gy * kz - gz * ky, gz * kx - gx * kz, gx * ky - gy * kx, ky * ez - kz * ey, kz * ex - kx * ez,
                       kx * ey - ky * ex, ey * gz - ez * gy, ez * gx - ex * gz, ex * gy - ey * gx};
    const real over = RECIPROCAL(ex * c[0] + ey * c[1] + ez * c[2]);
    UNROLL for (int i = 0; i < 3; i++) UNROLL for (int j = 0; j < 3; j++)
      h[i * 3 + j] = AT(m, p + i) * c[j] + AT(m, q + i) * c[3 + j] + AT(m, r + i) * c[6 + j];
#else
    const real c[4] = {AT(e, q + 1), -AT(e, q), -AT(e, p + 1), AT(e, p)};
    const real over = RECIPROCAL(c[3] * c[0] - c[1] * c[2]);
    UNROLL for (int i = 0; i < 2; i++) UNROLL for (int j = 0; j < 2; j++)
      h[i * 2 + j] = AT(m, p + i) * c[j] + AT(m, q + i) * c[2 + j];
#endif
    stress_of(h, d, l, general, s);
    UNROLL for (int i = 0; i < STRAINS; i++) s[i] *= over;
#if DIM == 3
    UNROLL for (int a = 0; a < 3; a++)
    {
      const int to = a == 0 ? p : a == 1 ? q : r;
      AT(f, to) += s[0] * c[a * 3] + s[5] * c[a * 3 + 1] + s[4] * c[a * 3 + 2];
      AT(f, to + 1) += s[5] * c[a * 3] + s[1] * c[a * 3 + 1] + s[3] * c[a * 3 + 2];
      AT(f, to + 2) += s[4] * c[a * 3] + s[3] * c[a * 3 + 1] + s[2] * c[a * 3 + 2];
    }
#else
    UNROLL for (int a = 0; a < 2; a++)
    {
      const int to = a == 0 ? p : q;
      AT(f, to) += s[0] * c[a * 2] + s[2] * c[a * 2 + 1];
      AT(f, to + 1) += s[2] * c[a * 2] + s[1] * c[a * 2 + 1];
    }
#endif
  }
}

/* Values x[CORNERS][DIM] -> derivatives e[DIM][EDGES][DIM] at the Gauss points: along t_a, at the points of the other directions. */
DEVICE void to_points(PRIVATE const real *RESTRICT x, PRIVATE real *RESTRICT e)
{
  const real near = REAL(0.78867513459481288), far = REAL(0.21132486540518712); /* (1 +- 1 / sqrt 3) / 2 */
  UNROLL for (int a = 0; a < DIM; a++)
  {
    const int p = a == 0 ? 2 : 1, r = a == 2 ? 2 : 4, step = 1 << a;
    FOR_LANES(l) UNROLL for (int c = 0; c < DIM; c++)
    {
      real m[4] = {0, 0, 0, 0}, n[4];
      UNROLL for (int k = 0; k < EDGES; k++)
      {
        const int low = (k & 1) * p + (k >> 1) * r;
        m[k] = AT(x, (low + step) * DIM + c) - AT(x, low * DIM + c);
      }
      n[0] = near * m[0] + far * m[1], n[1] = far * m[0] + near * m[1];
      n[2] = near * m[2] + far * m[3], n[3] = far * m[2] + near * m[3];
#if DIM == 3
      AT(e, (a * 4 + 0) * 3 + c) = near * n[0] + far * n[2], AT(e, (a * 4 + 2) * 3 + c) = far * n[0] + near * n[2];
      AT(e, (a * 4 + 1) * 3 + c) = near * n[1] + far * n[3], AT(e, (a * 4 + 3) * 3 + c) = far * n[1] + near * n[3];
#else
      AT(e, (a * 2 + 0) * 2 + c) = n[0], AT(e, (a * 2 + 1) * 2 + c) = n[1];
#endif
    }
  }
}

/* Its transpose: f[CORNERS][DIM] += that of e. */
DEVICE void from_points(PRIVATE const real *RESTRICT e, PRIVATE real *RESTRICT f)
{
  const real near = REAL(0.78867513459481288), far = REAL(0.21132486540518712);
  UNROLL for (int a = 0; a < DIM; a++)
  {
    const int p = a == 0 ? 2 : 1, r = a == 2 ? 2 : 4, step = 1 << a;
    FOR_LANES(l) UNROLL for (int c = 0; c < DIM; c++)
    {
      real m[4], n[4] = {0, 0, 0, 0};
#if DIM == 3
      const real e0 = AT(e, (a * 4 + 0) * 3 + c), e1 = AT(e, (a * 4 + 1) * 3 + c);
      const real e2 = AT(e, (a * 4 + 2) * 3 + c), e3 = AT(e, (a * 4 + 3) * 3 + c);
      n[0] = near * e0 + far * e2, n[2] = far * e0 + near * e2, n[1] = near * e1 + far * e3, n[3] = far * e1 + near * e3;
#else
      n[0] = AT(e, (a * 2 + 0) * 2 + c), n[1] = AT(e, (a * 2 + 1) * 2 + c);
#endif
      m[0] = near * n[0] + far * n[1], m[1] = far * n[0] + near * n[1];
      m[2] = near * n[2] + far * n[3], m[3] = far * n[2] + near * n[3];
      UNROLL for (int k = 0; k < EDGES; k++)
      {
        const int low = (k & 1) * p + (k >> 1) * r;
        AT(f, (low + step) * DIM + c) += m[k];
        AT(f, low * DIM + c) -= m[k];
      }
    }
  }
}

/* x, u, f [DIM + 1][DIM] */
DEVICE void simplex_force(PRIVATE real *RESTRICT x, PRIVATE real *RESTRICT u, PRIVATE const real *RESTRICT d, const int general,
                          PRIVATE real *RESTRICT f)
{
  const int step[3] = {DIM, 2 * DIM, 3 * DIM};
  FOR_LANES(l) UNROLL for (int m = DIM; m < (DIM + 1) * DIM; m++)
  {
    AT(x, m) -= AT(x, m % DIM), AT(u, m) -= AT(u, m % DIM);
    AT(f, m) = 0;
  }
  add_point(x, u, step, d, general, f);
  FOR_LANES(l) UNROLL for (int c = 0; c < DIM; c++)
  {
    real sum = 0;
    UNROLL for (int n = 1; n <= DIM; n++) sum += AT(f, n * DIM + c);
    AT(f, c) = -sum;
  }
}

/* x, u, f [CORNERS][DIM] */
DEVICE void cube_force(PRIVATE const real *RESTRICT x, PRIVATE const real *RESTRICT u, PRIVATE const real *RESTRICT d, const int general,
                       PRIVATE real *RESTRICT f)
{
  LANE_LINE(real, e, DIM * EDGES * DIM);
  LANE_LINE(real, m, DIM * EDGES * DIM);
  LANE_LINE(real, g, DIM * EDGES * DIM);
  FOR_LANES(l) UNROLL for (int k = 0; k < DIM * EDGES * DIM; k++) AT(g, k) = 0;
  FOR_LANES(l) UNROLL for (int k = 0; k < CORNERS * DIM; k++) AT(f, k) = 0;
  to_points(x, e);
  to_points(u, m);
  UNROLL for (int q = 0; q < CORNERS; q++)
  {
    const int i = q & 1, j = q >> 1 & 1, k = q >> 2;
    const int step[3] = {(j + 2 * k) * DIM, (EDGES + i + 2 * k) * DIM, (2 * EDGES + i + 2 * j) * DIM};
    add_point(e, m, step, d, general, g);
  }
  from_points(g, f);
}

/* Forces of batches of WIDTH elements into their slots from `to` on. */
DEVICE void batch_forces(LOCAL const real *x, LOCAL const real *u, LOCAL real *slot, GLOBAL const unsigned short *list,
                         GLOBAL const real *law, const int common, const int batches, const int to, const int cube, const int general)
{
  const int corners = cube ? CORNERS : DIM + 1, rows = corners + (general || common < 0), numbers = general ? STIFFNESS : 2;
  const real factor = cube ? REAL(-1.0) / CORNERS : REAL(-1.0) / (DIM == 3 ? 6 : 2);
  FOR_ITEMS(k, batches * WIDTH / LANES)
  {
    const int w = k * LANES % WIDTH, batch = k * LANES / WIDTH, first = to + batch * corners * WIDTH + w;
    GLOBAL const unsigned short *n = list + batch * rows * WIDTH + w;
    LANE_LINE(real, ex, CORNERS * DIM);
    LANE_LINE(real, eu, CORNERS * DIM);
    LANE_LINE(real, f, CORNERS * DIM);
    LANE_LINE(real, d, STIFFNESS);
    UNROLL for (int c = 0; c < corners; c++)
    {
      LOAD_RECORDS(x, n + c * WIDTH, ex + c * (DIM * LANES));
      LOAD_RECORDS(u, n + c * WIDTH, eu + c * (DIM * LANES));
    }
    if (rows > corners)
      FOR_LANES(l) UNROLL for (int m = 0; m < numbers; m++)
        AT(d, m) = factor * law[n[corners * WIDTH + l] * LAW + m + (general ? 2 : 0)];
    else
      FOR_LANES(l) UNROLL for (int m = 0; m < 2; m++) AT(d, m) = factor * law[common * LAW + m];
    if (cube) cube_force(ex, eu, d, general, f);
    else simplex_force(ex, eu, d, general, f);
    UNROLL for (int c = 0; c < corners; c++) STORE_RECORDS(slot, first + c * WIDTH, f + c * (DIM * LANES));
  }
}

/* Forces of all elements of a group. */
DEVICE_CALL void element_forces(LOCAL const real *x, LOCAL const real *u, LOCAL real *slot, GLOBAL const unsigned short *n,
                                GLOBAL const real *law, GLOBAL const int *g)
{
  const int more = g[7] < 0;
  int to = WIDTH;
  batch_forces(x, u, slot, n, law, g[7], g[8], to, 0, 0);
  n += g[8] * (DIM + 1 + more) * WIDTH, to += g[8] * (DIM + 1) * WIDTH;
  batch_forces(x, u, slot, n, law, g[7], g[9], to, 0, 1);
  n += g[9] * (DIM + 2) * WIDTH, to += g[9] * (DIM + 1) * WIDTH;
  batch_forces(x, u, slot, n, law, g[7], g[10], to, 1, 0);
  n += g[10] * (CORNERS + more) * WIDTH, to += g[10] * CORNERS * WIDTH;
  batch_forces(x, u, slot, n, law, g[7], g[11], to, 1, 1);
}
#endif

#ifndef FORCES_ALONE
KERNEL patch_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT group, GLOBAL const int *RESTRICT slice,
                  GLOBAL const int *RESTRICT halo, GLOBAL const unsigned short *RESTRICT list, GLOBAL const real *RESTRICT place,
                  GLOBAL const real *RESTRICT law)
{
  LOCAL_ARRAY(real, x, MAX_LOCAL * RECORD);
  LOCAL_ARRAY(real, s, MAX_LOCAL * RECORD);
  LOCAL_ARRAY(real, slot, MAX_SLOTS * RECORD);
  GLOBAL const int *g = group + GROUP_ID * 12;
  GLOBAL const int *h = halo + g[2];
  GLOBAL const int *begin = slice + g[5];
  GLOBAL const unsigned short *own = list + (long)g[6] * WIDTH;
  GLOBAL const real *at = place + (long)g[4] * DIM;
  const int first = g[0], nodes = g[1] * WIDTH, halos = g[3];
  LOSS_BEGIN

  FOR_ITEMS(k, nodes + halos) UNROLL for (int c = 0; c < DIM; c++) x[k * RECORD + c] = at[k * DIM + c];
  FOR_ITEMS(k, nodes) UNROLL for (int c = 0; c < DIM; c++) s[k * RECORD + c] = u[(first + k) * DIM + c];
  FOR_ITEMS(k, halos) UNROLL for (int c = 0; c < DIM; c++) s[(nodes + k) * RECORD + c] = u[h[k] * DIM + c];
  FOR_ITEMS(k, WIDTH * RECORD) slot[k] = 0;
  BARRIER();

  element_forces(x, s, slot, own, law, g);
  BARRIER();

  FOR_ITEMS(k, nodes / LANES)
  {
    const int w = k * LANES % WIDTH, sum = k * LANES / WIDTH;
    LANE_LINE(real, t, DIM);
    LANE_LINE(real, f, DIM);
    FOR_LANES(l) UNROLL for (int c = 0; c < DIM; c++) AT(f, c) = 0;
    for (int p = begin[sum]; p < begin[sum + 1]; p++) {
      LOAD_RECORDS(slot, own + p * WIDTH + w, t);
      FOR_LANES(l) UNROLL for (int c = 0; c < DIM; c++) AT(f, c) += AT(t, c);
    }
    FOR_LANES(l)
    {
      const int i = first + k * LANES + l;
      UNROLL for (int c = 0; c < DIM; c++)
        finish(out, v, b, a, i * DIM + c, i, s[(k * LANES + l) * RECORD + c], AT(f, c), LOSS);
    }
  }
  LOSS_END
}
#endif
