/* The product y = K u for vectors of the host, in double precision outside. u is brought near 1 by a power of two, so that single precision
 * neither overflows nor underflows, sent in the operator's precision, multiplied on the device by the form's kernel with the epilogue that stores
 * K u, read, and scaled back. */
#include "solver/linear/product.h"
#include "solver/linear/scale.h"

hk_status hk_product(hk_operator *op, hk_buffer *in, hk_buffer *out, const double *u, double *ku)
{
  hk_status status = HK_OK;
  const bool wide = op->desc.double_precision;
  const hk_count dofs = (hk_count)op->desc.space->padded * op->desc.space->components;
  const hk_epilogue store = {.form = HK_FORM_STORE, .u = in, .out = out};
  const int scale = hk_scale_find(u, dofs);
  hk_scale_by(-scale, u, dofs, ku);
  HK_TRY(hk_buffer_write_reals(in, wide, 0, dofs, ku));
  HK_TRY(hk_operator_apply(op, &store));
  HK_TRY(hk_buffer_read_reals(out, wide, 0, dofs, ku));
  hk_scale_by(scale, ku, dofs, ku);
cleanup:
  return status;
}
