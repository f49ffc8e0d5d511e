/* Iterations that need no more of A = T^T K T than products and its diagonal D:
 *   jacobi      (A.18) x += omega D^-1 (f - A x), where K is kept by elements Keating's sweep (operator/elements/elements.h);  omega 1, or 1.9 / most
 *               where 1 might not converge, most a bound of D^-1 A's eigenvalues: by elements, or under equations measured
 *   chebyshev   x += d,  d = c1 d + c2 D^-1 (f - A x), optimal for eigenvalues in [least, most]; least is found from how fast residuals
 *               fall: where it is slower than it should be, there are smaller ones
 * Residual and change of each step are summed on the device, which ends by itself when the one, or on request the other, is small; the host looks after EVERY steps (relax.c). The residual
 * is that before a step, so that iterations end one step late. */
#pragma once
#include "solver/linear/krylov.h"
#include "solver/linear/method.h"

typedef enum hk_relaxation { HK_RELAX_JACOBI, HK_RELAX_CHEBYSHEV } hk_relaxation;

typedef struct hk_relax {
  const hk_reduced *a; /* borrowed */
  hk_relaxation kind;
  bool sweeps; /* Keating's, by elements */
  double most, least, omega;
  hk_iteration on;
  hk_buffer *f, *x, *q, *d, *inverse;
  hk_kernel *step, *fold;
} hk_relax;

/* *relax is zero; destroy also after a failure. */
hk_status hk_relax_create(const hk_reduced *a, const hk_constraints *constraints,
                          hk_relaxation kind, int iterations, hk_relax *relax);
void hk_relax_destroy(hk_relax *relax);
/* As hk_rounds_solve. */
hk_status hk_relax_solve(hk_relax *relax, const hk_solve_run *run, const double *f, double *u,
                         hk_linear_report *report);
/* Of jacobi: the factor of its steps in the report, and in words where it is below 1; by the change: that, in words. */
void hk_relax_tell(const hk_relax *relax, const hk_solve_run *run, hk_linear_report *report);
