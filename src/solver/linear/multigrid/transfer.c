/* Packs P and P^T for products, and finds which values of vectors ranks send each other for them. Own rows are launched in whole groups: rows of others in these are
 * empty, and what is written there is read by nobody before it comes from its owner. */
#include "solver/linear/multigrid/transfer.h"
#include "solver/linear/sparse/shared_rows.h"
#include <string.h>

static void launch_own(const hk_sharing *share, hk_block_rows *rows)
{
  const hk_share_groups own = hk_sharing_cover(share, rows->group, rows->groups);
  rows->first = own.first, rows->groups = own.count;
}

static hk_status create_all(const hk_sharing *share, hk_device *device, hk_count bytes,
                            hk_halo **out)
{
  hk_status status = HK_OK;
  const hk_index nodes = share->cut[share->count];
  uint8_t *needed = NULL;
  HK_TRY(hk_ranks_agree(hk_get(&needed, nodes)));
  memset(needed, 1, (size_t)nodes);
  HK_TRY(hk_halo_create(share, device, needed, bytes, out));
cleanup:
  hk_free(&needed);
  return status;
}

static hk_status share(hk_galerkin_tools *tools, const hk_transfer_desc *desc, hk_transfer *t)
{
  t->share = *desc->below_share, *desc->below_share = NULL;
  launch_own(desc->share, &t->up);
  launch_own(t->share, &t->down);
  HK_PASS(hk_shared_halo(desc->share, tools, desc->r, desc->above * 8LL, &t->above));
  return desc->whole ? create_all(t->share, tools->device, desc->below * 8LL, &t->all)
                     : hk_shared_halo(t->share, tools, desc->p, desc->below * 8LL, &t->below);
}

hk_status hk_transfer_create(hk_galerkin_tools *tools, const hk_transfer_desc *desc, hk_transfer *t)
{
  t->double_precision = desc->double_precision;
  t->block[0] = desc->above, t->block[1] = desc->below;
  HK_PASS(hk_galerkin_pack(tools, desc->p, desc->components, desc->double_precision, &t->up));
  HK_PASS(hk_galerkin_pack(tools, desc->r, desc->components, desc->double_precision, &t->down));
  return desc->share ? share(tools, desc, t) : HK_OK;
}

void hk_transfer_destroy(hk_transfer *t)
{
  hk_block_rows_destroy(&t->up);
  hk_block_rows_destroy(&t->down);
  hk_halo_destroy(&t->above);
  hk_halo_destroy(&t->below);
  hk_halo_destroy(&t->all);
  hk_sharing_destroy(&t->share);
  *t = (hk_transfer){0};
}

static hk_status exchange(const hk_transfer *t, const hk_halo *halo, int side, hk_buffer *x)
{
  return halo ? hk_halo_exchange(halo, x, t->block[side] * (t->double_precision ? 8LL : 4)) : HK_OK;
}

hk_status hk_transfer_down(const hk_transfer *t, hk_buffer *r, hk_buffer *b)
{
  HK_PASS(exchange(t, t->above, 0, r));
  HK_PASS(hk_block_rows_multiply(&t->down, r, NULL, 1, b));
  return exchange(t, t->all, 1, b);
}

hk_status hk_transfer_up(const hk_transfer *t, hk_buffer *below, hk_buffer *x)
{
  HK_PASS(exchange(t, t->below, 1, below));
  return hk_block_rows_multiply(&t->up, below, x, 1, x);
}
