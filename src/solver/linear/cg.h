/* Conjugate gradients for A w = b on a device, A = T^T K T (solver/linear/reduced.h), with a preconditioner M:
 *   z = M r;  beta = z . (r - r_before) / (r . z)_before;  p = z + beta p;  q = A p;  alpha = r . z / p . q;
 *   x += alpha p;  r -= alpha q   (A.8)
 * (Notay, Flexible conjugate gradients, SIAM J. Sci. Comput. 22, 2000). Scalars stay on the device; an iteration is recorded once as a graph,
 * and the host looks at r . r of an iteration while the next ones go on. */
#pragma once
#include "solver/linear/rounds.h"

typedef struct hk_cg {
  hk_rounds rounds;
  hk_buffer *p, *small_r, *small_z;
  hk_kernel *direct, *narrow, *widen, *fold;
} hk_cg;

/* *cg is zero; destroy also after a failure. hk_rounds_solve(&cg->rounds, ...) solves. */
hk_status hk_cg_create(const hk_reduced *a, const hk_preconditioner *m, int iterations, hk_cg *cg);
void hk_cg_destroy(hk_cg *cg);
