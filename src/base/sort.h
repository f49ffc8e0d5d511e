/* Stable sort of keys with an optional index beside each. */
#ifndef HK_BASE_SORT_H
#define HK_BASE_SORT_H
#include "base/base.h"

/* key[count] ascending; with[count] (may be NULL) moves along. Linear: one pass when sorted
 * already, else one per byte in which the keys differ. Needs as much memory again. */
hk_status hk_mesh_sort(hk_count count, uint64_t *key, hk_index *with);

/* item[count] ascending, by insertion: for short lists. */
void hk_sort_few(hk_index count, hk_index *item);

#endif
