/* Points cut into compact pieces of given size. */
#pragma once
#include "base/base.h"

/* What is cut across: the longest principal axis, or the widest side of the box. */
typedef enum hk_cut_axis { HK_CUT_PRINCIPAL, HK_CUT_BOX } hk_cut_axis;

/* Cuts the points node[count] again and again, into pieces whose numbers of points are equal but for one:
 * node[] is reordered, piece by piece, and begin[pieces + 1] says where each begins. Coordinates
 * x[point][dim]. O(count log pieces). Reproducible. */
hk_status hk_bisect(const double *x, int dim, hk_cut_axis axis, hk_index pieces, hk_index count,
                    hk_index *node, hk_index *begin);
