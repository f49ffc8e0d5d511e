/* Two parts of `rows` own nodes each, which the other reads all, exchange them many times; the fastest of some runs counts. */
#include "link/crew.h"
#include "link/measure.h"

enum { SMALL = 64, LARGE = 1 << 20, WARM = 4, TIMES = 40, RUNS = 3 };

typedef struct bench {
  hk_links *links;
  hk_device *device[2];
  hk_buffer *vector[2];
  int times;
} bench;

static hk_status exchange(void *user, int part)
{
  const bench *b = user;
  for (int k = 0; k < b->times; k++) {
    HK_PASS(hk_links_begin(b->links, part, b->vector[part]));
    HK_PASS(hk_links_end(b->links, part, b->vector[part]));
  }
  return hk_device_finish(b->device[part]);
}

static void stop(void *user)
{
  hk_links_stop(((const bench *)user)->links);
}

static hk_status time_exchanges(bench *b, hk_crew *crew, double *seconds)
{
  b->times = WARM;
  HK_PASS(hk_crew_run(crew, exchange, stop, b));
  *seconds = -1;
  b->times = TIMES;
  for (int run = 0; run < RUNS; run++) {
    const double before = hk_seconds();
    HK_PASS(hk_crew_run(crew, exchange, stop, b));
    const double spent = (hk_seconds() - before) / TIMES;
    if (*seconds < 0 || spent < *seconds) *seconds = spent;
  }
  return HK_OK;
}

/* *seconds: of an exchange of so many rows of one real. */
static hk_status measure(const char *name, bench *b, hk_index rows, hk_link_speed *out,
                         double *seconds)
{
  static const int threads[2] = {1, 1};
  hk_status status = HK_OK;
  const hk_index send_begin[2] = {0, rows}, take_begin[2] = {rows, 2 * rows};
  const int other[2] = {1, 0};
  hk_index *send = NULL;
  hk_crew *crew = NULL;
  hk_link_side side[2];
  HK_TRY(hk_get(&send, rows));
  for (hk_index i = 0; i < rows; i++) send[i] = i;
  for (int k = 0; k < 2; k++) {
    side[k] = (hk_link_side){.device = b->device[k],
                             .neighbours = 1,
                             .neighbour = &other[k],
                             .send_begin = send_begin,
                             .send = send,
                             .take_begin = take_begin,
                             .padded = 2 * rows,
                             .components = 1,
                             .shots = 1};
    HK_TRY(hk_buffer_create(b->device[k], 2LL * rows * 4, &b->vector[k]));
  }
  HK_TRY(hk_links_open(name, 2, side, &b->links));
  out->name = b->links->kind->name;
  HK_TRY(hk_crew_create(2, threads, &crew));
  HK_TRY(time_exchanges(b, crew, seconds));
cleanup:
  hk_crew_destroy(&crew);
  hk_links_close(&b->links);
  for (int k = 0; k < 2; k++) hk_buffer_destroy(&b->vector[k]);
  hk_free(&send);
  return status;
}

hk_status hk_link_measure(const char *name, hk_device *a, hk_device *b, hk_link_speed *out)
{
  bench both = {.device = {a, b}};
  double few, many;
  HK_PASS(measure(name, &both, SMALL, out, &few));
  HK_PASS(measure(name, &both, LARGE, out, &many));
  out->latency_us = 1e6 * few;
  out->gb_per_s = LARGE * 4 / many / 1e9;
  return HK_OK;
}
