/* What follows the operator's kernel in a step, and what its launches read instead of arguments: the clock, and the table of
 * signals. Launches of two steps apart are the same. */
#include "solver/explicit/parts.h"
#include <stdlib.h>

/* Threads of a group that compiles: one group does all rows alone where each part has at most as many. */
enum { ROW_THREADS = 512, HOST_ROWS = 4 * HK_VECTOR_CHUNK };

int hk_drive_threads(const hk_device_info *info)
{
  if (!info->compiles) return 0;
  return info->most_threads < ROW_THREADS ? info->group_threads : ROW_THREADS;
}

hk_status hk_drive_create(hk_explicit *s)
{
  hk_status status = HK_OK;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count size = 2 * (hk_count)s->drive->signal_count * HK_TABLE_STEPS;
  s->group_rows = info->compiles ? hk_drive_threads(info) : HK_VECTOR_CHUNK;
  s->alone_rows = info->compiles ? s->group_rows : HOST_ROWS;
  HK_TRY(hk_get(&s->table, size));
  HK_TRY(hk_buffer_create(s->device, size * 8, &s->table_buffer));
  HK_TRY(hk_buffer_create(s->device, 2 * (hk_count)sizeof(int64_t), &s->clock));
cleanup:
  return status;
}

hk_status hk_drive_set_clock(hk_explicit *s)
{
  int64_t clock[2];
  clock[s->now] = s->n, clock[1 - s->now] = s->n - 1;
  return hk_buffer_write(s->clock, 0, sizeof clock, clock);
}

hk_status hk_drive_load(hk_explicit *s, hk_count count)
{
  const hk_count half = (hk_count)s->drive->signal_count * HK_TABLE_STEPS;
  hk_status status = HK_OK;
  while (half && status == HK_OK && s->table_end < s->n + count) {
    const hk_count place = s->table_end / HK_TABLE_STEPS % 2 * half;
    hk_drive_sample(s->drive, s->dt, s->table_end, HK_TABLE_STEPS, HK_TABLE_STEPS,
                    s->table + place);
    s->table_end += HK_TABLE_STEPS;
    if (s->table_end > s->n) /* else it is only on the way there, as after a restart */
      status = hk_buffer_write(s->table_buffer, place * 8, half * 8, s->table + place);
  }
  return status;
}

static int by_index(const void *a, const void *b)
{
  const hk_index x = *(const hk_index *)a, y = *(const hk_index *)b;
  return (x > y) - (x < y);
}

hk_status hk_drive_send_loaded(hk_explicit *s, hk_index nodes, const hk_index *node,
                               hk_buffer **out, bool *any)
{
  hk_status status = HK_OK;
  const hk_force_rows *f = &s->drive->force;
  const int dim = s->space->components;
  const hk_count all = (hk_count)s->shots * nodes * dim;
  hk_index *loaded = NULL;
  HK_TRY(hk_get(&loaded, all));
  for (hk_count i = 0; i < all; i++) {
    const hk_count shot = i / dim / nodes;
    const hk_index dof =
        (hk_index)((shot * s->space->padded + node[i / dim % nodes]) * dim + i % dim);
    const hk_index *row =
        f->rows ? bsearch(&dof, f->dof, (size_t)f->rows, sizeof dof, by_index) : NULL;
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
  const hk_argument argument[] = {hk_arg_buffer(s->x[1 - from]),
                                  hk_arg_buffer(s->v),
                                  hk_arg_buffer(s->x[from]),
                                  hk_arg_buffer(s->b),
                                  hk_arg_buffer(s->a),
                                  hk_arg_buffer(s->clock),
                                  hk_arg_buffer(s->table_buffer),
                                  hk_arg_buffer(s->force_dof),
                                  hk_arg_buffer(s->force_begin),
                                  hk_arg_buffer(s->force_signal),
                                  hk_arg_buffer(s->force_coefficient),
                                  hk_arg_buffer(s->small[HK_FORCE_LAST]),
                                  hk_arg_buffer(s->small[HK_FORCE_WORK]),
                                  hk_arg_buffer(s->small[HK_FORCE_LOSS]),
                                  hk_arg_buffer(s->force_now),
                                  hk_arg_buffer(s->motion_begin),
                                  hk_arg_buffer(s->motion_dof),
                                  hk_arg_buffer(s->motion_weight),
                                  hk_arg_buffer(s->motion_loaded),
                                  hk_arg_buffer(s->motion_signal),
                                  hk_arg_buffer(s->motion_value),
                                  hk_arg_buffer(s->motion_base),
                                  hk_arg_buffer(s->motion_drift),
                                  hk_arg_buffer(s->small[HK_MOTION_LAST]),
                                  hk_arg_buffer(s->small[HK_MOTION_WORK]),
                                  hk_arg_buffer(s->small[HK_MOTION_LOSS]),
                                  hk_arg_buffer(s->small[HK_REACTION]),
                                  hk_arg_buffer(s->receiver_begin),
                                  hk_arg_buffer(s->receiver_dof),
                                  hk_arg_buffer(s->receiver_weight),
                                  hk_arg_buffer(s->line),
                                  hk_arg_buffer(s->plan),
                                  hk_arg_buffer(s->scale),
                                  hk_arg_buffer(s->ring),
                                  hk_arg_buffer(s->small[HK_WATCH_TOTAL]),
                                  hk_arg_int(s->drive->force.rows),
                                  hk_arg_int(s->drive->motion.rows),
                                  hk_arg_int(s->lines),
                                  hk_arg_int(s->drive->signal_count),
                                  hk_arg_int(from),
                                  hk_arg_int(parts),
                                  hk_arg_int(s->shots),
                                  hk_arg_int(s->space->padded),
                                  hk_arg_double(s->dt)};
  return hk_kernel_launch(s->after, 0, groups, argument, sizeof argument / sizeof *argument);
}

/* Those of `parts` that there are, in one launch where each is small. */
static hk_status follow(hk_explicit *s, int from, int parts)
{
  hk_status status = HK_OK;
  const struct {
    int parts;
    hk_index rows;
  } each[] = {{parts & HK_PART_FORCE, s->drive->force.rows},
              {parts & HK_PART_MOTION, s->drive->motion.rows},
              {parts & HK_PARTS_WATCH, s->lines * s->shots}};
  int there = 0;
  bool alone = true;
  for (int k = 0; k < 3; k++) {
    if (!each[k].rows) continue;
    there |= each[k].parts;
    alone = alone && each[k].rows <= s->alone_rows;
  }
  if (!there) return HK_OK;
  if (alone) return launch(s, from, there | HK_PART_ALONE, 1);
  for (int k = 0; k < 3; k++) {
    const hk_count groups = (each[k].rows + s->group_rows - 1) / s->group_rows;
    if (each[k].parts & there) HK_TRY(launch(s, from, each[k].parts, groups));
  }
cleanup:
  return status;
}

/* The layer and dashpots follow forces; where none acts on their nodes they may come first. */
hk_status hk_drive_follow(hk_explicit *s, int from, int parts)
{
  hk_status status = HK_OK;
  const bool push = parts & HK_PARTS_PUSH;
  if (push && (s->layer_loaded || s->dash_loaded)) {
    HK_TRY(follow(s, from, parts & HK_PART_FORCE));
    parts &= ~HK_PART_FORCE;
  }
  if (push && s->layer.nodes) HK_TRY(hk_layer_launch(s, from));
  if (push && s->dashpots) HK_TRY(hk_dashpots_launch(s, from));
  HK_TRY(follow(s, from, parts));
cleanup:
  return status;
}
