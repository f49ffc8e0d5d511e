/* Receivers: sampled into rings. Displacement of step n is taken from u_n; rates from the
 * increments before and after it, v_n = (d- + d+) / 2 dt,  a_n = (d+ - d-) / dt^2,  d- = u_n -
 * u_n-1,  d+ = u_n+1 - u_n. */
#include "solver/explicit_parts.h"
#include <string.h>

enum { RING_DOUBLES = 4 << 20, MOST_ROOM = 512, LEAST_ROOM = 8 };

hk_count hk_watch_samples(hk_count every, hk_count steps)
{
  return steps / every + 1 + (steps % every != 0);
}

hk_count hk_watch_step(hk_count every, hk_count steps, hk_count k)
{
  return k * every < steps ? k * every : steps;
}

hk_count hk_watch_room(hk_index rows)
{
  const hk_count room = RING_DOUBLES / (rows ? rows : 1);
  return room > MOST_ROOM ? MOST_ROOM : (room < LEAST_ROOM ? LEAST_ROOM : room);
}

static hk_status send_receivers(hk_explicit *s, const hk_sparse *r)
{
  hk_status status = HK_OK;
  const hk_count rows = r->rows, entries = r->begin[rows];
  HK_TRY(hk_buffer_create(s->device, (rows + 1) * 4, &s->receiver_begin));
  HK_TRY(hk_buffer_create(s->device, entries * 4, &s->receiver_dof));
  HK_TRY(hk_buffer_create(s->device, entries * 8, &s->receiver_weight));
  HK_TRY(hk_buffer_write(s->receiver_begin, 0, (rows + 1) * 4, r->begin));
  HK_TRY(hk_buffer_write(s->receiver_dof, 0, entries * 4, r->dof));
  HK_TRY(hk_buffer_write(s->receiver_weight, 0, entries * 8, r->weight));
cleanup:
  return status;
}

hk_status hk_watch_create(hk_explicit *s, const hk_explicit_desc *desc)
{
  hk_status status = HK_OK;
  if (!desc->watch_count) return HK_OK;
  HK_TRY(send_receivers(s, desc->receivers));
  HK_TRY(hk_get(&s->watching, desc->watch_count));
  s->watch_count = desc->watch_count;
  for (int i = 0; i < s->watch_count; i++) {
    hk_watching *w = &s->watching[i];
    w->watch = desc->watch[i];
    if (w->watch.every < 1) w->watch.every = 1;
    w->room = hk_watch_room(w->watch.rows);
    HK_TRY(hk_buffer_create(s->device, w->room * w->watch.rows * 8, &w->ring));
  }
cleanup:
  return status;
}

void hk_watch_destroy(hk_explicit *s)
{
  for (int i = 0; i < s->watch_count; i++) hk_buffer_destroy(&s->watching[i].ring);
  hk_free(&s->watching);
  hk_buffer_destroy(&s->receiver_begin);
  hk_buffer_destroy(&s->receiver_dof);
  hk_buffer_destroy(&s->receiver_weight);
}

/* Number of the sample at `step`, or -1. */
static hk_count sample_at(const hk_explicit *s, const hk_watch *w, hk_count step)
{
  if (step % w->every == 0 && step <= s->steps) return step / w->every;
  return step == s->steps ? hk_watch_samples(w->every, s->steps) - 1 : -1;
}

static hk_status sample(hk_explicit *s, const hk_watching *w, hk_count number, bool add,
                        double scale)
{
  const hk_argument argument[] = {hk_arg_buffer(s->x[s->now]),
                                  hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[1 - s->now]),
                                  hk_arg_buffer(s->receiver_begin),
                                  hk_arg_buffer(s->receiver_dof),
                                  hk_arg_buffer(s->receiver_weight),
                                  hk_arg_buffer(w->ring),
                                  hk_arg_int(w->watch.first_row),
                                  hk_arg_int(w->watch.rows),
                                  hk_arg_int((int)(number % w->room)),
                                  hk_arg_int(w->watch.kind != HK_WATCH_DISPLACEMENT),
                                  hk_arg_int(add),
                                  hk_arg_double(scale)};
  const hk_count groups = (w->watch.rows + HK_VECTOR_CHUNK - 1) / HK_VECTOR_CHUNK;
  return hk_kernel_launch(s->sample, 0, groups, argument, sizeof argument / sizeof *argument);
}

static double scale_of(const hk_explicit *s, hk_watch_kind kind, bool after)
{
  if (kind == HK_WATCH_DISPLACEMENT) return 1;
  if (kind == HK_WATCH_VELOCITY) return 0.5 / s->dt;
  return (after ? 1 : -1) / (s->dt * s->dt);
}

hk_status hk_watch_begin(hk_explicit *s)
{
  for (int i = 0; i < s->watch_count; i++) {
    const hk_watching *w = &s->watching[i];
    const hk_count number = sample_at(s, &w->watch, s->n);
    if (number < 0) continue;
    const hk_status status = sample(s, w, number, false, scale_of(s, w->watch.kind, false));
    if (status != HK_OK) return status;
  }
  return HK_OK;
}

hk_status hk_watch_complete(hk_explicit *s, hk_count step)
{
  for (int i = 0; i < s->watch_count; i++) {
    const hk_watching *w = &s->watching[i];
    const hk_count number = sample_at(s, &w->watch, step);
    if (number < 0 || w->watch.kind == HK_WATCH_DISPLACEMENT) continue;
    const hk_status status = sample(s, w, number, true, scale_of(s, w->watch.kind, true));
    if (status != HK_OK) return status;
  }
  return HK_OK;
}

hk_count hk_explicit_room(const hk_explicit *s, int watch)
{
  return s->watching[watch].room;
}

hk_count hk_explicit_complete(const hk_explicit *s, int watch)
{
  const hk_watch *w = &s->watching[watch].watch;
  const hk_count last = w->kind == HK_WATCH_DISPLACEMENT || s->finished ? s->n : s->n - 1;
  if (last < 0) return 0;
  return last >= s->steps ? hk_watch_samples(w->every, s->steps) : last / w->every + 1;
}

hk_status hk_explicit_samples(const hk_explicit *s, int watch, hk_count first, hk_count count,
                              double *values)
{
  hk_status status = HK_OK;
  const hk_watching *w = &s->watching[watch];
  const hk_count row = (hk_count)w->watch.rows * 8;
  for (hk_count k = 0; k < count; k++)
    HK_TRY(hk_buffer_read(w->ring, (first + k) % w->room * row, row, values + k * w->watch.rows));
cleanup:
  return status;
}
