/* Cholesky factors of a sparse matrix on the host, by MUMPS (sequential, 5.x; CeCILL-C), whose library is opened at run time. Its BLAS
 * works with as many threads as the caller asks for. */
#ifndef HK_SOLVER_FACTOR_H
#define HK_SOLVER_FACTOR_H
#include "solver/free_matrix.h"

typedef struct hk_factor hk_factor;

/* Whether the library is there; else *why (static text). */
bool hk_factor_available(const char **why);
/* order[n] or NULL: the k-th unknown to be eliminated is order[k]. HK_NOT_CONVERGED where the matrix is singular, HK_NO_RESOURCES with what
 * is needed and free, HK_USAGE where there is no library. */
hk_status hk_factor_create(const hk_free_matrix *matrix, const hk_index *order, int threads,
                           hk_factor **out);
void hk_factor_destroy(hk_factor **factor);
/* x[n]: b in, A^-1 b out. */
hk_status hk_factor_solve(hk_factor *factor, double *x);
hk_count hk_factor_bytes(const hk_factor *factor);
const char *hk_factor_name(const hk_factor *factor); /* "MUMPS 5.5.1" */
#endif
