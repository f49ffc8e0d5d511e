/* Reverse Cuthill-McKee (Cuthill, McKee 1969; George 1971), for narrow bands; Keating (2019), section 3.4.1. */
#pragma once
#include "base/base.h"

/* order[rows]: the k-th of the new order is order[k], of a symmetric pattern begin[rows + 1], column[..], with or without the diagonal. Parts
 * that are not connected come one behind the other, each from an end that George and Liu's search finds. O(entries log row). Reproducible.
 * HK_NO_RESOURCES. */
hk_status hk_order_rcm(hk_index rows, const hk_count *begin, const hk_index *column,
                       hk_index *order);
