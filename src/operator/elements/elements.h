/* The form "elements": matrices of the elements, packed, and never a global one (operator/elements/elements.k.h, operator/patches/scatter.k.h). */
#pragma once
#include "operator/operator.h"

bool hk_operator_has_elements(const hk_operator *op);

/* Kernels of the two steps of Keating's sweep, (4.2) and (4.3), (4.4); before hk_elements_jacobi. */
hk_status hk_elements_prepare(hk_operator *op);
/* out = one sweep from u for the loads f; inverse[dofs]: of w_i, 0 where u is held. Vectors [padded][components] of the operator's
 * precision. Bit-reproducible; launches alone. */
hk_status hk_elements_jacobi(hk_operator *op, const hk_buffer *u, const hk_buffer *f,
                             const hk_buffer *inverse, hk_buffer *out);

/* A number that no eigenvalue of D^-1 K exceeds, D the diagonal of K: the largest of those of the eigenvalues (K_e, D_e), each by the
 * Frobenius norm of a power of D_e^-1/2 K_e D_e^-1/2. At most 6 % above the largest of the eigenvalues of up to 27 degrees of freedom; right for every choice of degrees of
 * freedom that are held. HK_BAD_INPUT names a folded element. Cost: every element is integrated, on the host. */
hk_status hk_elements_bound(const hk_operator_desc *desc, double *most);
