/* Reads displacements and increments for the host, in internal order, in parts or by fetches; saves and restores checkpoints
 * (u_n, the last increment, then the arrays of state.h); takes trial steps back. A trial step gives velocity and acceleration at the
 * last step, which need the increment after it. */
#include "solver/explicit/parts.h"

hk_count hk_explicit_step(const hk_explicit *s)
{
  return s->n;
}

hk_status hk_explicit_read_some(const hk_explicit *s, int shot, hk_state_part part, hk_count first,
                                hk_count count, double *values)
{
  hk_status status = HK_OK;
  const bool increment = part == HK_STATE_INCREMENT;
  const hk_count from = shot * hk_explicit_dofs(s) + first;
  double *last = NULL;
  HK_TRY(hk_device_finish(s->device));
  if (increment && s->scheme.form == HK_FORM_INCREMENTS)
    return hk_buffer_read_reals(s->vector.v, s->double_precision, from, count, values);
  HK_TRY(hk_buffer_read_reals(s->vector.x[s->now], s->double_precision, from, count, values));
  if (!increment) return HK_OK;
  HK_TRY(hk_get(&last, HK_COPY_REALS));
  for (hk_count at = 0; at < count; at += HK_COPY_REALS) {
    const hk_count n = count - at < HK_COPY_REALS ? count - at : HK_COPY_REALS;
    HK_TRY(hk_buffer_read_reals(s->vector.x[1 - s->now], s->double_precision, from + at, n, last));
    for (hk_count i = 0; i < n; i++) values[at + i] -= last[i];
  }
cleanup:
  hk_free(&last);
  return status;
}

hk_status hk_explicit_read(const hk_explicit *s, int shot, hk_state_part part, double *values)
{
  return hk_explicit_read_some(s, shot, part, 0, hk_explicit_dofs(s), values);
}

hk_status hk_explicit_fetch(const hk_explicit *s, int shot, hk_state_part part, hk_fetch *fetch)
{
  static const char *const names[] = {HK_INTEGRAL, HK_PEAK_NAMES};
  const hk_buffer *last =
                      s->scheme.form == HK_FORM_INCREMENTS ? s->vector.v : s->vector.x[1 - s->now],
                  *from = part == HK_STATE_DISPLACEMENT ? s->vector.x[s->now] : last;
  const hk_count bytes = hk_explicit_dofs(s) * (s->double_precision ? 8 : 4),
                 nodes = s->space->padded * 8LL;
  if (part >= HK_STATE_INTEGRAL)
    return hk_fetch_begin(fetch, 0, hk_state_find(&s->state, names[part - HK_STATE_INTEGRAL]),
                          shot * nodes, nodes);
  return hk_fetch_begin(fetch, 0, from, shot * bytes, bytes);
}

hk_status hk_explicit_trial(hk_explicit *s)
{
  HK_PASS(hk_buffer_copy(
      s->vector.ku, s->scheme.form == HK_FORM_INCREMENTS ? s->vector.v : s->vector.x[1 - s->now]));
  HK_PASS(hk_state_keep(&s->state));
  return hk_explicit_one_step(s, HK_TASKS_PUSH);
}

hk_status hk_explicit_undo(hk_explicit *s)
{
  s->now = 1 - s->now;
  s->n--;
  HK_PASS(hk_buffer_copy(
      s->scheme.form == HK_FORM_INCREMENTS ? s->vector.v : s->vector.x[1 - s->now], s->vector.ku));
  return hk_state_put_back(&s->state);
}

hk_status hk_explicit_finish(hk_explicit *s)
{
  HK_PASS(hk_explicit_trial(s));
  HK_PASS(hk_explicit_follow(s, 1 - s->now, HK_TASK_COMPLETE));
  HK_PASS(hk_explicit_undo(s));
  s->finished = true;
  return HK_OK;
}

hk_status hk_explicit_fetch_next(hk_explicit *s, int shot, hk_state_part part, hk_fetch *fetch)
{
  HK_PASS(hk_explicit_trial(s));
  HK_PASS(hk_explicit_fetch(s, shot, part, fetch));
  return hk_explicit_undo(s);
}

hk_status hk_explicit_reactions(const hk_explicit *s, double *force)
{
  const hk_count rows = s->sources.excitation->motion.rows;
  if (!rows) return HK_OK;
  return hk_buffer_read(s->sources.change, hk_sources_part(&s->sources, HK_REACTION) * 8, rows * 8,
                        force);
}

/* The vectors u_n and what is kept of the last increment, which stand first in a checkpoint. */
static void list_vectors(const hk_explicit *s, hk_buffer *vector[2])
{
  vector[0] = s->vector.x[s->now];
  vector[1] = s->scheme.form == HK_FORM_INCREMENTS ? s->vector.v : s->vector.x[1 - s->now];
}

hk_count hk_explicit_state_bytes(const hk_explicit *s, bool receivers)
{
  return 2 * hk_buffer_bytes(s->vector.x[0]) + hk_state_bytes(&s->state, receivers);
}

hk_status hk_explicit_save(const hk_explicit *s, void *state)
{
  char *place = state;
  hk_buffer *vector[2];
  list_vectors(s, vector);
  HK_PASS(hk_device_finish(s->device));
  for (int k = 0; k < 2; k++) {
    HK_PASS(hk_buffer_read(vector[k], 0, hk_buffer_bytes(vector[k]), place));
    place += hk_buffer_bytes(vector[k]);
  }
  return hk_state_save(&s->state, place);
}

hk_status hk_explicit_restore(hk_explicit *s, hk_count step, bool receivers, const void *state)
{
  const char *place = state;
  hk_buffer *vector[2];
  s->n = step, s->now = 0, s->sources.table_end = 0, s->finished = false, s->touched = true;
  list_vectors(s, vector);
  for (int k = 0; k < 2; k++) {
    HK_PASS(hk_buffer_write(vector[k], 0, hk_buffer_bytes(vector[k]), place));
    place += hk_buffer_bytes(vector[k]);
  }
  HK_PASS(hk_state_restore(&s->state, receivers, place));
  HK_PASS(hk_sources_set_clock(s));
  HK_PASS(hk_sources_load(s, 1));
  if (!receivers)
    HK_PASS(hk_explicit_follow(s, 1 - s->now, HK_TASK_BEGIN)); /* the sample of this step */
  return HK_OK;
}
