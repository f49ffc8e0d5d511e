/* Seconds of a step that runs and trials took, kept in the cache folder of the device: what a run will take is told from them. Kept for a device and its
 * threads, the form of K, dimension, order, components, precision, laws, what a step does beside, and the number of nodes to a factor of 4. */
#pragma once
#include "operator/operator.h"

typedef struct hk_times_of { /* a step */
  const hk_operator *op;     /* borrowed */
  bool damped, layered;      /* mass-proportional damping; a matched layer */
  int shots;                 /* at once */
} hk_times_of;

/* Keeps the seconds of one step; the last ones count. Nothing where the device has no cache folder. */
void hk_times_keep(const hk_times_of *of, double seconds);
/* Seconds of one step, in proportion to the nodes; 0: none are kept. */
double hk_times_kept(const hk_times_of *of);
