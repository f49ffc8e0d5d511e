/* Whole element matrices of few shape functions in LOCAL memory, from where they go as they lie there; coefficients the same at all points of an
 * element, arrays as in operator/integration/points.k.h. M_nm = sum over q of w |J| psi_n psi_m^T and A_nm = c : M_nm as in operator/integration/products.k.h (I.5), A_mn
 * from M_nm^T.
 * A group has ELEMENTS elements. Jacobian terms of all points, then gradients of all functions there lie in LOCAL memory. SPLIT items of a
 * function n sum its pairs with m = n + k modulo SHAPES, k = 0 to SHAPES / 2, BLOCKS each, in registers: all pairs once, and as much for each.
 * Gradients are stored again behind the last function, so that an item's pairs lie side by side.
 * SHAPES, POINTS, CORNERS: as many as there are.
 *   folded [1]: 1 + first_element + an element whose |J| is not above 0 somewhere, if any */
#define ITEMS (ELEMENTS * SHAPES * SPLIT)
#define SUMS (DIRECTIONS * DIRECTIONS)
#define ROW (SHAPES * EQUATIONS)
#define SIZE (ROW * ROW)
#define LINE (SHAPES + SPLIT * BLOCKS - 1)
/* between elements: what keeps their items from each other's banks of LOCAL memory */
#define APART                                                                                      \
  (POINTS * DIRECTIONS * LINE + (32 + SHAPES % 32 - POINTS * DIRECTIONS * LINE % 32) % 32)
#define POOL (APART > SIZE ? APART : SIZE)

/* terms[ELEMENTS][POINTS][10] of points_jacobian, |J| times the weight. */
DEVICE void whole_terms(LOCAL const real *place, GLOBAL const real *RESTRICT slope,
                        GLOBAL const real *RESTRICT weight, LOCAL real *terms,
                        GLOBAL int *RESTRICT folded, const int first_element, const int here)
{
  FOR_ITEMS(k, ELEMENTS * POINTS) {
    const int q = k % POINTS;
    if (k / POINTS < here) {
      real t[10];
      points_jacobian(place + k / POINTS * CORNERS * 3, slope + q, CORNERS, POINTS, t);
      if (!(t[9] > 0)) folded[0] = 1 + first_element + k / POINTS;
      t[9] *= weight[q];
      UNROLL
      for (int p = 0; p < 10; p++) terms[k * 10 + p] = t[p];
    }
  }
}

/* psi[ELEMENTS][POINTS][DIRECTIONS][LINE] */
DEVICE void whole_gradients(GLOBAL const real *RESTRICT phi, LOCAL const real *terms,
                            LOCAL real *psi, const int stride, const int here)
{
  FOR_ITEMS(k, ELEMENTS * POINTS * SHAPES) {
    const int n = k % SHAPES, q = k / SHAPES % POINTS, s = k / (SHAPES * POINTS);
    LOCAL real *to = psi + s * APART + q * DIRECTIONS * LINE + n;
    if (s < here) {
      real g[DIRECTIONS];
      points_gradient(phi + q * 4 * stride + n, terms + (s * POINTS + q) * 10, stride, g);
      UNROLL
      for (int d = 0; d < DIRECTIONS; d++) {
        to[d * LINE] = g[d];
        if (n + SHAPES < LINE) to[d * LINE + SHAPES] = g[d];
      }
    }
  }
}

/* sums[BLOCKS][SUMS] of function n, psi from there on, with those `first` to first + BLOCKS - 1 further on. */
DEVICE void whole_sum(LOCAL const real *psi, LOCAL const real *terms, PRIVATE real *sums,
                      const int first)
{
  real m[BLOCKS * SUMS];
  UNROLL
  for (int p = 0; p < BLOCKS * SUMS; p++) m[p] = 0;
  for (int q = 0; q < POINTS; q++) {
    LOCAL const real *own = psi + q * DIRECTIONS * LINE;
    real f[DIRECTIONS];
    UNROLL
    for (int d = 0; d < DIRECTIONS; d++) f[d] = terms[q * 10 + 9] * own[d * LINE];
    UNROLL
    for (int b = 0; b < BLOCKS; b++) UNROLL
    for (int d = 0; d < DIRECTIONS; d++) {
      const real g = own[d * LINE + first + b];
      UNROLL
      for (int c = 0; c < DIRECTIONS; c++) m[b * SUMS + c * DIRECTIONS + d] += f[c] * g;
    }
  }
  UNROLL
  for (int p = 0; p < BLOCKS * SUMS; p++) sums[p] = m[p];
}

/* A_nm and, where they are two, A_mn of M_nm to matrix[SIZE]. */
DEVICE void whole_put(GLOBAL const real *RESTRICT c, PRIVATE const real *sums, LOCAL real *matrix,
                      const int n, const int m)
{
  real k[SQUARE];
  points_contract(c, sums, k);
  UNROLL
  for (int i = 0; i < EQUATIONS; i++) UNROLL
  for (int j = 0; j < EQUATIONS; j++)
    matrix[(n * EQUATIONS + i) * ROW + m * EQUATIONS + j] = k[i * EQUATIONS + j];
  if (n != m) {
#if ELASTIC
    UNROLL
    for (int i = 0; i < 3; i++) UNROLL
    for (int j = 0; j < 3; j++) matrix[(m * 3 + j) * ROW + n * 3 + i] = k[i * 3 + j];
#else
    real turned[SUMS];
    UNROLL
    for (int i = 0; i < DIRECTIONS; i++) UNROLL
    for (int j = 0; j < DIRECTIONS; j++) turned[j * DIRECTIONS + i] = sums[i * DIRECTIONS + j];
    points_contract(c, turned, k);
    UNROLL
    for (int i = 0; i < EQUATIONS; i++) UNROLL
    for (int j = 0; j < EQUATIONS; j++)
      matrix[(m * EQUATIONS + i) * ROW + n * EQUATIONS + j] = k[i * EQUATIONS + j];
#endif
  }
}

KERNEL whole_elements(GROUP_PARAM GLOBAL const real *RESTRICT phi,
                      GLOBAL const real *RESTRICT slope, GLOBAL const real *RESTRICT weight,
                      GLOBAL const real *RESTRICT x, GLOBAL const real *RESTRICT c,
                      GLOBAL real *RESTRICT matrix, GLOBAL int *RESTRICT folded,
                      const int first_element, const int at, const int elements, const int stride,
                      const int c_element)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, place, ELEMENTS * CORNERS * 3);
  LOCAL_ARRAY(real, terms, ELEMENTS * POINTS * 10);
  LOCAL_ARRAY(real, pool, ELEMENTS * POOL);
  KEEP(real, sums, ITEMS, BLOCKS * SUMS);
  const int e0 = GROUP_ID * ELEMENTS, here = elements - e0 < ELEMENTS ? elements - e0 : ELEMENTS;

  FOR_ITEMS(k, here * CORNERS * 3) place[k] = x[(long)e0 * CORNERS * 3 + k];
  BARRIER();
  whole_terms(place, slope, weight, terms, folded, first_element + e0, here);
  BARRIER();
  whole_gradients(phi, terms, pool, stride, here);
  BARRIER();
  FOR_EACH(k, ITEMS, ITEMS)
  {
    const int n = k % SHAPES, split = k / SHAPES % SPLIT, s = k / (SHAPES * SPLIT);
    if (s < here)
      whole_sum(pool + s * APART + n, terms + s * POINTS * 10, KEPT(sums, k, BLOCKS * SUMS),
                split * BLOCKS);
  }
  BARRIER();
  FOR_EACH(k, ITEMS, ITEMS)
  {
    const int n = k % SHAPES, split = k / SHAPES % SPLIT, s = k / (SHAPES * SPLIT);
    UNROLL
    for (int b = 0; b < BLOCKS; b++) {
      /* the pairs half way round are those of two functions each */
      const int on = split * BLOCKS + b, m = n + on < SHAPES ? n + on : n + on - SHAPES;
      if (s < here && on * 2 <= SHAPES && (on * 2 < SHAPES || n < m))
        whole_put(c + (long)(e0 + s) * c_element, KEPT(sums, k, BLOCKS * SUMS) + b * SUMS,
                  pool + s * SIZE, n, m);
    }
  }
  BARRIER();
  GLOBAL real *to = matrix + (long)(at + e0) * SIZE;
  FOR_ITEMS(k, here * SIZE) to[k] = pool[k];
}
