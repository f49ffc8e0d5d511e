/* Stage 1 of assembly (Sanfui, Sharma, Algorithms 1-5): the neighbour matrix of a mesh.
 *   node [elements][stride]             nodes of an element; -1 behind the last
 *   around_begin [nodes + 1]            the elements around a node are around[around_begin[i] ... around_begin[i + 1] - 1], ascending,
 *   around, place                       and the node is their node number place
 *   begin [nodes + 1] (A.4), column     the nodes that share an element with i, itself among them, ascending (the paper's nInd, nNum)
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

/* Lists ascending, and place. A collapsed element names a node more than once, and is as often in its list: each place once; collapsed[0]
 * is then not 0. */
KERNEL neighbour_sort(GROUP_PARAM GLOBAL const int *RESTRICT node,
                      GLOBAL const long *RESTRICT around_begin, GLOBAL int *RESTRICT around,
                      GLOBAL unsigned short *RESTRICT place, GLOBAL int *RESTRICT collapsed,
                      const int nodes, const int stride)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < nodes) {
      const long first = around_begin[i], length = around_begin[i + 1] - first;
      lists_order(around + first, length);
      for (long p = first; p < first + length; p++) {
        GLOBAL const int *of = node + (long)around[p] * stride;
        int n = 0;
        if (p > first && around[p] == around[p - 1]) n = place[p - 1] + 1, collapsed[0] = 1;
        while (of[n] != i) n++;
        place[p] = (unsigned short)n;
      }
    }
  }
}

/* A group has ROWS rows, SPREAD threads each, and their tables (operator/assembly/lists.k.h). */
#define SPREAD (THREADS / ROWS)

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
        if (j >= 0 && lists_insert(table + (long)r * slots, slots, j)) LIST_TAKE(r, j);
      }
    }
  }
  TABLE_BARRIER();
#if FILL
  FOR_ITEMS(t, THREADS) {
    const int r = t / SPREAD, i = GROUP_ID * ROWS + r;
    if (i < nodes)
      lists_rank(list + (long)r * slots, found[r], column + begin[i], t % SPREAD, SPREAD);
  }
#else
  FOR_ITEMS(r, ROWS) {
    if (GROUP_ID * ROWS + r < nodes) count[GROUP_ID * ROWS + r] = found[r];
  }
#endif
}
