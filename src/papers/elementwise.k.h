/* Stage 3 as Sanfui and Sharma do it (Algorithm 7), to compare with ours: a thread integrates an element and adds its matrix to K by
 * atomics, in one kernel ("same") or by way of the device's memory in two ("separate"). The order of sums is left to chance. With one
 * component, in one kernel, this is Keating's Algorithm 3 for temperatures. By colours (Cecka, Lew, Darve; Komatitsch): a launch for
 * each colour adds the matrices of its elements, which share no node, without atomics.
 * Arrays as in operator/assembly/integrate.k.h and indices.k.h; slope [nodes][DIM][points].
 *   matrix [size^2][elements]  K_e of the separate kernels, size = DIM nodes
 *   list   [elements]          WAY 4: those of a launch stand from `first` on, `elements` of them
 * NODES: those of the only shape. VALUES 3: value is ELL's. COMPONENTS: of a node, DIM, or 1 (heat; WAY 0). */
#define SIZE (NODES * DIM)
#ifndef COMPONENTS
#define COMPONENTS DIM
#endif

/* g[NODES][DIM] = gradients at point q; w |J|. */
DEVICE real elementwise_gradients(GLOBAL const real *RESTRICT slope, PRIVATE const real *x,
                                  const real weight, const int q, const int points, PRIVATE real *g)
{
  real j[DIM * DIM], a[DIM * DIM];
  for (int k = 0; k < DIM * DIM; k++) j[k] = 0;
  for (int n = 0; n < NODES; n++) UNROLL
  for (int c = 0; c < DIM; c++) UNROLL
  for (int d = 0; d < DIM; d++)
    j[c * DIM + d] += x[n * DIM + c] * slope[(n * DIM + d) * points + q];
#if DIM == 3
  UNROLL
  for (int r = 0; r < 3; r++) UNROLL
  for (int c = 0; c < 3; c++)
    a[c * 3 + r] = j[(r + 1) % 3 * 3 + (c + 1) % 3] * j[(r + 2) % 3 * 3 + (c + 2) % 3] -
                   j[(r + 1) % 3 * 3 + (c + 2) % 3] * j[(r + 2) % 3 * 3 + (c + 1) % 3];
  const real det = j[0] * a[0] + j[1] * a[3] + j[2] * a[6];
#else
  a[0] = j[3], a[1] = -j[1], a[2] = -j[2], a[3] = j[0];
  const real det = j[0] * j[3] - j[1] * j[2];
#endif
  const real inverse = RECIPROCAL(det);
  for (int n = 0; n < NODES; n++) UNROLL
  for (int c = 0; c < DIM; c++) {
    real sum = 0;
    UNROLL
    for (int d = 0; d < DIM; d++)
      sum += slope[(n * DIM + d) * points + q] * a[d * DIM + c] * inverse;
    g[n * DIM + c] = sum;
  }
  return weight * det;
}

/* at[SIZE] = coordinates of the nodes, from the first on. */
DEVICE void elementwise_place(GLOBAL const int *RESTRICT of, GLOBAL const double *RESTRICT x,
                              PRIVATE real *at)
{
  for (int n = 0; n < NODES; n++)
    for (int d = 0; d < DIM; d++)
      at[n * DIM + d] = (real)(x[(long)of[n] * DIM + d] - x[(long)of[0] * DIM + d]);
}

/* k[SIZE][SIZE] = K_e; with one component its entries are DIM apart. */
DEVICE void elementwise_matrix(GLOBAL const int *RESTRICT of, GLOBAL const double *RESTRICT x,
                               GLOBAL const real *RESTRICT law, GLOBAL const real *RESTRICT slope,
                               GLOBAL const real *RESTRICT weight, const int points,
                               PRIVATE real *k)
{
  real at[SIZE], g[SIZE];
  elementwise_place(of, x, at);
  for (int m = 0; m < SIZE * SIZE; m++) k[m] = 0;
  for (int q = 0; q < points; q++) {
    const real w = elementwise_gradients(slope, at, weight[q], q, points, g);
    for (int a = 0; a < SIZE; a++) {
      const real wg = w * g[a];
      for (int b = 0; b < SIZE; b++) k[a * SIZE + b] += wg * g[b];
    }
  }
  for (int i = 0; i < NODES; i++)
    for (int j = 0; j < NODES; j++) {
      real m[DIM * DIM], block[COMPONENTS * COMPONENTS];
      PRIVATE real *own = k + i * DIM * SIZE + j * DIM;
      UNROLL
      for (int p = 0; p < DIM * DIM; p++) m[p] = own[p / DIM * SIZE + p % DIM];
      law_apply(law, m, block);
      UNROLL
      for (int p = 0; p < COMPONENTS * COMPONENTS; p++)
        own[p / COMPONENTS * SIZE + p % COMPONENTS] = block[p];
    }
}

/* Adds the block of nodes n, m of the element to its place, which is searched for. */
DEVICE void elementwise_add(GLOBAL const int *RESTRICT of, GLOBAL const long *RESTRICT begin,
                            GLOBAL const int *RESTRICT column, GLOBAL real *RESTRICT value,
                            const int n, const int m, const int nodes, PRIVATE const real *block)
{
  const int i = of[n], j = of[m], length = (int)(begin[i + 1] - begin[i]);
  GLOBAL const int *row = column + begin[i];
  int low = 0, high = length - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (row[middle] < j)
      low = middle + 1;
    else
      high = middle;
  }
  for (int c = 0; c < COMPONENTS; c++)
    for (int d = 0; d < COMPONENTS; d++) {
#if VALUES == 3
      const long at = (long)(low * COMPONENTS + d) * nodes * COMPONENTS + i * COMPONENTS + c;
#else
      const long at =
          begin[i] * (COMPONENTS * COMPONENTS) + (long)(c * length + low) * COMPONENTS + d;
#endif
#if WAY == 4
      value[at] += block[c * COMPONENTS + d];
#else
      ATOMIC_ADD_REAL(&value[at], block[c * COMPONENTS + d]);
#endif
    }
}

/* WAY 0: same kernel; 1: the first of the separate ones, which writes matrix; 2: the second, which reads it; 4: the elements of one colour. */
KERNEL elementwise_step(GROUP_PARAM GLOBAL const int *RESTRICT node,
                        GLOBAL const int *RESTRICT region, GLOBAL const double *RESTRICT x,
                        GLOBAL const real *RESTRICT law, GLOBAL const real *RESTRICT slope,
                        GLOBAL const real *RESTRICT weight, GLOBAL const long *RESTRICT begin,
                        GLOBAL const int *RESTRICT column, GLOBAL real *RESTRICT value,
                        GLOBAL real *RESTRICT matrix, GLOBAL const int *RESTRICT list,
                        const int first, const int elements, const int points, const int nodes)
{
  FOR_ITEMS(t, CHUNK) {
    const int number = GROUP_ID * CHUNK + t;
    if (number < elements) {
#if WAY == 4
      const int e = list[first + number];
#else
      const int e = number;
#endif
      GLOBAL const int *of = node + (long)e * NODES;
#if WAY != 2
      real k[SIZE * SIZE];
      elementwise_matrix(of, x, law + (long)region[e] * LAW, slope, weight, points, k);
#endif
#if WAY == 1
      for (int m = 0; m < SIZE * SIZE; m++) matrix[(long)m * elements + e] = k[m];
#else
      for (int n = 0; n < NODES; n++)
        for (int m = 0; m < NODES; m++) {
          real block[COMPONENTS * COMPONENTS];
          UNROLL
          for (int p = 0; p < COMPONENTS * COMPONENTS; p++) {
            const int o = (n * DIM + p / COMPONENTS) * SIZE + m * DIM + p % COMPONENTS;
#if WAY != 2
            block[p] = k[o];
#else
            block[p] = matrix[(long)o * elements + e];
#endif
          }
          elementwise_add(of, begin, column, value, n, m, nodes, block);
        }
#endif
    }
  }
}

#if WAY == 3
/* The local number of node i in an element, or NODES if the element does not have the node. */
DEVICE int elementwise_number(LOCAL const int *of, const int i)
{
  int n = 0;
  while (n < NODES && of[n] != i) n++;
  return n;
}

/* block[DIM][DIM] = K_e of the nodes n, m of an element, from density [POINTS] and gradient [POINTS][SIZE]. */
DEVICE void elementwise_block(LOCAL const real *density, LOCAL const real *gradient,
                              GLOBAL const real *RESTRICT law, const int points, const int n,
                              const int m, PRIVATE real *block)
{
  real sum[DIM * DIM];
  UNROLL
  for (int p = 0; p < DIM * DIM; p++) sum[p] = 0;
  for (int q = 0; q < points; q++) {
    LOCAL const real *g = gradient + q * SIZE;
    UNROLL
    for (int p = 0; p < DIM * DIM; p++)
      sum[p] += density[q] * g[n * DIM + p / DIM] * g[m * DIM + p % DIM];
  }
  law_apply(law, sum, block);
}

/* SharedNZ of Cecka, Lew, Darve (2011), section 4.3: a group owns rows; batches of the elements around them are integrated into local
 * memory, and then a thread per nonzero adds what is its own. No atomics; an element is integrated by each group that it touches. A thread
 * finds the gradients at a point, then the block of a pair of nodes: two matrices of HEX20 fill local memory and still have 800 pairs.
 * ROWS rows; at most LIST entries of their element lists; BATCH matrices in local memory; room for POINTS points. WAY 3.
 *   of [BATCH][NODES]  nodes of the batch;  own [BATCH][ROWS]  the number of a row's node in an element, NODES where it has none */
KERNEL elementwise_shared(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                          GLOBAL const int *RESTRICT around, GLOBAL const int *RESTRICT node,
                          GLOBAL const int *RESTRICT region, GLOBAL const double *RESTRICT x,
                          GLOBAL const real *RESTRICT law, GLOBAL const real *RESTRICT slope,
                          GLOBAL const real *RESTRICT weight, GLOBAL const long *RESTRICT begin,
                          GLOBAL const int *RESTRICT column, GLOBAL real *RESTRICT value,
                          const int points, const int nodes)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(int, list, LIST);
  LOCAL_ARRAY(int, first, LIST);
  LOCAL_ARRAY(int, total, 1);
  LOCAL_ARRAY(int, of, BATCH *NODES);
  LOCAL_ARRAY(int, own, BATCH *ROWS);
  LOCAL_ARRAY(real, density, BATCH * POINTS);
  LOCAL_ARRAY(real, gradient, BATCH * POINTS * SIZE);
  LOCAL_ARRAY(real, matrix, BATCH * SIZE * SIZE);
  const int row = GROUP_ID * ROWS, last = row + ROWS < nodes ? row + ROWS : nodes;
  const long from = around_begin[row];
  const int candidates = (int)(around_begin[last] - from);
  FOR_ITEMS(k, candidates) {
    const int e = around[from + k];
    first[k] = 1;
    for (int m = 0; m < k; m++)
      if (around[from + m] == e) first[k] = 0;
  }
  BARRIER();
  FOR_ITEMS(k, candidates) {
    const int e = around[from + k];
    int smaller = 0;
    if (first[k]) {
      for (int m = 0; m < candidates; m++) smaller += first[m] && around[from + m] < e;
      list[smaller] = e;
    }
  }
  FOR_ITEMS(k, 1) {
    int sum = 0;
    for (int m = 0; m < candidates; m++) sum += first[m];
    total[0] = sum;
  }
  BARRIER();
  const int elements = total[0];
  for (int start = 0; start < elements; start += BATCH) {
    const int batch = elements - start < BATCH ? elements - start : BATCH;
    FOR_ITEMS(k, batch * NODES) of[k] = node[(long)list[start + k / NODES] * NODES + k % NODES];
    FOR_ITEMS(k, batch * points) {
      const int s = k / points, q = k % points;
      real at[SIZE], g[SIZE];
      elementwise_place(node + (long)list[start + s] * NODES, x, at);
      density[s * POINTS + q] = elementwise_gradients(slope, at, weight[q], q, points, g);
      for (int a = 0; a < SIZE; a++) gradient[(s * POINTS + q) * SIZE + a] = g[a];
    }
    BARRIER();
    FOR_ITEMS(k, batch * ROWS) own[k] = elementwise_number(of + k / ROWS * NODES, row + k % ROWS);
    FOR_ITEMS(k, batch * NODES * NODES) {
      const int s = k / (NODES * NODES), n = k / NODES % NODES, m = k % NODES;
      real block[DIM * DIM];
      elementwise_block(density + s * POINTS, gradient + s * POINTS * SIZE,
                        law + (long)region[list[start + s]] * LAW, points, n, m, block);
      UNROLL
      for (int p = 0; p < DIM * DIM; p++)
        matrix[(s * SIZE + n * DIM + p / DIM) * SIZE + m * DIM + p % DIM] = block[p];
    }
    BARRIER();
    for (int i = row; i < last; i++) {
      const int line = (int)(begin[i + 1] - begin[i]) * DIM;
      FOR_ITEMS(k, line * DIM) {
#if VALUES == 3
        const int c = k % DIM, o = k / DIM;
        const long at = (long)o * nodes * DIM + i * DIM + c;
#else
        const int c = k / line, o = k % line;
        const long at = begin[i] * (DIM * DIM) + k;
#endif
        const int j = column[begin[i] + o / DIM], d = o % DIM;
        real sum = start ? value[at] : 0;
        for (int s = 0; s < batch; s++) {
          const int n = own[s * ROWS + i - row],
                    m = n < NODES ? elementwise_number(of + s * NODES, j) : NODES;
          if (m < NODES) sum += matrix[(s * SIZE + n * DIM + c) * SIZE + m * DIM + d];
        }
        value[at] = sum;
      }
    }
    BARRIER();
  }
}
#endif
