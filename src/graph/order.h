/* Orders of points for locality: k-d bisection. */
#pragma once
#include "base/base.h"

/* order[k] = point that comes k-th, by bisecting the widest side of the box of x[point][dim] again
 * and again; each cut lies at the multiple of `patch` nearest to half, so that ranges of `patch`
 * points are compact. Points listed in `order` on entry are ordered, order[count]. O(count log
 * count) by all threads, whose number changes nothing. */
hk_status hk_order_bisect(const double *x, int dim, hk_index patch, hk_index count,
                          hk_index *order);
