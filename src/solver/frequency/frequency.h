/* The largest frequency of a body on a device, of which the largest stable time step follows. */
#pragma once
#include "load/excitation.h"
#include "operator/operator.h"

enum { HK_FREQUENCY_ITERATIONS = 400 };
/* Part of the largest frequency that may be missed: where a step is chosen, which stays stable 0.95 below a limit with a margin of 1 %; and where a
 * limit is told. */
#define HK_FREQUENCY_OF_STEP 0.05
#define HK_FREQUENCY_OF_LIMIT 1e-3
/* Largest frequency of K v = w^2 M v, 1 / time unit of the model, by Lanczos's iteration from a fixed start vector, to 1e-3, with
 * held rows (load/excitation.h: rows of one node side by side, others share nothing) at rest; 0 when nothing can move. Approaches from below, and could
 * settle at a lower frequency for a while: it goes on until the chance that more than the part `missed` of the largest is wanting is below 1e-6
 * (W.24). *converged: within `most` iterations, at most HK_FREQUENCY_ITERATIONS. Costs a pass of the operator and three of vectors on its device
 * each. The same bits for any number of threads. HK_BAD_INPUT on not-a-number. */
hk_status hk_largest_frequency(hk_operator *op, const double *mass, const hk_sparse *held, int most,
                               double missed, double *omega, bool *converged);
/* Bytes of the device that it takes while it runs, beside K. */
hk_count hk_largest_frequency_plan(const hk_space *space, bool double_precision);
