/* Element matrices as products of small dense matrices; arrays as in operator/integration/points.k.h.
 *   POINTWISE 0 (I.5) (c the same at all points of an element):  M_nm = sum over q of w |J| psi_n psi_m^T, then A_nm = c : M_nm, and A_mn from
 *   M_nm^T whatever c; POINTWISE 1 (I.4):  A_nm = sum over q of F_n psi_m,  F_n[iE][jE][jD] = w |J| sum over iD of c[iE][jE][iD][jD] psi_n[iD],
 *   Algorithm 2 with the loop over points inside, and A_mn = A_nm^T where c is symmetric.
 * A group has ELEMENTS elements and a pair I, J of tiles of TILE * SPAN shape functions; where `mirrored`, J >= I. Points come BATCH at once for
 * Jacobians, CHUNK at once for gradients, which lie in LOCAL memory; an item sums TILE x TILE pairs (i, j), SPAN apart, lanes along j, in its
 * registers. Blocks are put together in LOCAL memory, SPAN rows of them at once, and written as they lie there.
 * JACOBIAN 1: Jacobian terms are computed here, of geometries of up to CORNERS nodes;  0: products_terms did so, for all tiles.
 *   folded [1]: 1 + first_element + an element whose |J| is not above 0 somewhere, if any */
#define TERMS 128
#define REACH (TILE * SPAN)
#define ACROSS (SPAN / LANES)
#define ITEMS (ELEMENTS * SPAN * ACROSS)
#define SUMS (POINTWISE ? SQUARE : DIRECTIONS * DIRECTIONS)
#define LEFT (POINTWISE ? SQUARE * DIRECTIONS : DIRECTIONS)
#define LEFT_LINE (POINTWISE ? LEFT : 4) /* 16 bytes, or twice that, at once */
#define LEFTS (CHUNK * ELEMENTS * REACH * LEFT_LINE)
#define GRADIENTS (LEFTS + CHUNK * ELEMENTS * REACH * DIRECTIONS)
#define WIDE (REACH * EQUATIONS)
#define LINE_LENGTH (WIDE + 1)
#define ROWS (ELEMENTS * SPAN * EQUATIONS)
#define POOL (GRADIENTS > ROWS * LINE_LENGTH ? GRADIENTS : ROWS * LINE_LENGTH)

/* Both sides' functions at a point of an element: left[LEFT] of a shape function i, right[DIRECTIONS], REACH apart, of j; phi is zero
 * behind the last function. */
DEVICE void products_left(GLOBAL const real *RESTRICT phi, LOCAL const real *terms,
                          GLOBAL const real *RESTRICT c, const int stride, LOCAL real *left)
{
  real psi[DIRECTIONS];
  points_gradient(phi, terms, stride, psi);
#if POINTWISE
  real f[LEFT];
  points_left(c, psi, terms[9], f);
  UNROLL
  for (int d = 0; d < LEFT; d++) left[d] = f[d];
#else
  UNROLL
  for (int d = 0; d < DIRECTIONS; d++) left[d] = terms[9] * psi[d];
#endif
}

DEVICE void products_right(GLOBAL const real *RESTRICT phi, LOCAL const real *terms,
                           const int stride, LOCAL real *right)
{
  real psi[DIRECTIONS];
  points_gradient(phi, terms, stride, psi);
  UNROLL
  for (int d = 0; d < DIRECTIONS; d++) right[d * REACH] = psi[d];
}

/* sums[TILE][TILE][SUMS] += the products at `count` points, of a register's lanes after the other. */
DEVICE void products_sum(LOCAL const real *left, LOCAL const real *right, PRIVATE real *sums,
                         const int count)
{
  for (int l = 0; l < LANES; l += REGISTER_LANES) {
    REGISTER m[TILE * TILE * SUMS];
    UNROLL
    for (int p = 0; p < TILE * TILE * SUMS; p++)
      m[p] = *(PRIVATE const REGISTER *)(sums + p * LANES + l);
    for (int q = 0; q < count; q++) {
      LOCAL const real *f = left + q * ELEMENTS * REACH * LEFT_LINE;
      LOCAL const real *g = right + q * ELEMENTS * REACH * DIRECTIONS + l;
      REGISTER psi[TILE * DIRECTIONS];
      UNROLL
      for (int b = 0; b < TILE; b++) UNROLL
      for (int d = 0; d < DIRECTIONS; d++)
        psi[b * DIRECTIONS + d] = *(LOCAL const REGISTER *)(g + d * REACH + b * SPAN);
      UNROLL
      for (int a = 0; a < TILE; a++) {
        LOCAL const real *fa = f + a * SPAN * LEFT_LINE;
#if POINTWISE
        UNROLL
        for (int k = 0; k < SQUARE; k++) UNROLL
        for (int b = 0; b < TILE; b++) UNROLL
        for (int d = 0; d < DIRECTIONS; d++)
          m[(a * TILE + b) * SUMS + k] += fa[k * DIRECTIONS + d] * psi[b * DIRECTIONS + d];
#else
        UNROLL
        for (int c = 0; c < DIRECTIONS; c++) UNROLL
        for (int b = 0; b < TILE; b++) UNROLL
        for (int d = 0; d < DIRECTIONS; d++)
          m[(a * TILE + b) * SUMS + c * DIRECTIONS + d] += fa[c] * psi[b * DIRECTIONS + d];
#endif
      }
    }
    UNROLL
    for (int p = 0; p < TILE * TILE * SUMS; p++) *(PRIVATE REGISTER *)(sums + p * LANES + l) = m[p];
  }
}

/* Block of a row's and a column's shape function: from the sums of (i, j), or turned from those of (j, i); LANES apart. */
DEVICE void products_block(GLOBAL const real *RESTRICT c, PRIVATE const real *sums,
                           PRIVATE const real *other, const int turned, LOCAL real *to)
{
  real k[SQUARE];
#if POINTWISE
  UNROLL
  for (int i = 0; i < EQUATIONS; i++) UNROLL
  for (int j = 0; j < EQUATIONS; j++)
    k[i * EQUATIONS + j] =
        turned ? other[(j * EQUATIONS + i) * LANES] : sums[(i * EQUATIONS + j) * LANES];
#else
  real m[SUMS];
  UNROLL
  for (int i = 0; i < DIRECTIONS; i++) UNROLL
  for (int j = 0; j < DIRECTIONS; j++)
    m[i * DIRECTIONS + j] =
        turned ? other[(j * DIRECTIONS + i) * LANES] : sums[(i * DIRECTIONS + j) * LANES];
  points_contract(c, m, k);
#endif
  UNROLL
  for (int i = 0; i < EQUATIONS; i++) UNROLL
  for (int j = 0; j < EQUATIONS; j++) to[i * LINE_LENGTH + j] = k[i * EQUATIONS + j];
}

/* An item's blocks of rows a * SPAN on: to their places in whole [SPAN * EQUATIONS][LINE_LENGTH]. */
DEVICE void products_put(GLOBAL const real *RESTRICT c, PRIVATE const real *sums, LOCAL real *whole,
                         const int ty, const int tx, const int a, const int turned)
{
  UNROLL
  for (int b = 0; b < TILE; b++)
    for (int l = 0; l < LANES; l++) {
      const int along = tx * LANES + l, row = turned ? along : ty;
      const int column = (turned ? ty : along) + b * SPAN;
      products_block(c, sums + (a * TILE + b) * SUMS * LANES + l,
                     sums + (b * TILE + a) * SUMS * LANES + l, turned,
                     whole + row * EQUATIONS * LINE_LENGTH + column * EQUATIONS);
    }
}

/* terms [elements][points][10]: those of points_invert, |J| times the weight; group by group of TERMS points. */
KERNEL products_terms(GROUP_PARAM GLOBAL const real *RESTRICT slope,
                      GLOBAL const real *RESTRICT weight, GLOBAL const real *RESTRICT x,
                      GLOBAL real *RESTRICT terms, GLOBAL int *RESTRICT folded,
                      const int first_element, const int elements, const int points,
                      const int corners)
{
  FOR_ITEMS(k, TERMS) {
    const long at = (long)GROUP_ID * TERMS + k;
    if (at < (long)elements * points) {
      const int e = (int)(at / points), q = (int)(at % points);
      real t[10];
      points_terms(x + (long)e * corners * 3, slope + q, corners, points, folded, first_element + e,
                   t);
      t[9] *= weight[q];
      UNROLL
      for (int p = 0; p < 10; p++) terms[at * 10 + p] = t[p];
    }
  }
}

#if JACOBIAN
/* place[ELEMENTS][CORNERS][3]; x begins at the group's first element. */
DEVICE void products_place(GLOBAL const real *RESTRICT x, LOCAL real *place, const int here,
                           const int corners)
{
  FOR_ITEMS(k, ELEMENTS * CORNERS * 3) {
    const int s = k / (CORNERS * 3), n = k % (CORNERS * 3), e = s < here ? s : here - 1;
    if (n < corners * 3) place[k] = x[e * corners * 3 + n];
  }
}

/* jacobian[ELEMENTS][BATCH][10]: the same of the next BATCH points, of `left`, and of elements in LOCAL memory, `here` that there are. */
DEVICE void products_jacobians(LOCAL const real *place, GLOBAL const real *RESTRICT slope,
                               GLOBAL const real *RESTRICT weight, LOCAL real *jacobian,
                               GLOBAL int *RESTRICT folded, const int first_element, const int here,
                               const int left, const int corners, const int points)
{
  FOR_ITEMS(k, ELEMENTS * BATCH) {
    const int q = k % BATCH;
    if (q < left) {
      real t[10];
      points_jacobian(place + k / BATCH * CORNERS * 3, slope + q, corners, points, t);
      if (!(t[9] > 0) && k / BATCH < here) folded[0] = 1 + first_element + k / BATCH;
      t[9] *= weight[q];
      UNROLL
      for (int p = 0; p < 10; p++) jacobian[k * 10 + p] = t[p];
    }
  }
}
#else
/* The same, read; terms begin at the group's first element and the first of the points. */
DEVICE void products_jacobians(GLOBAL const real *RESTRICT terms, LOCAL real *jacobian,
                               const int here, const int left, const int points)
{
  const int count = left < BATCH ? left : BATCH;
  for (int s = 0; s < ELEMENTS; s++) {
    GLOBAL const real *own = terms + (long)(s < here ? s : here - 1) * points * 10;
    FOR_ITEMS(k, count * 10) jacobian[s * BATCH * 10 + k] = own[k];
  }
}
#endif

/* Rows of shape functions row0 to row0 + SPAN - 1, those that there are, columns from column0 on, to an element's matrix. */
DEVICE void products_write(LOCAL const real *whole, GLOBAL real *RESTRICT matrix, const int row0,
                           const int column0, const int shapes)
{
  const int width = shapes * EQUATIONS;
  const int rows = shapes - row0 < SPAN ? (shapes - row0) * EQUATIONS : SPAN * EQUATIONS;
  const int columns = shapes - column0 < REACH ? (shapes - column0) * EQUATIONS : REACH * EQUATIONS;
  GLOBAL real *to = matrix + (long)row0 * EQUATIONS * width + column0 * EQUATIONS;
#if THREADS == 1
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < columns; k++) to[(long)r * width + k] = whole[r * LINE_LENGTH + k];
#else
  /* WIDE is known to the compiler: dividing by `columns` took longer than the rest */
  FOR_ITEMS(k, rows * WIDE) {
    const int r = k / WIDE, n = k % WIDE;
    if (n < columns) to[r * width + n] = whole[r * LINE_LENGTH + n];
  }
#endif
}

/* Pair k of tiles, low and *high; where `mirrored`, low <= *high. */
DEVICE int products_low(const int k, const int tiles, const int mirrored, PRIVATE int *high)
{
  int low = 0, left = k;
  while (left >= (mirrored ? tiles - low : tiles)) left -= mirrored ? tiles - low : tiles, low++;
  *high = mirrored ? left + low : left;
  return low;
}

KERNEL products_elements(GROUP_PARAM GLOBAL const real *RESTRICT phi,
                         GLOBAL const real *RESTRICT slope, GLOBAL const real *RESTRICT weight,
                         GLOBAL const real *RESTRICT x, GLOBAL const real *RESTRICT terms,
                         GLOBAL const real *RESTRICT c, GLOBAL real *RESTRICT matrix,
                         GLOBAL int *RESTRICT folded, GLOBAL const int *RESTRICT sizes,
                         const int first_element, const int at, const int elements)
{
  const int mirrored = sizes[SIZE_MIRRORED];
  NAME_SIZES
  LOCAL_BEGIN
#if JACOBIAN
  LOCAL_ARRAY(real, place, ELEMENTS * CORNERS * 3);
#endif
  LOCAL_ARRAY(real, jacobian, ELEMENTS * BATCH * 10);
  LOCAL_ARRAY(real, pool, POOL);
  KEEP(real, sums, ITEMS, TILE * TILE * SUMS);
  const int tiles = (shapes + REACH - 1) / REACH,
            pairs = mirrored ? tiles * (tiles + 1) / 2 : tiles * tiles;
  const int e0 = GROUP_ID / pairs * ELEMENTS, here = elements - e0;
  int high;
  const int i0 = products_low(GROUP_ID % pairs, tiles, mirrored, &high) * REACH, j0 = high * REACH;
  /* items whose rows and lanes hold shape functions */
  const int down = shapes - i0 < SPAN ? shapes - i0 : SPAN;
  const int along = shapes - j0 < SPAN ? (shapes - j0 + LANES - 1) / LANES : ACROSS;

#if JACOBIAN
  products_place(x + (long)e0 * corners * 3, place, here, corners);
#endif
  FOR_EACH(k, ITEMS, ITEMS)
  {
    PRIVATE real *own = KEPT(sums, k, TILE * TILE * SUMS);
    UNROLL
    for (int p = 0; p < TILE * TILE * SUMS * LANES; p++) own[p] = 0;
  }
  for (int q0 = 0; q0 < points; q0 += CHUNK) {
    const int count = points - q0 < CHUNK ? points - q0 : CHUNK;
    BARRIER();
    if (q0 % BATCH == 0) {
#if JACOBIAN
      products_jacobians(place, slope + q0, weight + q0, jacobian, folded, first_element + e0, here,
                         points - q0, corners, points);
#else
      products_jacobians(terms + ((long)e0 * points + q0) * 10, jacobian, here, points - q0,
                         points);
#endif
      BARRIER();
    }
    FOR_ITEMS(k, count * ELEMENTS * (REACH / LANES)) {
      const int n = k % (REACH / LANES) * LANES, of = k / (REACH / LANES);
      const int s = of % ELEMENTS, q = q0 + of / ELEMENTS, e = e0 + (s < here ? s : here - 1);
      LOCAL const real *point = jacobian + (s * BATCH + q % BATCH) * 10;
      GLOBAL const real *own = phi + (long)q * 4 * stride + n;
      GLOBAL const real *law = c + (long)e * c_element + (long)q * c_point;
      LOCAL real *left = pool + (of * REACH + n) * LEFT_LINE;
      LOCAL real *right = pool + LEFTS + of * DIRECTIONS * REACH + n;
      FOR_LANES(l) products_left(own + i0 + l, point, law, stride, left + l * LEFT_LINE);
      FOR_LANES(l) products_right(own + j0 + l, point, stride, right + l);
    }
    BARRIER();
    FOR_EACH(k, ITEMS, ITEMS)
    {
      const int tx = k % ACROSS, ty = k / ACROSS % SPAN, s = k / (ACROSS * SPAN);
      if (ty < down && tx < along)
        products_sum(pool + (s * REACH + ty) * LEFT_LINE,
                     pool + LEFTS + s * DIRECTIONS * REACH + tx * LANES,
                     KEPT(sums, k, TILE * TILE * SUMS), count);
    }
  }
  for (int turned = 0; turned < (mirrored && i0 != j0 ? 2 : 1); turned++) UNROLL
  for (int a = 0; a < TILE; a++) {
    BARRIER();
    FOR_EACH(k, ITEMS, ITEMS)
    {
      const int tx = k % ACROSS, ty = k / ACROSS % SPAN, s = k / (ACROSS * SPAN);
      const int e = e0 + (s < here ? s : here - 1);
      if (ty < down && tx < along)
        products_put(c + (long)e * c_element, KEPT(sums, k, TILE * TILE * SUMS),
                     pool + s * SPAN * EQUATIONS * LINE_LENGTH, ty, tx, a, turned);
    }
    BARRIER();
    const int row0 = (turned ? j0 : i0) + a * SPAN;
    for (int s = 0; s < ELEMENTS && s < here; s++)
      products_write(pool + s * SPAN * EQUATIONS * LINE_LENGTH,
                     matrix + (long)(at + e0 + s) * shapes * shapes * SQUARE, row0,
                     turned ? i0 : j0, shapes);
  }
}
