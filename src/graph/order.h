/* Orders of points for locality: k-d bisection. */
#pragma once
#include "base/base.h"

/* order[k] = point that comes k-th, by bisecting the widest side of the box of x[point][dim] again
 * and again; each cut lies at the multiple of `patch` nearest to half, so that ranges of `patch`
 * points are compact. Points listed in `order` on entry are ordered, order[count]. O(count log
 * count) by all threads, whose number changes nothing. */
hk_status hk_order_bisect(const double *x, int dim, hk_index patch, hk_index count,
                          hk_index *order);
/* The same, but patches have up to `patch` points: where points lie in layers across an axis, as the nodes of a grid do though they are moved by
 * less than half a cell, ranges are cut between layers. Patch k: order[begin[k] .. begin[k + 1]); *begin is the caller's to free, also on
 * failure. */
hk_status hk_order_gaps(const double *x, int dim, hk_index patch, hk_index count, hk_index *order,
                        hk_index **begin, hk_index *patches);
/* How many patches that are of a grid of layers[dim] points along its axes, so far apart. Its points lie in layers where they are less than 1500 along
 * each axis; of more the number is about right. O(patches). */
hk_count hk_order_grid_patches(const hk_index *layers, const double *distance, int dim,
                               hk_index patch);
