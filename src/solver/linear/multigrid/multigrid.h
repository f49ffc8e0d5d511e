/* Multigrid as a preconditioner, one V-cycle each, on the device, in single precision where that is the host:
 *   finest level    the operator's own form, smoothed by Chebyshev's iteration
 *   orders          of elements of order p: those of (p + 1) / 2, and so on (solver/linear/multigrid/order.h)
 *   vertices        of elements of order 2 and more: linear elements on the same vertices (operator/coarse/vertices.h)
 *   aggregates      smoothed aggregation with rigid-body modes (solver/linear/sparse/aggregate.h), until few unknowns are left
 *   coarsest level  its inverse
 * made on the device (solver/linear/sparse/galerkin.h), level by level; meshes of lower orders and vertices, and interpolation from them, on the host.
 * lambda_max of each by power iterations. */
#pragma once
#include "solver/linear/cg.h"

/* wide: in a's precision, wherever it is. Borrows a; constraints and stop (may be NULL) for the call. HK_STOPPED within seconds after it was asked. */
hk_status hk_multigrid_create(const hk_reduced *a, const hk_constraints *constraints, bool wide,
                              const hk_stop *stop, hk_preconditioner *out);
/* jacobi, block-jacobi or chebyshev: what needs no more than the diagonal blocks of A, in a's precision. Borrows a. */
hk_status hk_simple_create(const hk_reduced *a, const hk_constraints *constraints,
                           hk_preconditioner_word kind, hk_preconditioner *out);
/* The one of that word for a, of the job or in another precision. */
static inline hk_status hk_preconditioner_create(const hk_method_job *job, const hk_reduced *a,
                                                 hk_preconditioner_word word,
                                                 hk_preconditioner *out)
{
  const hk_stop stop = {job->desc->stop, job->desc->user};
  if (word == HK_PRECONDITIONER_MULTIGRID)
    return hk_multigrid_create(a, job->constraints, job->desc->double_levels, &stop, out);
  return hk_simple_create(a, job->constraints, word, out);
}
