/* K u of the host. */
#ifndef HK_SOLVER_LINEAR_PRODUCT_H
#define HK_SOLVER_LINEAR_PRODUCT_H
#include "operator/operator.h"

/* ku[dofs] = K u[dofs] in internal order, by the device in the operator's precision; u and ku may be the same. `op` is bound to HK_FORM_STORE,
 * in and out have room for its reals. u is scaled on the device, so that tiny numbers are not lost there. */
hk_status hk_product(hk_operator *op, hk_buffer *in, hk_buffer *out, const double *u, double *ku);
#endif
