/* The product of the assembled matrix, by node rows:  f_i = -sum over j of K_ij (u_j - u_i),  for a translation gives no force;
 * DIFFERENCES 0 (heat, which faces exchange):  f_i = -sum over j of K_ij u_j.  DIM: components per node.
 * Values as in operator/assembly/indices.k.h: a row's DIM lines one behind the other, so that threads next to each other read what lies next to
 * each other, with one column index for DIM x DIM values. A group has ROWS rows, SPREAD items each, of RUN values at once; parts are summed
 * in a fixed order. */

KERNEL product_step(GROUP_PARAM STATE_PARAMS, GLOBAL const long *RESTRICT begin,
                    GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT value,
                    const int nodes)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, part, DIM * ROWS * SPREAD);
  STATE_BEGIN
  FOR_ITEMS(t, ROWS * SPREAD) {
    const int i = PATCH_ID * ROWS + t / SPREAD;
    real f[DIM];
    UNROLL
    for (int c = 0; c < DIM; c++) f[c] = 0;
    if (i < nodes) {
      const int length = (int)(begin[i + 1] - begin[i]) * DIM;
      GLOBAL const int *j = column + begin[i];
      GLOBAL const real *k = value + begin[i] * (DIM * DIM);
      for (int m = t % SPREAD * RUN; m < length; m += SPREAD * RUN) UNROLL
      for (int r = 0; r < RUN; r++) {
        const int d = (m + r) % DIM;
        const real x = u[j[(m + r) / DIM] * DIM + d] - (DIFFERENCES ? u[i * DIM + d] : 0);
        UNROLL
        for (int c = 0; c < DIM; c++) f[c] -= k[(long)c * length + m + r] * x;
      }
    }
    UNROLL
    for (int c = 0; c < DIM; c++) part[c * ROWS * SPREAD + t] = f[c];
  }
  BARRIER();
  FOR_ITEMS(k, ROWS * DIM) {
    const int r = k / DIM, c = k % DIM, i = PATCH_ID * ROWS + r;
    if (i < nodes) {
      real f = 0;
      for (int s = 0; s < SPREAD; s++) f += part[(c * ROWS + r) * SPREAD + s];
      const int l = 0;
      (void)l;
      finish(out, v, i * DIM + c, u[i * DIM + c], f, LAST(i * DIM + c), FACTOR(i), DAMPING(i),
             LOSS);
    }
  }
  LOSS_END
}

#if SPREAD == 1 && DIM > 1 && !FORM
#define COLUMNS 128 /* whose x local memory has at once */
/* sum[DIM][LANES] += k[DIM][length] x over n reals of each line, and rest[DIM] what does not fill the lanes. */
DEVICE void add_lines(LOCAL real *sum, LOCAL real *rest, GLOBAL const real *k, LOCAL const real *x,
                      const int length, const int n)
{
  int m = 0;
  for (; m + LANES <= n; m += LANES) UNROLL
  for (int c = 0; c < DIM; c++) {
    GLOBAL const real *own = k + (long)c * length + m;
    PREFETCH(own, LANES);
    FOR_LANES(l) sum[c * LANES + l] += own[l] * x[m + l];
  }
  for (; m < n; m++) UNROLL
  for (int c = 0; c < DIM; c++) rest[c] += k[(long)c * length + m] * x[m];
}

/* product_step for the host, which stores K u: what a row reads of u is gathered first, and the lanes of the processor then sum each of its lines. */
KERNEL product_lines(GROUP_PARAM STATE_PARAMS, GLOBAL const long *RESTRICT begin,
                     GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT value,
                     const int nodes)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, x, COLUMNS * DIM);
  LOCAL_ARRAY(real, sum, DIM * LANES);
  LOCAL_ARRAY(real, rest, DIM);
  STATE_BEGIN
  FOR_ITEMS(t, ROWS) {
    const int i = PATCH_ID * ROWS + t, entries = i < nodes ? (int)(begin[i + 1] - begin[i]) : 0;
    GLOBAL const int *j = column + begin[i < nodes ? i : 0];
    GLOBAL const real *k = value + begin[i < nodes ? i : 0] * (DIM * DIM);
    for (int p = 0; p < DIM * LANES; p++) sum[p] = 0;
    for (int c = 0; c < DIM; c++) rest[c] = 0;
    for (int first = 0; first < entries; first += COLUMNS) {
      const int n = entries - first < COLUMNS ? entries - first : COLUMNS;
      for (int m = 0; m < n; m++) UNROLL
      for (int d = 0; d < DIM; d++)
        x[m * DIM + d] = u[j[first + m] * DIM + d] - (DIFFERENCES ? u[i * DIM + d] : 0);
      add_lines(sum, rest, k + (long)first * DIM, x, entries * DIM, n * DIM);
    }
    for (int c = 0; c < DIM && i < nodes; c++) {
      real f = rest[c];
      for (int l = 0; l < LANES; l++) f += sum[c * LANES + l];
      out[i * DIM + c] = f;
    }
  }
  LOSS_END
}
#endif

#if SPAN
/* The same for one component and short rows: a group reads the entries of its ROWS rows, at most SPAN, side by side, and keeps their
 * products in local memory, where a thread sums each row. */
KERNEL product_short(GROUP_PARAM STATE_PARAMS, GLOBAL const long *RESTRICT begin,
                     GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT value,
                     const int nodes)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(real, part, SPAN);
  STATE_BEGIN
  const int first = PATCH_ID * ROWS, last = first + ROWS < nodes ? first + ROWS : nodes;
  const long base = begin[first];
  const int entries = (int)(begin[last] - base);
  GLOBAL const int *j = column + base;
  GLOBAL const real *k = value + base;
  FOR_ITEMS(m, entries) part[m] = k[m] * u[j[m]];
  BARRIER();
  FOR_ITEMS(r, last - first) {
    const int i = first + r, end = (int)(begin[i + 1] - base);
    real f = 0;
    for (int m = (int)(begin[i] - base); m < end; m++) f -= part[m];
    const int l = 0;
    (void)l;
    finish(out, v, i, u[i], f, LAST(i), FACTOR(i), DAMPING(i), LOSS);
  }
  LOSS_END
}
#endif

/* out[node][DIM][DIM] = K_ii; zero where a row is empty. A group has ROWS rows. */
KERNEL product_diagonal(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                        GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT value,
                        GLOBAL real *RESTRICT out, const int nodes)
{
  FOR_ITEMS(t, ROWS) {
    const int i = GROUP_ID * ROWS + t;
    if (i < nodes) {
      const int entries = (int)(begin[i + 1] - begin[i]);
      GLOBAL const int *j = column + begin[i];
      GLOBAL const real *k = value + begin[i] * (DIM * DIM);
      int own = 0;
      while (own < entries && j[own] != i) own++;
      for (int c = 0; c < DIM; c++)
        for (int d = 0; d < DIM; d++)
          out[((long)i * DIM + c) * DIM + d] =
              own < entries ? k[((long)c * entries + own) * DIM + d] : 0;
    }
  }
}

/* out[group][size][DIM][size][DIM] = K between the nodes list[group][size], -1: none, zero; columns of a row ascend. A group has one list. */
KERNEL product_blocks(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                      GLOBAL const int *RESTRICT column, GLOBAL const real *RESTRICT value,
                      GLOBAL const int *RESTRICT list, GLOBAL real *RESTRICT out, const int size)
{
  FOR_ITEMS(t, size * size) {
    const int s = t / size, q = t % size, i = list[(long)GROUP_ID * size + s],
              j = list[(long)GROUP_ID * size + q];
    GLOBAL real *to =
        out + (((long)GROUP_ID * size + s) * DIM * size + q) * DIM; /* of the first component */
    int low = 0, entries = 0;
    if (i >= 0 && j >= 0) {
      GLOBAL const int *row = column + begin[i];
      int high = entries = (int)(begin[i + 1] - begin[i]);
      while (low < high) {
        const int middle = (low + high) / 2;
        if (row[middle] < j)
          low = middle + 1;
        else
          high = middle;
      }
      if (low < entries && row[low] != j) low = entries;
    }
    for (int c = 0; c < DIM; c++)
      for (int d = 0; d < DIM; d++)
        to[(long)c * size * DIM + d] =
            low < entries ? value[begin[i] * (DIM * DIM) + ((long)c * entries + low) * DIM + d] : 0;
  }
}
