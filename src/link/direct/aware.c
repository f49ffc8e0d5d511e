/* Exchanges rows between ranks by an MPI that sends from the memory of devices and receives into it ("GPU-aware"). The device packs, and a copy of a few bytes
 * behind that tells the host when it has; MPI then sends at the end of the exchange, while the device computes the interior, and the device unpacks
 * what has come. Two places are used in turn: once the packing of an exchange is done, the unpacking of the one before it is too. */
#include "device/fetch.h"
#include "link/direct/direct.h"

enum { PLACES = 2, TAG = 4, SIGN = 4 };

typedef struct ends { /* of the part of this process */
  hk_ranks *ranks;
  hk_link_rows rows;
  hk_buffer *sign;
  hk_fetch *packed;
  hk_mpi_request *sent, *coming; /* [PLACES][neighbours] */
  bool posted[PLACES];
  hk_count exchange;
} ends;

static bool serves(int parts, const hk_link_side *side, const char **why)
{
  const hk_ranks *r = hk_ranks_now();
  *why = "there are no ranks of MPI: start hooke by mpirun";
  if (!r) return false;
  *why = "MPI sends from no memory of devices of this kind";
  for (int p = 0; p < parts; p++)
    if (side[p].device && !hk_device_describe(side[p].device)->addressed) return false;
  *why = "MPI does not say that it reaches the memory of GPUs (MPIX_Query_cuda_support)";
  return r->mpi->aware() != 0;
}

static hk_status create(hk_links *l)
{
  const hk_link_side *s = &l->side[hk_link_own(l)];
  ends *e = NULL;
  HK_PASS(hk_new(&e));
  l->data = e;
  e->ranks = hk_ranks_now();
  HK_PASS(hk_link_rows_create(s, PLACES, &e->rows));
  HK_PASS(hk_buffer_get(&e->rows.pool, s->device, SIGN, &e->sign));
  HK_PASS(hk_pool_get(&e->rows.pool, &e->sent, (hk_count)PLACES * s->neighbours));
  HK_PASS(hk_pool_get(&e->rows.pool, &e->coming, (hk_count)PLACES * s->neighbours));
  return hk_fetch_create(s->device, SIGN, &e->packed);
}

static hk_mpi_request *requests(hk_mpi_request *of, const hk_link_side *s, int place)
{
  return of + (hk_count)place * s->neighbours;
}

static void destroy(hk_links *l)
{
  ends *e = l->data;
  const hk_link_side *s = &l->side[hk_link_own(l)];
  for (int place = 0; place < PLACES; place++)
    for (int k = 0; e->posted[place] && k < s->neighbours; k++) {
      hk_mpi_request *sent = &requests(e->sent, s, place)[k];
      if (hk_ranks_torn())
        e->ranks->mpi->leave(sent), e->ranks->mpi->leave(&requests(e->coming, s, place)[k]);
      else
        hk_ranks_wait(e->ranks, sent, NULL, 0);
    }
  hk_fetch_destroy(&e->packed);
  hk_link_rows_clear(&e->rows);
}

/* What was sent from this place has gone. */
static hk_status empty(ends *e, const hk_link_side *s, int place)
{
  for (int k = 0; e->posted[place] && k < s->neighbours; k++)
    HK_PASS(hk_ranks_wait(e->ranks, &requests(e->sent, s, place)[k], "the arrival of rows",
                          s->neighbour[k]));
  e->posted[place] = false;
  return HK_OK;
}

static void *memory_of(const hk_buffer *buffer)
{
  return hk_buffer_address(buffer).memory;
}

static hk_status begin(hk_links *l, int part, hk_buffer *vector)
{
  ends *e = l->data;
  const hk_link_side *s = &l->side[part];
  const int place = (int)(e->exchange++ % PLACES);
  hk_buffer *const *mail = e->rows.mail + (hk_count)place * s->neighbours;
  HK_PASS(empty(e, s, place));
  e->posted[place] = true;
  for (int k = 0; k < s->neighbours; k++)
    HK_PASS(
        hk_ranks_check(e->ranks,
                       e->ranks->mpi->take(memory_of(mail[k]), (int)e->rows.coming[k],
                                           s->neighbour[k], TAG, &requests(e->coming, s, place)[k]),
                       "receiving rows"));
  HK_PASS(hk_link_rows_pack(&e->rows, s, place, vector));
  return hk_fetch_begin(e->packed, 0, e->sign, 0, SIGN);
}

static hk_status send_rows(ends *e, const hk_link_side *s, int place)
{
  hk_buffer *const *packed = e->rows.packed + (hk_count)place * s->neighbours;
  const void *sign;
  HK_PASS(hk_fetch_wait(e->packed, &sign));
  for (int k = 0; k < s->neighbours; k++)
    HK_PASS(
        hk_ranks_check(e->ranks,
                       e->ranks->mpi->send(memory_of(packed[k]), 1, (int)e->rows.going[k], 0,
                                           s->neighbour[k], TAG, &requests(e->sent, s, place)[k]),
                       "sending rows"));
  return HK_OK;
}

static hk_status end(hk_links *l, int part, hk_buffer *vector)
{
  ends *e = l->data;
  const hk_link_side *s = &l->side[part];
  const int place = (int)((e->exchange - 1) % PLACES);
  HK_PASS(send_rows(e, s, place));
  for (int k = 0; k < s->neighbours; k++)
    HK_PASS(
        hk_ranks_wait(e->ranks, &requests(e->coming, s, place)[k], "the rows", s->neighbour[k]));
  return hk_link_rows_unpack(&e->rows, s, place, vector);
}

static void stop(hk_links *l)
{
  const ends *e = l->data;
  if (l->begun) hk_ranks_tear(e->ranks, HK_STOPPED);
}

const hk_link_kind hk_link_mpi_device = {.name = "mpi-device",
                                         .ranks = true,
                                         .serves = serves,
                                         .create = create,
                                         .begin = begin,
                                         .end = end,
                                         .stop = stop,
                                         .destroy = destroy};
