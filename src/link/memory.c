/* Through the host's memory, which serves any devices: begin packs the rows on the device (pack.k.h) and sends for them; end waits for them, tells the
 * neighbours, waits for theirs and writes them into the ghosts. What a part sends lies in one of two fetches in turn: a
 * neighbour has read the first by the time that it is used again, as it has sent in the exchange between (link.h). */
#include "device/fetch.h"
#include "link/link.h"
#include <pthread.h>

enum { CHUNK = 1024, PLACES = 2 };

typedef struct end {
  hk_buffer *send, *packed; /* numbers; reals of all shots */
  hk_fetch *fetch[PLACES];
  hk_kernel *pack;
  const void *posted[PLACES]; /* what the neighbours read */
  hk_count begun, told;       /* exchanges; told: under the lock */
} end;

typedef struct memory {
  end *end; /* end[parts] */
  int parts;
  bool made; /* the lock is there */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} memory;

static bool serves(int parts, const hk_link_side *side, const char **why)
{
  (void)parts, (void)side, (void)why;
  return true;
}

static hk_index sent_by(const hk_link_side *s)
{
  return s->neighbours ? s->send_begin[s->neighbours] : 0;
}

static hk_count real_of(const hk_link_side *s)
{
  return s->double_precision ? 8 : 4;
}

static hk_status create_end(const hk_link_side *s, end *e)
{
  const hk_index count = sent_by(s);
  const hk_count bytes = (hk_count)count * s->components * s->shots * real_of(s);
  if (!count) return HK_OK;
  HK_PASS(hk_buffer_create(s->device, (hk_count)count * 4, &e->send));
  HK_PASS(hk_buffer_write(e->send, 0, (hk_count)count * 4, s->send));
  HK_PASS(hk_buffer_create(s->device, bytes, &e->packed));
  for (int k = 0; k < PLACES; k++) HK_PASS(hk_fetch_create(s->device, bytes, &e->fetch[k]));
  return hk_kernel_create(s->device,
                          &(hk_kernel_desc){.text = "pack",
                                            .function = "link_pack",
                                            .double_precision = s->double_precision,
                                            .define = {{"CHUNK", CHUNK}}},
                          &e->pack);
}

static hk_status create(hk_links *l)
{
  memory *m = NULL;
  HK_PASS(hk_new(&m));
  l->data = m;
  HK_PASS(hk_get(&m->end, l->parts));
  m->parts = l->parts;
  pthread_mutex_init(&m->mutex, NULL);
  pthread_cond_init(&m->changed, NULL);
  m->made = true;
  for (int p = 0; p < l->parts; p++) HK_PASS(create_end(&l->side[p], &m->end[p]));
  return HK_OK;
}

static void destroy(hk_links *l)
{
  memory *m = l->data;
  for (int p = 0; p < m->parts; p++) {
    end *e = &m->end[p];
    for (int k = 0; k < PLACES; k++) hk_fetch_destroy(&e->fetch[k]);
    hk_buffer_destroy(&e->send);
    hk_buffer_destroy(&e->packed);
    hk_kernel_destroy(&e->pack);
  }
  hk_free(&m->end);
  if (!m->made) return;
  pthread_mutex_destroy(&m->mutex);
  pthread_cond_destroy(&m->changed);
}

static hk_status begin(hk_links *l, int part, hk_buffer *vector)
{
  memory *m = l->data;
  const hk_link_side *s = &l->side[part];
  end *e = &m->end[part];
  const hk_index count = sent_by(s);
  const hk_count all = (hk_count)count * s->components * s->shots;
  HK_PASS(hk_kernel_launch(
      e->pack, 0, (all + CHUNK - 1) / CHUNK,
      HK_ARGUMENTS(vector, e->send, e->packed, count, s->components, s->shots, s->padded)));
  return hk_fetch_begin(e->fetch[e->begun++ % PLACES], 0, e->packed, 0, all * real_of(s));
}

static void tell(memory *m, end *e, hk_count told)
{
  pthread_mutex_lock(&m->mutex);
  e->told = told;
  pthread_cond_broadcast(&m->changed);
  pthread_mutex_unlock(&m->mutex);
}

/* Until that part has told of its exchange; *data: what it sent. */
static hk_status await(const hk_links *l, memory *m, const end *e, hk_count exchange,
                       const void **data)
{
  pthread_mutex_lock(&m->mutex);
  while (e->told < exchange && !l->stopped) pthread_cond_wait(&m->changed, &m->mutex);
  *data = e->posted[(exchange - 1) % PLACES];
  pthread_mutex_unlock(&m->mutex);
  return l->stopped ? hk_error_set(HK_STOPPED, "another part of the model has failed") : HK_OK;
}

/* `count` rows of each shot into the ghosts from number `first` on; data: those of shot 0, sent numbers apart. */
static hk_status take_range(const hk_link_side *s, hk_index first, hk_index count, hk_index sent,
                            const char *data, hk_buffer *vector)
{
  const hk_count node = s->components * real_of(s);
  for (int shot = 0; shot < s->shots && count; shot++)
    HK_PASS(hk_buffer_write(vector, ((hk_count)shot * s->padded + first) * node, count * node,
                            data + (hk_count)shot * sent * node));
  return HK_OK;
}

/* What a neighbour sends to this part, into its ghosts. */
static hk_status take(const hk_link_side *s, int k, const hk_link_side *from, int part,
                      const char *data, hk_buffer *vector)
{
  const hk_count node = s->components * real_of(s);
  const hk_index sent = sent_by(from), count = hk_link_taken(s, k);
  int at = 0;
  while (from->neighbour[at] != part) at++;
  data += (hk_count)from->send_begin[at] * node;
  HK_PASS(take_range(s, s->take_begin[k], count, sent, data, vector));
  return s->more_begin ? take_range(s, s->more_begin[k], hk_link_more(s, k), sent,
                                    data + (hk_count)count * node, vector)
                       : HK_OK;
}

static hk_status end_exchange(hk_links *l, int part, hk_buffer *vector)
{
  memory *m = l->data;
  const hk_link_side *s = &l->side[part];
  end *e = &m->end[part];
  const hk_count exchange = e->begun;
  const int place = (int)((exchange - 1) % PLACES);
  const void *data;
  HK_PASS(hk_fetch_wait(e->fetch[place], &e->posted[place]));
  tell(m, e, exchange);
  for (int k = 0; k < s->neighbours; k++) {
    HK_PASS(await(l, m, &m->end[s->neighbour[k]], exchange, &data));
    HK_PASS(take(s, k, &l->side[s->neighbour[k]], part, data, vector));
  }
  return HK_OK;
}

static void stop(hk_links *l)
{
  memory *m = l->data;
  pthread_mutex_lock(&m->mutex);
  pthread_cond_broadcast(&m->changed);
  pthread_mutex_unlock(&m->mutex);
}

const hk_link_kind hk_link_memory = {.name = "memory",
                                     .serves = serves,
                                     .create = create,
                                     .begin = begin,
                                     .end = end_exchange,
                                     .stop = stop,
                                     .destroy = destroy};
