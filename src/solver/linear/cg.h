/* Conjugate gradients for A w = b on a device, A = T^T K T (solver/linear/reduced.h), with a preconditioner M:
 *   z = M r;  beta = z . (r - r_before) / (r . z)_before;  p = z + beta p;  q = A p;  alpha = r . z / p . q;
 *   x += alpha p;  r -= alpha q   (A.8)
 * (Notay, Flexible conjugate gradients, SIAM J. Sci. Comput. 22, 2000). Scalars stay on the device; an iteration is recorded once as a graph,
 * and the host looks at r . r of an iteration while the next ones go on. */
#pragma once
#include "solver/linear/krylov.h"
#include "solver/linear/method.h"

typedef struct hk_preconditioner {
  bool double_precision; /* of r and z; cg converts */
  int every;             /* iterations between two looks at r . r: a cheap one has many */
  hk_count bytes;
  hk_status (*apply)(void *data, const hk_buffer *r, hk_buffer *z); /* z = M r: launches alone */
  void (*destroy)(void *data);
  void *data;
} hk_preconditioner;
void hk_preconditioner_destroy(hk_preconditioner *preconditioner);

typedef struct hk_cg {
  const hk_reduced *a;        /* borrowed */
  const hk_preconditioner *m; /* borrowed */
  hk_iteration on;
  hk_buffer *f, *x, *r, *z, *p, *q, *small_r, *small_z;
  hk_kernel *dots, *dot, *advance, *direct, *residual, *narrow, *widen, *fold;
} hk_cg;

/* *cg is zero; destroy also after a failure. */
hk_status hk_cg_create(const hk_reduced *a, const hk_preconditioner *m, int iterations, hk_cg *cg);
void hk_cg_destroy(hk_cg *cg);
/* f[n], u[n]: u is filled and satisfies the constraints before and after. Fills iterations, residual, history of the report, which is
 * empty. */
hk_status hk_cg_solve(hk_cg *cg, const hk_solve_run *run, const double *f, double *u,
                      hk_linear_report *report);
