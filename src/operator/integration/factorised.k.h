/* Element matrices by sum factorisation: shape functions are T_t(xi_0, xi_1) L_r(xi_2), points those of a plane times those of a line (I.2).
 * c the same at all points of an element. Arrays c and matrix as in operator/integration/points.k.h.
 *   With u_d = sqrt(w |J|) dxi_d/dx at point (s, z), a gradient is sqrt(w |J|) psi_n = A_t L_r(z) + B_t L'_r(z),
 *     A_t = T_t,0 u_0 + T_t,1 u_1,  B_t = T_t u_2   (and sqrt(w |J|) T_t in A, of the function itself)
 *   S_XY(t, t'; z) = sum over s of X_t Y_t'^T,  X, Y in {A, B}                                     (I.9)
 *   K_(r t)(r' t') = sum over z of  L_r L_r' c : S_AA + L_r L'_r' c : S_AB + L'_r L_r' c : S_BA + L'_r L'_r' c : S_BB   (I.10)
 * A group has ELEMENTS * LANES elements, lanes are elements, and a pair of tiles of TILE functions T each; where `mirrored`, those of the
 * columns are not before those of the rows, and K_nm^T is K_mn. An item sums its pair (t, t')'s S of side X and a point z of the line in
 * registers; PLANES of them at once, CHUNK points s at once, whose A and B lie in LOCAL memory. Then items multiply by the functions of
 * the line for ROWS layers r at once, in registers; blocks are put together in LOCAL memory and written as they lie there.
 *   PAIRS: TILE^2, or TILE (TILE + 1) / 2 where there is one tile and it is mirrored;  DEPTH: most points of the line;
 *   LAYERS: functions of the line, 0: `layers`, 2 to 8 of them
 *   triangle [points][3][stride]      T, T,0, T,1, zero behind the last function;  line [planes][2][TABLE_LENGTH]  L, L', zero behind the last
 *   place [nodes * layers]            where function r * nodes + t stands in the matrix
 *   slope [corners][3][points * planes], weight [points * planes], x [elements][corners][3]   as in operator/integration/points.k.h, q = z * points + s
 *   terms [elements / LANES, rounded up][points * planes][10][LANES]   u_0, u_1, u_2, sqrt(w |J|), of factorised_terms
 *   folded [1]                        1 + first_element + an element whose |J| is not above 0 somewhere, if any */
#define TERMS 128
#define NEAR (2 << 20) /* bytes of matrices that a processor has at hand */
#if LAYERS
#define LINE LAYERS
#else
#define LINE 8
#endif
#define TABLE_LENGTH (LINE + ROWS)
#define HALF (DIRECTIONS + 3)
#define CROSS (DIRECTIONS * HALF)
#define SIDE (TILE * HALF * LANES)
#define NEXT (PLANES * 2 * SIDE) /* between points s */
#define APART (PAIRS | 1)
#define BLEND (4 * SQUARE * APART * LANES) /* c : S of a point of the line */
#define SUM_ITEMS (ELEMENTS * PLANES * 2 * PAIRS)
#define CONSTANTS (ELASTIC ? 2 : SQUARE * 16)
#define BAND (ROWS * TILE * EQUATIONS)
#define ACROSS (TILE * EQUATIONS)
#define LENGTH (LINE * ACROSS + 1)
#define GRADIENTS (ELEMENTS * CHUNK * NEXT)
#define STAGED_REALS (ELEMENTS * BAND * LENGTH * LANES)
#define POOL (GRADIENTS > STAGED_REALS ? GRADIENTS : STAGED_REALS)

/* Jacobian terms of all points; group by group of TERMS points. */
KERNEL factorised_terms(GROUP_PARAM GLOBAL const real *RESTRICT slope,
                        GLOBAL const real *RESTRICT weight, GLOBAL const real *RESTRICT x,
                        GLOBAL real *RESTRICT terms, GLOBAL int *RESTRICT folded,
                        const int first_element, const int elements, const int points,
                        const int corners)
{
  FOR_ITEMS(k, TERMS) {
    const long at = (long)GROUP_ID * TERMS + k, block = at / points;
    const int q = (int)(at % points);
    for (int l = 0; l < LANES && block * LANES < elements; l++) {
      const int own = (int)block * LANES + l, e = own < elements ? own : elements - 1;
      real t[10];
      points_terms(x + (long)e * corners * 3, slope + q, corners, points, folded, first_element + e,
                   t);
      const real root = (real)sqrt(t[9] * weight[q]);
      UNROLL
      for (int p = 0; p < 9; p++) terms[(at * 10 + p) * LANES + l] = t[p] * root;
      terms[(at * 10 + 9) * LANES + l] = root;
    }
  }
}

/* to[TILE][HALF][LANES]: A, then B, of a tile at a point (I.8). */
DEVICE void factorised_gradients(GLOBAL const real *RESTRICT triangle,
                                 GLOBAL const real *RESTRICT terms, const int stride,
                                 LOCAL real *to)
{
  REALS u[10];
  UNROLL
  for (int p = 0; p < 10; p++) u[p] = *(GLOBAL const REALS *)(terms + p * LANES);
  for (int t = 0; t < TILE; t++) {
    const real f = triangle[t], f0 = triangle[stride + t], f1 = triangle[2 * stride + t];
    LOCAL REALS *own = (LOCAL REALS *)(to + t * HALF * LANES);
    if (FROM == 0) own[0] = f * u[9];
    UNROLL
    for (int c = 0; c < 3; c++) own[1 - FROM + c] = f0 * u[c] + f1 * u[3 + c];
    UNROLL
    for (int c = 0; c < 3; c++) own[DIRECTIONS + c] = f * u[6 + c];
  }
}

/* sums[rows][HALF] += the products at `count` points of a row's A or B with a column's A and B. */
DEVICE void factorised_sum(LOCAL const real *left, LOCAL const real *right, PRIVATE real *sums,
                           const int rows, const int count)
{
  REALS m[CROSS];
  UNROLL
  for (int p = 0; p < rows * HALF; p++) m[p] = *(PRIVATE const REALS *)(sums + p * LANES);
  for (int s = 0; s < count; s++) {
    LOCAL const REALS *f = (LOCAL const REALS *)(left + s * NEXT);
    LOCAL const REALS *g = (LOCAL const REALS *)(right + s * NEXT);
    REALS psi[HALF];
    UNROLL
    for (int h = 0; h < HALF; h++) psi[h] = g[h];
    UNROLL
    for (int d = 0; d < rows; d++) UNROLL
    for (int h = 0; h < HALF; h++) m[d * HALF + h] += f[d] * psi[h];
  }
  UNROLL
  for (int p = 0; p < rows * HALF; p++) *(PRIVATE REALS *)(sums + p * LANES) = m[p];
}

/* to[SQUARE], APART * LANES apart: c : m of m[rows][columns] in rows of HALF, whose directions begin at row0 and column0. */
DEVICE void factorised_law(LOCAL const real *law, PRIVATE const real *sums, const int rows,
                           const int row0, const int columns, const int column0, LOCAL real *to)
{
  LOCAL const REALS *c = (LOCAL const REALS *)law;
  REALS m[CROSS];
  UNROLL
  for (int i = 0; i < rows; i++) UNROLL
  for (int j = 0; j < columns; j++)
    m[i * HALF + j] = *(PRIVATE const REALS *)(sums + (i * HALF + j) * LANES);
#if ELASTIC
  /* cppcheck-suppress uninitvar ; rows and columns are never 0 */
  const REALS lambda = c[0], mu = c[1], trace = mu * (m[0] + m[HALF + 1] + m[2 * HALF + 2]);
  UNROLL
  for (int i = 0; i < 3; i++) UNROLL
  for (int j = 0; j < 3; j++) {
    REALS k = lambda * m[i * HALF + j] + mu * m[j * HALF + i];
    if (i == j) k += trace;
    *(LOCAL REALS *)(to + (i * 3 + j) * APART * LANES) = k;
  }
#else
  for (int e = 0; e < SQUARE; e++) {
    /* cppcheck-suppress uninitvar ; rows and columns are never 0 */
    REALS k = c[e * 16 + row0 * 4 + column0] * m[0];
    UNROLL
    for (int i = 0; i < rows; i++) UNROLL
    for (int j = 0; j < columns; j++)
      if (i + j > 0) k += c[e * 16 + (i + row0) * 4 + j + column0] * m[i * HALF + j];
    *(LOCAL REALS *)(to + e * APART * LANES) = k;
  }
#endif
}

/* An entry (iE, jE) of the blocks of layers r0 to r0 + ROWS - 1 with all `layers`: to its places in staged[BAND][LENGTH]. */
DEVICE void factorised_line(LOCAL const real *blend, LOCAL const real *table, LOCAL real *to,
                            const int r0, const int planes, const int layers)
{
  REALS zero, k[ROWS * LINE];
  /* cppcheck-suppress objectIndex ; a vector is its LANES numbers */
  for (int n = 0; n < LANES; n++) ((PRIVATE real *)&zero)[n] = 0;
  UNROLL
  /* cppcheck-suppress uninitvar */
  for (int p = 0; p < ROWS * LINE; p++) k[p] = zero;
  for (int z = 0; z < planes; z++) {
    LOCAL const real *own = blend + z * BLEND, *l = table + z * 2 * TABLE_LENGTH;
    const REALS aa = *(LOCAL const REALS *)own;
    const REALS ab = *(LOCAL const REALS *)(own + SQUARE * APART * LANES);
    const REALS ba = *(LOCAL const REALS *)(own + 2 * SQUARE * APART * LANES);
    const REALS bb = *(LOCAL const REALS *)(own + 3 * SQUARE * APART * LANES);
    UNROLL
    for (int r = 0; r < ROWS; r++) {
      const real f = l[r0 + r], df = l[TABLE_LENGTH + r0 + r];
      const REALS a = f * aa + df * ba, b = f * ab + df * bb;
      UNROLL
      for (int n = 0; n < layers; n++) k[r * LINE + n] += a * l[n] + b * l[TABLE_LENGTH + n];
    }
  }
  UNROLL
  for (int r = 0; r < ROWS; r++) UNROLL
  for (int n = 0; n < layers; n++)
    *(LOCAL REALS *)(to + (r * ACROSS * LENGTH + n * ACROSS) * LANES) = k[r * LINE + n];
}

/* The functions t and u of a tile's pair k; `triangular`: those with u >= t alone. False: none. */
DEVICE int factorised_pair(const int pair, const int triangular, PRIVATE int *t, PRIVATE int *u)
{
  int k = pair, row = 0;
  if (!triangular) {
    *t = k / TILE, *u = k % TILE;
    return k < TILE * TILE;
  }
  while (row < TILE && k >= TILE - row) k -= TILE - row, row++;
  *t = row, *u = row + k;
  return row < TILE;
}

/* law[ELEMENTS][CONSTANTS][LANES] and table, of LOCAL memory. */
DEVICE void factorised_begin(GLOBAL const real *RESTRICT line, GLOBAL const real *RESTRICT c,
                             LOCAL real *law, LOCAL real *table, const int block0,
                             const int elements, const int planes, const int c_element)
{
  FOR_ITEMS(k, ELEMENTS * CONSTANTS * LANES) {
    const int e = (block0 + k / (CONSTANTS * LANES)) * LANES + k % LANES;
    law[k] = c[(long)(e < elements ? e : elements - 1) * c_element + k / LANES % CONSTANTS];
  }
  FOR_ITEMS(k, planes * 2 * TABLE_LENGTH) table[k] = line[k];
}

/* pool[ELEMENTS][CHUNK][PLANES][2][SIDE]: of `count` points s0 on, of planes z0 on; the second side where it is not the first one. */
DEVICE void factorised_find(GLOBAL const real *RESTRICT triangle, GLOBAL const real *RESTRICT terms,
                            LOCAL real *pool, const int block0, const int blocks, const int i0,
                            const int j0, const int stride, const int s0, const int points,
                            const int z0, const int planes)
{
  FOR_ITEMS(k, ELEMENTS * CHUNK * PLANES * 2) {
    const int side = k % 2, z = z0 + k / 2 % PLANES, s = s0 + k / (2 * PLANES) % CHUNK;
    const int e = block0 + k / (2 * PLANES * CHUNK), from = e < blocks ? e : blocks - 1;
    if (z < planes && s < points && !(side && i0 == j0))
      factorised_gradients(triangle + s * 3 * stride + (side ? j0 : i0),
                           terms + ((long)from * points * planes + z * points + s) * 10 * LANES,
                           stride, pool + k * SIDE);
  }
}

/* c : S of a side with both sides, SQUARE * APART * LANES apart. */
DEVICE void factorised_laws(LOCAL const real *law, PRIVATE const real *sums, const int side,
                            LOCAL real *to)
{
  LOCAL real *second = to + SQUARE * APART * LANES;
  if (side) {
    factorised_law(law, sums, 3, 1, DIRECTIONS, FROM, to);
    factorised_law(law, sums + DIRECTIONS * LANES, 3, 1, 3, 1, second);
  } else {
    factorised_law(law, sums, DIRECTIONS, FROM, DIRECTIONS, FROM, to);
    factorised_law(law, sums + DIRECTIONS * LANES, DIRECTIONS, FROM, 3, 1, second);
  }
}

/* An entry's layers, whose number the compiler knows. */
DEVICE void factorised_layers(LOCAL const real *blend, LOCAL const real *table, LOCAL real *to,
                              const int r0, const int planes, const int layers)
{
#if LAYERS
  factorised_line(blend, table, to, r0, planes, LAYERS);
#else
  switch (layers) {
  case 2: factorised_line(blend, table, to, r0, planes, 2); break;
  case 3: factorised_line(blend, table, to, r0, planes, 3); break;
  case 4: factorised_line(blend, table, to, r0, planes, 4); break;
  case 5: factorised_line(blend, table, to, r0, planes, 5); break;
  case 6: factorised_line(blend, table, to, r0, planes, 6); break;
  case 7: factorised_line(blend, table, to, r0, planes, 7); break;
  case 8: factorised_line(blend, table, to, r0, planes, 8); break;
  }
#endif
}

/* whole[..][LANES] to the matrices of `here` lanes, of `size` each: rows are those of tile i0 in `down` layers from down0 on, i_apart apart in
 * whole, columns those of tile j0 in `along` layers, `most` at most, from along0 on. UPPER 1: of functions u >= t alone; -1: u < t; 0: of all. */
DEVICE void factorised_write(LOCAL const real *whole, GLOBAL const int *RESTRICT place,
                             GLOBAL real *RESTRICT matrix, const int here, const int nodes,
                             const int layers, const int i0, const int down0, const int down,
                             const int i_apart, const int j0, const int along0, const int along,
                             const int most, const int j_apart, const int upper)
{
  const long width = (long)nodes * layers * EQUATIONS;
#if THREADS == 1
  const int first = nodes - i0 < TILE ? nodes - i0 : TILE;
  const int second = nodes - j0 < TILE ? nodes - j0 : TILE;
  for (int a = 0; a < down * ACROSS; a++) {
    const int t = a % ACROSS / EQUATIONS;
    const int from = upper > 0 ? t : 0, to = upper < 0 && t < second ? t : second;
    if (t >= first) continue;
    GLOBAL const int *row = place + (down0 + a / ACROSS) * nodes + i0 + t;
    for (int s = 0; s < along; s++)
      for (int l = 0; l < here; l++) {
        GLOBAL real *line = matrix + l * width * width + (*row * EQUATIONS + a % EQUATIONS) * width;
        LOCAL const real *own = whole + (a * i_apart + s * ACROSS * j_apart) * LANES + l;
        for (int u = from; u < to; u++) UNROLL
        for (int j = 0; j < EQUATIONS; j++)
          line[place[(along0 + s) * nodes + j0 + u] * EQUATIONS + j] =
              own[(u * EQUATIONS + j) * j_apart * LANES];
      }
  }
#else
  for (int l = 0; l < here; l++) {
    FOR_ITEMS(k, down * ACROSS * most * ACROSS) {
      const int a = k / (most * ACROSS), b = k % (most * ACROSS);
      const int t = a % ACROSS / EQUATIONS, u = b % ACROSS / EQUATIONS;
      if (b < along * ACROSS && i0 + t < nodes && j0 + u < nodes &&
          (upper > 0 ? u >= t : upper == 0 || u < t)) {
        const int row = place[(down0 + a / ACROSS) * nodes + i0 + t];
        const int column = place[(along0 + b / ACROSS) * nodes + j0 + u];
        matrix[l * width * width + (row * EQUATIONS + a % EQUATIONS) * width + column * EQUATIONS +
               b % EQUATIONS] = whole[(a * i_apart + b * j_apart) * LANES + l];
      }
    }
  }
#endif
}

/* The blocks of layers r0 on of a group's elements, and those opposite to them where `mirrored`. */
DEVICE void factorised_put(LOCAL const real *pool, GLOBAL const int *RESTRICT place,
                           GLOBAL real *RESTRICT matrix, const int block0, const int at,
                           const int elements, const int i0, const int j0, const int r0,
                           const int nodes, const int layers, const int mirrored)
{
  const int down = layers - r0 < ROWS ? layers - r0 : ROWS, triangular = mirrored && i0 == j0;
  const int most = LAYERS ? LAYERS : layers;
  for (int e = 0; e < ELEMENTS; e++) {
    const int first = (block0 + e) * LANES, left = elements - first;
    const int here = left < 0 ? 0 : left < LANES ? left : LANES;
    LOCAL const real *whole = pool + e * BAND * LENGTH * LANES;
    GLOBAL real *own = matrix + (long)(at + first) * nodes * layers * nodes * layers * SQUARE;
    factorised_write(whole, place, own, here, nodes, layers, i0, r0, down, LENGTH, j0, 0, layers,
                     most, 1, triangular);
    if (mirrored)
      factorised_write(whole, place, own, here, nodes, layers, j0, 0, layers, 1, i0, r0, down, ROWS,
                       LENGTH, -triangular);
  }
}

#if THREADS == 1
/* Asks for rows of tile i0 in `down` layers from down0 on, columns of tile j0 in `along` layers from along0 on, of `here` matrices: part k of
 * `parts` of them. */
DEVICE void factorised_ask(GLOBAL const int *RESTRICT place, GLOBAL const real *RESTRICT matrix,
                           const int here, const int nodes, const int layers, const int i0,
                           const int down0, const int down, const int j0, const int along0,
                           const int along, const int k, const int parts)
{
  const long width = (long)nodes * layers * EQUATIONS, rows = (long)down * ACROSS * here;
  const int second = nodes - j0 < TILE ? nodes - j0 : TILE;
  for (int n = (int)(k * rows / parts); n < (int)((k + 1) * rows / parts); n++) {
    const int l = n % here, a = n / here, t = a % ACROSS / EQUATIONS;
    if (i0 + t >= nodes) continue;
    const long row = (long)place[(down0 + a / ACROSS) * nodes + i0 + t] * EQUATIONS + a % EQUATIONS;
    GLOBAL const real *to = matrix + (l * width + row) * width;
    for (int s = 0; s < along; s++) {
      GLOBAL const int *column = place + (along0 + s) * nodes + j0;
      const long from = (long)column[0] * EQUATIONS, last = (long)column[second - 1] * EQUATIONS;
      ASK_TO_WRITE(to + from);
      ASK_TO_WRITE(to + last + EQUATIONS - 1);
      for (int u = 1; u < second - 1 && last - from != (second - 1) * EQUATIONS; u++)
        ASK_TO_WRITE(to + (long)column[u] * EQUATIONS);
    }
  }
}

/* Asks for part k of `parts` of what factorised_put will write, unless LANES matrices stay in cache: it comes while blocks are
 * summed. */
DEVICE void factorised_expect(GLOBAL const int *RESTRICT place, GLOBAL const real *RESTRICT matrix,
                              const int first, const int at, const int elements, const int i0,
                              const int j0, const int r0, const int nodes, const int layers,
                              const int mirrored, const int k, const int parts)
{
  const int down = layers - r0 < ROWS ? layers - r0 : ROWS, left = elements - first;
  const int here = left < LANES ? left : LANES;
  const long size = (long)nodes * layers * nodes * layers * SQUARE;
  if (size * LANES * (long)sizeof(real) < NEAR) return;
  GLOBAL const real *own = matrix + (at + first) * size;
  factorised_ask(place, own, here, nodes, layers, i0, r0, down, j0, 0, layers, k, parts);
  if (mirrored)
    factorised_ask(place, own, here, nodes, layers, j0, 0, layers, i0, r0, down, k, parts);
}
#endif

KERNEL factorised_elements(GROUP_PARAM GLOBAL const real *RESTRICT triangle,
                           GLOBAL const real *RESTRICT line, GLOBAL const int *RESTRICT place,
                           GLOBAL const real *RESTRICT terms, GLOBAL const real *RESTRICT c,
                           GLOBAL real *RESTRICT matrix, const int at, const int elements,
                           const int nodes, const int stride, const int layers, const int points,
                           const int planes, const int c_element, const int mirrored)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, law, ELEMENTS * CONSTANTS * LANES);
  LOCAL_ARRAY(real, table, DEPTH * 2 * TABLE_LENGTH);
  LOCAL_ARRAY(real, blend, ELEMENTS * DEPTH * BLEND);
  LOCAL_ARRAY(real, pool, POOL);
  KEEP(real, sums, SUM_ITEMS, CROSS);
  const int tiles = (nodes + TILE - 1) / TILE,
            pairs = mirrored ? tiles * (tiles + 1) / 2 : tiles * tiles;
  const int block0 = GROUP_ID / pairs * ELEMENTS, blocks = (elements + LANES - 1) / LANES;
  int low = 0, high = GROUP_ID % pairs;
  while (high >= (mirrored ? tiles - low : tiles)) high -= mirrored ? tiles - low : tiles, low++;
  if (mirrored) high += low;
  const int i0 = low * TILE, j0 = high * TILE, own = low == high, triangular = mirrored && own;

  factorised_begin(line, c, law, table, block0, elements, planes, c_element);
  for (int z0 = 0; z0 < planes; z0 += PLANES) {
    FOR_EACH(k, SUM_ITEMS, SUM_ITEMS)
    {
      PRIVATE real *m = KEPT(sums, k, CROSS);
      UNROLL
      for (int p = 0; p < CROSS * LANES; p++) m[p] = 0;
    }
    for (int s0 = 0; s0 < points; s0 += CHUNK) {
      const int count = points - s0 < CHUNK ? points - s0 : CHUNK;
      BARRIER();
      factorised_find(triangle, terms, pool, block0, blocks, i0, j0, stride, s0, points, z0,
                      planes);
      BARRIER();
      FOR_EACH(k, SUM_ITEMS, SUM_ITEMS)
      {
        const int side = k / PAIRS % 2, of = k / (2 * PAIRS), z = of % PLANES, e = of / PLANES;
        LOCAL const real *from = pool + (e * CHUNK * PLANES + z) * 2 * SIDE;
        PRIVATE real *m = KEPT(sums, k, CROSS);
        int t, u;
        if (factorised_pair(k % PAIRS, triangular, &t, &u) && i0 + t < nodes && j0 + u < nodes &&
            z0 + z < planes) {
          LOCAL const real *left = from + t * HALF * LANES;
          LOCAL const real *right = from + (own ? 0 : SIDE) + u * HALF * LANES;
          if (side)
            factorised_sum(left + DIRECTIONS * LANES, right, m, 3, count);
          else
            factorised_sum(left, right, m, DIRECTIONS, count);
        }
      }
    }
    FOR_EACH(k, SUM_ITEMS, SUM_ITEMS)
    {
      const int side = k / PAIRS % 2, of = k / (2 * PAIRS), z = z0 + of % PLANES, e = of / PLANES;
      if (z < planes)
        factorised_laws(law + e * CONSTANTS * LANES, KEPT(sums, k, CROSS), side,
                        blend + (e * DEPTH + z) * BLEND +
                            (side * 2 * SQUARE * APART + k % PAIRS) * LANES);
    }
  }
  for (int r0 = 0; r0 < layers; r0 += ROWS) {
    BARRIER();
    FOR_ITEMS(k, ELEMENTS * SQUARE * PAIRS) {
      const int pair = k % PAIRS, ij = k / PAIRS % SQUARE, e = k / (PAIRS * SQUARE);
      LOCAL const real *from = blend + e * DEPTH * BLEND + (ij * APART + pair) * LANES;
      int t, u;
#if THREADS == 1
      factorised_expect(place, matrix, (block0 + e) * LANES, at, elements, i0, j0, r0, nodes,
                        layers, mirrored, k, SQUARE * PAIRS);
#endif
      if (factorised_pair(pair, triangular, &t, &u) && i0 + t < nodes && j0 + u < nodes) {
        LOCAL real *to = pool + ((e * BAND + t * EQUATIONS + ij / EQUATIONS) * LENGTH +
                                 u * EQUATIONS + ij % EQUATIONS) *
                                    LANES;
        factorised_layers(from, table, to, r0, planes, layers);
      }
    }
    BARRIER();
    factorised_put(pool, place, matrix, block0, at, elements, i0, j0, r0, nodes, layers, mirrored);
  }
}
