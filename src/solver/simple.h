/* Preconditioners that need no more than the diagonal blocks of A. */
#ifndef HK_SOLVER_SIMPLE_H
#define HK_SOLVER_SIMPLE_H
#include "solver/cg.h"

/* diagonal[padded][c * c]: the blocks of A = T^T K T, without the products of different nodes that constraints bring together; zero rows and
 * columns for dependent degrees of freedom. Integrates the elements on the host. */
hk_status hk_reduced_diagonal(const hk_operator_desc *desc, const hk_constraints *constraints,
                              double *diagonal);

typedef enum hk_simple { HK_SIMPLE_JACOBI, HK_SIMPLE_BLOCK_JACOBI, HK_SIMPLE_CHEBYSHEV } hk_simple;

/* In a's own precision; borrows it. */
hk_status hk_simple_create(const hk_reduced *a, const hk_constraints *constraints, hk_simple kind,
                           hk_preconditioner *out);
#endif
