/* Multigrid as a preconditioner, one V-cycle each, on the device, in single precision where that is the host:
 *   finest level    the operator's own form, smoothed by Chebyshev's iteration
 *   vertices        of elements of second order: linear elements on the same vertices (operator/vertices.h)
 *   aggregates      smoothed aggregation with rigid-body modes (solver/aggregate.h), until few unknowns are left
 *   coarsest level  its inverse
 * made on the host, level by level; lambda_max of each by power iterations on the device. */
#ifndef HK_SOLVER_MULTIGRID_H
#define HK_SOLVER_MULTIGRID_H
#include "solver/cg.h"

/* x[padded][dim]: coordinates. Borrows a; constraints and x for the call. */
hk_status hk_multigrid_create(const hk_reduced *a, const hk_constraints *constraints,
                              const double *x, hk_preconditioner *out);
#endif
