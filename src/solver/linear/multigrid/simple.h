/* Preconditioners that need no more than the diagonal blocks of A. */
#ifndef HK_SOLVER_LINEAR_MULTIGRID_SIMPLE_H
#define HK_SOLVER_LINEAR_MULTIGRID_SIMPLE_H
#include "solver/linear/cg.h"

typedef enum hk_simple { HK_SIMPLE_JACOBI, HK_SIMPLE_BLOCK_JACOBI, HK_SIMPLE_CHEBYSHEV } hk_simple;

/* In a's own precision; borrows it. */
hk_status hk_simple_create(const hk_reduced *a, const hk_constraints *constraints, hk_simple kind,
                           hk_preconditioner *out);
#endif
