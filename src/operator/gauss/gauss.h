/* What the form "matrix-free" is for meshes with elements of second order: operator/gauss/gauss.k.h. */
#pragma once
#include "operator/operator.h"

typedef struct hk_gauss hk_gauss;

/* Bytes on the device. */
hk_count hk_gauss_plan(const hk_mesh *mesh, bool double_precision);

/* For elements of any listed shape with hk_element_plain regions. Lists are made on the host, the same in each run; op->groups, memory, bytes are
 * set. HK_BAD_INPUT names a folded element. */
hk_status hk_gauss_create(hk_operator *op, hk_gauss **out);
void hk_gauss_destroy(hk_gauss **gauss);
hk_status hk_gauss_bind(hk_operator *op, hk_gauss *gauss, hk_form form, int damped, int shots);
hk_status hk_gauss_apply(const hk_operator *op, const hk_gauss *gauss, const hk_epilogue *epilogue);
