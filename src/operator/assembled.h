/* The form "assembled": K in node rows, made on the device (operator/assembly.h), applied by rows (kernels/product.k.h). */
#ifndef HK_OPERATOR_ASSEMBLED_H
#define HK_OPERATOR_ASSEMBLED_H
#include "operator/assembly.h"

/* K on the host; op must be of this kind. HK_NO_RESOURCES. */
hk_status hk_assembled_read(hk_operator *op, hk_csr *out);
/* New values of the same pattern, from the laws that the regions have now. */
hk_status hk_assembled_refill(hk_operator *op);
#endif
