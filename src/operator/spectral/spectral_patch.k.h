/* Steps of spectral elements by patches in 2D (S.4), for isotropic solids with affine or straight elements of order ORDER, N = ORDER + 1 nodes a side.
 * A patch is ELEMS elements. Forces on the nodes of its surfaces go to places in local memory, which lists sum in a fixed order: nodes of the patch
 * alone end here in the epilogue; of nodes of several patches (rims) the partial sums go to `part`, and operator/spectral/slots.k.h adds them. A group
 * takes patches GROUP_ID, GROUP_ID + groups, ... While it computes one, the copy engine brings the next into the places that are free
 * (REFILL): u, lists and shapes once u is in registers, and what the epilogue reads once the sums are made. No sum depends on what runs when: reproducible.
 * ROWS 0: a thread per element, all in registers. 1: a thread per row of nodes, elements within lockstep; columns meet in local memory.
 *   head   [patches][HEAD]      constants below, then per run of rims: first node | place in `outer` << 16 and count; runs come in multiples of 4 nodes
 *   list   per patch [PLACES]   pairs of 16-bit places in `outer` of surface nodes. ROWS 0: [SURFACE / 2][ELEMS], in order of the nodes but for inner ones;
 *                               1: [ELEMS][M] left and right of inner rows, then [ELEMS][2][PAIRS] of the first and last row
 *          per patch, at head's SUMS, what sums add, as 16-bit places in `slot`: two for each own node, then rim node, of at most two
 *                               elements, padded to a multiple of 4 pairs; then eight for each of the others. Padding: the place that stays zero
 *   data   [patches][LINES][ELEMS]  GEOMETRY 0: J^-1 sqrt |J| (row: direction of reference), lambda, mu; 1: lambda, mu, then the vertices
 *                               i + 2 j less the first, but for that
 *   part   [places][DIM]        partial forces on rims, patch by patch
 * Inner nodes are numbered from first_inside on, [patches][ELEMS][M][M]. Needs PARTS. OUTER, OWN, SUMS, RUNS: most of a patch. */
enum {
  OWN_FIRST,
  OWN_COUNT,
  OWN_TWO,
  OWN_MORE,
  RIM_TWO,
  RIM_MORE,
  PART_FIRST,
  SUMS_FIRST,
  SUMS_COUNT,
  RUN_COUNT,
  RIM_COUNT,
  HEAD_INTS = 12
};
#define HEAD (HEAD_INTS + 2 * RUNS)
#define N (ORDER + 1)
#define M (ORDER - 1)
#define INNER (M * M)
#define SURFACE (4 * ORDER)
#define LINES (GEOMETRY ? 8 : 6)
#define LAMBDA (GEOMETRY ? 0 : 4)
#define FIRST GLL_FIRST(ORDER)
#if ROWS
#define LOCKED (32 / N) /* elements in lockstep */
#define PAIRS ((N + 1) / 2)
#define PLACES (ELEMS * (M + 2 * PAIRS))
#define ROW (N | 1) /* of 32 banks: rows do not meet */
#define ELEMENT (N == 5 ? 26 : N * ROW)
#define SLOTS (ELEMS * ELEMENT)
#else
#define PLACES (ELEMS * SURFACE / 2)
#define SLOTS (ELEMS * SURFACE)
#endif
/* The share of a thread. ACTS: it has one; ELEMENT_OF, ROW_OF: its element and row; OWN_SLOT: where its forces begin in `slot`; UNKNOWNS: how many it
 * keeps; HAS_INNER, INNER_NODES, INNER_PLACE, INNER_NODE: its nodes inside the element. */
#if ROWS
#define ACTS (THREAD % 32 / N < LOCKED)
#define ELEMENT_OF (THREAD / 32 * LOCKED + THREAD % 32 / N)
#define ROW_OF (THREAD % 32 % N)
#define OWN_SLOT (e * ELEMENT)
#define UNKNOWNS (2 * N)
#define HAS_INNER (row > 0 && row < ORDER)
#define INNER_NODES M
#define INNER_PLACE(n) (e * INNER + (row - 1) * M + (n))
#define INNER_NODE(n) ((n) + 1)
#else
#define ACTS (THREAD < ELEMS)
#define ELEMENT_OF THREAD
#define ROW_OF 0
#define OWN_SLOT e
#define UNKNOWNS (2 * N * N)
#define HAS_INNER 1
#define INNER_NODES INNER
#define INNER_PLACE(n) (e * INNER + (n))
#define INNER_NODE(n) (((n) / M + 1) * N + (n) % M + 1)
#endif
#define IS_INNER(i, j) ((i) > 0 && (j) > 0 && (i) < ORDER && (j) < ORDER)

/* sum += D[i][m] x, whose diagonal is zero but for its ends. */
#define ADD_SLOPE(sum, i, m, x)                                                                    \
  if ((i) != (m) || (i) % ORDER == 0) sum += GLL_D[(i)*N + (m)] * (x)

DEVICE int half_of(LOCAL const int *pairs, const int stride, const int k)
{
  const int pair = pairs[k / 2 * stride];
  return k % 2 ? pair >> 16 & 0xffff : pair & 0xffff;
}

/* Of an element at height h = (1 + y) / 2: direction[2 .. 3] = dx/dr; axis: dx/ds and its growth along the row; or J^-1 sqrt |J|. */
DEVICE void row_axes(PRIVATE const real *shape, const real h, PRIVATE real *axis)
{
#if GEOMETRY
  UNROLL
  for (int c = 0; c < 2; c++) {
    const real middle = REAL(0.5), x1 = shape[2 + c], x2 = shape[4 + c], x3 = shape[6 + c];
    axis[c] = middle * (x1 + h * (x3 - x2 - x1));
    axis[2 + c] = middle * x2, axis[4 + c] = middle * (x3 - x1 - x2);
  }
#else
  (void)h;
  UNROLL
  for (int c = 0; c < 4; c++) axis[c] = shape[c];
#endif
}

/* Slopes r, s [2] of a point, h along its row, become fluxes; lambda, mu: times the weight. */
DEVICE void flux_at(PRIVATE const real *axis, const real h, const real lambda, const real mu,
                    PRIVATE real *r, PRIVATE real *s)
{
#if GEOMETRY /* rows of cofactors */
  const real sx = axis[2] + h * axis[4], sy = axis[3] + h * axis[5];
  const real a0 = sy, a1 = -sx, b0 = -axis[1], b1 = axis[0];
  const real factor = RECIPROCAL(a0 * b1 - a1 * b0);
#else
  const real a0 = axis[0], a1 = axis[1], b0 = axis[2], b1 = axis[3], factor = 1;
  (void)h;
#endif
  const real xx = r[0] * a0 + s[0] * b0, yy = r[1] * a1 + s[1] * b1;
  const real xy = r[0] * a1 + s[0] * b1 + (r[1] * a0 + s[1] * b0);
  const real m = factor * mu, trace = factor * lambda * (xx + yy);
  const real f0 = trace + 2 * m * xx, f1 = trace + 2 * m * yy, f2 = m * xy;
  r[0] = f0 * a0 + f2 * a1, r[1] = f2 * a0 + f1 * a1;
  s[0] = f0 * b0 + f2 * b1, s[1] = f2 * b0 + f1 * b1;
}

/* f = K u of an element, u, f [N][N][2]. */
DEVICE void element_product(PRIVATE const real *u, PRIVATE const real *shape, PRIVATE real *f)
{
  const real lambda = shape[LAMBDA], mu = shape[LAMBDA + 1];
  UNROLL
  for (int k = 0; k < 2 * N * N; k++) f[k] = 0;
  UNROLL
  for (int j = 0; j < N; j++) {
    real axis[6], across[2 * N];
    row_axes(shape, REAL(0.5) + REAL(0.5) * GLL_X[FIRST + j], axis);
    UNROLL
    for (int i = 0; i < N; i++) {
      const real weight = GLL_W[FIRST + i] * GLL_W[FIRST + j];
      real r[2] = {0, 0}, s[2] = {0, 0};
      UNROLL
      for (int m = 0; m < N; m++) UNROLL
      for (int c = 0; c < 2; c++) {
        ADD_SLOPE(r[c], i, m, u[(j * N + m) * 2 + c]);
        ADD_SLOPE(s[c], j, m, u[(m * N + i) * 2 + c]);
      }
      flux_at(axis, REAL(0.5) + REAL(0.5) * GLL_X[FIRST + i], weight * lambda, weight * mu, r, s);
      UNROLL
      for (int c = 0; c < 2; c++) {
        across[i * 2 + c] = r[c];
        UNROLL
        for (int m = 0; m < N; m++) ADD_SLOPE(f[(m * N + i) * 2 + c], j, m, s[c]);
      }
    }
    UNROLL
    for (int i = 0; i < N; i++) UNROLL
    for (int m = 0; m < N; m++) UNROLL
    for (int c = 0; c < 2; c++) ADD_SLOPE(f[(j * N + m) * 2 + c], i, m, across[i * 2 + c]);
  }
}

/* u of the thread's nodes, x [UNKNOWNS]: of element e, its row `row`. */
DEVICE void load_own(LOCAL const real *inner, LOCAL const real *outer, LOCAL const int *places,
                     const int e, const int row, PRIVATE real *x)
{
#if ROWS
  const int between = row > 0 && row < ORDER;
  LOCAL const int *end = places + e * M + row - 1,
                  *all = places + ELEMS * M + (e * 2 + (row > 0)) * PAIRS;
  UNROLL
  for (int i = 0; i < N; i++) {
    int at = between ? e * INNER + (row - 1) * M + i - 1 : 0;
    if (between && i > 0 && i < ORDER) {
      COMPACT_LOAD(inner, &at, x + 2 * i);
    } else {
      at = between ? half_of(end, 1, i > 0) : half_of(all, 1, i);
      COMPACT_LOAD(outer, &at, x + 2 * i);
    }
  }
#else
  (void)row;
  UNROLL
  for (int k = 0, n = 0; k < N * N; k++) {
    int at = e * INNER + (k / N - 1) * M + k % N - 1;
    if (IS_INNER(k % N, k / N)) {
      COMPACT_LOAD(inner, &at, x + 2 * k);
    } else {
      at = half_of(places + e, ELEMS, n);
      n++;
      COMPACT_LOAD(outer, &at, x + 2 * k);
    }
  }
#endif
}

#if ROWS
/* Column `column` of an element's place in `slot`: D or D^T (back) of it, in place. */
DEVICE void differentiate_column(LOCAL real *own, const int column, const int back)
{
  real s[2 * N];
  UNROLL
  for (int m = 0; m < N; m++) {
    const int at = m * ROW + column;
    COMPACT_LOAD(own, &at, s + 2 * m);
  }
  UNROLL
  for (int k = 0; k < N; k++) {
    real sum[2] = {0, 0};
    UNROLL
    for (int m = 0; m < N; m++) UNROLL
    for (int c = 0; c < 2; c++)
      if (back) {
        ADD_SLOPE(sum[c], m, k, s[2 * m + c]);
      } else {
        ADD_SLOPE(sum[c], k, m, s[2 * m + c]);
      }
    COMPACT_STORE(own, k * ROW + column, sum);
  }
}

/* f = K u of a row, whose u also lies at its place in `slot`, own; its nodes on the surface are left there. All threads call it. */
DEVICE void product_of(PRIVATE const real *x, PRIVATE const real *shape, LOCAL real *own,
                       const int acts, const int row, PRIVATE real *f)
{
  const real lambda = shape[LAMBDA], mu = shape[LAMBDA + 1];
  const int between = row > 0 && row < ORDER;
  real across[2 * N], axis[6];
  row_axes(shape, REAL(0.5) + REAL(0.5) * GLL_X[FIRST + row], axis);
  if (acts) differentiate_column(own, row, 0);
  BARRIER_LOCKSTEP();
  UNROLL
  for (int i = 0; i < N; i++) {
    const int at = row * ROW + i;
    const real weight = GLL_W[FIRST + i] * GLL_W[FIRST + row];
    real s[2];
    PRIVATE real *r = across + 2 * i;
    COMPACT_LOAD(own, &at, s);
    r[0] = r[1] = 0;
    UNROLL
    for (int m = 0; m < N; m++) UNROLL
    for (int c = 0; c < 2; c++) ADD_SLOPE(r[c], i, m, x[2 * m + c]);
    flux_at(axis, REAL(0.5) + REAL(0.5) * GLL_X[FIRST + i], weight * lambda, weight * mu, r, s);
    if (acts) COMPACT_STORE(own, at, s);
  }
  BARRIER_LOCKSTEP();
  if (acts) differentiate_column(own, row, 1);
  BARRIER_LOCKSTEP();
  UNROLL
  for (int i = 0; i < N; i++) {
    const int at = row * ROW + i;
    COMPACT_LOAD(own, &at, f + 2 * i);
    UNROLL
    for (int m = 0; m < N; m++) UNROLL
    for (int c = 0; c < 2; c++) ADD_SLOPE(f[2 * i + c], m, i, across[2 * m + c]);
    if (acts && (!between || i % ORDER == 0)) COMPACT_STORE(own, at, f + 2 * i);
  }
}
#else
/* f = K u of an element; its nodes on the surface go to `own`, ELEMS apart. */
DEVICE void product_of(PRIVATE const real *x, PRIVATE const real *shape, LOCAL real *own,
                       const int acts, const int row, PRIVATE real *f)
{
  (void)row;
  element_product(x, shape, f);
  UNROLL
  for (int k = 0, n = 0; k < N * N; k++)
    if (!IS_INNER(k % N, k / N)) {
      if (acts) COMPACT_STORE(own, n * ELEMS, f + 2 * k);
      n++;
    }
}
#endif

#define HEAD_OF(turn) (heads + (turn) % 3 * HEAD)
#define REALS_OF(count) ((count) * (int)sizeof(real))

/* What patch q, whose head is h, computes with: constants, with the head of the patch after it, then the state. */
#define REFILL_SHAPES(h, q, turn)                                                                  \
  REFILL_EXPECT(0,                                                                                 \
                REALS_OF((ELEMS * INNER + (h)[OWN_COUNT] + (h)[RIM_COUNT]) * 2 + LINES * ELEMS) +  \
                    (PLACES + HEAD) * 4);                                                          \
  REFILL(0, 2, places, list + (q)*PLACES, PLACES);                                                 \
  REFILL(0, 3, shapes, data + (long)(q)*LINES * ELEMS, LINES * ELEMS);                             \
  REFILL(0, 4, HEAD_OF((turn) + 1), head + ((q) + groups < patches ? (q) + groups : 0) * HEAD, HEAD)
#define REFILL_NODES(h, q)                                                                         \
  REFILL(0, 0, inner, u + (first_inside + (q)*ELEMS * INNER) * 2, ELEMS * INNER * 2);              \
  REFILL(0, 1, outer, u + (h)[OWN_FIRST] * 2, (h)[OWN_COUNT] * 2);                                 \
  REFILL_EACH(k, (h)[RUN_COUNT])                                                                   \
  {                                                                                                \
    const int from_ = (h)[HEAD_INTS + 2 * k], to_ = (h)[HEAD_INTS + 2 * k + 1];                    \
    REFILL_OWN(0, outer + (to_ >> 16 & 0xffff) * 2, u + from_ * 2, (to_ & 0xffff) * 2);            \
  }

/* What its epilogue reads. */
#if FORM == 1
#define LAST_STATE out
#else
#define LAST_STATE v
#endif
#if FORM
#define REFILL_FACTORS(h, q)                                                                       \
  REFILL_EXPECT(1, REALS_OF(ELEMS *INNER * 3 + (h)[OWN_COUNT] * 5) + (h)[SUMS_COUNT] * 4);         \
  REFILL(1, 1, factor_inner, b + first_inside + (q)*ELEMS * INNER, ELEMS * INNER);                 \
  REFILL(1, 4, factor_own, b + (h)[OWN_FIRST], (h)[OWN_COUNT]);                                    \
  REFILL(1, 5, sums, list + (h)[SUMS_FIRST], (h)[SUMS_COUNT])
#define REFILL_LAST(h, q)                                                                          \
  REFILL(1, 0, last_inner, LAST_STATE + (first_inside + (q)*ELEMS * INNER) * 2,                    \
         ELEMS * INNER * 2);                                                                       \
  REFILL(1, 2, last_own, LAST_STATE + (h)[OWN_FIRST] * 2, (h)[OWN_COUNT] * 2);                     \
  REFILL(1, 3, now_own, u + (h)[OWN_FIRST] * 2, (h)[OWN_COUNT] * 2)
#else
#define REFILL_FACTORS(h, q)                                                                       \
  REFILL_EXPECT(1, (h)[SUMS_COUNT] * 4);                                                           \
  REFILL(1, 0, sums, list + (h)[SUMS_FIRST], (h)[SUMS_COUNT])
#define REFILL_LAST(h, q)
#endif

#if FORM
#define EPILOGUE_READ                                                                              \
  LOCAL_ARRAY(real, last_inner, ELEMS *INNER * 2);                                                 \
  LOCAL_ARRAY(real, factor_inner, ELEMS *INNER);                                                   \
  LOCAL_ARRAY(real, last_own, OWN * 2);                                                            \
  LOCAL_ARRAY(real, now_own, OWN * 2);                                                             \
  LOCAL_ARRAY(real, factor_own, OWN);
#else
#define EPILOGUE_READ
#endif
#if FORM == 1 /* the next positions stand where the last ones did */
#define EPILOGUE_ARRAYS EPILOGUE_READ
#define next_inner last_inner
#else
#define EPILOGUE_ARRAYS EPILOGUE_READ LOCAL_ARRAY(real, next_inner, ELEMS *INNER * 2);
#endif
#if FORM == 2
#define DRAIN_INCREMENTS DRAIN(v + first * 2, last_inner, ELEMS * INNER * 2);
#else
#define DRAIN_INCREMENTS
#endif

/* The node of u in registers, place k among the inner ones and number i, whose K u is g: its step, to where DRAIN takes it from. */
#if FORM
#define END_INNER(k, i, now, g)                                                                    \
  FOR_LANES(l) UNROLL                                                                              \
  for (int c = 0; c < 2; c++) {                                                                    \
    const real after_ = next_increment((now)[c], -(g)[c], last_inner[(k)*2 + c], factor_inner[k],  \
                                       DAMPING(i), LOSS);                                          \
    if (FORM == 2) last_inner[(k)*2 + c] = after_;                                                 \
    next_inner[(k)*2 + c] = (now)[c] + after_;                                                     \
  }
#else
#define END_INNER(k, i, now, g)                                                                    \
  UNROLL                                                                                           \
  for (int c = 0; c < 2; c++) next_inner[(k)*2 + c] = (g)[c];
#endif

/* A node whose K u is g: the k-th of the patch alone, or the one at `place` of part. */
#if FORM
#define END_OWN(k, g)                                                                              \
  {                                                                                                \
    const int i_ = h[OWN_FIRST] + (k);                                                             \
    real after_[2], next_[2];                                                                      \
    FOR_LANES(l) UNROLL                                                                            \
    for (int c = 0; c < 2; c++) {                                                                  \
      after_[c] = next_increment(now_own[(k)*2 + c], -(g)[c], last_own[(k)*2 + c], factor_own[k],  \
                                 DAMPING(i_), LOSS);                                               \
      next_[c] = now_own[(k)*2 + c] + after_[c];                                                   \
    }                                                                                              \
    if (FORM == 2) COMPACT_STORE(v, i_, after_);                                                   \
    COMPACT_STORE(out, i_, next_);                                                                 \
  }
#else
#define END_OWN(k, g) COMPACT_STORE(out, h[OWN_FIRST] + (k), g);
#endif
#define END_NODE(k, own, rim, place, g)                                                            \
  if ((k) < (own)) {                                                                               \
    END_OWN(rim, g)                                                                                \
  } else {                                                                                         \
    real minus_[2] = {-(g)[0], -(g)[1]};                                                           \
    COMPACT_STORE(part, place, minus_);                                                            \
  }

/* Sum of two places, of eight. */
DEVICE void sum_two(LOCAL const real *slot, LOCAL const int *pair, PRIVATE real *g)
{
  const int one = half_of(pair, 1, 0), another = half_of(pair, 1, 1);
  real other[2];
  COMPACT_LOAD(slot, &one, g);
  COMPACT_LOAD(slot, &another, other);
  g[0] += other[0], g[1] += other[1];
}
DEVICE void sum_eight(LOCAL const real *slot, LOCAL const int *pairs, PRIVATE real *g)
{
  g[0] = g[1] = 0;
  UNROLL
  for (int m = 0; m < 8; m++) {
    const int one = half_of(pairs, 1, m);
    real other[2];
    COMPACT_LOAD(slot, &one, other);
    g[0] += other[0], g[1] += other[1];
  }
}

KERNEL spectral_patch_step(GROUP_PARAM STATE_PARAMS, GLOBAL const int *RESTRICT head,
                           GLOBAL const int *RESTRICT list, GLOBAL const real *RESTRICT data,
                           GLOBAL real *RESTRICT part, const int first_inside, const int shot,
                           const int patches, const int groups)
{
  LOCAL_BEGIN
  STATE_BEGIN
  LOCAL_ARRAY(real, inner, ELEMS * INNER * 2);
  LOCAL_ARRAY(real, outer, OUTER * 2);
  LOCAL_ARRAY(int, places, PLACES);
  LOCAL_ARRAY(real, shapes, LINES * ELEMS);
  LOCAL_ARRAY(int, heads, 3 * HEAD);
  LOCAL_ARRAY(int, sums, SUMS);
  LOCAL_ARRAY(real, slot, (SLOTS + 1) * 2);
  EPILOGUE_ARRAYS
  REFILL_BEGIN(2);
  FOR_ITEMS(k, HEAD) heads[k] = head[GROUP_ID * HEAD + k];
  FOR_ITEMS(k, 2) slot[SLOTS * 2 + k] = 0;
  BARRIER();
  const int acts = ACTS, e = acts ? ELEMENT_OF : 0, row = ROW_OF;
  LOCAL real *own = slot + OWN_SLOT * 2;
  int turn = 0;
  REFILL_SHAPES(heads, GROUP_ID, 0);
  REFILL_FACTORS(heads, GROUP_ID);
  STATE_GRID_WAIT;
  REFILL_FRESH();
  REFILL_NODES(heads, GROUP_ID)
  REFILL_LAST(heads, GROUP_ID);
  for (int q = GROUP_ID; q < patches; q += groups, turn++) {
    const int next = q + groups, first = first_inside + q * (ELEMS * INNER);
    LOCAL const int *h = HEAD_OF(turn), *ahead = HEAD_OF(turn + 1);
    real x[UNKNOWNS], f[UNKNOWNS], shape[LINES], g[2];
    REFILL_AWAIT(0, turn % 2);
    UNROLL
    for (int k = 0; k < LINES; k++) shape[k] = shapes[k * ELEMS + e];
    load_own(inner, outer, places, e, row, x);
#if ROWS
    if (acts) UNROLL
    for (int i = 0; i < N; i++) COMPACT_STORE(own, row * ROW + i, x + 2 * i);
#endif
    BARRIER();
    if (next < patches) {
      REFILL_SHAPES(ahead, next, turn + 1);
      REFILL_NODES(ahead, next)
    }
    product_of(x, shape, own, acts, row, f);
    REFILL_AWAIT(1, turn % 2);
    if (acts && HAS_INNER) UNROLL
    for (int n = 0; n < INNER_NODES; n++) {
      const int k = INNER_PLACE(n), at = 2 * INNER_NODE(n);
      END_INNER(k, first + k, x + at, f + at)
    }
    DRAIN_READY();
    BARRIER();
    DRAIN(out + first * 2, next_inner, ELEMS * INNER * 2);
    DRAIN_INCREMENTS
    DRAIN_BEGIN();
    const int two = h[OWN_TWO], more = h[OWN_MORE], rims = h[RIM_TWO];
    FOR_ITEMS(k, two + rims) {
      sum_two(slot, sums + k, g);
      END_NODE(k, two, k, h[PART_FIRST] + k - two, g)
    }
    FOR_ITEMS(k, more + h[RIM_MORE]) {
      sum_eight(slot, sums + (two + rims + 3) / 4 * 4 + 4 * k, g);
      END_NODE(k, more, two + k, h[PART_FIRST] + rims + k - more, g)
    }
    LOSS_END_OF(q)
    DRAIN_AWAIT();
    BARRIER();
    if (next < patches) {
      REFILL_FACTORS(ahead, next);
      REFILL_LAST(ahead, next);
    }
  }
  DRAIN_END();
}
