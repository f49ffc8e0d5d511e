/* Spectral elements without a matrix (Carrascal-Manzanares et al. 2017, section 3): quadrilaterals and hexahedra of order 1..10 whose
 * points of quadrature are their nodes, N = ORDER + 1 in each direction (gll.k.h: cmake/gll_table.c),
 *   f = -sum over elements of  E^T D^T (G^T C G) D E u,   G = J^-1 sqrt(w |J|) at each point   (S.4),
 * gather E, derivative D along lines, law C, all in local memory, element by element. Nodes inside an element are its own and end here in
 * the epilogue; forces of nodes on its surface go to slots of their own, which operator/spectral/slots.k.h sums. A batch is LANES elements, lanes
 * innermost; a group treats ELEMS batches. Directions r (rows), s (3D) and the last; a column is a line along the last, a layer what it steps over.
 *   group    [groups][2]              kind | where the group's data begin, in units of LANES
 *   data     per batch [lines][LANES] geometry, then law. kind % 3: 0 affine: J^-1 sqrt |J| (row: direction of reference); 1 bilinear or
 *                                     trilinear: vertices less the first, i + 2 j + 4 k; 2 curved: G of each point (CURVED).
 *                                     kind / 3: 0 lambda, mu; 1 the upper triangle of C by rows (2D xx yy xy, 3D xx yy zz yz xz xy).
 *                                     COMPONENTS 1: k of f = -div k grad u (fluids, SH waves), or the law of SH waves with attenuation. 2D: times the thickness
 *   surface  [batches][SURFACE][LANES] node: first layer, last layer, then the rings of those between; a ring is the bottom row, the top row,
 *                                     left and right side without corners (2D: left, right)
 *   slot     [batches][SURFACE][STATE][LANES] forces of surface nodes; COLOURS: [nodes / LANES][STATE][LANES], one of each, to which
 *                                     elements add, those of one colour in one launch: no two of them share a node. In surface a node is
 *                                     then ~node in the first element that comes to it, which stores: slots need no zeros before
 *   memory   state of the points' laws (physics/law.k.h); NULL: u is not of a step. A row has ROW_VALUES: [N][most states], then energies lost,
 *            turned into heat and held in the last step. [groups][shots][ROW_VALUES][rows] where items run together, so that neighbours
 *            read neighbouring places, else [batches][shots][rows][ROW_VALUES][LANES]; rows: of all elements of the group, 2D [ELEMS][N],
 *            3D [N][ELEMS][N], and of padding up to a multiple of HK_LAW_ROWS / LANES
 * COMPONENTS are computed, DIM, 1, or 3 in 2D (law spatial); a node of the state and of the slots has STATE of them: those beyond are left alone. Inner nodes are
 * numbered from first_inside on, [batches][k][j][i][LANES]. KINDS: bit k, some group is of kind k. Needs PARTS. Every value is written once,
 * sums run in a fixed order: reproducible. FETCHES: a group asks for what a later one reads. COLOURS is a constant where kernels are compiled,
 * the parameter `coloured` on the host, which so has half the variants. The part FORCES knows neither FORM nor STATE, the parts STATES and POINTS not
 * ORDER either, which is a parameter there: the host compiles them once (cmake/variants/main.c). */
#ifndef COLOURS
#define COLOURS coloured
#define NODE_OF(s) ((s) ^ ((s) >> 31))
#elif COLOURS
#define NODE_OF(s) ((s) ^ ((s) >> 31))
#else
#define NODE_OF(s) (s)
#endif
#ifndef COMPONENTS
#define COMPONENTS DIM
#define STATE DIM
#endif
#ifndef ORDER /* in the parts STATES and POINTS */
#define ORDER order
#endif
#define FIRST GLL_FIRST(ORDER)
#define N (ORDER + 1)
#define M (ORDER - 1)
#define COLUMNS (DIM == 3 ? N * N : N)
#define INNER_COLUMNS (DIM == 3 ? M * M : M)
#define RING (DIM == 3 ? 4 * ORDER : 2)
#define SURFACE (2 * COLUMNS + M * RING)
#define ROW (N | 1) /* of 32 banks: rows do not meet */
#define PLANE (N * ROW)
#define LAYER (DIM == 3 ? ELEMS * PLANE : ROW)
#define ALL ((DIM == 3 ? N * LAYER : ELEMS * PLANE) * LANES) /* one component */
#define PLANES (ITEMS_TOGETHER ? N : 1) /* 3D: treated at once; one stays in a processor's cache */
#define SOME (DIM == 3 ? PLANES * LAYER * LANES : 16)
/* Local memory holds one component after the other, on the host those of a node together: strides that the part POINTS knows without N. */
#define NODE (ITEMS_TOGETHER ? LANES : COMPONENTS * LANES) /* to the next node */
#define C_ALL (ITEMS_TOGETHER ? ALL : LANES)               /* to the next component */
#define C_SOME (ITEMS_TOGETHER ? SOME : LANES)
#define SHAPE (DIM * DIM)
#define LINES(kind)                                                                                \
  (((kind) % 3 == 0   ? SHAPE                                                                      \
    : (kind) % 3 == 1 ? DIM << DIM                                                                 \
                      : SHAPE * N * COLUMNS) +                                                     \
   law_parameters((kind) / 3))
#define CURVED(row, i, m)                                                                          \
  (ITEMS_TOGETHER ? ((i)*SHAPE + (m)) * COLUMNS + (row) : ((row)*N + (i)) * SHAPE + (m))
#define AT(a, m) (a)[(m)*LANES + l]
#define ROW_VALUES (N * law_most_states() + 1 + LAW_ENERGIES)
#define MEMORY_RUN                                                                                 \
  ((ITEMS_TOGETHER ? TO_NEXT_VALUE : ELEMS * COLUMNS * LANES) *                                    \
   ROW_VALUES) /* of a group and a shot */
#define MEMORY_AT(group) (((long)(group)*shots + shot) * MEMORY_RUN)
#define MEMORY_OF(row)                                                                             \
  (law_most_states() && memory ? memory + (row) * (ITEMS_TOGETHER ? 1 : ROW_VALUES * LANES) : 0)
#define STRIDE(state) (COMPONENTS == 1 ? (state) : COMPONENTS) /* solids: a constant */
#define PLACE_OF(k) ((k) % ORDER ? side + ((k)-1) * RING : place + (k) / ORDER * COLUMNS)

#ifndef KINDS
#define KINDS -1 /* all */
#endif

#include "operator/spectral/spectral_points.k.h"

#ifndef FORCES_MADE
/* Column n, row n of batch e in local memory: its first node. */
DEVICE int column_at(const int e, const int n)
{
  return e * PLANE + (DIM == 3 ? n / N * ROW + n % N : n);
}
DEVICE int row_at(const int e, const int n)
{
  return e * PLANE + (DIM == 3 ? n / N * LAYER + n % N * ROW : n * ROW);
}

/* Place of column n in a ring; -1: inside. */
DEVICE int ring_of(const int n)
{
  const int i = n % N, j = n / N;
  if (DIM == 2) return n == 0 ? 0 : n == N - 1 ? 1 : -1;
  if (j == 0 || j == N - 1) return j == 0 ? i : N + i;
  return i == 0 || i == N - 1 ? 2 * N + j - 1 + (i != 0) * M : -1;
}

/* Number of an inner column among those. */
DEVICE int inner_of(const int n)
{
  return DIM == 3 ? (n / N - 1) * M + n % N - 1 : n - 1;
}

/* One line, one lane: to = D from. */
DEVICE void differentiate(LOCAL const real *from, LOCAL real *to, const int step)
{
  real c[N];
  UNROLL
  for (int m = 0; m < N; m++) c[m] = from[m * step];
  UNROLL
  for (int j = 0; j < N; j++) {
    real sum = GLL_D[j * N] * c[0];
    UNROLL
    for (int m = 1; m < N; m++) sum += GLL_D[j * N + m] * c[m];
    to[j * step] = sum;
  }
}

/* One line, one lane: to += D^T from. */
DEVICE void add_transposed(LOCAL const real *from, LOCAL real *to, const int step)
{
  real c[N];
  UNROLL
  for (int m = 0; m < N; m++) c[m] = from[m * step];
  UNROLL
  for (int j = 0; j < N; j++) {
    real sum = to[j * step];
    UNROLL
    for (int m = 0; m < N; m++) sum += GLL_D[m * N + j] * c[m];
    to[j * step] = sum;
  }
}

/* One column, one lane, one component: t = a + D^T d. */
DEVICE void sum_column(LOCAL const real *a, LOCAL const real *d, PRIVATE real *t)
{
  real s[N];
  UNROLL
  for (int m = 0; m < N; m++) s[m] = d[m * LAYER * NODE];
  UNROLL
  for (int k = 0; k < N; k++) {
    real sum = a[k * LAYER * NODE];
    UNROLL
    for (int m = 0; m < N; m++) sum += GLL_D[m * N + k] * s[m];
    t[k * LANES] = sum;
  }
}

/* One row, one lane, one component: r = D a; a = D^T r. */
DEVICE void row_slopes(LOCAL const real *a, PRIVATE real *r)
{
  real c[N];
  UNROLL
  for (int m = 0; m < N; m++) c[m] = a[m * NODE];
  UNROLL
  for (int i = 0; i < N; i++) {
    real sum = GLL_D[i * N] * c[0];
    UNROLL
    for (int m = 1; m < N; m++) sum += GLL_D[i * N + m] * c[m];
    r[i * COMPONENTS * LANES] = sum;
  }
}
DEVICE void row_forces(PRIVATE const real *r, LOCAL real *a)
{
  real c[N];
  UNROLL
  for (int m = 0; m < N; m++) c[m] = r[m * COMPONENTS * LANES];
  UNROLL
  for (int i = 0; i < N; i++) {
    real sum = GLL_D[i] * c[0];
    UNROLL
    for (int m = 1; m < N; m++) sum += GLL_D[m * N + i] * c[m];
    a[i * NODE] = sum;
  }
}

/* u of a column inside an element, whose first node lies at from, to a. */
DEVICE void load_inside(GLOBAL const real *from, const int state, LOCAL real *a)
{
  for (int k = 0; k < M; k++)
    FOR_LANES(l) UNROLL
  for (int c = 0; c < COMPONENTS; c++)
    a[k * LAYER * NODE + c * C_ALL + l] = from[(k * INNER_COLUMNS * LANES + l) * state + c];
}

/* u of the group's elements to a, its derivative along the last direction to d. By columns where an item keeps them, else node by node as they
 * are stored. */
DEVICE void load_elements(GLOBAL const real *u, const int state, GLOBAL const int *surface,
                          const int first_inside, const int first_batch, LOCAL real *a,
                          LOCAL real *d)
{
#if ITEM_COLUMNS
  FOR_EACH(q, ELEMS * COLUMNS, ELEMS * COLUMNS)
  {
    const int n = q % COLUMNS, e = q / COLUMNS, at = column_at(e, n), ring = ring_of(n);
    GLOBAL const int *s = surface + (long)(first_batch + e) * SURFACE;
    int o[N], inner = first_inside + (first_batch + e) * (M * INNER_COLUMNS) + inner_of(n);
    o[0] = NODE_OF(s[n]), o[N - 1] = NODE_OF(s[COLUMNS + n]);
    UNROLL
    for (int k = 0; k < M; k++)
      o[k + 1] = ring >= 0 ? NODE_OF(s[2 * COLUMNS + k * RING + ring]) : inner + k * INNER_COLUMNS;
    UNROLL
    for (int c = 0; c < COMPONENTS; c++) {
      real t[N];
      UNROLL
      for (int k = 0; k < N; k++)
        a[(at + k * LAYER) * NODE + c * C_ALL] = t[k] = u[o[k] * state + c];
      UNROLL
      for (int k = 0; k < N; k++) {
        real sum = GLL_D[k * N] * t[0];
        UNROLL
        for (int m = 1; m < N; m++) sum += GLL_D[k * N + m] * t[m];
        d[(at + k * LAYER) * NODE + c * C_ALL] = sum;
      }
    }
  }
#else
  for (int face = 0; face < 2; face++) FOR_EACH(q, ELEMS * COLUMNS, ELEMS * COLUMNS)
    {
      const int n = q % COLUMNS, e = q / COLUMNS;
      const int to = (column_at(e, n) + face * (N - 1) * LAYER) * NODE;
      GLOBAL const int *s =
          surface + ((long)(first_batch + e) * SURFACE + face * COLUMNS + n) * LANES;
      FOR_LANES(l) UNROLL
      for (int c = 0; c < COMPONENTS; c++) a[to + c * C_ALL + l] = u[NODE_OF(s[l]) * state + c];
    }
  FOR_EACH(q, ELEMS * COLUMNS, ELEMS * COLUMNS)
  {
    const int n = q % COLUMNS, e = q / COLUMNS, ring = ring_of(n), batch = first_batch + e;
    const int to = column_at(e, n) * NODE;
    if (ring >= 0) {
      GLOBAL const int *s = surface + ((long)batch * SURFACE + 2 * COLUMNS + ring) * LANES;
      for (int k = 0; k < M; k++)
        FOR_LANES(l) UNROLL
      for (int c = 0; c < COMPONENTS; c++)
        a[to + (k + 1) * LAYER * NODE + c * C_ALL + l] =
            u[NODE_OF(s[k * RING * LANES + l]) * state + c];
    } else {
      GLOBAL const real *from =
          u + (first_inside + (batch * (M * INNER_COLUMNS) + inner_of(n)) * LANES) * state;
      if (state == COMPONENTS)
        load_inside(from, COMPONENTS, a + to + LAYER * NODE);
      else
        load_inside(from, state, a + to + LAYER * NODE);
    }
  }
  BARRIER();
  FOR_EACH(q, COMPONENTS * ELEMS * COLUMNS, COMPONENTS * ELEMS * COLUMNS)
  {
    const int at =
        q / (ELEMS * COLUMNS) * C_ALL + column_at(q / COLUMNS % ELEMS, q % COLUMNS) * NODE;
    FOR_LANES(l) differentiate(a + at + l, d + at + l, LAYER * NODE);
  }
#endif
}

/* The row-th row of the elements in `a`, whose plane begins at `part` in b. */
DEVICE void treat_row(GLOBAL const real *data, GLOBAL real *memory, const int kind, const int n,
                      LOCAL real *a, LOCAL real *b, LOCAL real *d)
{
  LANE_LINE(real, r, COMPONENTS * N);
  const int j = n % N, k = DIM == 3 ? n / N : 0;
  const real h = REAL(0.5),
             weight = DIM == 3 ? GLL_W[FIRST + j] * GLL_W[FIRST + k] : GLL_W[FIRST + j];
  UNROLL_PRIVATE
  for (int c = 0; c < COMPONENTS; c++)
    FOR_LANES(l) row_slopes(a + c * C_ALL + l, r + c * LANES + l);
  treat_points(data, memory, n, h + h * GLL_X[FIRST + j], h + h * GLL_X[FIRST + k], weight, r, b, d,
               ORDER, kind);
  UNROLL_PRIVATE
  for (int c = 0; c < COMPONENTS; c++)
    FOR_LANES(l) row_forces(r + c * LANES + l, a + c * C_ALL + l);
}

/* All but the last direction: -f = a + D^T d along columns. */
DEVICE_CALL void element_forces(GLOBAL const real *u, const int state, GLOBAL const int *surface,
                                const int first_inside, const int first_batch,
                                GLOBAL const real *data, const int kind, GLOBAL real *memory,
                                LOCAL real *a, LOCAL real *b, LOCAL real *d)
{
  const int lines = LINES(kind) * LANES;
  load_elements(u, STRIDE(state), surface, first_inside, first_batch, a, d);
#if DIM == 3
#if ITEM_COLUMNS
  BARRIER();
#endif
  for (int k0 = 0; k0 < N; k0 += PLANES) {
    FOR_EACH(q, COMPONENTS * PLANES * ELEMS * N,
             COMPONENTS * PLANES * ELEMS * N) /* lines along s */
    {
      const int c = q / (PLANES * ELEMS * N);
      const int to = c * C_SOME + (q / N % (PLANES * ELEMS) * PLANE + q % N) * NODE;
      const int from = to + c * (C_ALL - C_SOME) + k0 * LAYER * NODE;
      FOR_LANES(l) differentiate(a + from + l, b + to + l, ROW * NODE);
    }
    BARRIER();
    FOR_EACH(q, PLANES * ELEMS * N, PLANES * ELEMS * N)
    {
      const int k = q / (N * ELEMS), j = q % N, e = q / N % ELEMS;
      const int part = (q / N * PLANE + j * ROW) * NODE, at = part + k0 * LAYER * NODE;
      treat_row(data + (long)e * lines, MEMORY_OF(k0 * ELEMS * N + q), kind, (k0 + k) * N + j,
                a + at, b + part, d + at);
    }
    BARRIER();
    FOR_EACH(q, COMPONENTS * PLANES * ELEMS * N, COMPONENTS * PLANES * ELEMS * N)
    {
      const int c = q / (PLANES * ELEMS * N);
      const int from = c * C_SOME + (q / N % (PLANES * ELEMS) * PLANE + q % N) * NODE;
      const int to = from + c * (C_ALL - C_SOME) + k0 * LAYER * NODE;
      FOR_LANES(l) add_transposed(b + from + l, a + to + l, ROW * NODE);
    }
    BARRIER();
  }
#else
  BARRIER();
  FOR_EACH(q, ELEMS * N, ELEMS * N)
  {
    const int e = q / N, at = row_at(e, q % N) * NODE;
    treat_row(data + (long)e * lines, MEMORY_OF(q), kind, q % N, a + at, b, d + at);
  }
  BARRIER();
#endif
}

/* Minus node k of t[COMPONENTS][N], to its slot: `place` of all elements' surfaces. */
DEVICE void store_force(GLOBAL real *slot, const int state, const long place, PRIVATE const real *t,
                        const int k)
{
  slot += place * (state * LANES);
  UNROLL
  for (int c = 0; c < COMPONENTS; c++)
    FOR_LANES(l) AT(slot, c) = -AT(t, c * N + k);
}

/* The same to the one slot of the node, to whose force it was added before. */
DEVICE void store_sum(GLOBAL real *slot, const int state, GLOBAL const int *surface,
                      const long place, PRIVATE const real *t, const int k)
{
  FOR_LANES(l) {
    const int node = NODE_OF(AT(surface, place));
    GLOBAL real *own = slot + ((long)(node / LANES) * (state * LANES) + node % LANES);
    UNROLL
    for (int c = 0; c < COMPONENTS; c++) own[c * LANES] = -AT(t, c * N + k);
  }
}
DEVICE void add_earlier(GLOBAL const real *slot, const int state, GLOBAL const int *surface,
                        const long place, PRIVATE real *t, const int k)
{
  FOR_LANES(l) {
    const int node = AT(surface, place);
    if (node < 0) continue;
    GLOBAL const real *own = slot + ((long)(node / LANES) * (state * LANES) + node % LANES);
    UNROLL
    for (int c = 0; c < COMPONENTS; c++) AT(t, c * N + k) -= own[c * LANES];
  }
}

/* Forces of a column, -t = -(a + D^T d), to the slots of its surface nodes: ends from `place` of the surfaces on, its other nodes from `side` on;
 * -1: they are inside. */
DEVICE_CALL void scatter_column(GLOBAL real *slot, const int state, GLOBAL const int *surface,
                                const long place, const long side, LOCAL const real *a,
                                LOCAL const real *d, PRIVATE real *t, const int coloured)
{
  (void)surface, (void)coloured;
  UNROLL_PRIVATE
  for (int c = 0; c < COMPONENTS; c++)
    FOR_LANES(l) sum_column(a + c * C_ALL + l, d + c * C_ALL + l, t + c * N * LANES + l);
  if (COLOURS) { /* all loads ahead of the first store */
    UNROLL_PRIVATE
    for (int k = 0; k < N; k++)
      if (k % ORDER == 0 || side >= 0) add_earlier(slot, STRIDE(state), surface, PLACE_OF(k), t, k);
  }
  UNROLL_PRIVATE
  for (int k = 0; k < N; k++) {
    if (k % ORDER && side < 0) continue;
    if (COLOURS)
      store_sum(slot, STRIDE(state), surface, PLACE_OF(k), t, k);
    else
      store_force(slot, STRIDE(state), PLACE_OF(k), t, k);
  }
}
#endif

#ifndef KERNELS_MADE
KERNEL spectral_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT group,
                     GLOBAL const int *RESTRICT surface, GLOBAL const real *RESTRICT data,
                     GLOBAL real *RESTRICT slot, const int first_inside, const int shot,
                     const int coloured, GLOBAL real *RESTRICT memory)
{
  LOCAL_BEGIN
  STATE_BEGIN
  LOCAL_ARRAY(real, x, COMPONENTS * ALL);
  LOCAL_ARRAY(real, y, COMPONENTS * ALL);
  LOCAL_ARRAY(real, z, COMPONENTS * SOME);
  const int kind = group[2 * GROUP_ID];
  GLOBAL const real *own = data + (long)group[2 * GROUP_ID + 1] * LANES;
  STATE_GRID_WAIT;
#if COLOURS /* what the colour before has stored */
  RELOAD(slot);
#endif

#if FETCHES
  const int next = GROUP_AHEAD;
  if (next >= 0) {
    FETCH_BEGIN
    FETCH(surface + (long)next * (ELEMS * SURFACE), ELEMS * SURFACE);
    FETCH(data + group[2 * next + 1], LINES(group[2 * next]) * ELEMS);
    FETCH_STATE(first_inside + next * (ELEMS * M * INNER_COLUMNS), ELEMS * M * INNER_COLUMNS,
                STATE);
    if (law_states(group[2 * next] / 3) && memory) FETCH(memory + MEMORY_AT(next), MEMORY_RUN);
  }
#endif
  element_forces(u, STATE, surface, first_inside, GROUP_ID * ELEMS, own, kind,
                 law_most_states() && memory ? memory + MEMORY_AT(GROUP_ID) : 0, x, z, y);

  EARLY(real, now, ELEMS * COLUMNS, M * COMPONENTS + 1);
  EARLY(real, last, ELEMS * COLUMNS, M * COMPONENTS + 1);
  EARLY(real, factor, ELEMS * COLUMNS, M + 1);
  EARLY(real, damping, ELEMS * COLUMNS, M + 1);
  FOR_EACH(q, ELEMS * COLUMNS, ELEMS * COLUMNS)
  {
    const int n = q % COLUMNS, e = q / COLUMNS, batch = GROUP_ID * ELEMS + e, ring = ring_of(n);
    const int at = column_at(e, n) * NODE;
    const int first =
        first_inside + (batch * (M * INNER_COLUMNS) + (ring < 0 ? inner_of(n) : 0)) * LANES;
    const long place = (long)batch * SURFACE + n;
    LANE_LINE(real, t, COMPONENTS * N);
    if (ring < 0) { /* loads ahead of the first store, which might be to the same place */
      UNROLL
      for (int k = 0; k < M; k++) {
        UNROLL
        for (int c = 0; c < COMPONENTS; c++) {
          EARLY_LOAD(now, M * COMPONENTS + 1, k * COMPONENTS + c,
                     u[(first + k * INNER_COLUMNS) * STATE + c]);
          EARLY_LOAD(last, M * COMPONENTS + 1, k * COMPONENTS + c,
                     LAST((first + k * INNER_COLUMNS) * STATE + c));
        }
        EARLY_LOAD(factor, M + 1, k, FACTOR(first + k * INNER_COLUMNS));
        EARLY_LOAD(damping, M + 1, k, DAMPING(first + k * INNER_COLUMNS));
      }
    }
    scatter_column(slot, STATE, surface, place, ring < 0 ? ring : place - n + 2 * COLUMNS + ring,
                   x + at, y + at, t, coloured);
    if (ring < 0) {
      UNROLL_PRIVATE
      for (int k = 0; k < M; k++)
        FOR_LANES(l) {
          const int i = first + k * INNER_COLUMNS * LANES + l;
          UNROLL
          for (int c = 0; c < COMPONENTS; c++)
            finish(out, v, i * STATE + c,
                   EARLY_GET(now, M * COMPONENTS + 1, k * COMPONENTS + c, u[i * STATE + c]),
                   -AT(t, c * N + k + 1),
                   EARLY_GET(last, M * COMPONENTS + 1, k * COMPONENTS + c, LAST(i * STATE + c)),
                   EARLY_GET(factor, M + 1, k, FACTOR(i)), EARLY_GET(damping, M + 1, k, DAMPING(i)),
                   LOSS);
        }
    }
  }
  LOSS_END
}
#endif
