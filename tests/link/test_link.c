/* Exchanges between parts on the host: ghosts are what the neighbours had, exchange after exchange, by every kind of link; failures wake who waits. */
#include "link/crew.h"
#include "link/link.h"
#include "support/check.h"
#include <string.h>

enum { PARTS = 4, OWN = 40, SHARED = 7, FIRST = 3, EXCHANGES = 60, SHOTS = 2, COMPONENTS = 3 };

/* part k sends node (i * 3 + other) % OWN, i < SHARED, to each of the others but the one opposite */
typedef struct side {
  hk_device *device;
  hk_buffer *vector;
  hk_index send[PARTS * SHARED], send_begin[PARTS], take_begin[PARTS], more_begin[PARTS];
  int neighbour[PARTS];
} side;

typedef struct model {
  side part[PARTS];
  hk_link_side link[PARTS];
  hk_links *links;
  bool fails; /* part 2 does after some exchanges */
  bool split; /* ghosts are two ranges for each neighbour, the second ones before the first */
} model;

static hk_index sent_node(int other, int i)
{
  return (i * 3 + other) % OWN;
}

static float value_of(int part, int shot, hk_index node, int c, int exchange)
{
  return (float)(part * 1000003 + shot * 50021 + node * 101 + c * 7 + exchange * 13);
}

static void side_create(model *m, int k)
{
  side *s = &m->part[k];
  hk_link_side *l = &m->link[k];
  ok(hk_device_open("cpu", 1, &s->device));
  s->take_begin[0] = OWN;
  *l = (hk_link_side){.device = s->device, .components = COMPONENTS, .shots = SHOTS};
  for (int other = 0; other < PARTS; other++) {
    if (other == k || other == (k + 2) % PARTS) continue;
    for (int i = 0; i < SHARED; i++) s->send[l->neighbours * SHARED + i] = sent_node(other, i);
    s->neighbour[l->neighbours++] = other;
    s->send_begin[l->neighbours] = l->neighbours * SHARED;
    s->take_begin[l->neighbours] = OWN + l->neighbours * SHARED;
  }
  if (m->split) {
    for (int n = 0; n <= l->neighbours; n++) {
      s->take_begin[n] = OWN + l->neighbours * (SHARED - FIRST) + n * FIRST;
      s->more_begin[n] = OWN + n * (SHARED - FIRST);
    }
    l->more_begin = s->more_begin;
  }
  l->neighbour = s->neighbour, l->send_begin = s->send_begin, l->send = s->send;
  l->take_begin = s->take_begin, l->padded = OWN + l->neighbours * SHARED;
  ok(hk_buffer_create(s->device, (hk_count)SHOTS * l->padded * COMPONENTS * 4, &s->vector));
}

/* Where row i of what neighbour n sends comes to lie. */
static hk_index ghost_of(const model *m, const hk_link_side *l, int n, int i)
{
  if (m->split && i >= FIRST) return l->more_begin[n] + i - FIRST;
  return l->take_begin[n] + i;
}

static bool ghosts_are_right(const model *m, int k, int exchange)
{
  const hk_link_side *l = &m->link[k];
  const float *u = hk_buffer_host(m->part[k].vector);
  bool right = true;
  for (int n = 0; n < l->neighbours; n++)
    for (int shot = 0; shot < SHOTS; shot++)
      for (int i = 0; i < SHARED; i++)
        for (int c = 0; c < COMPONENTS; c++) {
          const float got = u[(shot * l->padded + ghost_of(m, l, n, i)) * COMPONENTS + c];
          right = right && got == value_of(l->neighbour[n], shot, sent_node(k, i), c, exchange);
        }
  return right;
}

static hk_status exchange(void *user, int k)
{
  model *m = user;
  const hk_link_side *l = &m->link[k];
  float *u = hk_buffer_host(m->part[k].vector);
  for (int e = 0; e < EXCHANGES; e++) {
    if (m->fails && k == 2 && e == EXCHANGES / 2)
      return hk_error_set(HK_NO_RESOURCES, "part 2 fails");
    for (int shot = 0; shot < SHOTS; shot++)
      for (hk_index i = 0; i < OWN; i++)
        for (int c = 0; c < COMPONENTS; c++)
          u[(shot * l->padded + i) * COMPONENTS + c] = value_of(k, shot, i, c, e);
    HK_PASS(hk_links_begin(m->links, k, m->part[k].vector));
    HK_PASS(hk_links_end(m->links, k, m->part[k].vector));
    if (!ghosts_are_right(m, k, e)) return hk_error_set(HK_INTERNAL, "wrong ghosts");
  }
  return HK_OK;
}

static void stop(void *user)
{
  hk_links_stop(((model *)user)->links);
}

static hk_status exchange_all(const char *link, bool fails, bool split)
{
  static const int threads[PARTS] = {1, 1, 1, 1};
  model m = {.fails = fails, .split = split};
  hk_crew *crew = NULL;
  for (int k = 0; k < PARTS; k++) side_create(&m, k);
  ok(hk_links_open(link, PARTS, m.link, &m.links));
  assert_string_equal(m.links->kind->name, link ? link : "memory");
  ok(hk_crew_create(PARTS, threads, &crew));
  const hk_status status = hk_crew_run(crew, exchange, stop, &m);
  hk_crew_destroy(&crew);
  hk_links_close(&m.links);
  for (int k = 0; k < PARTS; k++) {
    hk_buffer_destroy(&m.part[k].vector);
    hk_device_close(&m.part[k].device);
  }
  assert_int_equal(hk_memory_held(), 0);
  return status;
}

static void every_kind(void **state)
{
  (void)state;
  for (int split = 0; split < 2; split++) {
    ok(exchange_all(NULL, false, split));
    ok(exchange_all("memory", false, split));
    ok(exchange_all("peers", false, split));
  }
}

/* the failure itself is told, not that of those who waited for it */
static void failures(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    assert_int_equal(exchange_all(k ? "memory" : "peers", true, false), HK_NO_RESOURCES);
    error_says("part 2 fails");
  }
}

static void unknown_names(void **state)
{
  model m = {0};
  (void)state;
  for (int k = 0; k < PARTS; k++) side_create(&m, k);
  assert_int_equal(hk_links_open("wire", PARTS, m.link, &m.links), HK_USAGE);
  error_says("peers or memory");
  for (int k = 0; k < PARTS; k++) {
    hk_buffer_destroy(&m.part[k].vector);
    hk_device_close(&m.part[k].device);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind), cmocka_unit_test(failures),
                                     cmocka_unit_test(unknown_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
