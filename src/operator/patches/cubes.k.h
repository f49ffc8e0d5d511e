/* Linear hexahedra of isotropic solids without a matrix, a thread for each element. Where threads share a LOCAL memory, this takes the place of
 * patch.k.h for groups of such elements alone; the host keeps patch.k.h, and is what tests compare with. An element at corners
 * (i, j, k) in {-1, 1}^3 is taken apart into 7 modes per component, differences first: sums over corners
 *   S = sum i v,  SJ = sum i j v,  SK = sum i k v,  SJK = sum i j k v,  J = sum j v,  K = sum k v,  JK = sum j k v.
 * Tangents at the Gauss points, (i, j, k) / sqrt 3, are sums of four modes each, with g = 1 / sqrt 3
 *   e_0(j, k) = S + g j SJ + g k SK + g^2 j k SJK,   e_1(i, k) = J + g i SJ + g k JK + g^2 i k SJK,   e_2(i, j) likewise,
 * and stresses act on them as in patch.k.h. With BOXES all elements are parallelepipeds: e_0, e_1, e_2 are the same at all points, and
 * integrals of products of modes are known.
 * Nodes lie in LOCAL memory with coordinates, u and forces. Elements come in passes of THREADS, and add the forces of their corners corner by corner.
 * operator/patches/cubes.c turns and sorts them so that TEAM threads never meet at the same corner of a pass, and teams share no node; where
 * that is impossible, all threads wait after each corner, and who would meet another one waits for a later round. There are neither
 * atomics nor lists of what to sum, and the bits of a sum are the same in each run.
 *   group  [groups][16]  as in patch.k.h, but: first pass in slice at 5 | passes at 8
 *   slice  [..][passes]  rounds of a pass; 0: teams share no node
 *   list   [locals, up to a multiple of WIDTH] places of local nodes in LOCAL memory; [passes][THREADS][8] places of corners i + 2 j + 4 k in
 *          the lower 14 bits, rounds in the upper 2, 65535: no element; [passes][THREADS] laws unless all have the same
 *   halo, place, law, target, partial: as in patch.k.h
 * RIMS: the nodes that groups share are finished in this launch (rims.k.h), by a group at most so many; 0: by patch_shared. */
#define RECORD 4
#define LAW 24
#define DIM 3
#define NO_ELEMENT 65535
#define PLACES 16383
/* An entry of a node in LOCAL memory: x y z ux | uy uz in single precision, x y | z ux | uy uz in double, and the forces, so that neighbours in a row
 * are read in words of up to 16 bytes without conflicts. */
#ifdef DOUBLE
#define NODE(i, c) node[((c) / 2 * MAX_LOCAL + (i)) * 2 + (c) % 2]
#define FORCE(i, c) force[(c) < 2 ? (i)*2 + (c) : 2 * MAX_LOCAL + (i)]
#define FORCES 3
#else
#define NODE(i, c) node[(c) < 4 ? (i)*4 + (c) : 4 * MAX_LOCAL + (i)*2 + (c)-4]
#define FORCE(i, c) force[(i)*4 + (c)]
#define FORCES 4
#endif
#define G REAL(0.57735026918962576)

/* v[8][3], component c -> m: S SJ SK SJK J K JK. Other differences along j and k are those of the corners with i = -1 and modes before. */
DEVICE void modes(PRIVATE const real *RESTRICT v, const int c, PRIVATE real *RESTRICT m)
{
  const real a0 = v[3 + c] - v[c], a1 = v[9 + c] - v[6 + c], a2 = v[15 + c] - v[12 + c],
             a3 = v[21 + c] - v[18 + c];
  const real p = a0 + a1, q = a2 + a3, r = a1 - a0, s = a3 - a2;
  const real j0 = v[6 + c] - v[c], j1 = v[18 + c] - v[12 + c], k0 = v[12 + c] - v[c];
  const real b0 = 2 * j0 + r, b1 = 2 * j1 + s;
  m[0] = p + q, m[1] = r + s, m[2] = q - p, m[3] = s - r;
  m[4] = b0 + b1, m[5] = 2 * (2 * k0 + (j1 - j0)) + m[2], m[6] = b1 - b0;
}

/* Forces on the modes of component c -> on the corners, f[8][3]. */
DEVICE void to_corners(PRIVATE const real *RESTRICT m, const int c, PRIVATE real *RESTRICT f)
{
  const real s = m[4] + m[6], t = m[4] - m[6];
  const real j0 = -t - m[5], j1 = t - m[5], j2 = m[5] - s, j3 = s + m[5];
  const real q0 = m[0] - m[1], q1 = m[0] + m[1], r0 = m[2] - m[3], r1 = m[2] + m[3];
  const real i0 = q0 - r0, i1 = q1 - r1, i2 = q0 + r0, i3 = q1 + r1;
  f[c] = j0 - i0, f[3 + c] = j0 + i0, f[6 + c] = j1 - i1, f[9 + c] = j1 + i1;
  f[12 + c] = j2 - i2, f[15 + c] = j2 + i2, f[18 + c] = j3 - i3, f[21 + c] = j3 + i3;
}

/* p = a x b */
DEVICE void cross(PRIVATE const real *RESTRICT a, PRIVATE const real *RESTRICT b,
                  PRIVATE real *RESTRICT p)
{
  p[0] = a[1] * b[2] - PRODUCT(a[2], b[1]), p[1] = a[2] * b[0] - PRODUCT(a[0], b[2]);
  p[2] = a[0] * b[1] - PRODUCT(a[1], b[0]);
}

DEVICE real dot(PRIVATE const real *RESTRICT a, PRIVATE const real *RESTRICT b)
{
  return a[2] * b[2] + (a[1] * b[1] + PRODUCT(a[0], b[0]));
}

/* h += sym(d c^T): xx yy zz yz xz xy, shears twice */
DEVICE void add_strain(PRIVATE const real *RESTRICT d, PRIVATE const real *RESTRICT c,
                       PRIVATE real *RESTRICT h)
{
  h[0] += d[0] * c[0], h[1] += d[1] * c[1], h[2] += d[2] * c[2];
  h[3] += d[1] * c[2], h[3] += d[2] * c[1], h[4] += d[0] * c[2], h[4] += d[2] * c[0];
  h[5] += d[0] * c[1], h[5] += d[1] * c[0];
}

/* h: strain -> stress */
DEVICE void to_stress(const real lambda, const real mu, PRIVATE real *RESTRICT h)
{
  const real trace = PRODUCT(lambda, h[0] + h[1] + h[2]), twice = mu + mu;
  h[0] = trace + twice * h[0], h[1] = trace + twice * h[1], h[2] = trace + twice * h[2];
  h[3] *= mu, h[4] *= mu, h[5] *= mu;
}

/* f += stress c */
DEVICE void add_force(PRIVATE const real *RESTRICT s, PRIVATE const real *RESTRICT c,
                      PRIVATE real *RESTRICT f)
{
  f[0] = s[0] * c[0] + (s[5] * c[1] + (s[4] * c[2] + f[0]));
  f[1] = s[5] * c[0] + (s[1] * c[1] + (s[3] * c[2] + f[1]));
  f[2] = s[4] * c[0] + (s[3] * c[1] + (s[2] * c[2] + f[2]));
}

/* One Gauss point: tangents e, derivatives d of u along them; f += forces that work on d. */
DEVICE void add_point(PRIVATE const real *RESTRICT e0, PRIVATE const real *RESTRICT e1,
                      PRIVATE const real *RESTRICT e2, PRIVATE const real *RESTRICT d0,
                      PRIVATE const real *RESTRICT d1, PRIVATE const real *RESTRICT d2,
                      const real lambda, const real mu, PRIVATE real *RESTRICT f0,
                      PRIVATE real *RESTRICT f1, PRIVATE real *RESTRICT f2)
{
  real p[3], q[3], r[3], h[6] = {0, 0, 0, 0, 0, 0};
  cross(e1, e2, p);
  cross(e2, e0, q);
  cross(e0, e1, r);
  const real over = RECIPROCAL(dot(e0, p));
  add_strain(d0, p, h);
  add_strain(d1, q, h);
  add_strain(d2, r, h);
  to_stress(lambda * over, mu * over, h);
  add_force(h, p, f0);
  add_force(h, q, f1);
  add_force(h, r, f2);
}

/* Modes m of one component -> on[0..2] of the points i = -1, on[3..5] of i = 1: the parts J + g i SJ, K + g i SK, JK + g i SJK of e_1 and e_2. */
DEVICE void split(PRIVATE const real *RESTRICT m, PRIVATE real *RESTRICT on)
{
  UNROLL
  for (int k = 0; k < 3; k++) {
    on[k] = m[4 + k] - G * m[1 + k];
    on[3 + k] = m[4 + k] + G * m[1 + k];
  }
}

/* The four points of one i: xs, us the parts of split, [3] for each component, 6 apart; e0, d0 at the points j + 2 k, f0 the forces there;
 * h[3][3]: forces on J, K and JK / g. */
DEVICE void add_half(PRIVATE const real *RESTRICT xs, PRIVATE const real *RESTRICT us,
                     PRIVATE const real *RESTRICT e0, PRIVATE const real *RESTRICT d0,
                     const real lambda, const real mu, PRIVATE real *RESTRICT f0,
                     PRIVATE real *RESTRICT h)
{
  real e1[6], e2[6], d1[6], d2[6], f1[6], f2[6];
  UNROLL
  for (int c = 0; c < 3; c++) {
    PRIVATE const real *x = xs + 6 * c, *v = us + 6 * c;
    e1[c] = x[0] - G * x[2], e1[3 + c] = x[0] + G * x[2];
    e2[c] = x[1] - G * x[2], e2[3 + c] = x[1] + G * x[2];
    d1[c] = v[0] - G * v[2], d1[3 + c] = v[0] + G * v[2];
    d2[c] = v[1] - G * v[2], d2[3 + c] = v[1] + G * v[2];
    f1[c] = f1[3 + c] = f2[c] = f2[3 + c] = 0;
  }
  UNROLL
  for (int q = 0; q < 4; q++)
    add_point(e0 + 3 * q, e1 + (q >> 1) * 3, e2 + (q & 1) * 3, d0 + 3 * q, d1 + (q >> 1) * 3,
              d2 + (q & 1) * 3, lambda, mu, f0 + 3 * q, f1 + (q >> 1) * 3, f2 + (q & 1) * 3);
  UNROLL
  for (int c = 0; c < 3; c++) {
    h[c] = f1[c] + f1[3 + c], h[3 + c] = f2[c] + f2[3 + c];
    h[6 + c] = (f1[3 + c] - f1[c]) + (f2[3 + c] - f2[c]);
  }
}

/* f = -K u; x, u, f [8][3]; lambda and mu of the law. Modes are eight times the derivatives with respect to corners +- 1: a weight of 1 / 512. */
DEVICE void cube_force(PRIVATE const real *RESTRICT x, PRIVATE const real *RESTRICT u, real lambda,
                       real mu, PRIVATE real *RESTRICT f)
{
  real xs[18], us[18], e0[12], d0[12], f0[12], low[9], high[9];
  lambda *= REAL(-1.0) / 512, mu *= REAL(-1.0) / 512;
  UNROLL
  for (int c = 0; c < 3; c++) {
    real m[7], n[7];
    modes(x, c, m);
    modes(u, c, n);
    split(m, xs + 6 * c);
    split(n, us + 6 * c);
    const real x0 = m[0] - G * m[1], x1 = m[2] - G * m[3], x2 = m[0] + G * m[1],
               x3 = m[2] + G * m[3];
    const real u0 = n[0] - G * n[1], u1 = n[2] - G * n[3], u2 = n[0] + G * n[1],
               u3 = n[2] + G * n[3];
    e0[c] = x0 - G * x1, e0[6 + c] = x0 + G * x1, e0[3 + c] = x2 - G * x3, e0[9 + c] = x2 + G * x3;
    d0[c] = u0 - G * u1, d0[6 + c] = u0 + G * u1, d0[3 + c] = u2 - G * u3, d0[9 + c] = u2 + G * u3;
    f0[c] = f0[3 + c] = f0[6 + c] = f0[9 + c] = 0;
  }
  add_half(xs, us, e0, d0, lambda, mu, f0, low);
  add_half(xs + 3, us + 3, e0, d0, lambda, mu, f0, high);
  UNROLL
  for (int c = 0; c < 3; c++) {
    const real p0 = f0[c] + f0[6 + c], p1 = f0[3 + c] + f0[9 + c], m0 = f0[6 + c] - f0[c],
               m1 = f0[9 + c] - f0[3 + c];
    const real m[7] = {p0 + p1,
                       G * ((p1 - p0) + (high[c] - low[c])),
                       PRODUCT(G, (m0 + m1) + (high[3 + c] - low[3 + c])),
                       REAL(0.33333333333333333) * ((m1 - m0) + (high[6 + c] - low[6 + c])),
                       high[c] + low[c],
                       high[3 + c] + low[3 + c],
                       G * (high[6 + c] + low[6 + c])};
    to_corners(m, c, f);
  }
}

/* Of a mode that stands on one direction: strain from d on c and d2 on c2, forces likewise. */
DEVICE void add_pair(PRIVATE const real *RESTRICT d, PRIVATE const real *RESTRICT c,
                     PRIVATE const real *RESTRICT d2, PRIVATE const real *RESTRICT c2,
                     const real lambda, const real mu, PRIVATE real *RESTRICT f,
                     PRIVATE real *RESTRICT f2)
{
  real h[6] = {0, 0, 0, 0, 0, 0};
  add_strain(d, c, h);
  add_strain(d2, c2, h);
  to_stress(lambda, mu, h);
  add_force(h, c, f);
  add_force(h, c2, f2);
}

/* The same of a parallelepiped: modes of different parity do not act on each other, and the integral of the square of i, j, k is 1 / 3. */
DEVICE void box_force(PRIVATE const real *RESTRICT x, PRIVATE const real *RESTRICT u, real lambda,
                      real mu, PRIVATE real *RESTRICT f)
{
  real e[9], um[21], d[21], m[21], p[3], q[3], r[3], h[6] = {0, 0, 0, 0, 0, 0};
  UNROLL
  for (int c = 0; c < 3; c++) {
    modes(u, c, um + 7 * c);
    e[c] = 4 * (x[3 + c] - x[c]), e[3 + c] = 4 * (x[6 + c] - x[c]);
    e[6 + c] = 4 * (x[12 + c] - x[c]);
    UNROLL
    for (int k = 0; k < 7; k++) d[3 * k + c] = um[7 * c + k], m[3 * k + c] = 0;
  }
  cross(e + 3, e + 6, p);
  cross(e + 6, e, q);
  cross(e, e + 3, r);
  const real over = REAL(-1.0) / 64 * RECIPROCAL(dot(e, p));
  lambda *= over, mu *= over;
  add_strain(d, p, h);
  add_strain(d + 12, q, h);
  add_strain(d + 15, r, h);
  to_stress(lambda, mu, h);
  add_force(h, p, m);
  add_force(h, q, m + 12);
  add_force(h, r, m + 15);
  lambda *= REAL(0.33333333333333333), mu *= REAL(0.33333333333333333);
  add_pair(d + 3, q, d + 6, r, lambda, mu, m + 3, m + 6);
  add_pair(d + 3, p, d + 18, r, lambda, mu, m + 3, m + 18);
  add_pair(d + 6, p, d + 18, q, lambda, mu, m + 6, m + 18);
  const real both = REAL(0.33333333333333333) * (lambda + mu),
             all = REAL(0.33333333333333333) * mu * (dot(p, p) + dot(q, q) + dot(r, r));
  const real a = both * dot(p, d + 9), b = both * dot(q, d + 9), g = both * dot(r, d + 9);
  UNROLL
  for (int c = 0; c < 3; c++) {
    m[9 + c] = PRODUCT(all, d[9 + c]) + a * p[c] + b * q[c] + g * r[c];
    const real of[7] = {m[c], m[3 + c], m[6 + c], m[9 + c], m[12 + c], m[15 + c], m[18 + c]};
    to_corners(of, c, f);
  }
}

/* Place of corner a in LOCAL memory, of the element's four words; its round. */
#define CORNER(word, a) ((word)[(a) / 2] >> (a) % 2 * 16 & PLACES)
#define ROUND(word, a) ((word)[(a) / 2] >> ((a) % 2 * 16 + 14) & 3)
#define THERE(word) (((word)[0] & NO_ELEMENT) != NO_ELEMENT)

DEVICE void element_force(LOCAL const real *node, PRIVATE const unsigned *word, const real lambda,
                          const real mu, PRIVATE real *f)
{
  real x[24], u[24];
  UNROLL
  for (int a = 0; a < 8; a++) {
    const int i = (int)CORNER(word, a);
    UNROLL
    for (int c = 0; c < 3; c++) x[3 * a + c] = NODE(i, c), u[3 * a + c] = NODE(i, 3 + c);
  }
#if BOXES
  box_force(x, u, lambda, mu, f);
#else
  cube_force(x, u, lambda, mu, f);
#endif
}

DEVICE void add_corner(LOCAL real *force, const int i, PRIVATE const real *f)
{
  const real x = FORCE(i, 0), y = FORCE(i, 1), z = FORCE(i, 2);
  FORCE(i, 0) = x + f[0], FORCE(i, 1) = y + f[1], FORCE(i, 2) = z + f[2];
#if FORCES == 4 /* one word */
  FORCE(i, 3) = 0;
#endif
}

/* Asks for the lists of the group whose line is `then`. */
DEVICE void fetch_lists(GLOBAL const int *then, GLOBAL const int *halo,
                        GLOBAL const unsigned short *list, GLOBAL const real *place,
                        GLOBAL const int *target RIM_PARAMS)
{
  const int locals = then[1] * WIDTH + then[3], first = then[4];
  FETCH_BEGIN
  FETCH(list + (long)then[6] * WIDTH, then[12] * WIDTH);
  FETCH(place + (long)first * DIM, locals * DIM);
  FETCH(halo + then[2], then[3]);
  FETCH(target + first, locals);
#if RIMS
  FETCH(rim + then[13], then[14]);
#endif
}

/* Of all corners, in the order of their teams; with rounds, all threads wait after each. */
DEVICE void add_corners(LOCAL real *force, PRIVATE const unsigned *word, const int there,
                        const int turns, PRIVATE const real *f)
{
  if (turns == 0) {
    UNROLL
    for (int a = 0; a < 8; a++) {
      if (there) add_corner(force, (int)CORNER(word, a), f + 3 * a);
      TEAM_BARRIER();
    }
    BARRIER();
  } else {
    UNROLL
    for (int a = 0; a < 8; a++) ROLLED
    for (int turn = 0; turn < turns; turn++) {
      if (there && (int)ROUND(word, a) == turn) add_corner(force, (int)CORNER(word, a), f + 3 * a);
      BARRIER();
    }
  }
}

/* The forces of all elements of the group; words of the next pass are loaded while this one is added. */
DEVICE void add_passes(LOCAL const real *node, LOCAL real *force, LOCAL const int *line,
                       GLOBAL const unsigned short *RESTRICT list, GLOBAL const int *RESTRICT slice,
                       GLOBAL const real *RESTRICT law)
{
  const int locals = line[1] * WIDTH + line[3], passes = line[8];
  GLOBAL const unsigned *words = (GLOBAL const unsigned *)(list + (long)line[6] * WIDTH +
                                                           (locals + WIDTH - 1) / WIDTH * WIDTH);
  ALIGNED(words);
  unsigned word[4], ahead[4] = {0, 0, 0, 0};
  UNROLL
  for (int k = 0; k < 4; k++)
    if (passes > 0) ahead[k] = words[THREAD * 4 + k];
  for (int pass = 0; pass < passes; pass++) {
    real f[24];
    UNROLL
    for (int k = 0; k < 4; k++) word[k] = ahead[k];
    const int there = THERE(word);
    if (there) {
      const int common = line[7];
      GLOBAL const unsigned short *laws =
          (GLOBAL const unsigned short *)(words + line[8] * THREADS * 4);
      const int m = (common < 0 ? laws[pass * THREADS + THREAD] : common) * LAW;
      element_force(node, word, law[m], law[m + 1], f);
    }
    if (pass + 1 < passes) {
      UNROLL
      for (int k = 0; k < 4; k++) ahead[k] = words[((pass + 1) * THREADS + THREAD) * 4 + k];
    }
    add_corners(force, word, there, slice[line[5] + pass], f);
  }
}

/* x of a node; its force is 0. */
DEVICE void bring_place(LOCAL real *node, LOCAL real *force, const int i, GLOBAL const real *x)
{
  UNROLL
  for (int c = 0; c < 3; c++) BRING(&NODE(i, c), &x[c]);
  UNROLL
  for (int c = 0; c < FORCES; c++) FORCE(i, c) = 0;
}

DEVICE void bring_u(LOCAL real *node, const int i, GLOBAL const real *u)
{
  UNROLL
  for (int c = 0; c < 3; c++) BRING(&NODE(i, 3 + c), &u[c]);
}

/* The force of a node that other groups sum too; part < 0: of none. */
DEVICE void store_part(LOCAL const real *force, const int i, GLOBAL real *RESTRICT partial,
                       const int part)
{
  real f[3];
  if (part < 0) return;
  UNROLL
  for (int c = 0; c < 3; c++) f[c] = FORCE(i, c);
  STORE_RECORDS(partial, (long)part, f);
}

/* Coordinates, and once they are there u, of the nodes of the group whose line is g; forces of 0. */
DEVICE void bring_nodes(LOCAL real *node, LOCAL real *force, GLOBAL const real *u,
                        GLOBAL const int *g, GLOBAL const int *halo,
                        GLOBAL const unsigned short *list, GLOBAL const real *place)
{
  GLOBAL const int *h = halo + g[2];
  GLOBAL const unsigned short *own = list + (long)g[6] * WIDTH;
  GLOBAL const real *at = place + (long)g[4] * DIM;
  const int first = g[0], nodes = g[1] * WIDTH, locals = nodes + g[3];
  EARLY(int, early_node, MAX_LOCAL, 1);
  EARLY(int, early_place, MAX_LOCAL, 1);
  FOR_EACH(k, locals, MAX_LOCAL)
  {
    EARLY_LOAD(early_place, 1, 0, own[k]);
    EARLY_LOAD(early_node, 1, 0, k < nodes ? first + k : h[k - nodes]);
  }
  FOR_EACH(k, locals, MAX_LOCAL)
  bring_place(node, force, EARLY_GET(early_place, 1, 0, own[k]), at + k * 3);
  GRID_WAIT();
  GRID_TRIGGER();
  RELOAD(u);
  FOR_EACH(k, locals, MAX_LOCAL)
  {
    const int i = EARLY_GET(early_place, 1, 0, own[k]);
    const int from = EARLY_GET(early_node, 1, 0, k < nodes ? first + k : h[k - nodes]) * 3;
    bring_u(node, i, u + from);
  }
}

#if RIMS
/* The nodes of the group's rim, `of` (rims.k.h), entry[of[1]][4] in shared. What they need is loaded before the other groups' reports are
 * awaited. */
DEVICE void finish_rim(LOCAL const real *node, LOCAL const real *force,
                       GLOBAL const unsigned short *own, GLOBAL int *of, GLOBAL const int *entry,
                       GLOBAL const real *partial, GLOBAL real *out, GLOBAL real *v,
                       GLOBAL const real *b, GLOBAL const real *a, PRIVATE real *lost)
{
  const int nodes = of[1];
  EARLY(int, early_entry, RIMS, 4);
  EARLY(real, early_last, RIMS, 3);
  EARLY(real, early_factor, RIMS, 2);
  FOR_EACH(k, nodes, RIMS)
  {
    const int i = entry[4 * k];
    EARLY_LOAD(early_entry, 4, 0, i);
    EARLY_LOAD(early_entry, 4, 1, own[entry[4 * k + 1]]);
    EARLY_LOAD(early_entry, 4, 2, entry[4 * k + 2]);
    EARLY_LOAD(early_entry, 4, 3, entry[4 * k + 6]);
    UNROLL
    for (int c = 0; c < 3; c++) EARLY_LOAD(early_last, 3, c, LAST(i * 3 + c));
    EARLY_LOAD(early_factor, 2, 0, FACTOR(i));
    EARLY_LOAD(early_factor, 2, 1, DAMPING(i));
  }
  await_reports(of);
  FOR_EACH(k, nodes, RIMS)
  {
    const int i = EARLY_GET(early_entry, 4, 0, entry[4 * k]);
    const int at = EARLY_GET(early_entry, 4, 1, own[entry[4 * k + 1]]);
    const int to = EARLY_GET(early_entry, 4, 3, entry[4 * k + 6]);
    real f[3] = {0, 0, 0};
    for (int p = EARLY_GET(early_entry, 4, 2, entry[4 * k + 2]); p < to; p++) UNROLL
    for (int c = 0; c < 3; c++) f[c] += FRESH(partial + (long)p * RECORD + c);
    UNROLL
    for (int c = 0; c < 3; c++)
      finish(out, v, i * 3 + c, NODE(at, 3 + c), f[c] + FORCE(at, c),
             EARLY_GET(early_last, 3, c, LAST(i * 3 + c)), EARLY_GET(early_factor, 2, 0, FACTOR(i)),
             EARLY_GET(early_factor, 2, 1, DAMPING(i)), lost);
  }
}
#endif

KERNEL cubes_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT group,
                  GLOBAL const int *RESTRICT slice, GLOBAL const int *RESTRICT halo,
                  GLOBAL const unsigned short *RESTRICT list, GLOBAL const real *RESTRICT place,
                  GLOBAL const real *RESTRICT law, GLOBAL const int *RESTRICT target,
                  GLOBAL real *RESTRICT partial, const int shot RIM_PARAMS)
{
  LOCAL_BEGIN
  STATE_BEGIN
  STATE_ALIGNED
  ALIGNED(partial);
  LOCAL_ARRAY(real, node, 6 * MAX_LOCAL);
  LOCAL_ARRAY(real, force, FORCES * MAX_LOCAL);
  LOCAL_ARRAY(int, line, 16);
  GLOBAL const int *g = group + PATCH_ID * 16;
  FOR_ITEMS(k, 16) line[k] = g[k];
  const int next = GROUP_AHEAD;
  bring_nodes(node, force, u, g, halo, list, place);
  if (next >= 0) {
    GLOBAL const int *then = group + PATCH_OF(next) * 16;
    fetch_lists(then, halo, list, place, target RIM_ARGUMENTS);
    FETCH_BEGIN
    FETCH_STATE(then[0], then[1] * WIDTH, DIM);
  }
  BRING_END();

  add_passes(node, force, line, list, slice, law);

  const int first = line[0], nodes = line[1] * WIDTH, locals = nodes + line[3];
  GLOBAL const unsigned short *own = list + (long)line[6] * WIDTH;
  GLOBAL const int *to = target + line[4];
  EARLY(real, early_last, PATCH, 3);
  EARLY(real, early_factor, PATCH, 2);
  FOR_EACH(k, nodes, PATCH)
  {
    UNROLL
    for (int c = 0; c < 3; c++) EARLY_LOAD(early_last, 3, c, LAST((first + k) * 3 + c));
    EARLY_LOAD(early_factor, 2, 0, FACTOR(first + k));
    EARLY_LOAD(early_factor, 2, 1, DAMPING(first + k));
  }
  EARLY(int, early_target, MAX_LOCAL, 1);
  EARLY(int, last_place, MAX_LOCAL, 1);
  FOR_EACH(k, locals, MAX_LOCAL)
  {
    EARLY_LOAD(early_target, 1, 0, to[k]);
    EARLY_LOAD(last_place, 1, 0, own[k]);
  }
  FOR_EACH(k, locals, MAX_LOCAL)
  store_part(force, EARLY_GET(last_place, 1, 0, own[k]), partial,
             EARLY_GET(early_target, 1, 0, to[k]));
#if RIMS
  report(rim, line[13], line[14]);
#endif
  FOR_EACH(k, nodes, PATCH)
  {
    const int i = EARLY_GET(last_place, 1, 0, own[k]);
    FOR_LANES(l)
      if (EARLY_GET(early_target, 1, 0, to[k]) == -1) UNROLL
    for (int c = 0; c < 3; c++)
      finish(out, v, (first + k) * 3 + c, NODE(i, 3 + c), FORCE(i, c),
             EARLY_GET(early_last, 3, c, LAST((first + k) * 3 + c)),
             EARLY_GET(early_factor, 2, 0, FACTOR(first + k)),
             EARLY_GET(early_factor, 2, 1, DAMPING(first + k)), LOSS);
  }
#if RIMS
  GLOBAL int *of = rim + PATCH_ID * 4;
  FOR_LANES(l) finish_rim(node, force, own, of, shared + of[0] * 4, partial, out, v, b, a, LOSS);
#endif
  LOSS_END
}
