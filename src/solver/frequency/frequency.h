/* The largest frequency of a body on a device, of which the largest stable time step follows. */
#pragma once
#include "load/excitation.h"
#include "operator/operator.h"

enum { HK_FREQUENCY_ITERATIONS = 400 };
/* Largest frequency of K v = w^2 M v, 1 / time unit of the model, by Lanczos's iteration from a fixed start vector, to 1e-3, with
 * held rows (load/excitation.h: rows of one node side by side, others share nothing) at rest; 0 when nothing can move. Approaches from below;
 * *converged: to 1e-3 within `most` iterations, at most HK_FREQUENCY_ITERATIONS. Costs a pass of the operator and three of vectors on its device
 * each. The same bits for any number of threads. HK_BAD_INPUT on not-a-number. */
hk_status hk_largest_frequency(hk_operator *op, const double *mass, const hk_sparse *held, int most,
                               double *omega, bool *converged);
/* Bytes of the device that it takes while it runs, beside K. */
hk_count hk_largest_frequency_plan(const hk_space *space, bool double_precision);
