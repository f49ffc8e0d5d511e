/* Motions that A = T^T K T gives no force against: rigid-body motions, hinges, modes that reduced integration does not see. A load that does
 * no work on them lets any solver end with a small residual and an arbitrary part of them in u, so that they are looked for apart.
 *
 *   d := w, random;   repeat   d := d - S A d     S: the solver, an approximate A^-1
 *
 * Where A is regular d falls to nothing; where it is singular what is left is a null vector, because S A d has nothing to reduce there.
 * A vector is judged by rounding and not by its eigenvalue, which is small for slender bodies too:
 *   R(d) = d . K d / sum over elements and nodes of D_n |d_n - mean of the element|^2,   D_n: the mean of K_nn's diagonal   (A.19)
 * R is about (thickness / length)^2 for bending and (soft / stiff) for contrasts; K u is rounded by some 1e-16 of the denominator, since
 * operators multiply differences of u. d is a null vector where R(d) <= 2e-15: what is so weak is lost in the rounding of any solver. */
#pragma once
#include "solver/linear/linear.h"

typedef struct hk_probe_desc {
  hk_operator *op;            /* borrowed; residuals are of its K in double precision */
  const hk_constraints *held; /* of offset 0; borrowed */
  /* u[dofs] = S f, both fulfil the constraints with offset 0; S may end where u is enough, if that is not NULL */
  hk_status (*solve)(void *user, const double *f, double *u, const hk_enough *enough);
  void *user;
} hk_probe_desc;

/* *out is overwritten; hk_null_modes_clear. HK_NOT_CONVERGED where S gives what is no number, HK_STOPPED, HK_NO_RESOURCES.
 * Cost where A is regular: two solutions with S, or one to more digits where S asks whether it is near. Bit-reproducible. */
hk_status hk_probe_find(const hk_probe_desc *desc, hk_null_modes *out);
