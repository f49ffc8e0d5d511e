/* Stable sort of keys with an optional index beside each; sets that are joined (union-find). */
#pragma once
#include "base/base.h"

/* key[count] ascending; with[count] (may be NULL) moves along. Linear: one pass when sorted
 * already, else one per byte in which the keys differ. Needs as much memory again. */
hk_status hk_mesh_sort(hk_count count, uint64_t *key, hk_index *with);

/* item[count] ascending, by insertion: for short lists. */
void hk_sort_few(hk_index count, hk_index *item);

/* Of two hk_index, for qsort and bsearch. */
int hk_compare_index(const void *a, const void *b);

/* Sets of numbers as trees: up[i] is above i, up[i] == i at a root, which is the lowest number of its set. */
static inline hk_index hk_union_root(hk_index *up, hk_index i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static inline void hk_union_join(hk_index *up, hk_index a, hk_index b)
{
  a = hk_union_root(up, a), b = hk_union_root(up, b);
  up[a > b ? a : b] = a > b ? b : a;
}
