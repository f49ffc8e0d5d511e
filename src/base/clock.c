/* The clock of stages: seconds of the wall go to the stage that is running, one at any time, so that the stages add up to the whole. A clock is a
 * tree of stages by their names; the same name below the same stage counts on. Each thread has one clock at most, which functions of all folders
 * name their stages to; without one the names go nowhere. */
#include "base/base.h"
#include <string.h>

static _Thread_local hk_clock *clock_of_thread;

hk_clock *hk_clock_use(hk_clock *clock)
{
  hk_clock *before = clock_of_thread;
  clock_of_thread = clock;
  return before;
}

hk_clock *hk_clock_start(hk_clock *clock)
{
  *clock = (hk_clock){.count = 1, .stage[0] = {.name = ""}, .since = hk_seconds()};
  return hk_clock_use(clock);
}

void hk_clock_settle(hk_clock *c)
{
  const double now = hk_seconds();
  c->stage[c->now].seconds += now - c->since;
  c->since = now;
}

static int find(hk_clock *c, int parent, const char *name)
{
  int k = 1;
  while (k < c->count && (c->stage[k].parent != parent || strcmp(c->stage[k].name, name) != 0)) k++;
  if (k == HK_CLOCK_STAGES) return parent;
  if (k == c->count) c->stage[c->count++] = (hk_clock_stage){.name = name, .parent = parent};
  return k;
}

int hk_clock_begin(const char *name)
{
  hk_clock *c = clock_of_thread;
  const int before = c ? c->now : 0;
  if (!c) return 0;
  hk_clock_settle(c);
  c->now = find(c, before, name);
  return before;
}

int hk_clock_begin_top(const char *name)
{
  const int before = clock_of_thread ? clock_of_thread->now : 0;
  hk_clock_end(0);
  hk_clock_begin(name);
  return before;
}

void hk_clock_next(const char *name)
{
  if (clock_of_thread) hk_clock_end(clock_of_thread->stage[clock_of_thread->now].parent);
  hk_clock_begin(name);
}

void hk_clock_end(int before)
{
  hk_clock *c = clock_of_thread;
  if (!c) return;
  hk_clock_settle(c);
  c->now = before;
}

double hk_clock_of(const hk_clock *c, int stage)
{
  double sum = c->stage[stage].seconds;
  for (int k = stage + 1; k < c->count; k++) /* a stage stands behind the one that it is below */
    if (c->stage[k].parent == stage) sum += hk_clock_of(c, k);
  return sum;
}

double hk_clock_named(const hk_clock *c, const char *name)
{
  for (int k = 1; k < c->count; k++)
    if (!c->stage[k].parent && !strcmp(c->stage[k].name, name)) return hk_clock_of(c, k);
  return 0;
}
