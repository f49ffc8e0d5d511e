/* Exchanges rows between ranks through NCCL (device/wire.h). The device packs, sends and unpacks rows by launches, so that the host takes no part in a
 * step. Steps are launched one by one: whether graphs can record NCCL's launches was not tried. MPI gives the key of the wire from rank 0 to the others. */
#include "device/wire.h"
#include "link/direct/direct.h"

typedef struct ends { /* of the part of this process */
  hk_ranks *ranks;
  hk_link_rows rows;
  hk_wire *wire;
  hk_wire_piece *send, *take; /* [neighbours] */
} ends;

static bool serves(int parts, const hk_link_side *side, const char **why)
{
  bool there = hk_ranks_now() != NULL;
  *why = "there are no ranks of MPI: start hooke by mpirun";
  for (int p = 0; p < parts && there; p++)
    there = !side[p].device || hk_wire_there(side[p].device, why);
  return there;
}

static hk_status list_pieces(const hk_link_side *s, ends *e)
{
  HK_PASS(hk_pool_get(&e->rows.pool, &e->send, s->neighbours));
  HK_PASS(hk_pool_get(&e->rows.pool, &e->take, s->neighbours));
  for (int k = 0; k < s->neighbours; k++) {
    e->send[k] = (hk_wire_piece){e->rows.packed[k], 0, e->rows.going[k], s->neighbour[k]};
    e->take[k] = (hk_wire_piece){e->rows.mail[k], 0, e->rows.coming[k], s->neighbour[k]};
  }
  return HK_OK;
}

/* What a rank can fail at alone. */
static hk_status prepare(const hk_link_side *s, ends *e, char key[HK_WIRE_KEY])
{
  HK_PASS(hk_link_rows_create(s, 1, &e->rows));
  HK_PASS(list_pieces(s, e));
  HK_PASS(hk_kernel_await(e->rows.pack));
  HK_PASS(hk_kernel_await(e->rows.unpack));
  return e->ranks->place.rank == 0 ? hk_wire_make_key(s->device, key) : HK_OK;
}

/* A wire that another rank could not make is given up: it would be kept. */
static hk_status join(const hk_link_side *s, ends *e, const char key[HK_WIRE_KEY])
{
  hk_ranks *r = e->ranks;
  hk_failure own = {0};
  const hk_status status = hk_wire_create(s->device, key, r->place.rank, r->place.ranks, &e->wire);
  int64_t failed = status != HK_OK;
  hk_failure_keep(&own, status);
  HK_PASS(hk_ranks_largest(r, &failed, 1));
  if (failed) hk_wire_destroy(&e->wire, true);
  if (status != HK_OK) return hk_failure_tell(&own);
  HK_NEED(!failed, HK_NO_RESOURCES, "another rank cannot be linked");
  return HK_OK;
}

/* All ranks go on, or none does. */
static hk_status create(hk_links *l)
{
  const hk_link_side *s = &l->side[hk_link_own(l)];
  char key[HK_WIRE_KEY] = "";
  ends *e = NULL;
  hk_status status = hk_new(&e);
  hk_ranks *r = hk_ranks_now();
  l->data = e;
  if (e) e->ranks = r, status = prepare(s, e, key);
  int64_t failed = status != HK_OK;
  hk_failure own = {0};
  hk_failure_keep(&own, status);
  HK_PASS(hk_ranks_largest(r, &failed, 1));
  if (status != HK_OK) return hk_failure_tell(&own);
  HK_NEED(!failed, HK_NO_RESOURCES, "another rank cannot prepare it");
  HK_PASS(hk_ranks_broadcast(r, key, sizeof key));
  return join(s, e, key);
}

static void destroy(hk_links *l)
{
  ends *e = l->data;
  hk_wire_destroy(&e->wire, hk_ranks_torn());
  hk_link_rows_clear(&e->rows);
}

static hk_status begin(hk_links *l, int part, hk_buffer *vector)
{
  ends *e = l->data;
  const hk_link_side *s = &l->side[part];
  HK_PASS(hk_link_rows_pack(&e->rows, s, 0, vector));
  return hk_wire_exchange(e->wire, e->send, s->neighbours, e->take, s->neighbours);
}

static hk_status end(hk_links *l, int part, hk_buffer *vector)
{
  const ends *e = l->data;
  return hk_link_rows_unpack(&e->rows, &l->side[part], 0, vector);
}

/* The others wait on their devices: this rank tells its failure and ends all. */
static void stop(hk_links *l)
{
  const ends *e = l->data;
  if (l->begun) hk_ranks_tear(e->ranks, HK_STOPPED);
}

const hk_link_kind hk_link_nccl = {.name = "nccl",
                                   .recorded = true,
                                   .singly = true,
                                   .ranks = true,
                                   .start = 0.7,
                                   .serves = serves,
                                   .create = create,
                                   .begin = begin,
                                   .end = end,
                                   .stop = stop,
                                   .destroy = destroy};

hk_wire *hk_links_wire(const hk_links *l)
{
  return l && l->kind == &hk_link_nccl ? ((const ends *)l->data)->wire : NULL;
}
