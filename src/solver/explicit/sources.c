/* Forces and prescribed motions, and what the launches of a step read instead of arguments: the clock, and the table of signals. Launches of
 * two steps apart are the same. */
#include "solver/explicit/parts.h"
#include <stdlib.h>

/* Threads of a group: one group does all rows alone where each part has at most as many. */
enum { ROW_THREADS = 512, HOST_ROWS = 4 * HK_VECTOR_CHUNK };

int hk_sources_threads(const hk_device_info *info)
{
  return info->most_threads < ROW_THREADS ? info->group_threads : ROW_THREADS;
}

/* Where the rows of each shot begin; dof[rows]: ascending shots. */
static hk_status find_firsts(const hk_explicit *s, hk_index rows, const hk_index *begin,
                             const hk_index *dof, hk_index **first)
{
  const hk_index dofs = s->space->padded * s->space->components;
  const hk_status status = hk_get(first, s->shots + 1);
  if (status != HK_OK) return status;
  for (hk_index r = 0; r < rows; r++) (*first)[dof[begin ? begin[r] : r] / dofs + 1]++;
  for (int k = 0; k < s->shots; k++) (*first)[k + 1] += (*first)[k];
  return HK_OK;
}

/* An array of doubles that steps change. */
static hk_status add(hk_explicit *s, const char *name, hk_count count, hk_buffer **out)
{
  return hk_state_add(&s->state, s->device, name, HK_ARRAY_TRIAL, count * 8, out);
}

static hk_status create_forces(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_force_rows *f = &s->sources.drive->force;
  hk_force_arrays *to = &s->sources.force;
  const hk_count rows = f->rows, entries = rows ? f->begin[rows] : 0;
  HK_TRY(find_firsts(s, f->rows, NULL, f->dof, &to->first));
  if (!rows) return HK_OK;
  HK_TRY(hk_explicit_send(s, rows * 4, f->dof, &to->dof));
  HK_TRY(hk_explicit_send(s, (rows + 1) * 4, f->begin, &to->begin));
  HK_TRY(hk_explicit_send(s, entries * 4, f->signal, &to->signal));
  HK_TRY(hk_explicit_send(s, entries * 8, f->coefficient, &to->coefficient));
  HK_TRY(hk_buffer_create(s->device, rows * 8, &to->now));
  HK_TRY(add(s, "increments under forces", rows, &to->last));
  HK_TRY(add(s, "work of forces", rows, &to->work));
  HK_TRY(add(s, "loss under forces", rows, &to->loss));
cleanup:
  return status;
}

/* The force row of each dof of the motion rows; -1: none. */
static hk_status find_loaded(const hk_drive *drive, hk_index **out)
{
  const hk_sparse *m = &drive->motion;
  const hk_force_rows *f = &drive->force;
  const hk_index entries = m->begin[m->rows];
  const hk_status status = hk_get(out, entries);
  for (hk_index p = 0; status == HK_OK && p < entries; p++) {
    const hk_index *row =
        f->rows ? bsearch(&m->dof[p], f->dof, (size_t)f->rows, sizeof *f->dof, hk_compare_index)
                : NULL;
    (*out)[p] = row ? (hk_index)(row - f->dof) : -1;
  }
  return status;
}

/* What a motion row starts from, which a restart goes on with. */
static hk_status add_start(hk_explicit *s, const char *name, hk_count rows, const double *from,
                           hk_buffer **out)
{
  const hk_status status = hk_state_add(&s->state, s->device, name, HK_ARRAY_SAVED, rows * 8, out);
  return status == HK_OK ? hk_buffer_write(*out, 0, rows * 8, from) : status;
}

static hk_status create_motions(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_drive *drive = s->sources.drive;
  const hk_sparse *m = &drive->motion;
  hk_motion_arrays *to = &s->sources.motion;
  const hk_count rows = m->rows, entries = rows ? m->begin[rows] : 0;
  hk_index *loaded = NULL;
  HK_TRY(find_firsts(s, m->rows, m->begin, m->dof, &to->first));
  if (!rows) return HK_OK;
  HK_TRY(find_loaded(drive, &loaded));
  HK_TRY(hk_explicit_send(s, entries * 4, loaded, &to->loaded));
  HK_TRY(hk_explicit_send(s, (rows + 1) * 4, m->begin, &to->begin));
  HK_TRY(hk_explicit_send(s, entries * 4, m->dof, &to->dof));
  HK_TRY(hk_explicit_send(s, entries * 8, m->weight, &to->weight));
  HK_TRY(hk_explicit_send(s, rows * 4, drive->motion_signal, &to->signal));
  HK_TRY(hk_explicit_send(s, rows * 8, drive->motion_value, &to->value));
  HK_TRY(add_start(s, "first displacement of motions", rows, drive->motion_base, &to->base));
  HK_TRY(add_start(s, "first velocity of motions", rows, drive->motion_drift, &to->drift));
  HK_TRY(add(s, "increments under motions", entries, &to->last));
  HK_TRY(add(s, "work of motions", rows, &to->work));
  HK_TRY(add(s, "loss under motions", rows, &to->loss));
  HK_TRY(add(s, "reactions of motions", rows, &to->reaction));
cleanup:
  hk_free(&loaded);
  return status;
}

static hk_status add_sums(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_force_arrays *f = &s->sources.force;
  const hk_motion_arrays *m = &s->sources.motion;
  HK_TRY(hk_sum_add(s, HK_SUM_WORK, f->work, f->first));
  HK_TRY(hk_sum_add(s, HK_SUM_WORK, m->work, m->first));
  HK_TRY(hk_sum_add(s, HK_SUM_LOSS, f->loss, f->first));
  HK_TRY(hk_sum_add(s, HK_SUM_LOSS, m->loss, m->first));
cleanup:
  return status;
}

hk_status hk_sources_create(hk_explicit *s, hk_drive *drive)
{
  hk_status status = HK_OK;
  hk_sources *own = &s->sources;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count size = 2 * (hk_count)drive->signal_count * HK_TABLE_STEPS;
  own->drive = drive;
  own->group_rows = hk_device_has_groups(info) ? hk_sources_threads(info) : HK_VECTOR_CHUNK;
  own->alone_rows = hk_device_has_groups(info) ? own->group_rows : HOST_ROWS;
  HK_TRY(create_forces(s));
  HK_TRY(create_motions(s));
  HK_TRY(add_sums(s));
  HK_TRY(hk_get(&own->table, size));
  HK_TRY(hk_buffer_create(s->device, size * 8, &own->table_buffer));
  HK_TRY(hk_buffer_create(s->device, 2 * (hk_count)sizeof(int64_t), &own->clock));
  HK_TRY(hk_explicit_kernel(s, "drive_step", &own->kernel));
cleanup:
  return status;
}

void hk_sources_destroy(hk_explicit *s)
{
  hk_sources *own = &s->sources;
  hk_buffer **const all[] = {&own->force.dof,    &own->force.begin,       &own->force.signal,
                             &own->force.now,    &own->force.coefficient, &own->motion.begin,
                             &own->motion.dof,   &own->motion.weight,     &own->motion.loaded,
                             &own->motion.value, &own->motion.signal,     &own->clock,
                             &own->table_buffer};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hk_buffer_destroy(all[i]);
  hk_kernel_destroy(&own->kernel);
  hk_free(&own->table);
  hk_free(&own->force.first);
  hk_free(&own->motion.first);
}

hk_status hk_sources_set_clock(hk_explicit *s)
{
  int64_t clock[2];
  clock[s->now] = s->n, clock[1 - s->now] = s->n - 1;
  return hk_buffer_write(s->sources.clock, 0, sizeof clock, clock);
}

hk_status hk_sources_load(hk_explicit *s, hk_count count)
{
  const hk_count half = (hk_count)s->sources.drive->signal_count * HK_TABLE_STEPS;
  hk_status status = HK_OK;
  while (half && status == HK_OK && s->sources.table_end < s->n + count) {
    const hk_count place = s->sources.table_end / HK_TABLE_STEPS % 2 * half;
    hk_drive_sample(s->sources.drive, s->dt, s->sources.table_end, HK_TABLE_STEPS, HK_TABLE_STEPS,
                    s->sources.table + place);
    s->sources.table_end += HK_TABLE_STEPS;
    if (s->sources.table_end > s->n) /* else it is only on the way there, as after a restart */
      status =
          hk_buffer_write(s->sources.table_buffer, place * 8, half * 8, s->sources.table + place);
  }
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

hk_status hk_sources_set(hk_explicit *s, int shot, const double *d)
{
  hk_status status = HK_OK;
  const hk_sources *own = &s->sources;
  const hk_sparse *m = &own->drive->motion;
  const hk_index *force = own->force.first + shot, *motion = own->motion.first + shot;
  const hk_count origin = shot * hk_explicit_dofs(s);
  HK_TRY(gather(own->force.last, force[0], force[1], own->drive->force.dof, origin, d));
  if (m->rows)
    HK_TRY(gather(own->motion.last, m->begin[motion[0]], m->begin[motion[1]], m->dof, origin, d));
cleanup:
  return status;
}

hk_status hk_sources_send_loaded(hk_explicit *s, hk_index nodes, const hk_index *node,
                                 hk_buffer **out, bool *any)
{
  hk_status status = HK_OK;
  const hk_force_rows *f = &s->sources.drive->force;
  const int dim = s->space->components;
  const hk_count all = (hk_count)s->shots * nodes * dim;
  hk_index *loaded = NULL;
  HK_TRY(hk_get(&loaded, all));
  for (hk_count i = 0; i < all; i++) {
    const hk_count shot = i / dim / nodes;
    const hk_index dof =
        (hk_index)((shot * s->space->padded + node[i / dim % nodes]) * dim + i % dim);
    const hk_index *row =
        f->rows ? bsearch(&dof, f->dof, (size_t)f->rows, sizeof dof, hk_compare_index) : NULL;
    loaded[i] = row ? (hk_index)(row - f->dof) : -1;
    *any = *any || row;
  }
  HK_TRY(hk_buffer_create(s->device, all * 4, out));
  HK_TRY(hk_buffer_write(*out, 0, all * 4, loaded));
cleanup:
  hk_free(&loaded);
  return status;
}

static hk_status launch(hk_explicit *s, int from, int parts, hk_count groups)
{
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[1 - from]),
                                  hk_arg_buffer(s->vector.v),
                                  hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_buffer(s->vector.b),
                                  hk_arg_buffer(s->vector.a),
                                  hk_arg_buffer(s->sources.clock),
                                  hk_arg_buffer(s->sources.table_buffer),
                                  hk_arg_buffer(s->sources.force.dof),
                                  hk_arg_buffer(s->sources.force.begin),
                                  hk_arg_buffer(s->sources.force.signal),
                                  hk_arg_buffer(s->sources.force.coefficient),
                                  hk_arg_buffer(s->sources.force.last),
                                  hk_arg_buffer(s->sources.force.work),
                                  hk_arg_buffer(s->sources.force.loss),
                                  hk_arg_buffer(s->sources.force.now),
                                  hk_arg_buffer(s->sources.motion.begin),
                                  hk_arg_buffer(s->sources.motion.dof),
                                  hk_arg_buffer(s->sources.motion.weight),
                                  hk_arg_buffer(s->sources.motion.loaded),
                                  hk_arg_buffer(s->sources.motion.signal),
                                  hk_arg_buffer(s->sources.motion.value),
                                  hk_arg_buffer(s->sources.motion.base),
                                  hk_arg_buffer(s->sources.motion.drift),
                                  hk_arg_buffer(s->sources.motion.last),
                                  hk_arg_buffer(s->sources.motion.work),
                                  hk_arg_buffer(s->sources.motion.loss),
                                  hk_arg_buffer(s->sources.motion.reaction),
                                  hk_arg_buffer(s->receivers.begin),
                                  hk_arg_buffer(s->receivers.dof),
                                  hk_arg_buffer(s->receivers.weight),
                                  hk_arg_buffer(s->receivers.line),
                                  hk_arg_buffer(s->receivers.plan),
                                  hk_arg_buffer(s->receivers.scale),
                                  hk_arg_buffer(s->receivers.ring),
                                  hk_arg_buffer(s->receivers.total),
                                  hk_arg_int(s->sources.drive->force.rows),
                                  hk_arg_int(s->sources.drive->motion.rows),
                                  hk_arg_int(s->receivers.lines),
                                  hk_arg_int(s->sources.drive->signal_count),
                                  hk_arg_int(from),
                                  hk_arg_int(parts),
                                  hk_arg_int(s->shots),
                                  hk_arg_int(s->space->padded),
                                  hk_arg_double(s->dt)};
  return hk_kernel_launch(s->sources.kernel, 0, groups, argument,
                          sizeof argument / sizeof *argument);
}

/* Those of `parts` that there are, in one launch where each is small. */
hk_status hk_sources_launch(hk_explicit *s, int from, int parts)
{
  hk_status status = HK_OK;
  const struct {
    int parts;
    hk_index rows;
  } each[] = {{parts & HK_PART_FORCE, s->sources.drive->force.rows},
              {parts & HK_PART_MOTION, s->sources.drive->motion.rows},
              {parts & HK_PARTS_WATCH, s->receivers.lines * s->shots}};
  int there = 0;
  bool alone = true;
  for (int k = 0; k < 3; k++) {
    if (!each[k].rows) continue;
    there |= each[k].parts;
    alone = alone && each[k].rows <= s->sources.alone_rows;
  }
  if (!there) return HK_OK;
  if (alone) return launch(s, from, there | HK_PART_ALONE, 1);
  for (int k = 0; k < 3; k++) {
    const hk_count groups = (each[k].rows + s->sources.group_rows - 1) / s->sources.group_rows;
    if (each[k].parts & there) HK_TRY(launch(s, from, each[k].parts, groups));
  }
cleanup:
  return status;
}
