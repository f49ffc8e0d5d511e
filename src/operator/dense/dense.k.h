/* The dense stiffness matrix, a[n][n], n = DIM nodes, row by row (line i is row i; of a symmetric one column i too), after Keating (2019): its rows are
 * summed from element matrices (Algorithm 2), masters of constraints take the dependent degrees of freedom's part of T^T K T, prescribed values
 * are eliminated (section 2.4.3), and what is not zero becomes sparse rows. Arrays of the mesh are those of operator/assembly/neighbour.k.h and
 * gather.k.h. Long lines are treated CHUNK numbers per group. */

KERNEL dense_clear(GROUP_PARAM GLOBAL real *RESTRICT a, const int n, const int chunks)
{
  const int start = GROUP_ID % chunks * CHUNK;
  GLOBAL real *line = a + (long)(GROUP_ID / chunks) * n;
  FOR_ITEMS(k, CHUNK) {
    if (start + k < n) line[start + k] = 0;
  }
}

/* Keating, Algorithm 2, without atomics: the thread of line (i, c) adds the elements around i in ascending order,
 *   a_ij += K_e[n(i)][n(j)]
 * to a line that is zero. Rows [first, end) of nodes, ROWS per group. */
KERNEL dense_rows(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                  GLOBAL const int *RESTRICT around, GLOBAL const unsigned short *RESTRICT place,
                  GLOBAL const int *RESTRICT slot, GLOBAL const int *RESTRICT node,
                  GLOBAL const int *RESTRICT kind, GLOBAL const int *RESTRICT about,
                  GLOBAL const real *RESTRICT matrix, GLOBAL const real *RESTRICT given,
                  GLOBAL real *RESTRICT a, const int first, const int end, const int n)
{
  const int stride = ABOUT_STRIDE(about), size = ABOUT_SIZE(about), unit = ABOUT_GIVEN(about);
  FOR_ITEMS(t, ROWS * DIM) {
    const int i = first + GROUP_ID * ROWS + t / DIM, c = t % DIM;
    if (i < end) {
      GLOBAL real *line = a + (long)(i * DIM + c) * n;
      for (long p = around_begin[i]; p < around_begin[i + 1]; p++) {
        const int e = around[p], at = slot[p], nodes = ABOUT_NODES(about, kind[e]);
        GLOBAL const real *from =
            (at >= 0 ? matrix + (long)at * size : given + (long)(-1 - at) * unit) +
            (place[p] * DIM + c) * nodes * DIM;
        for (int m = 0; m < nodes; m++) {
          const int j = node[(long)e * stride + m];
          UNROLL
          for (int d = 0; d < DIM; d++) line[j * DIM + d] += from[m * DIM + d];
        }
      }
    }
  }
}

/* Of T^T K T, the dependent degrees of freedom's part: line dof[m] += sum weight line[dependent]; lines are rows, or, across 1, columns.
 * chunks: groups per line. */
KERNEL dense_fold(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL const int *RESTRICT begin,
                  GLOBAL const int *RESTRICT dependent, GLOBAL const double *RESTRICT weight,
                  GLOBAL real *a, const int n, const int chunks, const int across)
{
  const int m = GROUP_ID / chunks, start = GROUP_ID % chunks * CHUNK;
  FOR_ITEMS(k, CHUNK) {
    const int i = start + k;
    if (i < n) {
      GLOBAL real *to = across ? a + (long)i * n + dof[m] : a + (long)dof[m] * n + i;
      double sum = (double)*to;
      for (int e = begin[m]; e < begin[m + 1]; e++)
        sum += weight[e] *
               (double)(across ? a[(long)i * n + dependent[e]] : a[(long)dependent[e] * n + i]);
      *to = (real)sum;
    }
  }
}

/* Keating, section 2.4.3, step 1: b_i -= sum over what is held of a_ij U_j, in its order. */
KERNEL dense_load(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL const double *RESTRICT value,
                  GLOBAL const real *RESTRICT a, GLOBAL real *RESTRICT b, const int count,
                  const int n)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < n) {
      double sum = (double)b[i];
      for (int j = 0; j < count; j++) sum -= (double)a[(long)i * n + dof[j]] * value[j];
      b[i] = (real)sum;
    }
  }
}

/* Steps 2, 3: rows and columns of what is held become zero, one on the diagonal. */
KERNEL dense_hold(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL real *a, const int n,
                  const int chunks)
{
  const int j = dof[GROUP_ID / chunks], start = GROUP_ID % chunks * CHUNK;
  FOR_ITEMS(k, CHUNK) {
    const int i = start + k;
    if (i < n) {
      a[(long)j * n + i] = i == j;
      a[(long)i * n + j] = i == j;
    }
  }
}

/* Step 4: b_j = U_j */
KERNEL dense_put(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL const double *RESTRICT value,
                 GLOBAL real *RESTRICT b, const int count)
{
  FOR_ITEMS(k, CHUNK) {
    const int j = GROUP_ID * CHUNK + k;
    if (j < count) b[dof[j]] = (real)value[j];
  }
}

/* Conversion to rows, a group per line, each thread a part of it: count[j] = numbers of line j that are not zero. */
KERNEL dense_count(GROUP_PARAM GLOBAL const real *RESTRICT a, GLOBAL int *RESTRICT count,
                   const int n)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(int, part, THREADS);
  GLOBAL const real *line = a + (long)GROUP_ID * n;
  const int run = (n + THREADS - 1) / THREADS;
  FOR_ITEMS(t, THREADS) {
    int sum = 0;
    for (int i = t * run; i < (t + 1) * run && i < n; i++) sum += line[i] != 0;
    part[t] = sum;
  }
  BARRIER();
  FOR_ITEMS(k, 1) {
    int sum = 0;
    for (int t = 0; t < THREADS; t++) sum += part[t];
    count[GROUP_ID] = sum;
  }
}

/* column, value [begin[n]]: line j from begin[j] on, ascending. */
KERNEL dense_rows_of(GROUP_PARAM GLOBAL const real *RESTRICT a, GLOBAL const long *RESTRICT begin,
                     GLOBAL int *RESTRICT column, GLOBAL real *RESTRICT value, const int n)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(int, part, THREADS);
  GLOBAL const real *line = a + (long)GROUP_ID * n;
  const int run = (n + THREADS - 1) / THREADS;
  FOR_ITEMS(t, THREADS) {
    int sum = 0;
    for (int i = t * run; i < (t + 1) * run && i < n; i++) sum += line[i] != 0;
    part[t] = sum;
  }
  BARRIER();
  FOR_ITEMS(t, THREADS) {
    long to = begin[GROUP_ID];
    for (int before = 0; before < t; before++) to += part[before];
    for (int i = t * run; i < (t + 1) * run && i < n; i++)
      if (line[i] != 0) {
        column[to] = i, value[to] = line[i];
        to++;
      }
  }
}
