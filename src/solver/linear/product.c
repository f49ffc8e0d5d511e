/* K u, residuals and the diagonal of K for the host. In the product u is brought near 1 by a power of two, so that single precision neither
 * overflows nor underflows, sent in the operator's precision, multiplied on the device by the form's kernel with the epilogue that stores K u,
 * read, and scaled back. A residual is T^T (f - K u). The diagonal is read from the operator's kernel, or integrated by the host. */
#include "solver/linear/product.h"
#include "operator/measure/diagonal.h"
#include "solver/linear/scale.h"
#include <math.h>

hk_status hk_product(hk_operator *op, hk_buffer *in, hk_buffer *out, const double *u, double *ku)
{
  const bool wide = op->desc.double_precision;
  const hk_count dofs = (hk_count)op->desc.space->padded * op->desc.space->components;
  const hk_epilogue store = {.form = HK_FORM_STORE, .u = in, .out = out};
  const int scale = hk_scale_find(u, dofs);
  hk_scale_by(-scale, u, dofs, ku);
  HK_PASS(hk_buffer_write_reals(in, wide, 0, dofs, ku));
  HK_PASS(hk_operator_apply(op, &store));
  HK_PASS(hk_buffer_read_reals(out, wide, 0, dofs, ku));
  if (op->desc.share)
    HK_PASS(hk_sharing_gather(op->desc.share, ku, op->desc.space->components * 8LL));
  hk_scale_by(scale, ku, dofs, ku);
  return HK_OK;
}

hk_status hk_residual(hk_operator *op, const hk_constraints *held, hk_buffer *in, hk_buffer *out,
                      const double *f, const double *u, double *r, double *norm)
{
  double sum = 0;
  HK_PASS(hk_product(op, in, out, u, r));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < held->dofs; i++) r[i] = f[i] - r[i];
  hk_constraints_transpose(held, r);
  for (hk_count i = 0; i < held->dofs; i++) sum += r[i] * r[i];
  *norm = sqrt(sum);
  return HK_OK;
}

hk_status hk_diagonal_of(hk_operator *op, double *diagonal)
{
  hk_status status = HK_OK;
  const hk_space *space = op->desc.space;
  const bool wide = op->desc.double_precision;
  const hk_count entries = (hk_count)space->padded * space->components * space->components;
  hk_buffer *own = NULL;
  if (!op->kind->diagonal) return hk_diagonal_find(&op->desc, diagonal);
  HK_TRY(hk_buffer_create(op->desc.device, entries * (wide ? 8 : 4), &own));
  HK_TRY(op->kind->diagonal(op, own));
  HK_TRY(hk_buffer_read_reals(own, wide, 0, entries, diagonal));
  if (op->desc.share)
    HK_TRY(
        hk_sharing_gather(op->desc.share, diagonal, space->components * space->components * 8LL));
cleanup:
  hk_buffer_destroy(&own);
  return status;
}
