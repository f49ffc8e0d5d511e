/* Kernels of each device write what others read straight into their memory (push.k.h), and wait there for what comes: all are launches, which recorded
 * steps hold, and the host does not take part. Serves devices of which each two reach one another's memory. */
#include "link/link.h"

enum { CHUNK = 1024, PLACES = 2 };

typedef struct inbox { /* from a neighbour to a part, in the memory of the part */
  hk_buffer *mail, *flag;
} inbox;

typedef struct end {
  hk_pool pool;
  inbox *lane;              /* lane[neighbours] */
  hk_buffer **send;         /* send[neighbours]: numbers */
  hk_buffer *clock, **done; /* done[2 neighbours]: counters of groups, of pushes and of takes */
  hk_kernel *push, *await, *take, *release;
} end;

typedef struct peers {
  hk_pool pool;
  end *end; /* end[parts] */
  int parts;
} peers;

static bool serves(int parts, const hk_link_side *side, const char **why)
{
  *why = "the devices cannot write to one another's memory: give memory";
  for (int a = 0; a < parts; a++)
    for (int b = 0; b < parts; b++)
      if (a != b && !hk_device_reaches(side[a].device, side[b].device)) return false;
  return true;
}

static hk_status create_kernel(const hk_link_side *s, hk_pool *pool, const char *function,
                               hk_kernel **out)
{
  return hk_kernel_get(pool, s->device,
                       &(hk_kernel_desc){.text = "push",
                                         .function = function,
                                         .double_precision = s->double_precision,
                                         .define = {{"CHUNK", CHUNK}}},
                       out);
}

static hk_status create_end(const hk_link_side *s, end *e)
{
  const hk_count node = (hk_count)s->components * s->shots * (s->double_precision ? 8 : 4);
  HK_PASS(hk_pool_get(&e->pool, &e->lane, s->neighbours));
  HK_PASS(hk_pool_get(&e->pool, &e->send, s->neighbours));
  HK_PASS(hk_pool_get(&e->pool, &e->done, 2 * s->neighbours));
  HK_PASS(hk_buffer_get(&e->pool, s->device, 8, &e->clock));
  for (int k = 0; k < s->neighbours; k++) {
    const hk_index taken = hk_link_ghosts(s, k), sent = s->send_begin[k + 1] - s->send_begin[k];
    HK_NEED((hk_count)(taken > sent ? taken : sent) * s->components * s->shots <= INT32_MAX,
            HK_NO_RESOURCES, "two devices would exchange more than 2147483647 numbers in a step");
    HK_PASS(hk_buffer_send(&e->pool, s->device,
                           (hk_count)(s->send_begin[k + 1] - s->send_begin[k]) * 4,
                           s->send + s->send_begin[k], &e->send[k]));
    HK_PASS(hk_buffer_get(&e->pool, s->device, PLACES * taken * node, &e->lane[k].mail));
    HK_PASS(hk_buffer_get(&e->pool, s->device, 8, &e->lane[k].flag));
    for (int d = 0; d < 2; d++) HK_PASS(hk_buffer_get(&e->pool, s->device, 4, &e->done[2 * k + d]));
  }
  HK_PASS(create_kernel(s, &e->pool, "link_push", &e->push));
  HK_PASS(create_kernel(s, &e->pool, "link_release", &e->release));
  HK_PASS(create_kernel(s, &e->pool, "link_await", &e->await));
  return create_kernel(s, &e->pool, "link_take", &e->take);
}

static hk_status create(hk_links *l)
{
  peers *p = NULL;
  HK_PASS(hk_new(&p));
  l->data = p;
  HK_PASS(hk_get(&p->end, l->parts));
  p->parts = l->parts;
  for (int k = 0; k < l->parts; k++) HK_PASS(create_end(&l->side[k], &p->end[k]));
  for (int k = 0; k < l->parts; k++) HK_PASS(hk_device_finish(l->side[k].device));
  return HK_OK;
}

static void destroy(hk_links *l)
{
  peers *p = l->data;
  for (int k = 0; k < p->parts; k++) hk_device_finish(l->side[k].device);
  for (int k = 0; k < p->parts; k++) hk_pool_clear(&p->end[k].pool);
  hk_free(&p->end);
}

static int32_t groups_of(const hk_link_side *s, hk_index count)
{
  return (int32_t)(((hk_count)count * s->components * s->shots + CHUNK - 1) / CHUNK);
}

/* The place of a part among the neighbours of another. */
static int place_of(const hk_link_side *s, int part)
{
  int at = 0;
  while (s->neighbour[at] != part) at++;
  return at;
}

static hk_status begin(hk_links *l, int part, hk_buffer *vector)
{
  peers *p = l->data;
  const hk_link_side *s = &l->side[part];
  end *e = &p->end[part];
  for (int k = 0; k < s->neighbours; k++) {
    const hk_link_side *to = &l->side[s->neighbour[k]];
    const hk_index count = s->send_begin[k + 1] - s->send_begin[k];
    const inbox *to_lane = &p->end[s->neighbour[k]].lane[place_of(to, part)];
    HK_PASS(hk_kernel_launch(e->push, 0, groups_of(s, count),
                             HK_ARGUMENTS(vector, e->send[k], to_lane->mail, to_lane->flag,
                                          e->clock, e->done[2 * k], count, s->components, s->shots,
                                          s->padded, groups_of(s, count))));
  }
  return HK_OK;
}

static hk_status end_exchange(hk_links *l, int part, hk_buffer *vector)
{
  peers *p = l->data;
  const hk_link_side *s = &l->side[part];
  end *e = &p->end[part];
  for (int k = 0; k < s->neighbours; k++) {
    const hk_index count = hk_link_ghosts(s, k), more = s->more_begin ? s->more_begin[k] : 0;
    HK_PASS(hk_kernel_launch(e->await, 0, 1, HK_ARGUMENTS(e->lane[k].flag, e->clock)));
    if (l->stopped) return HK_OK; /* released: no rows may have come */
    HK_PASS(hk_kernel_launch(e->take, 0, groups_of(s, count),
                             HK_ARGUMENTS(vector, e->lane[k].mail, e->clock, e->done[2 * k + 1],
                                          count, s->components, s->shots, s->padded,
                                          s->take_begin[k], hk_link_taken(s, k), more,
                                          groups_of(s, count), (int32_t)(k == s->neighbours - 1))));
  }
  return HK_OK;
}

/* The devices may be waiting for a part that failed: each releases its neighbours, which those do that do not wait themselves. */
static void stop(hk_links *l)
{
  peers *p = l->data;
  for (int part = 0; part < p->parts; part++)
    for (int k = 0; k < l->side[part].neighbours; k++) {
      const int other = l->side[part].neighbour[k];
      hk_buffer *flag = p->end[other].lane[place_of(&l->side[other], part)].flag;
      int64_t *host = hk_buffer_host(flag);
      if (host) __atomic_store_n(host, (int64_t)1 << 62, __ATOMIC_SEQ_CST);
      if (!host) hk_kernel_launch(p->end[part].release, 0, 1, HK_ARGUMENTS(flag));
    }
}

const hk_link_kind hk_link_peers = {.name = "peers",
                                    .recorded = true,
                                    .serves = serves,
                                    .create = create,
                                    .begin = begin,
                                    .end = end_exchange,
                                    .stop = stop,
                                    .destroy = destroy};
