/* The time step: chosen from the element bound, which is rigorous, or checked when given. */
#ifndef HK_RUN_EXPLICIT_DT_H
#define HK_RUN_EXPLICIT_DT_H
#include "load/excitation.h"
#include "run/explicit/problem.h"

/* dt and the number of steps: the last one ends at `duration` or less than dt beyond it. Chosen:
 * 0.95 of the bound, shortened to fit the duration, or so that it divides the intervals of traces.
 * Given: refused (HK_UNSTABLE) above the
 * integrator's limit over omega of a Lanczos iteration converged to 1e-3, or, with a warning, above
 * the bound where that does not converge; a warning between the bound and the limit. held: the
 * motion rows of the step, of every shot.
 * before: the step of a checkpoint that is gone on from, 0 for none; it is taken where none is
 * given, it is no larger than 0.95 of the bound, and the traces' intervals are multiples of it. */
hk_status hk_choose_dt(hk_problem *problem, const hk_step *step, const hk_sparse *held,
                       double before, double *dt, hk_count *steps);

enum { HK_FREQUENCY_ITERATIONS = 400 };
/* Largest frequency of K v = w^2 M v, 1 / time unit of the model, by Lanczos's iteration from a fixed start vector, to 1e-3, with
 * held rows at rest; 0 when nothing can move. Approaches from below; *converged: to 1e-3 within `most` iterations, at most
 * HK_FREQUENCY_ITERATIONS. Costs a pass of the operator, and a few of the state on the host, each. HK_BAD_INPUT on not-a-number. */
hk_status hk_largest_frequency(hk_operator *op, const double *mass, const hk_sparse *held, int most,
                               double *omega, bool *converged);
#endif
