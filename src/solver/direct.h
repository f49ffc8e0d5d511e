/* Static problems by factors on the host: A = T^T K T = L L^T, and refinement with the operator's own residual. */
#ifndef HK_SOLVER_DIRECT_H
#define HK_SOLVER_DIRECT_H
#include "solver/cg.h"
#include "solver/factor.h"

typedef struct hk_direct {
  const hk_reduced *a;         /* borrowed */
  hk_constraints *constraints; /* borrowed */
  hk_free_matrix matrix;       /* its numbering alone is kept */
  hk_factor *factor;
  hk_buffer *x, *q;
  double *r, *b;
  double largest; /* of A's entries */
} hk_direct;

/* *direct is zero; destroy also after a failure. Errors as hk_factor_create. */
hk_status hk_direct_create(const hk_reduced *a, hk_constraints *constraints, hk_direct *direct);
void hk_direct_destroy(hk_direct *direct);
/* As hk_cg_solve: u satisfies the constraints before and after. */
hk_status hk_direct_solve(hk_direct *direct, double tolerance, const double *f, double *u,
                          hk_linear_report *report);
hk_count hk_direct_bytes(const hk_direct *direct);
const char *hk_direct_name(const hk_direct *direct);
#endif
