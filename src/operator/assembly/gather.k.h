/* Stage 3 of assembly, the second half of ours: each row of the matrix is summed by its own threads, element by element in ascending
 * order, in local memory, and written once: no atomics, the same bits in each run.
 *   K_ij = sum over the elements around i of K_e[n(i)][n(j)] (A.6),  DIM x DIM, DIM the components per node
 * Arrays are those of operator/assembly/neighbour.k.h and indices.k.h; matrix [slots][size] and given, in units, hold K_e; about: see
 * operator/assembly/lists.k.h. Rows [first, end), ROWS per group, SPREAD threads each; local memory has room for SPAN entries of a group, or, HEAVY, values are
 * summed in place. Where an element of the mesh is collapsed (collapsed[0]) the thread of a node's first place in it adds those of all its
 * places. Where matrices begin is looked up for ROUND elements of each row at once. VALUES 3: value is ELL's, [width][DIM nodes].
 * SCALED: K_e is multiplied by scale[e]; without, scale is not read. */
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

/* Where the rows of node i in the element of list entry p begin, in matrix, or, -1 minus it, in given; their length. */
DEVICE long gather_find(GLOBAL const int *RESTRICT slot,
                        GLOBAL const unsigned short *RESTRICT place, const long p, const int width,
                        const int size, const int unit)
{
  const int at = slot[p];
  const long from = (at >= 0 ? (long)at * size : (long)(-1 - at) * unit) + place[p] * DIM * width;
  return at >= 0 ? from : -1 - from;
}

/* Whether the node of place n has none before it in the element. */
DEVICE int gather_first(GLOBAL const unsigned short *places, const int n)
{
  for (int m = 0; m < n; m++)
    if (places[m] == places[n]) return 0;
  return 1;
}

/* What the element of `width` columns adds to the column of entry k, with those of later places of the same node. */
DEVICE real gather_all(GLOBAL const unsigned short *places, GLOBAL const real *from, const int k,
                       const int width)
{
  real sum = from[k];
  for (int m = k / DIM + 1; m < width / DIM; m++)
    if (places[m] == places[k / DIM]) sum += from[m * DIM + k % DIM];
  return sum;
}

KERNEL gather_rows(GROUP_PARAM GLOBAL const long *RESTRICT around_begin,
                   GLOBAL const int *RESTRICT around, GLOBAL const unsigned short *RESTRICT place,
                   GLOBAL const int *RESTRICT slot, GLOBAL const unsigned short *RESTRICT where,
                   GLOBAL const long *RESTRICT begin, GLOBAL const int *RESTRICT kind,
                   GLOBAL const int *RESTRICT about, GLOBAL const real *RESTRICT matrix,
                   GLOBAL const real *RESTRICT given, GLOBAL real *RESTRICT value,
                   GLOBAL const int *RESTRICT collapsed, GLOBAL const real *RESTRICT scale,
                   const int first, const int end, const int nodes)
{
  const int stride = ABOUT_STRIDE(about), size = ABOUT_SIZE(about), unit = ABOUT_GIVEN(about);
  LOCAL_BEGIN
  LOCAL_ARRAY(long, source, ROWS *ROUND);
  LOCAL_ARRAY(int, widths, ROWS *ROUND);
  const int row = first + GROUP_ID * ROWS, last = row + ROWS < end ? row + ROWS : end;
  const long base = begin[row];
  const int entries = (int)(begin[last] - base);
  SUM_ARRAY
  const int repeats = collapsed[0];
  int steps = 0;
  for (int i = row; i < last; i++) {
    const int length = (int)(around_begin[i + 1] - around_begin[i]);
    steps = length > steps ? length : steps;
  }
  FOR_ITEMS(k, entries * (DIM * DIM)) sum[k] = 0;
  for (int start = 0; start < steps; start += ROUND) {
    FOR_ITEMS(k, ROWS * ROUND) {
      const int i = row + k / ROUND;
      const long p = i < last ? around_begin[i] + start + k % ROUND : 0;
      widths[k] =
          i < last && p < around_begin[i + 1] ? ABOUT_NODES(about, kind[around[p]]) * DIM : 0;
      if (widths[k]) source[k] = gather_find(slot, place, p, widths[k], size, unit);
    }
    SUM_BARRIER();
    for (int step = 0; step < ROUND && start + step < steps; step++) {
      FOR_ITEMS(t, THREADS) {
        const int r = t / SPREAD, i = row + r, width = widths[r * ROUND + step];
        if (width) {
          const long at = source[r * ROUND + step];
          const int length = (int)(begin[i + 1] - begin[i]);
          GLOBAL const unsigned short *places = where + (around_begin[i] + start + step) * stride;
          GLOBAL const real *from = at >= 0 ? matrix + at : given + (-1 - at);
          SUM_PLACE real *to = sum + (begin[i] - base) * (DIM * DIM);
          const real factor = SCALED ? scale[around[around_begin[i] + start + step]] : REAL(1.0);
          for (int k = t % SPREAD; k < width; k += SPREAD) {
            const int o = places[k / DIM] * DIM + k % DIM;
            if (!repeats || gather_first(places, k / DIM)) UNROLL
            for (int c = 0; c < DIM; c++)
              to[c * length * DIM + o] +=
                  factor *
                  (repeats ? gather_all(places, from + c * width, k, width) : from[c * width + k]);
          }
        }
      }
      SUM_BARRIER();
    }
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
