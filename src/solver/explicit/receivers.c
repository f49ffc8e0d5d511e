/* Receivers: sampled into rings. Displacement of step n is taken from u_n; rates from the
 * increments before and after it, v_n = (d- + d+) / 2 dt,  a_n = (d+ - d-) / dt^2,  d- = u_n -
 * u_n-1,  d+ = u_n+1 - u_n. */
#include "solver/explicit/parts.h"
#include <string.h>

enum { RING_DOUBLES = 4 << 20, MOST_ROOM = 512, LEAST_ROOM = 8, PLAN_SIZE = 8 };

hk_count hk_watch_samples(hk_count every, hk_count steps)
{
  return steps / every + 1;
}

hk_count hk_watch_room(hk_count rows)
{
  const hk_count room = RING_DOUBLES / (rows ? rows : 1);
  return room > MOST_ROOM ? MOST_ROOM : (room < LEAST_ROOM ? LEAST_ROOM : room);
}

hk_count hk_watch_most(hk_count rows)
{
  const hk_count few = rows * (MOST_ROOM / 2), many = rows * (LEAST_ROOM / 2);
  return few < RING_DOUBLES / 2 ? few : (many > RING_DOUBLES / 2 ? many : RING_DOUBLES / 2);
}

static hk_status send_receivers(hk_explicit *s, const hk_sparse *r)
{
  hk_status status = HK_OK;
  const hk_count rows = r->rows, entries = r->begin[rows];
  HK_TRY(hk_explicit_send(s, (rows + 1) * 4, r->begin, &s->receivers.begin));
  HK_TRY(hk_explicit_send(s, entries * 4, r->dof, &s->receivers.dof));
  HK_TRY(hk_explicit_send(s, entries * 8, r->weight, &s->receivers.weight));
cleanup:
  return status;
}

/* What solver/explicit/drive.k.h needs to know of the rows of a watch that are of velocities (of_rate), or of the others. */
static void plan_watch(const hk_explicit *s, const hk_watching *w, bool of_rate,
                       hk_index first_line, int64_t *plan, double *scale)
{
  const hk_watch *watch = &w->watch;
  const double rate = 1 / (s->dt * s->dt);
  const int order = (int)watch->kind - of_rate; /* of the derivative in time; -1: an integral */
  const int64_t value[] = {first_line,   watch->first_row, watch->rows, order > 0 ? 1 : order,
                           watch->every, s->steps,         w->room,     w->ring};
  _Static_assert(sizeof value == PLAN_SIZE * sizeof *value, "as in solver/explicit/drive.k.h");
  memcpy(plan, value, sizeof value);
  scale[0] = order == 1 ? 0.5 / s->dt : -rate;
  scale[1] = order == 1 ? 0.5 / s->dt : rate;
  if (order <= 0) scale[0] = 1, scale[1] = 0;
}

/* Rings and lines of all watches behind one another. */
static hk_status lay_out(hk_explicit *s, const hk_explicit_desc *desc, hk_count *ring)
{
  hk_status status = HK_OK;
  hk_count lines = 0;
  *ring = 0;
  for (int i = 0; i < s->receivers.count; i++) {
    hk_watching *w = &s->receivers.watching[i];
    w->watch = desc->watch[i];
    if (w->watch.every < 1) w->watch.every = 1;
    w->rows = (hk_count)w->watch.rows * s->shots;
    w->room = hk_watch_room(w->rows);
    w->ring = *ring;
    *ring += w->room * w->rows;
    lines += w->watch.rows;
  }
  hk_index all;
  HK_TRY(hk_narrow(lines * s->shots, "rows of receivers", &all));
  s->receivers.lines = (hk_index)lines;
cleanup:
  return status;
}

/* Of each watch a plan of its rows, and one of those of velocities; a line names its own. */
static hk_status send_plan(hk_explicit *s, const bool *of_rate)
{
  hk_status status = HK_OK;
  const hk_count plans = 2 * (hk_count)s->receivers.count;
  hk_index *line = NULL, first = 0;
  int64_t *plan = NULL;
  double *scale = NULL;
  HK_TRY(hk_get(&line, s->receivers.lines));
  HK_TRY(hk_get(&plan, plans * PLAN_SIZE));
  HK_TRY(hk_get(&scale, plans * 2));
  for (int i = 0; i < s->receivers.count; i++) {
    const hk_watch *w = &s->receivers.watching[i].watch;
    for (int k = 0; k < 2; k++)
      plan_watch(s, &s->receivers.watching[i], k, first, plan + (2 * i + k) * PLAN_SIZE,
                 scale + (2 * i + k) * 2);
    for (hk_index r = 0; r < w->rows; r++)
      line[first++] = 2 * i + (of_rate && of_rate[w->first_row + r]);
  }
  HK_TRY(hk_explicit_send(s, s->receivers.lines * 4, line, &s->receivers.line));
  HK_TRY(hk_explicit_send(s, plans * PLAN_SIZE * 8, plan, &s->receivers.plan));
  HK_TRY(hk_explicit_send(s, plans * 2 * 8, scale, &s->receivers.scale));
cleanup:
  hk_free(&line);
  hk_free(&plan);
  hk_free(&scale);
  return status;
}

static bool integrates(const hk_explicit_desc *desc)
{
  bool any = false;
  for (int i = 0; desc->of_rate && i < desc->watch_count; i++)
    for (hk_index r = 0; r < desc->watch[i].rows; r++)
      any = any || (desc->watch[i].kind == HK_WATCH_DISPLACEMENT &&
                    desc->of_rate[desc->watch[i].first_row + r]);
  return any;
}

hk_status hk_receivers_create(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  hk_count ring;
  if (!desc->watch_count) return HK_OK;
  HK_TRY(send_receivers(s, desc->receivers));
  HK_TRY(hk_get(&s->receivers.watching, desc->watch_count));
  s->receivers.count = desc->watch_count;
  HK_TRY(lay_out(s, desc, &ring));
  HK_TRY(hk_state_add(&s->state, s->device, "rings of receivers", HK_ARRAY_RECEIVER, ring * 8,
                      &s->receivers.ring));
  for (int i = 0; i < s->receivers.count; i++) {
    hk_watching *w = &s->receivers.watching[i];
    HK_TRY(hk_fetch_create(s->device, w->room / 2 * w->rows * 8, &w->fetch));
  }
  if (integrates(desc))
    HK_TRY(hk_state_add(&s->state, s->device, "integrals of receivers",
                        HK_ARRAY_TRIAL | HK_ARRAY_RECEIVER,
                        (hk_count)s->receivers.lines * s->shots * 8, &s->receivers.total));
  HK_TRY(send_plan(s, desc->of_rate));
cleanup:
  return status;
}

void hk_receivers_destroy(hk_explicit *s)
{
  hk_receivers *own = &s->receivers;
  hk_buffer **const all[] = {&own->begin, &own->dof,  &own->weight,
                             &own->line,  &own->plan, &own->scale};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hk_buffer_destroy(all[i]);
  for (int i = 0; i < s->receivers.count; i++) hk_fetch_destroy(&s->receivers.watching[i].fetch);
  hk_free(&s->receivers.watching);
}

hk_count hk_explicit_room(const hk_explicit *s, int watch)
{
  return s->receivers.watching[watch].room;
}

hk_count hk_explicit_complete(const hk_explicit *s, int watch)
{
  const hk_watch *w = &s->receivers.watching[watch].watch;
  const hk_count last = w->kind == HK_WATCH_DISPLACEMENT || s->finished ? s->n : s->n - 1;
  if (last < 0) return 0;
  return last >= s->steps ? hk_watch_samples(w->every, s->steps) : last / w->every + 1;
}

hk_status hk_explicit_samples_begin(hk_explicit *s, int watch, hk_count first, hk_count count)
{
  hk_status status = HK_OK;
  const hk_watching *w = &s->receivers.watching[watch];
  const hk_count row = w->rows * 8, place = first % w->room,
                 straight = count < w->room - place ? count : w->room - place;
  HK_TRY(hk_fetch_begin(w->fetch, 0, s->receivers.ring, w->ring * 8 + place * row, straight * row));
  HK_TRY(hk_fetch_begin(w->fetch, straight * row, s->receivers.ring, w->ring * 8,
                        (count - straight) * row));
cleanup:
  return status;
}

hk_status hk_explicit_samples_end(hk_explicit *s, int watch, const double **values)
{
  const void *data = NULL;
  const hk_status status = hk_fetch_wait(s->receivers.watching[watch].fetch, &data);
  *values = data;
  return status;
}

hk_status hk_explicit_samples(hk_explicit *s, int watch, hk_count first, hk_count count,
                              double *values)
{
  hk_status status = HK_OK;
  const hk_watching *w = &s->receivers.watching[watch];
  const double *part;
  while (count > 0) {
    const hk_count n = count < w->room / 2 ? count : w->room / 2;
    HK_TRY(hk_explicit_samples_begin(s, watch, first, n));
    HK_TRY(hk_explicit_samples_end(s, watch, &part));
    memcpy(values, part, (size_t)(n * w->rows) * sizeof *values);
    first += n, count -= n, values += n * w->rows;
  }
cleanup:
  return status;
}
