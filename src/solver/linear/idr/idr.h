/* IDR(4) for A w = b on a device, A = T^T K T (solver/linear/reduced.h) of any kind, with a preconditioner M from the right (A.32). An iteration is one
 * product; five are a cycle, which is recorded once as a graph. */
#pragma once
#include "solver/linear/cg.h"

typedef struct hk_idr {
  const hk_reduced *a;        /* borrowed */
  const hk_preconditioner *m; /* borrowed; of a's precision */
  hk_iteration on;
  hk_buffer *part; /* sums of groups, four each */
  hk_buffer *f, *x, *r, *z, *q, *w;
  hk_buffer *p, *g, *u; /* [4][n] */
  hk_kernel *shadow, *clear, *dots, *mix, *direct, *advance, *fold;
  hk_kernel *pair, *dot, *residual, *take; /* of krylov.k.h */
} hk_idr;

/* *idr is zero; destroy also after a failure. iterations: at most. */
hk_status hk_idr_create(const hk_reduced *a, const hk_preconditioner *m, int iterations,
                        hk_idr *idr);
void hk_idr_destroy(hk_idr *idr);
/* As hk_cg_solve. */
hk_status hk_idr_solve(hk_idr *idr, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report);
