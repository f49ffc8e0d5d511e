/* A = T^T K T on a device without a matrix: fill (x = T w), the operator's product, collect (y := T^T y).
 * Only dependent degrees of freedom are touched: they and their masters are lists on the device, T by rows for fill and T^T by masters for
 * collect, so that sums run in a fixed order. Kernels are those of krylov.k.h. */
#include "solver/linear/reduced.h"
#include "operator/assembly/assembled.h"
#include "solver/linear/krylov.h"
#include <string.h>

static hk_status send(hk_reduced *r, hk_count count, size_t size, const void *from, hk_buffer **out)
{
  hk_device *device = r->op->desc.device;
  const hk_count bytes = count * (hk_count)size;
  HK_PASS(hk_buffer_get(&r->pool, device, bytes + (hk_count)size, out));
  HK_PASS(hk_buffer_write(*out, 0, bytes, from));
  r->bytes += bytes;
  return HK_OK;
}

typedef struct transposed { /* masters, ascending, and what depends on each */
  hk_index *number;         /* number[dofs]: first the uses of a master, then its place */
  hk_index *dof, *begin, *dependent;
  double *weight;
} transposed;

static hk_status transpose(const hk_constraints *c, hk_pool *pool, transposed *t, hk_index *masters)
{
  const hk_index entries = c->begin[c->count];
  hk_index n = 0;
  HK_PASS(hk_pool_get(pool, &t->number, c->dofs));
  HK_PASS(hk_pool_get(pool, &t->dependent, entries));
  HK_PASS(hk_pool_get(pool, &t->weight, entries));
  HK_PASS(hk_pool_get(pool, &t->dof, entries));
  HK_PASS(hk_pool_get(pool, &t->begin, entries + 2));
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
  return HK_OK;
}

static hk_status send_masters(hk_reduced *r, const hk_constraints *c)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  transposed t;
  const hk_index entries = c->begin[c->count];
  HK_TRY(transpose(c, &pool, &t, &r->masters));
  HK_TRY(send(r, c->count + 1, sizeof *c->begin, c->begin, &r->begin));
  HK_TRY(send(r, entries, sizeof *c->master, c->master, &r->master));
  HK_TRY(send(r, entries, sizeof *c->weight, c->weight, &r->weight));
  HK_TRY(send(r, r->masters, sizeof *t.dof, t.dof, &r->master_dof));
  HK_TRY(send(r, r->masters + 1, sizeof *t.begin, t.begin, &r->master_begin));
  HK_TRY(send(r, entries, sizeof *t.dependent, t.dependent, &r->dependent));
  HK_TRY(send(r, entries, sizeof *t.weight, t.weight, &r->master_weight));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* What own rows of K read of x, what own dependents read of x in fill, what own masters read of y in collect. */
enum { PRODUCT, FILL, COLLECT };

static hk_status find_columns(const hk_reduced *r, uint8_t *needed)
{
  hk_status status = HK_OK;
  const hk_sharing *share = r->op->desc.share;
  const hk_neighbours *n = hk_assembled_matrix(r->op)->neighbours;
  int64_t first, end;
  int32_t *column = NULL;
  HK_TRY(hk_buffer_read(n->begin, hk_sharing_first(share) * 8LL, 8, &first));
  HK_TRY(hk_buffer_read(n->begin, hk_sharing_end(share) * 8LL, 8, &end));
  HK_TRY(hk_get(&column, end - first));
  HK_TRY(hk_buffer_read(n->column, first * 4, (end - first) * 4, column));
  for (hk_count e = 0; e < end - first; e++) needed[column[e]] = 1;
cleanup:
  hk_free(&column);
  return status;
}

static void find_related(const hk_reduced *r, const hk_constraints *c, bool masters,
                         uint8_t *needed)
{
  const hk_sharing *share = r->op->desc.share;
  const int n = r->op->desc.space->components;
  for (hk_index i = 0; i < c->count; i++)
    for (hk_index e = c->begin[i]; e < c->begin[i + 1]; e++) {
      const hk_index dependent = c->dof[i] / n, master = c->master[e] / n;
      if (hk_sharing_owns(share, masters ? dependent : master))
        needed[masters ? master : dependent] = 1;
    }
}

/* A vector has 8 bytes a number at most. */
static hk_status create_halos(hk_reduced *r, const hk_constraints *c)
{
  hk_status status = HK_OK;
  const hk_space *space = r->op->desc.space;
  uint8_t *needed = NULL;
  HK_TRY(hk_ranks_agree(hk_get(&needed, space->padded)));
  for (int k = PRODUCT; k <= (r->plain ? PRODUCT : COLLECT); k++) {
    memset(needed, 0, (size_t)space->padded);
    if (k == PRODUCT)
      HK_TRY(hk_ranks_agree(find_columns(r, needed)));
    else
      find_related(r, c, k == FILL, needed);
    HK_TRY(hk_halo_create(r->op->desc.share, r->op->desc.device, needed, space->components * 8LL,
                          &r->halo[k]));
  }
cleanup:
  hk_free(&needed);
  return status;
}

static hk_status exchange(const hk_reduced *r, int which, hk_buffer *x)
{
  return r->halo[which]
             ? hk_halo_exchange(r->halo[which], x,
                                r->op->desc.space->components * (r->double_precision ? 8LL : 4))
             : HK_OK;
}

hk_status hk_reduced_gather(const hk_reduced *r, double *u)
{
  return hk_sharing_gather(r->op->desc.share, u, r->op->desc.space->components * 8LL);
}

hk_status hk_reduced_create(hk_operator *op, const hk_constraints *c, hk_reduced *r)
{
  hk_device *device = op->desc.device;
  const bool real = op->desc.double_precision;
  r->op = op, r->double_precision = real;
  r->dofs = (hk_count)op->desc.space->padded * op->desc.space->components;
  r->count = c->count, r->plain = !c->count || !c->begin[c->count];
  HK_PASS(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  HK_PASS(send(r, c->count, sizeof *c->dof, c->dof, &r->dof));
  HK_PASS(hk_krylov_kernel(&r->pool, device, "krylov", "krylov_zero", real, &r->zero));
  if (!r->plain) {
    HK_PASS(send_masters(r, c));
    HK_PASS(hk_krylov_kernel(&r->pool, device, "krylov", "krylov_fill", real, &r->fill));
    HK_PASS(hk_krylov_kernel(&r->pool, device, "krylov", "krylov_collect", real, &r->collect));
  }
  return op->desc.share ? create_halos(r, c) : HK_OK;
}

void hk_reduced_destroy(hk_reduced *r)
{
  for (int k = PRODUCT; k <= COLLECT; k++) hk_halo_destroy(&r->halo[k]);
  hk_pool_clear(&r->pool);
  *r = (hk_reduced){0};
}

static hk_count groups_of(hk_index count)
{
  return (count + HK_KRYLOV_LIST - 1) / HK_KRYLOV_LIST;
}

static hk_status zero(const hk_reduced *r, hk_buffer *x)
{
  return hk_kernel_launch(r->zero, 0, groups_of(r->count), HK_ARGUMENTS(r->dof, x, r->count));
}

hk_status hk_reduced_fill(const hk_reduced *r, hk_buffer *x)
{
  if (r->plain) return zero(r, x);
  HK_PASS(exchange(r, FILL, x));
  return hk_kernel_launch(r->fill, 0, groups_of(r->count),
                          HK_ARGUMENTS(r->dof, r->begin, r->master, r->weight, x, r->count));
}

hk_status hk_reduced_collect(const hk_reduced *r, hk_buffer *y)
{
  HK_PASS(exchange(r, COLLECT, y));
  if (!r->plain)
    HK_PASS(hk_kernel_launch(r->collect, 0, groups_of(r->masters),
                             HK_ARGUMENTS(r->master_dof, r->master_begin, r->dependent,
                                          r->master_weight, y, r->masters)));
  return zero(r, y);
}

hk_status hk_reduced_product(const hk_reduced *r, hk_buffer *x, hk_buffer *y)
{
  HK_PASS(exchange(r, PRODUCT, x));
  return hk_operator_apply(r->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = x, .out = y});
}

hk_status hk_reduced_apply(const hk_reduced *r, hk_buffer *x, hk_buffer *y)
{
  HK_PASS(hk_reduced_product(r, x, y));
  return hk_reduced_collect(r, y);
}

const hk_words *hk_reduced_words(const hk_reduced *r)
{
  const hk_space *space = r->op->desc.space;
  return hk_words_of(space->unknowns);
}
