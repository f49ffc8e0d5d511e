/* The middle of points along an axis, without an order of the halves. */
#pragma once
#include "base/base.h"

typedef struct hk_point {
  int32_t x[3]; /* in units of 2^-30 of the widest side of all */
  hk_index index;
} hk_point;

/* Room for parts of large ranges by all threads. */
typedef struct hk_select_room {
  const hk_point *first; /* where all points begin; p[0..n) lies among them */
  hk_point *copy;        /* copy[all points] */
  hk_index *below;       /* below[all points] */
  hk_index least;        /* ranges of so many points and more are parted by all threads */
} hk_select_room;

/* Moves p[0..n) so that p[0..k) come before p[k..n) along the axis; ties are decided by the index. Returns how many points were compared with a
 * pivot: about 3 n, and no more than a few times as many for points in any order. The same points in the same order end in the same
 * order, with or without room. room (NULL: none): tasks of the parallel region help with large ranges. */
hk_count hk_points_select(hk_point *p, hk_index n, hk_index k, int axis,
                          const hk_select_room *room);
