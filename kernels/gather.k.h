/* Stage 3 of assembly, the second half of ours: each row of the matrix is summed by its own threads, element by element in ascending
 * order, in local memory, and written once: no atomics, the same bits in each run.
 *   K_ij = sum over the elements around i of K_e[n(i)][n(j)]
 * Arrays are those of kernels/neighbour.k.h and indices.k.h; matrix [slots][size] and given [..][size] hold K_e, nodes_of their nodes by
 * kind. Rows [first, end), ROWS per group, SPREAD threads each; local memory has room for SPAN entries of a group, or, HEAVY, values are
 * summed in place. VALUES 3: value is ELL's, [width][DIM nodes]. */
#define SPREAD (THREADS / ROWS)
#if HEAVY
#define SUM_ARRAY GLOBAL real *const sum = value + base * (DIM * DIM);
#define SUM_BARRIER() BARRIER_GLOBAL()
#define SUM_PLACE GLOBAL
#else
#define SUM_ARRAY LOCAL_ARRAY(real, sum, SPAN *DIM *DIM);
#define SUM_BARRIER() BARRIER()
#define SUM_PLACE LOCAL
#endif

KERNEL gather_rows(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                   GLOBAL const int *RESTRICT around, GLOBAL const unsigned char *RESTRICT place,
                   GLOBAL const int *RESTRICT slot, GLOBAL const unsigned short *RESTRICT where,
                   GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT kind,
                   GLOBAL const int *RESTRICT nodes_of, GLOBAL const real *RESTRICT matrix,
                   GLOBAL const real *RESTRICT given, GLOBAL real *RESTRICT value, const int first,
                   const int end, const int stride, const int size, const int nodes)
{
  LOCAL_BEGIN
  const int row = first + GROUP_ID * ROWS, last = row + ROWS < end ? row + ROWS : end;
  const long base = begin[row];
  const int entries = (int)(begin[last] - base);
  SUM_ARRAY
  int steps = 0;
  for (int i = row; i < last; i++) {
    const int length = (int)(around_begin[i + 1] - around_begin[i]);
    steps = length > steps ? length : steps;
  }
  FOR_ITEMS(k, entries * (DIM * DIM)) sum[k] = 0;
  SUM_BARRIER();
  for (int step = 0; step < steps; step++) {
    FOR_ITEMS(t, THREADS) {
      const int i = row + t / SPREAD;
      if (i < last && around_begin[i] + step < around_begin[i + 1]) {
        const long p = around_begin[i] + step;
        const int width = nodes_of[kind[around[p]]] * DIM, length = (int)(begin[i + 1] - begin[i]);
        GLOBAL const unsigned short *at = where + p * stride;
        GLOBAL const real *from =
            (slot[p] >= 0 ? matrix + (long)slot[p] * size : given + (long)(-1 - slot[p]) * size) +
            place[p] * DIM * width;
        SUM_PLACE real *to = sum + (begin[i] - base) * (DIM * DIM);
        for (int k = t % SPREAD; k < width; k += SPREAD) {
          const int o = at[k / DIM] * DIM + k % DIM;
          UNROLL
          for (int c = 0; c < DIM; c++) to[c * length * DIM + o] += from[c * width + k];
        }
      }
    }
    SUM_BARRIER();
  }
#if VALUES == 3
  FOR_ITEMS(t, THREADS) {
    const int i = row + t / SPREAD;
    if (i < last) {
      const int length = (int)(begin[i + 1] - begin[i]);
      for (int k = t % SPREAD; k < length * DIM; k += SPREAD) UNROLL
      for (int c = 0; c < DIM; c++)
        value[(long)k * nodes * DIM + i * DIM + c] =
            sum[(begin[i] - base) * (DIM * DIM) + c * length * DIM + k];
    }
  }
#elif !HEAVY
  FOR_ITEMS(k, entries * (DIM * DIM)) value[base * (DIM * DIM) + k] = sum[k];
#endif
}
