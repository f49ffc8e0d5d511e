/* The middle of points along an axis, without an order of the halves. */
#pragma once
#include "base/base.h"

typedef struct hk_point {
  int32_t x[3]; /* in units of 2^-30 of the widest side of all */
  hk_index index;
} hk_point;

/* Moves p[0..n) so that p[0..k) come before p[k..n) along the axis; ties are decided by the index. Returns how many points were compared with a
 * pivot: about 3 n, and no more than a few times as many for points in any order. The same points in the same order end in the same
 * order. */
hk_count hk_points_select(hk_point *p, hk_index n, hk_index k, int axis);
