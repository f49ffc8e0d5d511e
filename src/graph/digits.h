/* Sorting of node and element numbers. */
#pragma once
#include "base/base.h"

/* Sorts item[0..count), each in 0 ... most, ascending; work[count] is scratch. O(count) for each 11
 * bits of most. */
void hk_sort_digits(hk_index *item, hk_index *work, hk_index count, hk_index most);
