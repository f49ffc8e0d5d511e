/* Moves what aggregation by own rows needs of other ranks. A node belongs to the owner of its row, an aggregate to the owner of its root, which computes the
 * aggregate's part of P0 from all of its nodes and sends the rows back. Roots are numbered by prefix sums over the ranks, in the order of
 * their nodes, as one process numbers them; every sum runs in the order of one process. */
#include "solver/linear/sparse/aggregate_share.h"
#include "solver/linear/sparse/shared_rows.h"

hk_status hk_coarse_any(const hk_sharing *share, int32_t *any)
{
  hk_status status = HK_OK;
  const hk_count own = *any;
  hk_count *all = NULL;
  HK_TRY(hk_ranks_agree(hk_get(&all, share->count)));
  HK_TRY(hk_sharing_collect(share, &own, 1, all));
  for (int k = 0; k < share->count; k++) *any |= all[k] != 0;
cleanup:
  hk_free(&all);
  return status;
}

/* value[first, end), fewer than a group has. */
static hk_status fill(hk_buffer *value, hk_index first, hk_index end, int32_t none)
{
  int32_t all[HK_GALERKIN_CHUNK];
  for (hk_index i = first; i < end; i++) all[i - first] = none;
  return end > first ? hk_buffer_write(value, first * 4LL, (end - first) * 4LL, all) : HK_OK;
}

hk_status hk_coarse_own_only(const hk_sharing *share, int32_t none, hk_buffer *value)
{
  const hk_index first = hk_sharing_first(share), end = hk_sharing_end(share),
                 nodes = share->cut[share->count];
  hk_index high = end;
  while (high < nodes && high % HK_GALERKIN_CHUNK) high++;
  HK_PASS(fill(value, first / HK_GALERKIN_CHUNK * HK_GALERKIN_CHUNK, first, none));
  return fill(value, end, high, none);
}

/* number[first, end) += more */
static hk_status shift(hk_buffer *number, hk_index first, hk_index end, int64_t more)
{
  hk_status status = HK_OK;
  const hk_count count = end - first;
  int64_t *own = NULL;
  HK_TRY(hk_get(&own, count));
  HK_TRY(hk_buffer_read(number, first * 8LL, count * 8, own));
  for (hk_count i = 0; i < count; i++) own[i] += more;
  HK_TRY(hk_buffer_write(number, first * 8LL, count * 8, own));
cleanup:
  hk_free(&own);
  return status;
}

hk_status hk_coarse_number(const hk_sharing *share, hk_buffer *number, hk_count *aggregates,
                           hk_sharing **below)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_count *all = NULL;
  hk_index *cut = NULL;
  status = hk_pool_get(&pool, &all, share->count);
  if (status == HK_OK) status = hk_pool_get(&pool, &cut, share->count + 1);
  HK_TRY(hk_ranks_agree(status));
  HK_TRY(hk_sharing_collect(share, aggregates, 1, all));
  *aggregates = 0;
  for (int k = 0; k < share->count; k++) {
    *aggregates += all[k];
    HK_TRY(hk_narrow(*aggregates, "aggregates", &cut[k + 1]));
  }
  HK_TRY(shift(number, hk_sharing_first(share), hk_sharing_end(share), cut[share->rank]));
  HK_TRY(hk_sharing_create_at(share->ranks, cut, below));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_coarse_send_members(hk_galerkin_tools *tools, const hk_sharing *share,
                                 const hk_sharing *below, hk_galerkin_matrix *p0)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_row_list *list = NULL;
  HK_TRY(hk_ranks_agree(hk_shared_by_columns(share, below, tools, p0, &pool, &list)));
  HK_TRY(hk_shared_send(share, tools, list, p0));
  HK_TRY(hk_shared_keep_columns(tools, hk_sharing_first(below), hk_sharing_end(below), p0));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* list[ranks]: the rows of p that other ranks own, for these. */
static hk_status list_foreign(const hk_sharing *share, const hk_galerkin_matrix *p, hk_pool *pool,
                              hk_row_list **list)
{
  int64_t *begin;
  HK_PASS(hk_pool_get(pool, &begin, p->rows + 1LL));
  HK_PASS(hk_buffer_read(p->begin, 0, (p->rows + 1LL) * 8, begin));
  HK_PASS(hk_pool_get(pool, list, share->count));
  for (int k = 0; k < share->count; k++) {
    const hk_index first = share->cut[k], end = share->cut[k + 1];
    hk_count count = 0;
    hk_index *row;
    if (k == share->rank) continue;
    for (hk_index i = first; i < end; i++) count += begin[i + 1] > begin[i];
    HK_PASS(hk_pool_get(pool, &row, count));
    (*list)[k] = (hk_row_list){count, row};
    for (hk_index i = first; i < end; i++)
      if (begin[i + 1] > begin[i]) *row++ = i;
  }
  return HK_OK;
}

/* Own rows of p go to the ranks whose rows of A read their nodes. */
static hk_status send_to_readers(hk_galerkin_tools *tools, const hk_coarse_desc *desc,
                                 hk_galerkin_matrix *p)
{
  hk_status status = HK_OK;
  const hk_halo *halo = desc->halo;
  hk_row_list *list = NULL;
  HK_TRY(hk_ranks_agree(hk_get(&list, desc->share->count)));
  for (int k = 0; k < desc->share->count; k++)
    list[k] = (hk_row_list){halo->send_begin[k + 1] - halo->send_begin[k],
                            halo->send + halo->send_begin[k]};
  HK_TRY(hk_shared_send(desc->share, tools, list, p));
cleanup:
  hk_free(&list);
  return status;
}

hk_status hk_coarse_send_tentative(hk_galerkin_tools *tools, const hk_coarse_desc *desc,
                                   hk_galerkin_matrix *p0)
{
  hk_status status = HK_OK;
  const hk_sharing *share = desc->share;
  hk_pool pool = {0};
  hk_row_list *list = NULL;
  HK_TRY(hk_ranks_agree(list_foreign(share, p0, &pool, &list)));
  HK_TRY(hk_shared_send(share, tools, list, p0));
  HK_TRY(hk_shared_keep(tools, hk_sharing_first(share), hk_sharing_end(share), p0));
  HK_TRY(send_to_readers(tools, desc, p0));
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* *product = A P, own rows: P's rows of the nodes that A's rows read come from their owners. */
static hk_status multiply(hk_galerkin_tools *tools, const hk_coarse_desc *desc, const hk_coarse *c,
                          hk_galerkin_matrix *product)
{
  hk_status status = HK_OK;
  hk_galerkin_matrix p = {0};
  HK_TRY(hk_shared_copy(tools, &c->p, &p));
  HK_TRY(send_to_readers(tools, desc, &p));
  HK_TRY(hk_galerkin_multiply(tools, desc->a, &p, NULL, product));
cleanup:
  hk_galerkin_clear(&p);
  return status;
}

/* c->r = P^T, c->a = P^T A P: own rows of both from all rows of P and A P that they need. */
static hk_status transpose(hk_galerkin_tools *tools, const hk_coarse_desc *desc,
                           hk_galerkin_matrix *product, hk_coarse *c)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_row_list *list = NULL;
  hk_galerkin_matrix p = {0};
  HK_TRY(hk_shared_by_columns(desc->share, c->share, tools, &c->p, &pool, &list));
  HK_TRY(hk_shared_copy(tools, &c->p, &p));
  HK_TRY(hk_shared_send(desc->share, tools, list, &p));
  HK_TRY(hk_shared_send(desc->share, tools, list, product));
  HK_TRY(hk_shared_keep_columns(tools, hk_sharing_first(c->share), hk_sharing_end(c->share), &p));
  HK_TRY(hk_galerkin_transpose(tools, &p, &c->r));
  HK_TRY(hk_galerkin_multiply(tools, &c->r, product, NULL, &c->a));
cleanup:
  hk_galerkin_clear(&p);
  hk_pool_clear(&pool);
  return status;
}

hk_status hk_coarse_multiply(hk_galerkin_tools *tools, const hk_coarse_desc *desc, hk_coarse *c)
{
  hk_status status = HK_OK;
  hk_galerkin_matrix product = {0};
  HK_TRY(multiply(tools, desc, c, &product));
  HK_TRY(transpose(tools, desc, &product, c));
cleanup:
  hk_galerkin_clear(&product);
  return status;
}
