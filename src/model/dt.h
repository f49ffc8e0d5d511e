/* The time step: chosen from the element bound, which is rigorous, or checked when given. */
#ifndef HK_MODEL_DT_H
#define HK_MODEL_DT_H
#include "load/drive.h"
#include "model/problem.h"

/* dt and the number of steps of `duration`. Chosen: 0.95 of the bound, shortened to fit the
 * duration. Given: refused (HK_UNSTABLE) above 2 / omega of a Lanczos iteration converged to 1e-3; a
 * warning between the bound and that. held: the motion rows of the step. */
hk_status hk_choose_dt(hk_problem *problem, const hk_step *step, const hk_sparse *held,
                       hk_messages *list, double *dt, hk_count *steps);

/* Largest frequency of K v = w^2 M v by Lanczos's iteration from a fixed start vector, to 1e-3, with
 * held rows at rest; 0 when nothing can move. Approaches from below. HK_BAD_INPUT on not-a-number.
 */
hk_status hk_largest_frequency(hk_operator *op, const double *mass, const hk_sparse *held,
                               double *omega);
#endif
