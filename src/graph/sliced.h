/* Lists per node, sliced: the lists of WIDTH consecutive nodes are interleaved and as long as the
 * longest of them. */
#pragma once
#include "base/base.h"

/* slice[count / width (rounded up) + 1] = scan of the longest list of each slice; count lists of
 * length length[]. The value of list i, entry k, stands at (slice[i / width] + k) * width + i %
 * width. HK_BAD_INPUT beyond 2^31 entries. */
hk_status hk_sliced_offsets(const hk_index *length, hk_index count, int width, hk_index *slice);
