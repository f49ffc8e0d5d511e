/* Stage 1 of assembly (Sanfui, Sharma, Algorithms 1-5): the neighbour matrix of a mesh.
 *   node [elements][stride]             nodes of an element; -1 behind the last
 *   around_begin [nodes + 1]            the elements around a node are around[around_begin[i] ... around_begin[i + 1] - 1], ascending,
 *   around, place                       and the node is their node number place
 *   begin [nodes + 1], column           the nodes that share an element with i, itself among them, ascending (the paper's nInd, nNum)
 * Where the paper launches a sort of its own for each node, a group holds a table per row in local memory: distinct nodes are put in
 * once, and the place of each in the row is the number of smaller ones. Counts come first, so that all memory is known before it is
 * taken; what atomics leave in no fixed order is sorted. */

/* count[i] += elements around node i (countElemNum). */
KERNEL neighbour_count(GROUP_PARAM GLOBAL const int *RESTRICT node, GLOBAL int *RESTRICT count,
                       const int elements, const int stride)
{
  FOR_ITEMS(k, CHUNK) {
    const int e = GROUP_ID * CHUNK + k;
    if (e < elements)
      for (int n = 0; n < stride; n++) {
        const int i = node[(long)e * stride + n];
        if (i >= 0) ATOMIC_ADD(&count[i], 1);
      }
  }
}

/* The lists in any order (fillElemNum); counts them down to 0. */
KERNEL neighbour_fill(GROUP_PARAM GLOBAL const int *RESTRICT node,
                      GLOBAL const long *RESTRICT around_begin, GLOBAL int *RESTRICT count,
                      GLOBAL int *RESTRICT around, const int elements, const int stride)
{
  FOR_ITEMS(k, CHUNK) {
    const int e = GROUP_ID * CHUNK + k;
    if (e < elements)
      for (int n = 0; n < stride; n++) {
        const int i = node[(long)e * stride + n];
        if (i >= 0) around[around_begin[i] + ATOMIC_ADD(&count[i], -1) - 1] = e;
      }
  }
}

DEVICE void neighbour_sift(GLOBAL int *RESTRICT list, const long length, const long first)
{
  const int value = list[first];
  long hole = first, child = 2 * first + 1;
  while (child < length) {
    if (child + 1 < length && list[child + 1] > list[child]) child++;
    if (list[child] <= value) break;
    list[hole] = list[child], hole = child, child = 2 * hole + 1;
  }
  list[hole] = value;
}

/* Ascending: by insertion, long lists by a heap. */
DEVICE void neighbour_order(GLOBAL int *RESTRICT list, const long length)
{
  if (length <= 64) {
    for (long k = 1; k < length; k++) {
      const int value = list[k];
      long at = k;
      while (at > 0 && list[at - 1] > value) {
        list[at] = list[at - 1];
        at--;
      }
      list[at] = value;
    }
  } else {
    for (long k = length / 2 - 1; k >= 0; k--) neighbour_sift(list, length, k);
    for (long k = length - 1; k > 0; k--) {
      const int top = list[0];
      list[0] = list[k], list[k] = top;
      neighbour_sift(list, k, 0);
    }
  }
}

/* Lists ascending, and place. A collapsed element names a node more than once, and is as often in its list: each place once. */
KERNEL neighbour_sort(GROUP_PARAM GLOBAL const int *RESTRICT node,
                      GLOBAL const long *RESTRICT around_begin, GLOBAL int *RESTRICT around,
                      GLOBAL unsigned short *RESTRICT place, const int nodes, const int stride)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < nodes) {
      const long first = around_begin[i], length = around_begin[i + 1] - first;
      neighbour_order(around + first, length);
      for (long p = first; p < first + length; p++) {
        GLOBAL const int *of = node + (long)around[p] * stride;
        int n = p > first && around[p] == around[p - 1] ? place[p - 1] + 1 : 0;
        while (of[n] != i) n++;
        place[p] = (unsigned short)n;
      }
    }
  }
}

/* A group has ROWS rows, SPREAD threads each. Their tables of `slots` (a power of 2, at least as many as candidates of a row) lie in
 * local memory, of at most SLOTS slots each, or, HEAVY, in a scratch of the device: [groups][ROWS][2 slots] from group `first` on. */
#define SPREAD (THREADS / ROWS)
#if HEAVY
#define TABLE_PLACE GLOBAL
#define TABLE_BARRIER() BARRIER_GLOBAL()
#define TABLE_ARRAY                                                                                \
  GLOBAL int *const table = scratch + (long)(GROUP_ID - first) * (2 * ROWS) * slots;
#define LIST_ARRAY GLOBAL int *const list = table + (long)ROWS * slots;
#else
#define TABLE_PLACE LOCAL
#define TABLE_BARRIER() BARRIER()
#define TABLE_ARRAY LOCAL_ARRAY(int, table, ROWS *SLOTS);
#define LIST_ARRAY LOCAL_ARRAY(int, list, ROWS *SLOTS);
#endif

DEVICE void neighbour_insert(TABLE_PLACE int *table, const int slots, const int value)
{
  unsigned at = (unsigned)value * 2654435769u >> 7 & (unsigned)(slots - 1);
  for (;;) {
    const int before = CLAIM(&table[at], -1, value);
    if (before == -1 || before == value) return;
    at = (at + 1) & (unsigned)(slots - 1);
  }
}

/* FILL 0: count[i] = length of row i (fillNodeNum, sorted and made unique); FILL 1: column. Rows [0, nodes). */
KERNEL neighbour_unite(GROUP_PARAM GLOBAL const int *RESTRICT node,
                       GLOBAL const long *RESTRICT around_begin, GLOBAL const int *RESTRICT around,
                       GLOBAL const long *RESTRICT begin, GLOBAL int *RESTRICT count,
                       GLOBAL int *RESTRICT column, GLOBAL int *RESTRICT scratch, const int first,
                       const int nodes, const int stride, const int slots)
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
    if (i < nodes) {
      const long from = around_begin[i];
      const int candidates = (int)(around_begin[i + 1] - from) * stride;
      for (int k = t % SPREAD; k < candidates; k += SPREAD) {
        const int j = node[(long)around[from + k / stride] * stride + k % stride];
        if (j >= 0) neighbour_insert(table + (long)r * slots, slots, j);
      }
    }
  }
  TABLE_BARRIER();
  FOR_ITEMS(k, ROWS * slots) {
    if (table[k] >= 0) {
      const int r = k / slots, at = COUNT_UP(&found[r]);
#if FILL
      list[(long)r * slots + at] = table[k];
#else
      (void)at;
#endif
    }
  }
  TABLE_BARRIER();
#if FILL
  FOR_ITEMS(t, THREADS) {
    const int r = t / SPREAD, i = GROUP_ID * ROWS + r;
    TABLE_PLACE const int *own = list + (long)r * slots;
    if (i < nodes)
      for (int k = t % SPREAD; k < found[r]; k += SPREAD) {
        int smaller = 0;
        for (int m = 0; m < found[r]; m++) smaller += own[m] < own[k];
        column[begin[i] + smaller] = own[k];
      }
  }
#else
  FOR_ITEMS(r, ROWS) {
    if (GROUP_ID * ROWS + r < nodes) count[GROUP_ID * ROWS + r] = found[r];
  }
#endif
}
