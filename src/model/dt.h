/* The time step: chosen from the element bound, which is rigorous, or checked when given. */
#ifndef HK_MODEL_DT_H
#define HK_MODEL_DT_H
#include "model/problem.h"

/* dt and the number of steps of `duration`. Chosen: 0.95 of the bound, shortened to fit the duration. Given: refused
 * (HK_UNSTABLE) above 2 / omega of a Lanczos iteration converged to 1e-3; a warning between the bound and that. */
hk_status hk_choose_dt(hk_problem *problem, const hk_step *step, hk_messages *list, double *dt,
                       hk_count *steps);

/* Largest frequency of K v = w^2 M v by Lanczos's iteration from a fixed start vector, to 1e-3; dofs listed in held[held_count]
 * are kept at rest. Approaches from below. */
hk_status hk_largest_frequency(hk_operator *op, const double *mass, const hk_index *held,
                               hk_count held_count, double *omega);
#endif
