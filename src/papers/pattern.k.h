/* The sparsity scan (Keating, Algorithm 4), element by element: S(v_r) := S(v_r) + {v_s} for each pair of nodes of each element, then the sets
 * one behind the other.
 *   node [elements][stride]   nodes of an element; -1 behind the last
 *   list [room]               the sets, S(i) from at[i] on, first with a place for each pair
 * Members come in any order and several times; each node's thread then sorts its own and keeps one of each: the same in each run. */

/* room[i] += pairs of node i. */
KERNEL pattern_room(GROUP_PARAM GLOBAL const int *RESTRICT node, GLOBAL int *RESTRICT room,
                    const int elements, const int stride)
{
  FOR_ITEMS(k, CHUNK) {
    const int e = GROUP_ID * CHUNK + k;
    if (e < elements) {
      int nodes = 0;
      while (nodes < stride && node[(long)e * stride + nodes] >= 0) nodes++;
      for (int r = 0; r < nodes; r++) ATOMIC_ADD(&room[node[(long)e * stride + r]], nodes);
    }
  }
}

/* Every pair's member; counts room down to 0. */
KERNEL pattern_put(GROUP_PARAM GLOBAL const int *RESTRICT node, GLOBAL const long *RESTRICT at,
                   GLOBAL int *RESTRICT room, GLOBAL int *RESTRICT list, const int elements,
                   const int stride)
{
  FOR_ITEMS(k, CHUNK) {
    const int e = GROUP_ID * CHUNK + k;
    if (e < elements) {
      int nodes = 0;
      while (nodes < stride && node[(long)e * stride + nodes] >= 0) nodes++;
      for (int r = 0; r < nodes; r++) {
        const int i = node[(long)e * stride + r];
        const long to = at[i] + ATOMIC_ADD(&room[i], -nodes) - nodes;
        for (int s = 0; s < nodes; s++) list[to + s] = node[(long)e * stride + s];
      }
    }
  }
}

/* length[i] = members of S(i), which come first in its part of the list then, ascending. */
KERNEL pattern_unite(GROUP_PARAM GLOBAL const long *RESTRICT at, GLOBAL int *RESTRICT list,
                     GLOBAL int *RESTRICT length, const int nodes)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < nodes) {
      GLOBAL int *set = list + at[i];
      const long all = at[i + 1] - at[i];
      int members = 0;
      for (long m = 0; m < all; m++) {
        const int value = set[m];
        int low = 0, high = members;
        while (low < high) {
          const int middle = (low + high) / 2;
          if (set[middle] < value)
            low = middle + 1;
          else
            high = middle;
        }
        if (low < members && set[low] == value) continue;
        for (int q = members; q > low; q--) set[q] = set[q - 1];
        set[low] = value;
        members++;
      }
      length[i] = members;
    }
  }
}

/* column[begin[i] ...] = S(i) */
KERNEL pattern_join(GROUP_PARAM GLOBAL const long *RESTRICT at, GLOBAL const int *RESTRICT list,
                    GLOBAL const long *RESTRICT begin, GLOBAL int *RESTRICT column, const int nodes)
{
  FOR_ITEMS(k, CHUNK) {
    const int i = GROUP_ID * CHUNK + k;
    if (i < nodes)
      for (long q = begin[i]; q < begin[i + 1]; q++) column[q] = list[at[i] + q - begin[i]];
  }
}
