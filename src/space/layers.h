/* Order of the nodes of a patch, layer by layer. */
#pragma once
#include "base/base.h"

/* Sorts the points x[node[k]][dim], k < count, of a patch by layers across the last axis, each of them by rows across the axis before, each row along
 * the first axis, as the nodes of a grid come: what lanes side by side read lies side by side. Layers are apart where a gap exceeds a third of
 * the mean distance, so that nodes moved by a fifth of a cell keep theirs; points without layers come in some order. HK_NO_RESOURCES. O(n log n) */
hk_status hk_space_sort_layers(const double *x, int dim, hk_index count, hk_index *node);
