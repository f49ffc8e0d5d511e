/* Stage 2 of assembly (Sanfui, Sharma, Algorithm 6): indices from the neighbour matrix (operator/assembly/neighbour.k.h), and what stage 3 looks up.
 * The native form is the neighbour matrix itself: one index per pair of nodes. A row's values stand as those of CSR,
 *   value[DIM^2 begin[i] + (c length + q) DIM + d] = K_ij[c][d] (A.5),  j = column[begin[i] + q],  length = begin[i + 1] - begin[i]
 * so that COO and CSR differ from it by their indices alone. A group has ROWS rows, SPREAD threads each. */
#define SPREAD (THREADS / ROWS)

/* where[p][stride]: the q of every node of the element around[p] in the row that p belongs to. */
KERNEL indices_where(GROUP_PARAM GLOBAL const int *RESTRICT node,
                     GLOBAL const long *RESTRICT around_begin, GLOBAL const int *RESTRICT around,
                     GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT column,
                     GLOBAL unsigned short *RESTRICT where, const int nodes, const int stride)
{
  FOR_ITEMS(t, THREADS) {
    const int i = GROUP_ID * ROWS + t / SPREAD;
    if (i < nodes) {
      const long from = around_begin[i], items = (around_begin[i + 1] - from) * stride;
      GLOBAL const int *row = column + begin[i];
      const int length = (int)(begin[i + 1] - begin[i]);
      for (long k = t % SPREAD; k < items; k += SPREAD) {
        const int j = node[(long)around[from + k / stride] * stride + k % stride];
        int low = 0;
        for (int left = length; left > 1; left -= left / 2)
          low += row[low + left / 2 - 1] < j ? left / 2 : 0;
        where[from * stride + k] = (unsigned short)low;
      }
    }
  }
}

/* count[g] = entries of `rows` rows from g * rows on. */
KERNEL indices_spans(GROUP_PARAM GLOBAL const long *RESTRICT begin, GLOBAL int *RESTRICT count,
                     const int nodes, const int rows)
{
  FOR_ITEMS(k, CHUNK) {
    const int g = GROUP_ID * CHUNK + k;
    if (g < (nodes + rows - 1) / rows) {
      const int first = g * rows, end = first + rows < nodes ? first + rows : nodes;
      count[g] = (int)(begin[end] - begin[first]);
    }
  }
}

/* flag[e] = 1 for the elements around nodes [first, end) that have no matrix given. */
KERNEL indices_mark(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                    GLOBAL const int *RESTRICT around, GLOBAL const int *RESTRICT given,
                    GLOBAL int *RESTRICT flag, const int first, const int end)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = first + GROUP_ID * CHUNK + k;
    if (i < end)
      for (long p = around_begin[i]; p < around_begin[i + 1]; p++)
        if (given[around[p]] < 0) flag[around[p]] = 1;
  }
}

/* list[base + before[e]] = e of the elements with flag, which is cleared. */
KERNEL indices_list(GROUP_PARAM GLOBAL int *RESTRICT flag, GLOBAL const long *RESTRICT before,
                    GLOBAL int *RESTRICT list, const int base, const int elements)
{
  FOR_ITEMS(k, CHUNK) {
    const int e = GROUP_ID * CHUNK + k;
    if (e < elements && flag[e]) {
      list[base + (int)before[e]] = e;
      flag[e] = 0;
    }
  }
}

/* slot[p] of rows [first, end): place of the element's matrix in its list; of given ones -1 - their number. */
KERNEL indices_slots(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                     GLOBAL const int *RESTRICT around, GLOBAL const int *RESTRICT given,
                     GLOBAL const long *RESTRICT before, GLOBAL int *RESTRICT slot, const int first,
                     const int end)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = first + GROUP_ID * CHUNK + k;
    if (i < end)
      for (long p = around_begin[i]; p < around_begin[i + 1]; p++) {
        const int e = around[p];
        slot[p] = given[e] < 0 ? (int)before[e] : -1 - given[e];
      }
  }
}

/* Zeroes runs * 2048 + rest words. */
KERNEL indices_clear(GROUP_PARAM GLOBAL int *RESTRICT word, const int rest, const int runs)
{
  FOR_ITEMS(k, 2048) {
    if (GROUP_ID < runs || k < rest) word[(long)GROUP_ID * 2048 + k] = 0;
  }
}

/* Formats of the paper, by degrees of freedom i DIM + c:
 *   FORMAT 1  COO: row_of, column_of [DIM^2 entries]
 *   FORMAT 2  CSR: row_begin [DIM nodes + 1] long, column_of
 *   FORMAT 3  ELL: column_of [DIM width][DIM nodes], width the longest row; -1 behind the end of a row */
KERNEL indices_format(GROUP_PARAM GLOBAL const long *RESTRICT begin,
                      GLOBAL const int *RESTRICT column, GLOBAL long *RESTRICT row_begin,
                      GLOBAL int *RESTRICT row_of, GLOBAL int *RESTRICT column_of, const int nodes,
                      const int width)
{
  FOR_ITEMS(t, THREADS) {
    const int i = GROUP_ID * ROWS + t / SPREAD;
    if (i < nodes) {
      GLOBAL const int *row = column + begin[i];
      const int length = (int)(begin[i + 1] - begin[i]);
#if FORMAT == 3
      for (int k = t % SPREAD; k < width * DIM * DIM; k += SPREAD) {
        const int c = k % DIM, m = k / DIM;
        column_of[(long)m * nodes * DIM + i * DIM + c] =
            m < length * DIM ? row[m / DIM] * DIM + m % DIM : -1;
      }
#else
      const long base = begin[i] * (DIM * DIM);
      for (int m = t % SPREAD; m < length * DIM; m += SPREAD) {
        const int j = row[m / DIM] * DIM + m % DIM;
        UNROLL
        for (int c = 0; c < DIM; c++) {
          const long at = base + (long)c * length * DIM + m;
          column_of[at] = j;
#if FORMAT == 1
          row_of[at] = i * DIM + c;
#endif
        }
      }
#if FORMAT == 2
      if (t % SPREAD == 0)
        for (int c = 0; c < DIM; c++) {
          row_begin[i * DIM + c] = base + (long)c * length * DIM;
          if (i == nodes - 1 && c == DIM - 1) row_begin[nodes * DIM] = begin[nodes] * (DIM * DIM);
        }
#endif
#endif
    }
  }
}
