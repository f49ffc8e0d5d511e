/* Element matrices (I.1) by a device and the host at once, as Banas, Plaszewski and Maciol announce in their conclusion.
 *
 * The device takes elements from the front, launch by launch: while one runs, the matrices of the one before come to the host. The host takes
 * chunks from the back meanwhile. What is left when either asks is divided by the seconds that an element has taken each of them, so both end
 * at about the same time.
 *
 *   HK_TRY(hk_together_create(&(hk_integral_desc){.device = gpu, ...}, host, &together));
 *   HK_TRY(hk_together_run(together, take, user)); */
#pragma once
#include "operator/integration/integral.h"

typedef struct hk_together hk_together;

/* desc: as of hk_integral_create, not resident; limits and cache are the device's, and a way of the paper's is the device's alone: the host
 * then has HK_INTEGRAL_AUTO. Times both on some of the elements. host: opened as "cpu", another one than desc->device, with one thread
 * less than there are cores, because a launch waits for whoever prepares it; borrowed. Errors as there. */
hk_status hk_together_create(const hk_integral_desc *desc, hk_device *host, hk_together **out);
void hk_together_destroy(hk_together **together);

/* Matrices of all elements, each once, in no order, to `take`, which is called by two threads at once, for different elements. Which of the two
 * integrates an element depends on times, and so do the bits of its matrix where their kernels differ. Errors as of hk_integral_run. */
hk_status hk_together_run(hk_together *together, hk_integral_take *take, void *user);

/* Elements, of so many that are left, for one who is busy for some seconds yet and needs `seconds` for each, so that two end together:
 * busy + even seconds = other_busy + (left - even) other_seconds, rounded down, 0 ... left. */
hk_count hk_together_even(hk_count left, double busy, double seconds, double other_busy,
                          double other_seconds);

/* Elements that the device integrated in the last run. */
hk_count hk_together_share(const hk_together *together);
/* Elements that the device, or the host, takes at once where many are left. */
hk_count hk_together_portion(const hk_together *together, bool host);
