/* Receivers: sampled into rings. Displacement of step n is taken from u_n; rates from the
 * increments before and after it, v_n = (d- + d+) / 2 dt,  a_n = (d+ - d-) / dt^2,  d- = u_n -
 * u_n-1,  d+ = u_n+1 - u_n. */
#include "solver/explicit/parts.h"
#include <string.h>

enum { RING_DOUBLES = 4 << 20, MOST_ROOM = 512, LEAST_ROOM = 8 };

hk_count hk_receiver_samples(hk_count every, hk_count steps)
{
  return steps / every + 1;
}

hk_count hk_receiver_room(hk_count rows)
{
  const hk_count room = RING_DOUBLES / (rows ? rows : 1);
  return room > MOST_ROOM ? MOST_ROOM : (room < LEAST_ROOM ? LEAST_ROOM : room);
}

hk_count hk_receiver_most(hk_count rows)
{
  const hk_count few = rows * (MOST_ROOM / 2), many = rows * (LEAST_ROOM / 2);
  return few < RING_DOUBLES / 2 ? few : (many > RING_DOUBLES / 2 ? many : RING_DOUBLES / 2);
}

/* What solver/explicit/sources.k.h needs to know of the rows of a receiver group that are of velocities (of_rate), or of the others. */
static void plan_group(const hk_explicit *s, const hk_group_state *w, bool of_rate,
                       hk_index first_line, int64_t *plan, double *scale)
{
  const hk_receiver_group *receiver_group = &w->receiver_group;
  const double rate = 1 / (s->scheme.dt * s->scheme.dt);
  const int order =
      (int)receiver_group->kind - of_rate; /* of the derivative in time; -1: an integral */
  const int64_t value[] = {first_line,
                           receiver_group->first_row,
                           receiver_group->rows,
                           order > 0 ? 1 : order,
                           receiver_group->every,
                           s->steps,
                           w->room,
                           w->ring};
  _Static_assert(sizeof value == HK_PLAN_SIZE * sizeof *value, "as in solver/explicit/sources.k.h");
  memcpy(plan, value, sizeof value);
  scale[0] = order == 1 ? 0.5 / s->scheme.dt : -rate;
  scale[1] = order == 1 ? 0.5 / s->scheme.dt : rate;
  if (order <= 0) scale[0] = 1, scale[1] = 0;
}

static bool integrates(const hk_explicit_desc *desc)
{
  bool any = false;
  for (int i = 0; desc->of_rate && i < desc->group_count; i++)
    for (hk_index r = 0; r < desc->receiver_group[i].rows; r++)
      any = any || (desc->receiver_group[i].kind == HK_RECEIVER_DISPLACEMENT &&
                    desc->of_rate[desc->receiver_group[i].first_row + r]);
  return any;
}

/* Lines of all receiver groups behind one another; their rings behind the integrals. */
static hk_status lay_out(hk_explicit *s, const hk_explicit_desc *desc, hk_count *ring)
{
  hk_count lines = 0;
  hk_index all;
  for (int i = 0; i < s->receivers.count; i++) lines += desc->receiver_group[i].rows;
  HK_PASS(hk_narrow(lines * s->shots, "rows of receivers", &all));
  s->receivers.lines = (hk_index)lines;
  *ring = integrates(desc) ? all : 0;
  for (int i = 0; i < s->receivers.count; i++) {
    hk_group_state *w = &s->receivers.group_state[i];
    w->receiver_group = desc->receiver_group[i];
    if (w->receiver_group.every < 1) w->receiver_group.every = 1;
    w->rows = (hk_count)w->receiver_group.rows * s->shots;
    w->room = w->receiver_group.room ? w->receiver_group.room : hk_receiver_room(w->rows);
    w->ring = *ring;
    *ring += w->room * w->rows;
  }
  return HK_OK;
}

/* Of each receiver group a plan of its rows, and one of those of velocities; a line names its own. */
static hk_status make_plans(hk_explicit *s, const bool *of_rate)
{
  hk_receivers *own = &s->receivers;
  hk_index first = 0;
  own->plans = 2 * own->count;
  HK_PASS(hk_get(&own->line, own->lines));
  HK_PASS(hk_get(&own->plan, (hk_count)own->plans * HK_PLAN_SIZE));
  HK_PASS(hk_get(&own->scale, (hk_count)own->plans * 2));
  for (int i = 0; i < own->count; i++) {
    const hk_receiver_group *w = &own->group_state[i].receiver_group;
    for (int k = 0; k < 2; k++)
      plan_group(s, &own->group_state[i], k, first, own->plan + (2 * i + k) * HK_PLAN_SIZE,
                 own->scale + (2 * i + k) * 2);
    for (hk_index r = 0; r < w->rows; r++)
      own->line[first++] = 2 * i + (of_rate && of_rate[w->first_row + r]);
  }
  return HK_OK;
}

hk_status hk_receivers_create(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_receivers *own = &s->receivers;
  hk_count ring;
  if (!desc->group_count) return HK_OK;
  own->rows = desc->receivers;
  HK_PASS(hk_get(&own->group_state, desc->group_count));
  own->count = desc->group_count;
  HK_PASS(lay_out(s, desc, &ring));
  HK_PASS(hk_state_add(&s->state, s->device, "samples of receivers", HK_ARRAY_RECEIVER, ring * 8,
                       &own->ring));
  for (int i = 0; i < own->count; i++) {
    hk_group_state *w = &own->group_state[i];
    HK_PASS(hk_fetch_create(s->device, w->room / 2 * w->rows * 8, &w->fetch));
  }
  return make_plans(s, desc->of_rate);
}

void hk_receivers_destroy(hk_explicit *s)
{
  hk_receivers *own = &s->receivers;
  for (int i = 0; i < own->count; i++) hk_fetch_destroy(&own->group_state[i].fetch);
  hk_free(&own->group_state);
  hk_free(&own->line);
  hk_free(&own->plan);
  hk_free(&own->scale);
}

hk_count hk_explicit_room(const hk_explicit *s, int receiver_group)
{
  return s->receivers.group_state[receiver_group].room;
}

hk_count hk_explicit_complete(const hk_explicit *s, int receiver_group)
{
  const hk_receiver_group *w = &s->receivers.group_state[receiver_group].receiver_group;
  const hk_count last = w->kind == HK_RECEIVER_DISPLACEMENT || s->finished ? s->n : s->n - 1;
  if (last < 0) return 0;
  return last >= s->steps ? hk_receiver_samples(w->every, s->steps) : last / w->every + 1;
}

hk_status hk_explicit_samples_begin(hk_explicit *s, int receiver_group, hk_count first,
                                    hk_count count)
{
  const hk_group_state *w = &s->receivers.group_state[receiver_group];
  const hk_count row = w->rows * 8, place = first % w->room,
                 straight = count < w->room - place ? count : w->room - place;
  HK_PASS(
      hk_fetch_begin(w->fetch, 0, s->receivers.ring, w->ring * 8 + place * row, straight * row));
  return hk_fetch_begin(w->fetch, straight * row, s->receivers.ring, w->ring * 8,
                        (count - straight) * row);
}

hk_status hk_explicit_samples_end(hk_explicit *s, int receiver_group, const double **values)
{
  const void *data = NULL;
  const hk_status status = hk_fetch_wait(s->receivers.group_state[receiver_group].fetch, &data);
  *values = data;
  return status;
}

hk_status hk_explicit_samples(hk_explicit *s, int receiver_group, hk_count first, hk_count count,
                              double *values)
{
  const hk_group_state *w = &s->receivers.group_state[receiver_group];
  const double *part;
  while (count > 0) {
    const hk_count n = count < w->room / 2 ? count : w->room / 2;
    HK_PASS(hk_explicit_samples_begin(s, receiver_group, first, n));
    HK_PASS(hk_explicit_samples_end(s, receiver_group, &part));
    memcpy(values, part, (size_t)(n * w->rows) * sizeof *values);
    first += n, count -= n, values += n * w->rows;
  }
  return HK_OK;
}
