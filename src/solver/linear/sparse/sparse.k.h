/* Sparse rows of blocks in double (solver/linear/sparse/galerkin.h):
 *   begin [rows + 1] long, column ascending in a row, block [entries][HEIGHT][INNER]
 * Products C = A B, transposes, and what levels take from them. No sum depends on the order in which threads run.
 *   weight [entries of A]   entries that are not above 0 are left out of A; NULL: all count
 * A group has ROWS rows, SPREAD threads each, or CHUNK rows or entries, one per thread. */
#define SPREAD (THREADS / ROWS)
#define TAKES(weight, e) (!(weight) || (weight)[e] > 0)

/* count[i] = columns of row i of A B, each as often as it is met, at most 2^30. */
KERNEL sparse_candidates(GROUP_PARAM GLOBAL const long *RESTRICT a_begin,
                         GLOBAL const int *RESTRICT a_column, GLOBAL const float *RESTRICT weight,
                         GLOBAL const long *RESTRICT b_begin, GLOBAL int *RESTRICT count,
                         const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      long sum = 0;
      for (long e = a_begin[i]; e < a_begin[i + 1]; e++)
        if (TAKES(weight, e)) sum += b_begin[a_column[e] + 1] - b_begin[a_column[e]];
      count[i] = (int)(sum < 1 << 30 ? sum : 1 << 30);
    }
  }
}

#if SLOTS
/* FILL 0: count[i] = length of row i of A B; FILL 1: its columns. Tables: operator/assembly/lists.k.h. */
KERNEL sparse_unite(GROUP_PARAM GLOBAL const long *RESTRICT a_begin,
                    GLOBAL const int *RESTRICT a_column, GLOBAL const float *RESTRICT weight,
                    GLOBAL const long *RESTRICT b_begin, GLOBAL const int *RESTRICT b_column,
                    GLOBAL const long *RESTRICT begin, GLOBAL int *RESTRICT count,
                    GLOBAL int *RESTRICT column, GLOBAL int *RESTRICT scratch, const int first,
                    const int rows, const int slots)
{
  LOCAL_BEGIN
  LOCAL_ARRAY(int, found, ROWS);
  TABLE_ARRAY
#if FILL
  LIST_ARRAY
#endif
  FOR_ITEMS(k, ROWS * slots) table[k] = -1;
  FOR_ITEMS(r, ROWS) found[r] = 0;
  TABLE_BARRIER();
  FOR_ITEMS(t, THREADS) {
    const int r = t / SPREAD, i = GROUP_ID * ROWS + r;
    if (i < rows)
      for (long e = a_begin[i] + t % SPREAD; e < a_begin[i + 1]; e += SPREAD)
        if (TAKES(weight, e))
          for (long f = b_begin[a_column[e]]; f < b_begin[a_column[e] + 1]; f++)
            if (lists_insert(table + (long)r * slots, slots, b_column[f]))
              LIST_TAKE(r, b_column[f]);
  }
  TABLE_BARRIER();
#if FILL
  FOR_ITEMS(t, THREADS) {
    const int r = t / SPREAD, i = GROUP_ID * ROWS + r;
    if (i < rows)
      lists_rank(list + (long)r * slots, found[r], column + begin[i], t % SPREAD, SPREAD);
  }
#else
  FOR_ITEMS(r, ROWS) {
    if (GROUP_ID * ROWS + r < rows) count[GROUP_ID * ROWS + r] = found[r];
  }
#endif
}
#endif

#if HEIGHT
/* block of C = A B, of blocks [HEIGHT][INNER] and [INNER][COLUMNS]. All are summed along A's row. */
KERNEL sparse_multiply(GROUP_PARAM GLOBAL const long *RESTRICT a_begin,
                       GLOBAL const int *RESTRICT a_column, GLOBAL const float *RESTRICT weight,
                       GLOBAL const double *RESTRICT a_block, GLOBAL const long *RESTRICT b_begin,
                       GLOBAL const int *RESTRICT b_column, GLOBAL const double *RESTRICT b_block,
                       GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT column,
                       GLOBAL double *RESTRICT block, const int rows)
{
#if SPREAD == 1 /* a thread has a row: columns of B's rows ascend as those of C do */
  FOR_ITEMS(t, THREADS) {
    const int i = GROUP_ID * ROWS + t, size = HEIGHT * COLUMNS;
    if (i < rows) {
      for (long k = begin[i] * size; k < begin[i + 1] * size; k++) block[k] = 0;
      for (long e = a_begin[i]; e < a_begin[i + 1]; e++) {
        const int j = a_column[e];
        long to = begin[i];
        for (long f = b_begin[j]; TAKES(weight, e) && f < b_begin[j + 1]; f++) {
          while (column[to] < b_column[f]) to++;
          UNROLL
          for (int r = 0; r < HEIGHT; r++) UNROLL
          for (int m = 0; m < INNER; m++) UNROLL
          for (int q = 0; q < COLUMNS; q++)
            block[to * size + r * COLUMNS + q] +=
                a_block[(e * HEIGHT + r) * INNER + m] * b_block[(f * INNER + m) * COLUMNS + q];
        }
      }
    }
  }
#else /* each thread LINES rows of a block */
  FOR_ITEMS(t, THREADS) {
    const int i = GROUP_ID * ROWS + t / SPREAD;
    if (i < rows) {
      const long first = begin[i];
      const int items = (int)(begin[i + 1] - first) * (HEIGHT / LINES);
      for (int k = t % SPREAD; k < items; k += SPREAD) {
        const int line = k % (HEIGHT / LINES) * LINES;
        const long to = first + k / (HEIGHT / LINES);
        double sum[LINES * COLUMNS];
        UNROLL
        for (int q = 0; q < LINES * COLUMNS; q++) sum[q] = 0;
        for (long e = a_begin[i]; e < a_begin[i + 1]; e++) {
          const int j = a_column[e];
          const long f =
              TAKES(weight, e) ? lists_find(b_column, b_begin[j], b_begin[j + 1], column[to]) : -1;
          if (f >= 0) {
            GLOBAL const double *a = a_block + (e * HEIGHT + line) * INNER;
            GLOBAL const double *b = b_block + f * (INNER * COLUMNS);
            UNROLL
            for (int r = 0; r < LINES; r++) UNROLL
            for (int m = 0; m < INNER; m++) UNROLL
            for (int q = 0; q < COLUMNS; q++)
              sum[r * COLUMNS + q] += a[r * INNER + m] * b[m * COLUMNS + q];
          }
        }
        UNROLL
        for (int q = 0; q < LINES * COLUMNS; q++)
          block[(to * HEIGHT + line) * COLUMNS + q] = sum[q];
      }
    }
  }
#endif
}
#endif

/* count[j] += entries of column j. */
KERNEL sparse_tally(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                    GLOBAL const int *RESTRICT column, GLOBAL int *RESTRICT count, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows)
      for (long e = begin[i]; e < begin[i + 1]; e++) ATOMIC_ADD(&count[column[e]], 1);
  }
}

/* list[t_begin[j] ...] = rows with an entry in column j, in any order; counts down to 0. */
KERNEL sparse_scatter(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                      GLOBAL const int *RESTRICT column, GLOBAL const long *RESTRICT t_begin,
                      GLOBAL int *RESTRICT count, GLOBAL int *RESTRICT list, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows)
      for (long e = begin[i]; e < begin[i + 1]; e++)
        list[t_begin[column[e]] + ATOMIC_ADD(&count[column[e]], -1) - 1] = i;
  }
}

KERNEL sparse_order(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL int *RESTRICT list,
                    const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) lists_order(list + begin[i], begin[i + 1] - begin[i]);
  }
}

/* Blocks of the transpose, whose rows are t_begin, t_column; those of A have `height` rows and `width` columns. */
KERNEL sparse_flip(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT column,
                   GLOBAL const double *RESTRICT block, GLOBAL const long *RESTRICT t_begin,
                   GLOBAL const int *RESTRICT t_column, GLOBAL double *RESTRICT t_block,
                   const int rows, const int height, const int width)
{
  FOR_ITEMS(t, THREADS) {
    const int j = GROUP_ID * ROWS + t / SPREAD, size = height * width;
    if (j < rows)
      for (long e = t_begin[j] + t % SPREAD; e < t_begin[j + 1]; e += SPREAD) {
        const int i = t_column[e];
        const long f = lists_find(column, begin[i], begin[i + 1], j);
        for (int r = 0; r < height; r++)
          for (int c = 0; c < width; c++)
            t_block[e * size + c * height + r] = block[f * size + r * width + c];
      }
  }
}

/* block [entries][n][n] of a matrix whose rows are kept as operator/assembly/indices.k.h has them. */
KERNEL sparse_take(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL const real *RESTRICT value,
                   GLOBAL double *RESTRICT block, const int rows, const int n)
{
  FOR_ITEMS(t, THREADS) {
    const int i = GROUP_ID * ROWS + t / SPREAD;
    if (i < rows) {
      const long first = begin[i] * (n * n);
      const int length = (int)(begin[i + 1] - begin[i]);
      for (int k = t % SPREAD; k < length * n * n; k += SPREAD)
        block[first + k] = value[first + (k / n % n * length + k / (n * n)) * n + k % n];
    }
  }
}

/* Columns and blocks of `size` numbers from entry run[k][0] on to entry run[k][1] on, run[k][2] of them. */
KERNEL sparse_move(GROUP_PARAM GLOBAL const long *RESTRICT run, GLOBAL const int *RESTRICT column,
                   GLOBAL const double *RESTRICT block, GLOBAL int *RESTRICT to_column,
                   GLOBAL double *RESTRICT to_block, const int runs, const int size)
{
  FOR_ITEMS(t, THREADS) {
    const long k = (long)GROUP_ID * ROWS + t / SPREAD;
    if (k < runs) {
      const long from = run[3 * k], to = run[3 * k + 1], count = run[3 * k + 2];
      for (long e = t % SPREAD; e < count; e += SPREAD) to_column[to + e] = column[from + e];
      for (long q = t % SPREAD; q < count * size; q += SPREAD)
        to_block[to * size + q] = block[from * size + q];
    }
  }
}

/* span[i][2]: of the ascending columns of row i those in [low, high): the first of them counted from begin[i], and their count. */
KERNEL sparse_spans(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                    GLOBAL const int *RESTRICT column, GLOBAL int *RESTRICT span, const int rows,
                    const int low, const int high)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      const long end = begin[i + 1];
      long first = begin[i];
      while (first < end && column[first] < low) first++;
      long last = first;
      while (last < end && column[last] < high) last++;
      span[2 * (long)i] = (int)(first - begin[i]), span[2 * (long)i + 1] = (int)(last - first);
    }
  }
}

/* need[column of an entry] = 1; all who write a place write the same. */
KERNEL sparse_need(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT column,
                   GLOBAL int *RESTRICT need, const int rows)
{
  FOR_ITEMS(t, THREADS) {
    const int i = GROUP_ID * ROWS + t / SPREAD;
    if (i < rows)
      for (long e = begin[i] + t % SPREAD; e < begin[i + 1]; e += SPREAD) need[column[e]] = 1;
  }
}

/* held[dof[k]] = 1 */
KERNEL sparse_mark(GROUP_PARAM GLOBAL const int *RESTRICT dof, GLOBAL int *RESTRICT held,
                   const int count)
{
  FOR_ITEMS(k, CHUNK) {
    const int d = GROUP_ID * CHUNK + k;
    if (d < count) held[dof[d]] = 1;
  }
}

/* Rows and columns of degrees of freedom that are held become zero. */
KERNEL sparse_hold(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT column,
                   GLOBAL const int *RESTRICT held, GLOBAL double *RESTRICT block, const int rows,
                   const int n)
{
  FOR_ITEMS(t, THREADS) {
    const int i = GROUP_ID * ROWS + t / SPREAD;
    if (i < rows)
      for (long e = begin[i] + t % SPREAD; e < begin[i + 1]; e += SPREAD)
        for (int q = 0; q < n * n; q++)
          if (held[(long)i * n + q / n] || held[(long)column[e] * n + q % n])
            block[e * (n * n) + q] = 0;
  }
}

/* diagonal [rows][n][n] */
KERNEL sparse_diagonal(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                       GLOBAL const int *RESTRICT column, GLOBAL const double *RESTRICT block,
                       GLOBAL real *RESTRICT diagonal, const int rows, const int n)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < rows) {
      const long e = lists_find(column, begin[i], begin[i + 1], i);
      for (int q = 0; q < n * n; q++)
        diagonal[(long)i * (n * n) + q] = e < 0 ? 0 : (real)block[e * (n * n) + q];
    }
  }
}

/* count[s] = the longest of the WIDTH rows of slice s. */
KERNEL sparse_slices(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL int *RESTRICT count,
                     const int rows, const int slices)
{
  FOR_ITEMS(k, CHUNK) {
    const int s = GROUP_ID * CHUNK + k;
    if (s < slices) {
      int most = 0;
      for (int i = s * WIDTH; i < (s + 1) * WIDTH && i < rows; i++)
        most = begin[i + 1] - begin[i] > most ? (int)(begin[i + 1] - begin[i]) : most;
      count[s] = most;
    }
  }
}

/* slice [slices + 1] = sum, in 32 bits. */
KERNEL sparse_narrow(GROUP_PARAM GLOBAL const long *RESTRICT sum, GLOBAL int *RESTRICT slice,
                     const int count)
{
  FOR_ITEMS(k, CHUNK) {
    const int s = GROUP_ID * CHUNK + k;
    if (s < count) slice[s] = (int)sum[s];
  }
}

/* Rows as level_multiply reads them (solver/linear/multigrid/level.k.h); what is behind the end of a row is zero before. `size` numbers of a block. */
KERNEL sparse_pack(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT column,
                   GLOBAL const double *RESTRICT block, GLOBAL const int *RESTRICT slice,
                   GLOBAL int *RESTRICT to_column, GLOBAL real *RESTRICT to_block, const int rows,
                   const int size)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k, w = i % WIDTH;
    if (i < rows) {
      long entry = slice[i / WIDTH];
      for (long e = begin[i]; e < begin[i + 1]; e++, entry++) {
        to_column[entry * WIDTH + w] = column[e];
        for (int q = 0; q < size; q++)
          to_block[(entry * size + q) * WIDTH + w] = (real)block[e * size + q];
      }
    }
  }
}
