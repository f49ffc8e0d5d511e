/* A = T^T K T on a device without a matrix: fill (x = T w), the operator's product, collect (y := T^T y).
 * Only dependent degrees of freedom are touched: they and their masters are lists on the device, T by rows for fill and T^T by masters for
 * collect, so that sums run in a fixed order. Kernels are those of krylov.k.h. */
#include "solver/linear/reduced.h"
#include "solver/linear/krylov.h"
#include <string.h>

static hk_status send(hk_reduced *r, hk_count count, size_t size, const void *from, hk_buffer **out)
{
  hk_status status = HK_OK;
  hk_device *device = r->op->desc.device;
  const hk_count bytes = count * (hk_count)size;
  HK_TRY(hk_buffer_create(device, bytes + (hk_count)size, out));
  HK_TRY(hk_buffer_write(*out, 0, bytes, from));
  r->bytes += bytes;
cleanup:
  return status;
}

typedef struct transposed { /* masters, ascending, and what depends on each */
  hk_index *number;         /* number[dofs]: first the uses of a master, then its place */
  hk_index *dof, *begin, *dependent;
  double *weight;
} transposed;

static hk_status transpose(const hk_constraints *c, transposed *t, hk_index *masters)
{
  hk_status status = HK_OK;
  const hk_index entries = c->begin[c->count];
  hk_index n = 0;
  HK_TRY(hk_get(&t->number, c->dofs));
  HK_TRY(hk_get(&t->dependent, entries));
  HK_TRY(hk_get(&t->weight, entries));
  HK_TRY(hk_get(&t->dof, entries));
  HK_TRY(hk_get(&t->begin, entries + 2));
  for (hk_index e = 0; e < entries; e++) t->number[c->master[e]]++;
  for (hk_index i = 0; i < c->dofs; i++)
    if (t->number[i]) t->dof[n] = i, t->begin[n + 2] = t->number[i], t->number[i] = n++;
  for (hk_index k = 0; k < n; k++) t->begin[k + 2] += t->begin[k + 1];
  for (hk_index i = 0; i < c->count; i++)
    for (hk_index e = c->begin[i]; e < c->begin[i + 1]; e++) {
      const hk_index to = t->begin[t->number[c->master[e]] + 1]++;
      t->dependent[to] = c->dof[i], t->weight[to] = c->weight[e];
    }
  *masters = n;
cleanup:
  return status;
}

static hk_status send_masters(hk_reduced *r, const hk_constraints *c)
{
  hk_status status = HK_OK;
  transposed t = {0};
  const hk_index entries = c->begin[c->count];
  HK_TRY(transpose(c, &t, &r->masters));
  HK_TRY(send(r, c->count + 1, sizeof *c->begin, c->begin, &r->begin));
  HK_TRY(send(r, entries, sizeof *c->master, c->master, &r->master));
  HK_TRY(send(r, entries, sizeof *c->weight, c->weight, &r->weight));
  HK_TRY(send(r, r->masters, sizeof *t.dof, t.dof, &r->master_dof));
  HK_TRY(send(r, r->masters + 1, sizeof *t.begin, t.begin, &r->master_begin));
  HK_TRY(send(r, entries, sizeof *t.dependent, t.dependent, &r->dependent));
  HK_TRY(send(r, entries, sizeof *t.weight, t.weight, &r->master_weight));
cleanup:
  hk_free(&t.number);
  hk_free(&t.dof);
  hk_free(&t.begin);
  hk_free(&t.dependent);
  hk_free(&t.weight);
  return status;
}

hk_status hk_reduced_create(hk_operator *op, const hk_constraints *c, hk_reduced *r)
{
  hk_status status = HK_OK;
  hk_device *device = op->desc.device;
  const bool real = op->desc.double_precision;
  r->op = op, r->double_precision = real;
  r->dofs = (hk_count)op->desc.space->padded * op->desc.space->components;
  r->count = c->count, r->plain = !c->count || !c->begin[c->count];
  HK_TRY(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  HK_TRY(send(r, c->count, sizeof *c->dof, c->dof, &r->dof));
  HK_TRY(hk_krylov_kernel(device, "krylov_zero", real, &r->zero));
  if (!r->plain) {
    HK_TRY(send_masters(r, c));
    HK_TRY(hk_krylov_kernel(device, "krylov_fill", real, &r->fill));
    HK_TRY(hk_krylov_kernel(device, "krylov_collect", real, &r->collect));
  }
cleanup:
  return status;
}

void hk_reduced_destroy(hk_reduced *r)
{
  hk_buffer **const buffer[] = {&r->dof,        &r->begin,        &r->master,    &r->weight,
                                &r->master_dof, &r->master_begin, &r->dependent, &r->master_weight};
  for (size_t k = 0; k < sizeof buffer / sizeof *buffer; k++) hk_buffer_destroy(buffer[k]);
  hk_kernel_destroy(&r->fill);
  hk_kernel_destroy(&r->collect);
  hk_kernel_destroy(&r->zero);
  *r = (hk_reduced){0};
}

static hk_count groups_of(hk_index count)
{
  return (count + HK_KRYLOV_LIST - 1) / HK_KRYLOV_LIST;
}

static hk_status zero(const hk_reduced *r, hk_buffer *x)
{
  const hk_argument argument[] = {hk_arg_buffer(r->dof), hk_arg_buffer(x), hk_arg_int(r->count)};
  return hk_kernel_launch(r->zero, 0, groups_of(r->count), argument, 3);
}

hk_status hk_reduced_fill(const hk_reduced *r, hk_buffer *x)
{
  const hk_argument argument[] = {hk_arg_buffer(r->dof),    hk_arg_buffer(r->begin),
                                  hk_arg_buffer(r->master), hk_arg_buffer(r->weight),
                                  hk_arg_buffer(x),         hk_arg_int(r->count)};
  if (r->plain) return zero(r, x);
  return hk_kernel_launch(r->fill, 0, groups_of(r->count), argument, 6);
}

hk_status hk_reduced_collect(const hk_reduced *r, hk_buffer *y)
{
  hk_status status = HK_OK;
  const hk_argument argument[] = {hk_arg_buffer(r->master_dof),
                                  hk_arg_buffer(r->master_begin),
                                  hk_arg_buffer(r->dependent),
                                  hk_arg_buffer(r->master_weight),
                                  hk_arg_buffer(y),
                                  hk_arg_int(r->masters)};
  if (!r->plain) HK_TRY(hk_kernel_launch(r->collect, 0, groups_of(r->masters), argument, 6));
  HK_TRY(zero(r, y));
cleanup:
  return status;
}

hk_status hk_reduced_apply(const hk_reduced *r, const hk_buffer *x, hk_buffer *y)
{
  hk_status status = HK_OK;
  HK_TRY(hk_operator_apply(r->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = x, .out = y}));
  HK_TRY(hk_reduced_collect(r, y));
cleanup:
  return status;
}

const hk_words *hk_reduced_words(const hk_reduced *r)
{
  const hk_space *space = r->op->desc.space;
  return hk_words_of(space->components < space->dim);
}
