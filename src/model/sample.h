/* What a step costs, told by a part of the mesh that is small enough to be asked. */
#ifndef HK_MODEL_SAMPLE_H
#define HK_MODEL_SAMPLE_H
#include "model/problem.h"

typedef struct hk_sample {
  hk_index nodes;        /* of the part */
  double step_seconds;   /* of one step of it, the least of several */
  double operator_bytes; /* read of K by one step of it */
} hk_sample;

/* A part of about 65 000 nodes that lie together, with the problem's own elements, form of K, device
 * and precision, is stepped for about 0.15 s from rest. Its arrays are larger than a core's own
 * caches and smaller than a machine's last one. `p` needs no operator. */
hk_status hk_sample_measure(const hk_problem *p, hk_sample *out);
#endif
