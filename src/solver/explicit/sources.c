/* Forces and prescribed motions of a step, and what its launches read instead of arguments: the clock (the step's number) and the table of
 * signals, sent HK_TABLE_STEPS at a time. So launches two steps apart are the same, and can be recorded.
 * All rows (forces, motions, receivers) are laid into one list of integers, one of weights, and `change`, which steps write; their kernel
 * is sources_step of sources.k.h: one group for all where rows are few, else a launch for each task. */
#include "solver/explicit/parts.h"
#include "base/sort.h"
#include <stdlib.h>
#include <string.h>

/* Threads of a group: one group does all rows alone where each task has at most as many. One of few threads finds room beside the groups of the
 * operator's kernel, and so begins while they end. */
enum { FEW_THREADS = 64, ROW_THREADS = 512, HOST_ROWS = 4 * HK_VECTOR_CHUNK };

int hk_sources_threads(const hk_device_info *info)
{
  return info->most_threads < ROW_THREADS ? info->group_threads : ROW_THREADS;
}

static int threads_of(const hk_explicit *s)
{
  const hk_excitation *e = s->sources.excitation;
  const int threads = hk_sources_threads(hk_device_describe(s->device));
  const bool few = threads == ROW_THREADS && e->force.rows <= FEW_THREADS &&
                   e->motion.rows <= FEW_THREADS &&
                   (hk_count)s->receivers.lines * s->shots <= FEW_THREADS;
  return few ? FEW_THREADS : threads;
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

/* The force row of each dof of the motion rows; -1: none. */
static hk_status find_loaded(const hk_excitation *excitation, hk_index **out)
{
  const hk_sparse *m = &excitation->motion;
  const hk_force_rows *f = &excitation->force;
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

/* The arrays that sources_step reads, integers and constants behind one another, and where each begins. */
typedef struct lists {
  hk_integers head;
  hk_count integers, reals; /* so far */
  hk_index *list;
  double *weight;
} lists;

static void put_integers(lists *l, hk_list_place place, hk_count count, const hk_index *from)
{
  l->head.at[place] = (hk_index)l->integers;
  if (count) memcpy(l->list + l->integers, from, (size_t)count * sizeof *from);
  l->integers += count;
}

static void put_reals(lists *l, hk_list_place place, hk_count count, const double *from)
{
  l->head.at[place] = (hk_index)l->reals;
  if (count) memcpy(l->weight + l->reals, from, (size_t)count * sizeof *from);
  l->reals += count;
}

static hk_count entries_of(hk_index rows, const hk_index *begin)
{
  return rows ? begin[rows] : 0;
}

static void fill_forces(lists *l, const hk_force_rows *f)
{
  const hk_count entries = entries_of(f->rows, f->begin);
  l->head.at[HK_LIST_FORCE_ROWS] = f->rows;
  put_integers(l, HK_LIST_FORCE_DOF, f->rows, f->dof);
  put_integers(l, HK_LIST_FORCE_BEGIN, f->rows ? f->rows + 1 : 0, f->begin);
  put_integers(l, HK_LIST_FORCE_SIGNAL, entries, f->signal);
  put_reals(l, HK_LIST_FORCE_COEFFICIENT, entries, f->coefficient);
}

static void fill_motions(lists *l, const hk_excitation *excitation, const hk_index *loaded)
{
  const hk_sparse *m = &excitation->motion;
  const hk_count entries = entries_of(m->rows, m->begin);
  l->head.at[HK_LIST_MOTION_ROWS] = m->rows;
  put_integers(l, HK_LIST_MOTION_BEGIN, m->rows ? m->rows + 1 : 0, m->begin);
  put_integers(l, HK_LIST_MOTION_DOF, entries, m->dof);
  put_integers(l, HK_LIST_MOTION_LOADED, entries, loaded);
  put_integers(l, HK_LIST_MOTION_SIGNAL, m->rows, excitation->motion_signal);
  put_reals(l, HK_LIST_MOTION_WEIGHT, entries, m->weight);
  put_reals(l, HK_LIST_MOTION_VALUE, m->rows, excitation->motion_value);
}

/* The degrees of freedom of receivers; ~dof where a force or a motion of some shot acts. */
static hk_status mark_receivers(const hk_explicit *s, const hk_sparse *rows, hk_index *out)
{
  hk_status status = HK_OK;
  const hk_excitation *e = s->sources.excitation;
  const hk_index dofs = s->space->padded * s->space->components, forces = e->force.rows,
                 motions = (hk_index)entries_of(e->motion.rows, e->motion.begin);
  hk_index *loaded = NULL;
  HK_TRY(hk_get(&loaded, (hk_count)forces + motions));
  for (hk_index k = 0; k < forces; k++) loaded[k] = e->force.dof[k] % dofs;
  for (hk_index k = 0; k < motions; k++) loaded[forces + k] = e->motion.dof[k] % dofs;
  if (forces + motions) qsort(loaded, (size_t)(forces + motions), sizeof *loaded, hk_compare_index);
  for (hk_index p = 0; p < rows->begin[rows->rows]; p++) {
    const hk_index dof = rows->dof[p];
    const bool acts = forces + motions && bsearch(&dof, loaded, (size_t)(forces + motions),
                                                  sizeof dof, hk_compare_index);
    out[p] = acts ? ~dof : dof;
  }
cleanup:
  hk_free(&loaded);
  return status;
}

static void fill_receivers(lists *l, const hk_receivers *r, const hk_index *dof)
{
  const hk_index rows = r->count ? r->rows->rows : 0;
  const hk_count entries = rows ? r->rows->begin[rows] : 0;
  l->head.at[HK_LIST_LINES] = r->lines;
  put_integers(l, HK_LIST_RECEIVER_BEGIN, rows ? rows + 1 : 0, rows ? r->rows->begin : NULL);
  put_integers(l, HK_LIST_RECEIVER_DOF, entries, dof);
  put_integers(l, HK_LIST_LINE, r->lines, r->line);
  put_reals(l, HK_LIST_RECEIVER_WEIGHT, entries, rows ? r->rows->weight : NULL);
  put_reals(l, HK_LIST_SCALE, 2 * (hk_count)r->plans, r->scale);
}

/* Room for all that is put in. */
static hk_status create_lists(const hk_explicit *s, lists *l)
{
  const hk_excitation *excitation = s->sources.excitation;
  const hk_receivers *r = &s->receivers;
  const hk_count forces = entries_of(excitation->force.rows, excitation->force.begin),
                 motions = entries_of(excitation->motion.rows, excitation->motion.begin),
                 received = r->count ? entries_of(r->rows->rows, r->rows->begin) : 0,
                 integers = 2 * (hk_count)excitation->force.rows + 1 + forces +
                            2 * (hk_count)excitation->motion.rows + 1 + 2 * motions +
                            (r->count ? r->rows->rows : 0) + 1 + received + r->lines,
                 reals =
                     forces + motions + excitation->motion.rows + received + 2 * (hk_count)r->plans;
  hk_index unused;
  HK_PASS(hk_narrow(integers, "numbers of all loads, motions and receivers", &unused));
  HK_PASS(hk_get(&l->list, integers));
  return hk_get(&l->weight, reals);
}

static hk_status send_lists(hk_explicit *s)
{
  hk_status status = HK_OK;
  hk_sources *own = &s->sources;
  lists l = {0};
  hk_index *loaded = NULL, *received = NULL;
  HK_TRY(create_lists(s, &l));
  if (s->receivers.count) {
    HK_TRY(hk_get(&received, entries_of(s->receivers.rows->rows, s->receivers.rows->begin)));
    if (s->receivers.rows->rows) HK_TRY(mark_receivers(s, s->receivers.rows, received));
  }
  if (own->excitation->motion.rows) HK_TRY(find_loaded(own->excitation, &loaded));
  l.head.at[HK_LIST_SIGNALS] = own->excitation->signal_count;
  l.head.at[HK_LIST_SHOTS] = s->shots, l.head.at[HK_LIST_PADDED] = s->space->padded;
  fill_forces(&l, &own->excitation->force);
  fill_motions(&l, own->excitation, loaded);
  fill_receivers(&l, &s->receivers, received);
  own->head = l.head;
  HK_TRY(hk_explicit_send(s, l.integers * 4, l.list, &own->list));
  HK_TRY(hk_explicit_send(s, l.reals * 8, l.weight, &own->weight));
cleanup:
  hk_free(&l.list);
  hk_free(&l.weight);
  hk_free(&loaded);
  hk_free(&received);
  return status;
}

hk_count hk_sources_part(const hk_sources *own, hk_change_part part)
{
  const hk_count forces = own->excitation->force.rows, motions = own->excitation->motion.rows;
  const int of_forces = part < HK_MOTION_BASE ? (int)part : HK_MOTION_BASE;
  return of_forces * forces + ((int)part - of_forces) * motions;
}

/* What steps change: with what motion rows start from, which a restart goes on with. */
static hk_status create_change(hk_explicit *s)
{
  hk_sources *own = &s->sources;
  const hk_excitation *excitation = own->excitation;
  const hk_count motions = excitation->motion.rows,
                 all = hk_sources_part(own, HK_MOTION_LAST) +
                       entries_of(excitation->motion.rows, excitation->motion.begin);
  if (!all) return HK_OK;
  HK_PASS(hk_state_add(&s->state, s->device, "forces and motions", HK_ARRAY_TRIAL, all * 8,
                       &own->change));
  if (!motions) return HK_OK;
  HK_PASS(hk_buffer_write(own->change, hk_sources_part(own, HK_MOTION_BASE) * 8, motions * 8,
                          excitation->motion_base));
  return hk_buffer_write(own->change, hk_sources_part(own, HK_MOTION_DRIFT) * 8, motions * 8,
                         excitation->motion_drift);
}

static hk_status find_nodes(hk_explicit *s)
{
  hk_sources *own = &s->sources;
  const hk_force_rows *force = &own->excitation->force;
  const hk_sparse *motion = &own->excitation->motion;
  const hk_index c = s->space->components, padded = s->space->padded;
  HK_PASS(hk_get(&own->force_node, force->rows));
  HK_PASS(hk_get(&own->motion_node, motion->rows));
  for (hk_index r = 0; r < force->rows; r++) own->force_node[r] = force->dof[r] / c % padded;
  for (hk_index r = 0; r < motion->rows; r++)
    own->motion_node[r] = motion->dof[motion->begin[r]] / c % padded;
  return HK_OK;
}

static hk_status add_sums(hk_explicit *s)
{
  static const struct {
    hk_sum_kind kind;
    hk_change_part part;
  } sums[HK_SOURCE_SUMS] = {{HK_SUM_WORK, HK_FORCE_WORK},
                            {HK_SUM_WORK, HK_MOTION_WORK},
                            {HK_SUM_LOSS, HK_FORCE_LOSS},
                            {HK_SUM_LOSS, HK_MOTION_LOSS}};
  hk_sources *own = &s->sources;
  HK_PASS(find_nodes(s));
  for (int i = 0; i < HK_SOURCE_SUMS; i++) {
    const bool forces = sums[i].part < HK_MOTION_BASE;
    const hk_index *rows = forces ? own->force_first : own->motion_first;
    const hk_count begin = hk_sources_part(own, sums[i].part);
    HK_PASS(hk_get(&own->summed[i], s->shots + 1));
    for (int k = 0; k <= s->shots; k++)
      HK_PASS(hk_narrow(begin + rows[k], "forces and motions", &own->summed[i][k]));
    HK_PASS(hk_sum_add(s, &(hk_sum){.kind = sums[i].kind,
                                    .array = own->change,
                                    .first = own->summed[i],
                                    .number = forces ? own->force_node : own->motion_node,
                                    .period = rows[s->shots]}));
  }
  return HK_OK;
}

/* Chooses how many entries of receivers a group of a GPU loads to LOCAL memory; none if a row has too many. All models use one of a few sizes, whose
 * kernels were compiled beforehand. */
static void plan_gather(const hk_explicit *s, hk_sources *own)
{
  enum { FEW_ENTRIES = 512, MOST_ENTRIES = 2048 };
  static const int gathers[] = {4, 8, 32, 128, FEW_ENTRIES, MOST_ENTRIES};
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_sparse *rows = s->receivers.count ? s->receivers.rows : NULL;
  const hk_count lines = (hk_count)s->receivers.lines * s->shots;
  hk_index longest = 0;
  for (hk_index r = 0; rows && r < rows->rows; r++)
    if (rows->begin[r + 1] - rows->begin[r] > longest)
      longest = rows->begin[r + 1] - rows->begin[r];
  own->gather = 0, own->lines = own->group_rows;
  if (!longest || longest > MOST_ENTRIES || !hk_device_has_groups(info) || !info->compiles) return;
  const int *gather = gathers;
  while (*gather < longest) gather++;
  /* of two doubles; half of LOCAL memory is left to the rest of the kernel */
  const hk_count room = info->local_memory ? info->local_memory / 2 / 16 : MOST_ENTRIES;
  const int most = room < MOST_ENTRIES ? (int)room : MOST_ENTRIES;
  if (*gather > most) return;
  own->gather = *gather;
  const int few = (most < FEW_ENTRIES ? most : FEW_ENTRIES) / own->gather,
            many = most / own->gather;
  own->lines = lines <= few && lines <= FEW_THREADS ? few : many;
  if (own->lines > own->alone_rows) own->lines = own->alone_rows;
}

hk_status hk_sources_create(hk_explicit *s, hk_excitation *excitation)
{
  hk_sources *own = &s->sources;
  const hk_device_info *info = hk_device_describe(s->device);
  const hk_count size = 2 * (hk_count)excitation->signal_count * HK_TABLE_STEPS;
  own->excitation = excitation;
  own->group_rows = hk_device_has_groups(info) ? hk_sources_threads(info) : HK_VECTOR_CHUNK;
  own->alone_rows = hk_device_has_groups(info) ? threads_of(s) : HOST_ROWS;
  plan_gather(s, own);
  HK_PASS(find_firsts(s, excitation->force.rows, NULL, excitation->force.dof, &own->force_first));
  HK_PASS(find_firsts(s, excitation->motion.rows, excitation->motion.begin, excitation->motion.dof,
                      &own->motion_first));
  HK_PASS(send_lists(s));
  HK_PASS(create_change(s));
  HK_PASS(add_sums(s));
  HK_PASS(hk_get(&own->table, size));
  HK_PASS(hk_buffer_create(s->device, size * 8, &own->table_buffer));
  HK_PASS(hk_buffer_create(s->device, 2 * (hk_count)sizeof(int64_t), &own->clock));
  HK_PASS(hk_explicit_send(s, (hk_count)s->receivers.plans * HK_PLAN_SIZE * 8, s->receivers.plan,
                           &own->plan));
  return hk_explicit_kernel(s, "sources_step", threads_of(s), own->gather, own->lines,
                            &own->kernel);
}

void hk_sources_destroy(hk_explicit *s)
{
  hk_sources *own = &s->sources;
  hk_buffer_destroy(&own->list);
  hk_buffer_destroy(&own->weight);
  hk_buffer_destroy(&own->clock);
  hk_buffer_destroy(&own->plan);
  hk_buffer_destroy(&own->table_buffer);
  hk_kernel_destroy(&own->kernel);
  hk_free(&own->table);
  hk_free(&own->force_first);
  hk_free(&own->motion_first);
  hk_free(&own->force_node);
  hk_free(&own->motion_node);
  for (int i = 0; i < HK_SOURCE_SUMS; i++) hk_free(&own->summed[i]);
}

hk_status hk_sources_set_clock(hk_explicit *s)
{
  int64_t clock[2];
  clock[s->now] = s->n, clock[1 - s->now] = s->n - 1;
  return hk_buffer_write(s->sources.clock, 0, sizeof clock, clock);
}

hk_status hk_sources_load(hk_explicit *s, hk_count count)
{
  const hk_count half = (hk_count)s->sources.excitation->signal_count * HK_TABLE_STEPS;
  hk_status status = HK_OK;
  while (half && status == HK_OK && s->sources.table_end < s->n + count) {
    const hk_count place = s->sources.table_end / HK_TABLE_STEPS % 2 * half;
    hk_excitation_sample(s->sources.excitation, s->scheme.dt, s->sources.table_end, HK_TABLE_STEPS,
                         HK_TABLE_STEPS, s->sources.table + place);
    s->sources.table_end += HK_TABLE_STEPS;
    if (s->sources.table_end > s->n) /* else it is only on the way there, as after a restart */
      status =
          hk_buffer_write(s->sources.table_buffer, place * 8, half * 8, s->sources.table + place);
  }
  return status;
}

/* Writes value[k] = vector[dof[k] - origin] for k from first to end behind `place` of `change`. */
static hk_status gather(hk_buffer *change, hk_count place, hk_index first, hk_index end,
                        const hk_index *dof, hk_count origin, const double *vector)
{
  hk_status status = HK_OK;
  double *value = NULL;
  if (first == end) return HK_OK;
  HK_TRY(hk_get(&value, end - first));
  for (hk_index k = first; k < end; k++) value[k - first] = vector[dof[k] - origin];
  HK_TRY(hk_buffer_write(change, (place + first) * 8, (hk_count)(end - first) * 8, value));
cleanup:
  hk_free(&value);
  return status;
}

hk_status hk_sources_set(hk_explicit *s, int shot, const double *d)
{
  const hk_sources *own = &s->sources;
  const hk_sparse *m = &own->excitation->motion;
  const hk_index *force = own->force_first + shot, *motion = own->motion_first + shot;
  const hk_count origin = shot * hk_explicit_dofs(s);
  HK_PASS(gather(own->change, hk_sources_part(own, HK_FORCE_LAST), force[0], force[1],
                 own->excitation->force.dof, origin, d));
  if (m->rows)
    HK_PASS(gather(own->change, hk_sources_part(own, HK_MOTION_LAST), m->begin[motion[0]],
                   m->begin[motion[1]], m->dof, origin, d));
  return HK_OK;
}

bool hk_sources_find_loaded(const hk_explicit *s, hk_index nodes, const hk_index *node,
                            hk_index *loaded)
{
  const hk_force_rows *f = &s->sources.excitation->force;
  const int dim = s->space->components;
  bool any = false;
  for (hk_count i = 0; i < (hk_count)s->shots * nodes * dim; i++) {
    const hk_count shot = i / dim / nodes;
    const hk_index dof =
        (hk_index)((shot * s->space->padded + node[i / dim % nodes]) * dim + i % dim);
    const hk_index *row =
        f->rows ? bsearch(&dof, f->dof, (size_t)f->rows, sizeof dof, hk_compare_index) : NULL;
    loaded[i] = row ? (hk_index)(row - f->dof) : -1;
    any = any || row;
  }
  return any;
}

static hk_status launch(hk_explicit *s, int from, int tasks, hk_count groups)
{
  const hk_argument argument[] = {hk_arg_buffer(s->vector.x[1 - from]),
                                  hk_arg_buffer(s->vector.v),
                                  hk_arg_buffer(s->vector.x[from]),
                                  hk_arg_buffer(s->vector.b),
                                  hk_arg_buffer(s->vector.a),
                                  hk_arg_buffer(s->sources.clock),
                                  hk_arg_buffer(s->sources.table_buffer),
                                  hk_arg_integers(&s->sources.head),
                                  hk_arg_buffer(s->sources.list),
                                  hk_arg_buffer(s->sources.weight),
                                  hk_arg_buffer(s->sources.change),
                                  hk_arg_buffer(s->sources.plan),
                                  hk_arg_buffer(s->receivers.ring),
                                  hk_arg_int(from),
                                  hk_arg_int(tasks),
                                  hk_arg_double(s->scheme.dt)};
  return hk_kernel_launch(s->sources.kernel, 0, groups, argument,
                          sizeof argument / sizeof *argument);
}

/* Those of `tasks` that there are, in one launch where each is small. */
hk_status hk_sources_launch(hk_explicit *s, int from, int tasks)
{
  const hk_sources *own = &s->sources;
  const struct {
    int tasks;
    hk_index rows, of_group;
  } each[] = {{tasks & HK_TASK_FORCE, own->excitation->force.rows, own->group_rows},
              {tasks & HK_TASK_MOTION, own->excitation->motion.rows, own->group_rows},
              {tasks & HK_TASKS_RECEIVERS, s->receivers.lines * s->shots, own->lines}};
  int there = 0;
  bool alone = true;
  for (int k = 0; k < 3; k++) {
    if (!each[k].rows) continue;
    there |= each[k].tasks;
    alone = alone && each[k].rows <= own->alone_rows &&
            !(own->gather && each[k].rows > each[k].of_group);
  }
  if (!there) return HK_OK;
  if (alone) return launch(s, from, there | HK_TASK_ALONE, 1);
  for (int k = 0; k < 3; k++) {
    const hk_count groups = (each[k].rows + each[k].of_group - 1) / each[k].of_group;
    if (each[k].tasks & there) HK_PASS(launch(s, from, each[k].tasks, groups));
  }
  return HK_OK;
}
