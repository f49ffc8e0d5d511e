/* The forces between a fluid and a solid beside a form of K without slots (operator/fsi_rows.k.h): the calls of hk_operator_term_kind. */
#pragma once
#include "operator/operator.h"

/* HK_BAD_INPUT: a solid node touches two fluid nodes. */
hk_status hk_fsi_rows_create(hk_operator *op, const hk_operator_term *term, void **data);
hk_status hk_fsi_rows_bind(hk_operator *op, void *data, hk_form form, int damped, int shots);
hk_status hk_fsi_rows_launch(const hk_operator *op, const void *data, hk_phase phase,
                             const hk_epilogue *epilogue);
void hk_fsi_rows_destroy(void *data);
