/* What the host asks of K: K u, the residual of a solution, and the diagonal. Vectors are [dofs] in internal order and in double; the device computes
 * in the operator's precision. `op` is bound to HK_FORM_STORE; in and out have room for its reals.
 * Where ranks share its rows all of them call, with the same vectors, and get all rows. */
#pragma once
#include "load/constraints.h"
#include "operator/operator.h"

/* ku = K u; u and ku may be the same. u is scaled on the device, so that tiny numbers are not lost there. */
hk_status hk_product(hk_operator *op, hk_buffer *in, hk_buffer *out, const double *u, double *ku);
/* r = T^T (f - K u), T of `held`, whose offsets are not looked at; *norm = |r|. */
hk_status hk_residual(hk_operator *op, const hk_constraints *held, hk_buffer *in, hk_buffer *out,
                      const double *f, const double *u, double *r, double *norm);
/* diagonal[padded][components][components]: K's diagonal blocks, by the operator's kernel where it has one (operator/measure/diagonal.h). */
hk_status hk_diagonal_of(hk_operator *op, double *diagonal);
