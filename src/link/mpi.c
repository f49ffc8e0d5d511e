/* Exchanges rows between processes of MPI, each of which has one part. The rows are packed on the device, fetched into pinned memory, and sent by MPI to each
 * neighbour, which writes them into its ghosts. On a GPU they are sent at the end of the exchange, while the GPU computes the interior; the processor sends them
 * at the beginning. An exchange uses one of two places in turn, and waits for what was sent from it two exchanges before. */
#include "device/fetch.h"
#include "link/link.h"
#include "link/ranks.h"

enum { CHUNK = 1024, PLACES = 2, TAG = 2 };

typedef struct place {
  hk_fetch *fetch;
  hk_mpi_request *sent, *coming; /* [neighbours] */
  bool posted;                   /* something was sent from here */
  char *mail;                    /* what comes, neighbour by neighbour */
} place;

typedef struct ends { /* of the part of this process */
  hk_ranks *ranks;
  hk_pool pool;
  hk_kernel *pack;
  hk_buffer *send, *packed;
  hk_count *mail_begin; /* mail_begin[neighbours + 1]: bytes */
  hk_count exchange;
  bool sends_at_once;
  place place[PLACES];
} ends;

static hk_count node_of(const hk_link_side *s)
{
  return (hk_count)s->components * (s->double_precision ? 8 : 4);
}

static hk_index sent_by(const hk_link_side *s)
{
  return s->neighbours ? s->send_begin[s->neighbours] : 0;
}

static bool serves(int parts, const hk_link_side *side, const char **why)
{
  (void)parts, (void)side;
  *why = "there are no ranks of MPI: start hooke by mpirun";
  return hk_ranks_now() != NULL;
}

static int own_part(const hk_links *l)
{
  int p = 0;
  while (!l->side[p].device) p++;
  return p;
}

static hk_status create_place(const hk_link_side *s, ends *e, place *p)
{
  const int neighbours = s->neighbours;
  HK_PASS(hk_fetch_create(s->device, sent_by(s) * node_of(s) * s->shots, &p->fetch));
  HK_PASS(hk_pool_get(&e->pool, &p->sent, neighbours));
  HK_PASS(hk_pool_get(&e->pool, &p->coming, neighbours));
  return hk_pool_get(&e->pool, &p->mail, e->mail_begin[neighbours]);
}

static hk_status create_places(const hk_link_side *s, ends *e)
{
  HK_PASS(hk_pool_get(&e->pool, &e->mail_begin, s->neighbours + 1));
  for (int k = 0; k < s->neighbours; k++) {
    const hk_count comes = hk_link_ghosts(s, k) * node_of(s) * s->shots,
                   goes =
                       (hk_count)(s->send_begin[k + 1] - s->send_begin[k]) * node_of(s) * s->shots;
    HK_NEED(comes <= HK_MPI_MOST && goes <= HK_MPI_MOST, HK_NO_RESOURCES,
            "the rows between ranks %d and %d are more than 1 GB: give more ranks, or fewer shots",
            e->ranks->place.rank, s->neighbour[k]);
    e->mail_begin[k + 1] = e->mail_begin[k] + comes;
  }
  for (int k = 0; k < PLACES; k++) HK_PASS(create_place(s, e, &e->place[k]));
  return HK_OK;
}

static hk_status create(hk_links *l)
{
  const hk_link_side *s = &l->side[own_part(l)];
  ends *e = NULL;
  HK_PASS(hk_new(&e));
  l->data = e;
  e->ranks = hk_ranks_now();
  if (!s->neighbours) return HK_OK;
  e->sends_at_once = !hk_device_describe(s->device)->overlaps;
  HK_PASS(hk_buffer_send(&e->pool, s->device, (hk_count)sent_by(s) * 4, s->send, &e->send));
  HK_PASS(hk_buffer_get(&e->pool, s->device, sent_by(s) * node_of(s) * s->shots, &e->packed));
  HK_PASS(create_places(s, e));
  return hk_kernel_get(&e->pool, s->device,
                       &(hk_kernel_desc){.text = "pack",
                                         .function = "link_pack",
                                         .double_precision = s->double_precision,
                                         .define = {{"CHUNK", CHUNK}}},
                       &e->pack);
}

static void destroy(hk_links *l)
{
  ends *e = l->data;
  const int neighbours = l->side[own_part(l)].neighbours;
  for (int i = 0; i < PLACES; i++) {
    place *p = &e->place[i];
    for (int k = 0; p->posted && k < neighbours; k++) {
      if (hk_ranks_torn()) e->ranks->mpi->leave(&p->sent[k]), e->ranks->mpi->leave(&p->coming[k]);
      if (!hk_ranks_torn()) hk_ranks_wait(e->ranks, &p->sent[k], NULL, 0);
    }
    hk_fetch_destroy(&p->fetch);
  }
  hk_pool_clear(&e->pool);
}

/* What was sent from this place has gone. */
static hk_status empty(const ends *e, const hk_link_side *s, place *p)
{
  for (int k = 0; p->posted && k < s->neighbours; k++)
    HK_PASS(hk_ranks_wait(e->ranks, &p->sent[k], "the arrival of rows", s->neighbour[k]));
  p->posted = false;
  return HK_OK;
}

static hk_status send_rows(const ends *e, const hk_link_side *s, place *p)
{
  const hk_count node = node_of(s);
  const void *data;
  HK_PASS(hk_fetch_wait(p->fetch, &data));
  for (int k = 0; k < s->neighbours; k++) {
    const hk_count own = (hk_count)(s->send_begin[k + 1] - s->send_begin[k]) * node;
    HK_PASS(hk_ranks_check(e->ranks,
                           e->ranks->mpi->send((const char *)data + s->send_begin[k] * node,
                                               s->shots, (int)own, (int)(sent_by(s) * node),
                                               s->neighbour[k], TAG, &p->sent[k]),
                           "sending rows"));
  }
  return HK_OK;
}

static hk_status begin(hk_links *l, int part, hk_buffer *vector)
{
  ends *e = l->data;
  const hk_link_side *s = &l->side[part];
  place *p = &e->place[e->exchange++ % PLACES];
  const hk_index count = sent_by(s);
  const hk_count all = (hk_count)count * s->components * s->shots;
  HK_PASS(empty(e, s, p));
  for (int k = 0; k < s->neighbours; k++)
    HK_PASS(hk_ranks_check(e->ranks,
                           e->ranks->mpi->take(p->mail + e->mail_begin[k],
                                               (int)(e->mail_begin[k + 1] - e->mail_begin[k]),
                                               s->neighbour[k], TAG, &p->coming[k]),
                           "receiving rows"));
  HK_PASS(hk_kernel_launch(
      e->pack, 0, (all + CHUNK - 1) / CHUNK,
      HK_ARGUMENTS(vector, e->send, e->packed, count, s->components, s->shots, s->padded)));
  HK_PASS(hk_fetch_begin(p->fetch, 0, e->packed, 0, count * node_of(s) * s->shots));
  p->posted = true;
  return e->sends_at_once ? send_rows(e, s, p) : HK_OK;
}

/* `count` rows of each shot into the ghosts from number `first` on; data: those of shot 0, all ghosts of the neighbour apart. */
static hk_status write_range(const hk_link_side *s, hk_index first, hk_index count, hk_index all,
                             const char *data, hk_buffer *vector)
{
  const hk_count node = node_of(s);
  for (int shot = 0; shot < s->shots && count; shot++)
    HK_PASS(hk_buffer_write(vector, ((hk_count)shot * s->padded + first) * node, count * node,
                            data + (hk_count)shot * all * node));
  return HK_OK;
}

static hk_status end(hk_links *l, int part, hk_buffer *vector)
{
  ends *e = l->data;
  const hk_link_side *s = &l->side[part];
  place *p = &e->place[(e->exchange - 1) % PLACES];
  if (!e->sends_at_once) HK_PASS(send_rows(e, s, p));
  for (int k = 0; k < s->neighbours; k++) {
    const char *data = p->mail + e->mail_begin[k];
    const hk_index taken = hk_link_taken(s, k), all = hk_link_ghosts(s, k);
    HK_PASS(hk_ranks_wait(e->ranks, &p->coming[k], "the rows", s->neighbour[k]));
    HK_PASS(write_range(s, s->take_begin[k], taken, all, data, vector));
    if (s->more_begin)
      HK_PASS(write_range(s, s->more_begin[k], hk_link_more(s, k), all, data + taken * node_of(s),
                          vector));
  }
  return HK_OK;
}

/* The others wait until their patience or the launcher ends them: this rank tells its failure and ends all. */
static void stop(hk_links *l)
{
  const ends *e = l->data;
  if (l->begun) hk_ranks_tear(e->ranks, HK_STOPPED);
}

const hk_link_kind hk_link_mpi = {.name = "mpi",
                                  .ranks = true,
                                  .serves = serves,
                                  .create = create,
                                  .begin = begin,
                                  .end = end,
                                  .stop = stop,
                                  .destroy = destroy};
