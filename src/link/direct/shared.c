/* The link by which ranks exchange the values of static solutions (halo.c), chosen as that of steps is: rows of a ring of ranks are sent, each rank to the
 * next and to the one before, as many as a border of a large model has. */
#include "link/sharing.h"
#include "link/direct/direct.h"

enum { ROWS = 16384, COMPONENTS = 3 };

typedef struct hk_ranks_link {
  hk_pool pool;
  hk_link_side *side; /* [ranks] */
  hk_links *links;
} hk_ranks_link;

typedef struct ring { /* what the side of this rank lists */
  int neighbour[2];
  hk_index send[2 * ROWS], send_begin[3], take_begin[3];
} ring;

/* Two neighbours, or one of two ranks; own rows 0 ... ROWS - 1, ghosts behind them. */
static hk_status list_ring(const hk_ranks *r, hk_device *device, hk_ranks_link *l)
{
  const int ranks = r->place.ranks, own = r->place.rank, count = ranks > 2 ? 2 : 1;
  const int before = (own + ranks - 1) % ranks, next = (own + 1) % ranks;
  ring *of;
  HK_PASS(hk_pool_get(&l->pool, &l->side, ranks));
  HK_PASS(hk_pool_get(&l->pool, &of, 1));
  of->neighbour[0] = before < next ? before : next;
  of->neighbour[1] = before < next ? next : before;
  for (int i = 0; i < 2 * ROWS; i++) of->send[i] = i % ROWS;
  for (int k = 0; k <= 2; k++) of->send_begin[k] = k * ROWS, of->take_begin[k] = (k + 1) * ROWS;
  l->side[own] = (hk_link_side){.device = device,
                                .neighbours = count,
                                .neighbour = of->neighbour,
                                .send_begin = of->send_begin,
                                .send = of->send,
                                .take_begin = of->take_begin,
                                .padded = (count + 1) * ROWS,
                                .components = COMPONENTS,
                                .shots = 1,
                                .double_precision = true};
  return HK_OK;
}

hk_status hk_ranks_open_link(hk_ranks *r, const char *name, hk_device *device)
{
  hk_status status = HK_OK;
  hk_ranks_link *l = NULL;
  status = hk_new(&l);
  if (status == HK_OK) status = list_ring(r, device, l);
  HK_TRY(hk_ranks_agree(status));
  HK_TRY(hk_links_open(name, r->place.ranks, l->side, &l->links));
  r->link = l, l = NULL;
cleanup:
  if (l) hk_pool_clear(&l->pool);
  hk_free(&l);
  return status;
}

void hk_ranks_close_link(hk_ranks *r)
{
  hk_ranks_link *l = r->link;
  if (!l) return;
  r->link = NULL;
  hk_links_close(&l->links);
  hk_pool_clear(&l->pool);
  hk_free(&l);
}

const hk_links *hk_ranks_links(const hk_ranks *r)
{
  return r->link ? r->link->links : NULL;
}
