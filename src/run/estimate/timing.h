/* What a step costs, told by a part of the mesh that is small enough to be asked. */
#ifndef HK_RUN_ESTIMATE_TIMING_H
#define HK_RUN_ESTIMATE_TIMING_H
#include "run/explicit/problem.h"

typedef struct hk_timing {
  hk_index nodes;                     /* of the part */
  double operator_bytes, state_bytes; /* of K and of the state, moved by one step of it */
  double warm;                        /* seconds of one step of it after another: the least */
  double cold, least,
      most; /* of one step of it that finds nothing in the caches: median, quartiles */
} hk_timing;

/* A part of about 65 000 nodes that lie together, with the problem's own elements, form of K, device
 * and precision, is stepped for about 0.3 s from rest. A larger mesh comes from memory anew each step: that
 * is what steps of the part cost after a sweep through the caches. `p` needs no operator. */
hk_status hk_timing_measure(const hk_problem *p, hk_timing *out);
#endif
