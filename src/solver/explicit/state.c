#include "solver/explicit/parts.h"
#include <string.h>

/* Of one shot. */
static hk_count dofs(const hk_explicit *s)
{
  return (hk_count)s->space->padded * s->space->components;
}

hk_count hk_explicit_step(const hk_explicit *s)
{
  return s->n;
}

typedef struct range { /* of nodes of a shot */
  hk_index first, end;
} range;

static range every_node(const hk_explicit *s)
{
  return (range){0, s->space->padded};
}

static hk_status write_nodes(const hk_explicit *s, int shot, range nodes, hk_buffer *to,
                             const double *values)
{
  const hk_count first = (hk_count)nodes.first * s->space->components,
                 count = (hk_count)(nodes.end - nodes.first) * s->space->components;
  return hk_buffer_write_reals(to, s->double_precision, shot * dofs(s) + first, count,
                               values + first);
}

/* The last increment lies in v, or is the difference of the two positions. */
static hk_status write_last_increment(hk_explicit *s, int shot, range nodes, const double *u,
                                      double *increment)
{
  const int c = s->space->components;
  if (s->form == HK_FORM_INCREMENTS) return write_nodes(s, shot, nodes, s->v, increment);
  for (hk_count i = (hk_count)nodes.first * c; i < (hk_count)nodes.end * c; i++)
    increment[i] = u[i] - increment[i];
  return write_nodes(s, shot, nodes, s->x[1 - s->now], increment);
}

static void add_forces(const hk_explicit *s, int shot, double *f)
{
  const hk_force_rows *rows = &s->drive->force;
  for (hk_index r = s->force_first[shot]; r < s->force_first[shot + 1]; r++)
    for (hk_index k = rows->begin[r]; k < rows->begin[r + 1]; k++)
      f[rows->dof[r] - shot * dofs(s)] +=
          rows->coefficient[k] * s->table[(hk_count)rows->signal[k] * HK_TABLE_STEPS];
}

/* Motion rows move with dt v_0 along themselves:  d_j += B_j weight_j (sum weight (dt v_0 - d)) / sum weight^2 B */
static void hold_increment(const hk_explicit *s, int shot, const double *v0, const double *b,
                           double *d)
{
  const hk_sparse *m = &s->drive->motion;
  const int c = s->space->components;
  for (hk_index r = s->motion_first[shot]; r < s->motion_first[shot + 1]; r++) {
    double missing = 0, compliance = 0;
    for (hk_index p = m->begin[r]; p < m->begin[r + 1]; p++) {
      const hk_count j = m->dof[p] - shot * dofs(s);
      missing += m->weight[p] * ((v0 ? s->dt * v0[j] : 0) - d[j]);
      compliance += m->weight[p] * m->weight[p] * b[j / c];
    }
    for (hk_index p = m->begin[r]; p < m->begin[r + 1]; p++) {
      const hk_count j = m->dof[p] - shot * dofs(s);
      d[j] += b[j / c] * m->weight[p] * missing / compliance;
    }
  }
}

static void widen(range *r, hk_index i)
{
  if (i < r->first) r->first = i;
  if (i >= r->end) r->end = i + 1;
}

/* Nodes of a shot that are driven. */
static range driven_nodes(const hk_explicit *s, int shot)
{
  const hk_force_rows *f = &s->drive->force;
  const hk_sparse *m = &s->drive->motion;
  const int c = s->space->components;
  range r = {s->space->padded, 0};
  for (hk_index k = s->force_first[shot]; k < s->force_first[shot + 1]; k++)
    widen(&r, (hk_index)((f->dof[k] - shot * dofs(s)) / c));
  for (hk_index k = s->motion_first[shot]; k < s->motion_first[shot + 1]; k++)
    for (hk_index p = m->begin[k]; p < m->begin[k + 1]; p++)
      widen(&r, (hk_index)((m->dof[p] - shot * dofs(s)) / c));
  return r.end ? r : (range){0, 0};
}

/* d- such that the first step gives u_1 = u_0 + dt v_0 + dt^2/2 a_0:  d- = (2 dt (1 + S) v_0 - B (F_0 - K u_0)) / (1 + A) (W.7), S of dashpots.
 * v0, ku: NULL for zero; where both are d is zero but for driven nodes, and the others are not touched. */
static hk_status find_increment(hk_explicit *s, int shot, const double *v0, const double *ku,
                                double *d)
{
  hk_status status = HK_OK;
  const int c = s->space->components;
  const range nodes = v0 || ku ? every_node(s) : driven_nodes(s, shot);
  const hk_index count = nodes.end - nodes.first;
  double *a = NULL, *b = NULL;
  HK_TRY(hk_get(&a, s->space->padded));
  HK_TRY(hk_get(&b, s->space->padded));
  HK_TRY(hk_buffer_read_reals(s->b, s->double_precision, nodes.first, count, b + nodes.first));
  if (s->a)
    HK_TRY(hk_buffer_read_reals(s->a, s->double_precision, nodes.first, count, a + nodes.first));
  for (hk_count i = (hk_count)nodes.first * c; i < (hk_count)nodes.end * c; i++)
    d[i] = ku ? -ku[i] : 0;
  add_forces(s, shot, d);
  for (hk_count i = (hk_count)nodes.first * c; i < (hk_count)nodes.end * c; i++) {
    const double damping = s->a ? a[i / c] : 1;
    d[i] = ((v0 ? 2 * s->dt * v0[i] : 0) - b[i / c] * d[i]) / (1 + damping);
  }
  hk_dashpots_resist(s, shot, v0, s->a ? a : NULL, d);
  hold_increment(s, shot, v0, b, d);
cleanup:
  hk_free(&a);
  hk_free(&b);
  return status;
}

/* value[k] = vector[dof[k] - origin] for k from first to end, kept in a small array. */
static hk_status gather(hk_buffer *to, hk_index first, hk_index end, const hk_index *dof,
                        hk_count origin, const double *vector)
{
  hk_status status = HK_OK;
  double *value = NULL;
  if (first == end) return HK_OK;
  HK_TRY(hk_get(&value, end - first));
  for (hk_index k = first; k < end; k++) value[k - first] = vector[dof[k] - origin];
  HK_TRY(hk_buffer_write(to, (hk_count)first * 8, (hk_count)(end - first) * 8, value));
cleanup:
  hk_free(&value);
  return status;
}

/* State of a shot at step 0: u, and the last increment d, which is overwritten, of these nodes; the others have both already. */
static hk_status set_shot(hk_explicit *s, int shot, range nodes, const double *u, double *d)
{
  hk_status status = HK_OK;
  const hk_sparse *m = &s->drive->motion;
  const hk_index *force = s->force_first + shot, *motion = s->motion_first + shot;
  const hk_count origin = shot * dofs(s);
  HK_TRY(write_nodes(s, shot, nodes, s->x[0], u));
  HK_TRY(gather(s->small[HK_FORCE_LAST], force[0], force[1], s->drive->force.dof, origin, d));
  if (m->rows)
    HK_TRY(gather(s->small[HK_MOTION_LAST], m->begin[motion[0]], m->begin[motion[1]], m->dof,
                  origin, d));
  HK_TRY(hk_dashpots_set(s, shot, d));
  HK_TRY(hk_layer_set(s, shot, d));
  HK_TRY(write_last_increment(s, shot, nodes, u, d));
cleanup:
  return status;
}

/* The states are those of step 0. */
static hk_status begin(hk_explicit *s)
{
  hk_status status = HK_OK;
  HK_TRY(hk_integrals_clear(s));
  HK_TRY(hk_drive_set_clock(s));
  HK_TRY(hk_drive_follow(s, 1 - s->now, HK_PART_BEGIN));
cleanup:
  return status;
}

hk_status hk_explicit_start(hk_explicit *s, const double *u0, const double *v0)
{
  hk_status status = HK_OK;
  double *ku = NULL, *d = NULL, *zero = NULL;
  const bool zeros = !s->touched && !u0 && !v0;

  s->n = s->table_end = 0, s->now = 0, s->finished = false, s->touched = true;
  HK_TRY(hk_get(&d, dofs(s)));
  HK_TRY(hk_drive_load(s, 1));
  if (u0) {
    HK_TRY(hk_get(&ku, dofs(s)));
    HK_TRY(write_nodes(s, 0, every_node(s), s->x[0], u0));
    HK_TRY(hk_operator_apply(s->op,
                             &(hk_epilogue){.form = HK_FORM_STORE, .u = s->x[0], .out = s->ku}));
    HK_TRY(hk_device_finish(s->device));
    HK_TRY(hk_buffer_read_reals(s->ku, s->double_precision, 0, dofs(s), ku));
  } else {
    HK_TRY(hk_get(&zero, dofs(s)));
  }
  for (int k = 0; k < s->shots; k++) {
    if (k) memset(d, 0, (size_t)dofs(s) * sizeof *d);
    HK_TRY(find_increment(s, k, v0, ku, d));
    HK_TRY(set_shot(s, k, zeros ? driven_nodes(s, k) : every_node(s), u0 ? u0 : zero, d));
  }
  HK_TRY(begin(s));
cleanup:
  hk_free(&ku);
  hk_free(&d);
  hk_free(&zero);
  return status;
}

hk_status hk_explicit_continue(hk_explicit *s, const double *u, const double *increment)
{
  hk_status status = HK_OK;
  double *d = NULL;
  s->n = s->table_end = 0, s->now = 0, s->finished = false, s->touched = true;
  HK_TRY(hk_get(&d, dofs(s)));
  HK_TRY(hk_drive_load(s, 1));
  for (int k = 0; k < s->shots; k++) {
    memcpy(d, increment + k * dofs(s), (size_t)dofs(s) * sizeof *d);
    HK_TRY(set_shot(s, k, every_node(s), u + k * dofs(s), d));
  }
  HK_TRY(begin(s));
cleanup:
  hk_free(&d);
  return status;
}

hk_status hk_explicit_read_some(const hk_explicit *s, int shot, hk_state_part part, hk_count first,
                                hk_count count, double *values)
{
  hk_status status = HK_OK;
  const bool increment = part == HK_STATE_INCREMENT;
  const hk_count from = shot * dofs(s) + first;
  double *last = NULL;
  HK_TRY(hk_device_finish(s->device));
  if (increment && s->form == HK_FORM_INCREMENTS)
    return hk_buffer_read_reals(s->v, s->double_precision, from, count, values);
  HK_TRY(hk_buffer_read_reals(s->x[s->now], s->double_precision, from, count, values));
  if (!increment) return HK_OK;
  HK_TRY(hk_get(&last, HK_PART_REALS));
  for (hk_count at = 0; at < count; at += HK_PART_REALS) {
    const hk_count n = count - at < HK_PART_REALS ? count - at : HK_PART_REALS;
    HK_TRY(hk_buffer_read_reals(s->x[1 - s->now], s->double_precision, from + at, n, last));
    for (hk_count i = 0; i < n; i++) values[at + i] -= last[i];
  }
cleanup:
  hk_free(&last);
  return status;
}

hk_status hk_explicit_read(const hk_explicit *s, int shot, hk_state_part part, double *values)
{
  return hk_explicit_read_some(s, shot, part, 0, dofs(s), values);
}

hk_status hk_explicit_fetch(const hk_explicit *s, int shot, hk_state_part part, hk_fetch *fetch)
{
  const hk_buffer *last = s->form == HK_FORM_INCREMENTS ? s->v : s->x[1 - s->now],
                  *from = part == HK_STATE_DISPLACEMENT ? s->x[s->now] : last;
  const hk_count bytes = dofs(s) * (s->double_precision ? 8 : 4), nodes = s->space->padded * 8LL;
  if (part == HK_STATE_INTEGRAL)
    return hk_fetch_begin(fetch, 0, s->small[HK_INTEGRAL], shot * nodes, nodes);
  return hk_fetch_begin(fetch, 0, from, shot * bytes, bytes);
}

hk_status hk_explicit_trial(hk_explicit *s)
{
  hk_status status = HK_OK;
  HK_TRY(hk_buffer_copy(s->ku, s->form == HK_FORM_INCREMENTS ? s->v : s->x[1 - s->now]));
  for (int i = 0; i < HK_SMALL_COUNT; i++)
    if (s->small[i]) HK_TRY(hk_buffer_copy(s->shadow[i], s->small[i]));
  HK_TRY(hk_explicit_one_step(s, HK_PARTS_PUSH));
cleanup:
  return status;
}

hk_status hk_explicit_undo(hk_explicit *s)
{
  hk_status status = HK_OK;
  s->now = 1 - s->now;
  s->n--;
  HK_TRY(hk_buffer_copy(s->form == HK_FORM_INCREMENTS ? s->v : s->x[1 - s->now], s->ku));
  for (int i = 0; i < HK_SMALL_COUNT; i++)
    if (s->small[i]) HK_TRY(hk_buffer_copy(s->small[i], s->shadow[i]));
cleanup:
  return status;
}

hk_status hk_explicit_finish(hk_explicit *s)
{
  hk_status status = HK_OK;
  HK_TRY(hk_explicit_trial(s));
  HK_TRY(hk_drive_follow(s, 1 - s->now, HK_PART_COMPLETE));
  HK_TRY(hk_explicit_undo(s));
  s->finished = true;
cleanup:
  return status;
}

hk_status hk_explicit_fetch_next(hk_explicit *s, int shot, hk_state_part part, hk_fetch *fetch)
{
  hk_status status = HK_OK;
  HK_TRY(hk_explicit_trial(s));
  HK_TRY(hk_explicit_fetch(s, shot, part, fetch));
  HK_TRY(hk_explicit_undo(s));
cleanup:
  return status;
}

hk_status hk_explicit_reactions(const hk_explicit *s, double *force)
{
  if (!s->small[HK_REACTION]) return HK_OK;
  return hk_buffer_read(s->small[HK_REACTION], 0, hk_buffer_bytes(s->small[HK_REACTION]), force);
}

/* The buffers of the state, in the order of saving: the two vectors, where motions began, the small arrays; last those of the receivers,
 * sums over time and rings. */
static int list_state(const hk_explicit *s, bool receivers, int k, hk_buffer **out)
{
  enum { FIRST = 4, SMALL = FIRST + HK_SMALL_COUNT };
  hk_buffer *const first[FIRST] = {s->x[s->now],
                                   s->form == HK_FORM_INCREMENTS ? s->v : s->x[1 - s->now],
                                   s->motion_base, s->motion_drift},
                   *const last[2] = {s->small[HK_WATCH_TOTAL], s->ring};
  if (k >= SMALL + (receivers ? 2 : 0)) return 0;
  if (k < FIRST)
    *out = first[k];
  else if (k < SMALL)
    *out = k - FIRST == HK_WATCH_TOTAL ? NULL : s->small[k - FIRST];
  else
    *out = last[k - SMALL];
  return 1;
}

hk_count hk_explicit_state_bytes(const hk_explicit *s, bool receivers)
{
  hk_count sum = 0;
  hk_buffer *buffer;
  for (int k = 0; list_state(s, receivers, k, &buffer); k++)
    if (buffer) sum += hk_buffer_bytes(buffer);
  return sum;
}

hk_status hk_explicit_save(const hk_explicit *s, void *state)
{
  hk_status status = HK_OK;
  char *place = state;
  hk_buffer *buffer;
  HK_TRY(hk_device_finish(s->device));
  for (int k = 0; list_state(s, true, k, &buffer); k++) {
    if (!buffer) continue;
    HK_TRY(hk_buffer_read(buffer, 0, hk_buffer_bytes(buffer), place));
    place += hk_buffer_bytes(buffer);
  }
cleanup:
  return status;
}

hk_status hk_explicit_restore(hk_explicit *s, hk_count step, bool receivers, const void *state)
{
  hk_status status = HK_OK;
  const char *place = state;
  hk_buffer *buffer;
  s->n = step, s->now = 0, s->table_end = 0, s->finished = false, s->touched = true;
  for (int k = 0; list_state(s, receivers, k, &buffer); k++) {
    if (!buffer) continue;
    HK_TRY(hk_buffer_write(buffer, 0, hk_buffer_bytes(buffer), place));
    place += hk_buffer_bytes(buffer);
  }
  HK_TRY(hk_drive_set_clock(s));
  HK_TRY(hk_drive_load(s, 1));
  if (!receivers)
    HK_TRY(hk_drive_follow(s, 1 - s->now, HK_PART_BEGIN)); /* the sample of this step */
cleanup:
  return status;
}
