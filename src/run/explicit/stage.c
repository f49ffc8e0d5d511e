#include "run/explicit/stage.h"
#include "element/element.h"
#include "load/rows.h"
#include "run/explicit/dispersion.h"
#include "run/explicit/dt.h"
#include "model/unit_names.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A growing list of force entries and of sampled signals, while a stage is built. */
typedef struct builder {
  const hk_problem *problem;
  const hk_mesh *mesh;
  const hk_step *step;
  hk_messages *list;
  double start;
  hk_force_entry *entry;
  hk_count entries, entry_capacity, signal_capacity, motion_rows, motion_row_capacity,
      motion_entries, motion_entry_capacity;
  hk_count motion_signal_capacity, motion_value_capacity;
  hk_index *row_of_dof; /* of the shot being built: last motion row on a dof + 1; 0: none */
  hk_index shot_dof;    /* first dof of that shot */
  hk_count point;       /* of the stage's points, the one that is taken next */
  hk_stage *stage;
} builder;

/* -1: the node has no unknown of that medium. */
static hk_index internal_dof(const builder *b, hk_medium medium, hk_index node, int component)
{
  const hk_space *space = b->problem->space;
  if (space->node[node] < 0 || !hk_model_acts(b->problem->model, medium, node)) return -1;
  if (medium == HK_FLUID && component > 0) return -1;
  return b->shot_dof + space->node[node] * space->components + component;
}

/* set: [mesh node], or NULL */
static bool is_of(const builder *b, const bool *set, hk_index dof)
{
  const hk_space *space = b->problem->space;
  const hk_index node = space->mesh_node[dof / space->components % space->padded];
  return set && node >= 0 && set[node];
}

static bool is_wet(const builder *b, hk_index dof)
{
  return is_of(b, b->problem->is_wet, dof);
}

/* The row of the sampled table for a signal, a start and a role; the last ones are looked through first. */
static hk_status find_signal(builder *b, int signal, double start, hk_role role, hk_index *out)
{
  hk_status status = HK_OK;
  hk_drive *drive = &b->stage->drive;
  const hk_signal *s = signal < 0 ? NULL : &b->problem->model->signal[signal];
  for (int i = drive->signal_count - 1; i >= 0 && i >= drive->signal_count - 64; i--) {
    const hk_drive_signal *d = &drive->signal[i];
    if (d->signal == s && d->start == start && d->role == role) {
      *out = i;
      return HK_OK;
    }
  }
  HK_TRY(hk_reserve(&drive->signal, drive->signal_count + 1, &b->signal_capacity));
  drive->signal[drive->signal_count] = (hk_drive_signal){.signal = s, .start = start, .role = role};
  *out = drive->signal_count++;
cleanup:
  return status;
}

/* The signal's own time begins with the step, or with the model; times of the solver begin with the step. */
static double start_of(const builder *b, bool total_time, double delay)
{
  return (total_time ? -b->start : 0) + delay;
}

static hk_status add_entry(builder *b, hk_index dof, hk_index signal, double coefficient)
{
  hk_status status = HK_OK;
  if (dof < 0 || coefficient == 0) return HK_OK;
  HK_TRY(hk_reserve(&b->entry, b->entries + 1, &b->entry_capacity));
  b->entry[b->entries++] = (hk_force_entry){dof, signal, coefficient};
cleanup:
  return status;
}

static hk_status add_nodal(builder *b, const hk_load *load)
{
  hk_status status = HK_OK;
  hk_index signal;
  for (hk_count i = 0; i < load->target.count; i++) {
    const double delay = load->delay + (load->delays ? load->delays[i] : 0);
    HK_TRY(
        find_signal(b, load->signal, start_of(b, load->total_time, delay), HK_ROLE_FORCE, &signal));
    for (int c = 0; c < b->mesh->dim; c++)
      HK_TRY(add_entry(b, internal_dof(b, load->medium, load->target.item[i], c), signal,
                       load->vector[c]));
  }
cleanup:
  return status;
}

static hk_status add_point(builder *b, const hk_load *load)
{
  hk_status status = HK_OK;
  const hk_rows *rows = &b->stage->points;
  const hk_count point = b->point++;
  hk_index signal;
  HK_TRY(find_signal(b, load->signal, start_of(b, load->total_time, load->delay), HK_ROLE_FORCE,
                     &signal));
  for (hk_count k = rows->begin[point]; k < rows->begin[point + 1]; k++)
    for (int c = 0; c < b->mesh->dim; c++)
      HK_TRY(add_entry(b, internal_dof(b, load->medium, rows->node[k], c), signal,
                       rows->weight[k] * load->vector[c]));
cleanup:
  return status;
}

static hk_status add_distributed(builder *b, const hk_load *load)
{
  hk_status status = HK_OK;
  const hk_model *model = b->problem->model;
  const int dim = b->mesh->dim;
  const hk_load_domain domain = {.mesh = b->mesh,
                                 .region = model->region,
                                 .element_region = model->element_region,
                                 .count = load->target.count,
                                 .element = load->target.item,
                                 .face = load->target.face};
  double *f = NULL;
  hk_index signal;
  for (hk_count i = 0; i < domain.count && model->fluid; i++)
    if (model->region[model->element_region[domain.element[i]]].material.fluid)
      return hk_model_error(
          model, b->list, load->place, HK_BAD_INPUT,
          "this load acts on element %lld, a fluid: only solids bear pressure and traction; fluids "
          "have volume_rate in sources and fix: pressure in boundary",
          (long long)hk_mesh_element_label(b->mesh, domain.element[i]));
  HK_TRY(hk_get(&f, b->mesh->node_count * dim));
  switch (load->kind) {
  case HK_LOAD_PRESSURE: hk_load_pressure(&domain, load->vector[0], f); break;
  case HK_LOAD_TRACTION: hk_load_traction(&domain, load->vector, f); break;
  case HK_LOAD_BODY: hk_load_body(&domain, load->vector, f); break;
  default: hk_load_gravity(&domain, load->vector, f); break;
  }
  HK_TRY(find_signal(b, load->signal, start_of(b, load->total_time, load->delay), HK_ROLE_FORCE,
                     &signal));
  for (hk_count n = 0; n < b->mesh->node_count; n++)
    for (int c = 0; c < dim; c++)
      HK_TRY(add_entry(b, internal_dof(b, HK_SOLID, (hk_index)n, c), signal, f[n * dim + c]));
cleanup:
  hk_free(&f);
  return status;
}

static hk_status add_any_load(builder *b, const hk_load *load)
{
  if (load->kind == HK_LOAD_FORCE) return add_nodal(b, load);
  if (load->kind == HK_LOAD_POINT) return add_point(b, load);
  return add_distributed(b, load);
}

static hk_status add_load(builder *b, const hk_load *load)
{
  const hk_count before = b->entries;
  const bool nodal = load->kind == HK_LOAD_FORCE || load->kind == HK_LOAD_POINT;
  const hk_status status = add_any_load(b, load);
  for (hk_count k = before; status == HK_OK && k < b->entries; k++)
    if (is_wet(b, b->entry[k].dof))
      return hk_model_error(b->problem->model, b->list, load->place, HK_BAD_INPUT,
                            "this source acts on nodes where a fluid wets a solid: place it an "
                            "element away from there");
  if (status != HK_OK || !b->problem->model->fluid || !nodal || b->entries > before) return status;
  return hk_model_error(
      b->problem->model, b->list, load->place, HK_BAD_INPUT,
      load->medium == HK_FLUID
          ? "this source acts on no fluid: volume_rate belongs there, force on solids"
          : "this source acts on no solid: give volume_rate in a fluid");
}

/* A later motion of a dof that is held alone already takes its row over; rows of several dofs must not meet others. */
static hk_status add_motion_row(builder *b, const hk_motion *motion, hk_index count,
                                const hk_index *dof, const double *weight, hk_index signal)
{
  hk_status status = HK_OK;
  hk_drive *d = &b->stage->drive;
  hk_index row = (hk_index)b->motion_rows;
  const bool fixed = count == 1 && motion->value == 0 && motion->kind == HK_MOVE_DISPLACEMENT;
  for (hk_index k = 0; k < count; k++)
    if (!fixed && is_wet(b, dof[k]))
      return hk_model_error(b->problem->model, b->list, motion->place, HK_BAD_INPUT,
                            "this motion acts on nodes where a fluid wets a solid, which can be "
                            "fixed along x, y, z and no more: place it an element away from there");
  for (hk_index k = 0; k < count; k++)
    if (count > 1 && is_of(b, b->problem->in_layer, dof[k]))
      return hk_model_error(b->problem->model, b->list, motion->place, HK_BAD_INPUT,
                            "a motion of several components or nodes holds a node of the perfectly "
                            "matched layer: prescribe single components of nodes there");
  for (hk_index k = 0; k < count; k++) {
    const hk_index before = b->row_of_dof[dof[k] - b->shot_dof];
    if (!before) continue;
    if (count != 1 || d->motion.begin[before] - d->motion.begin[before - 1] != 1)
      return hk_model_error(b->problem->model, b->list, motion->place, HK_BAD_INPUT,
                            "this motion shares nodes with another one: prescribe each node once");
    row = before - 1;
  }
  HK_TRY(hk_reserve(&d->motion_signal, b->motion_rows + 1, &b->motion_signal_capacity));
  hk_count capacity = b->motion_value_capacity;
  HK_TRY(hk_reserve(&d->motion_base, b->motion_rows + 1, &capacity));
  capacity = b->motion_value_capacity;
  HK_TRY(hk_reserve(&d->motion_drift, b->motion_rows + 1, &capacity));
  HK_TRY(hk_reserve(&d->motion_value, b->motion_rows + 1, &b->motion_value_capacity));
  d->motion_signal[row] = motion->value == 0 && motion->kind == HK_MOVE_DISPLACEMENT ? -1 : signal;
  d->motion_value[row] = motion->value;
  if (row < b->motion_rows) {
    d->motion.weight[d->motion.begin[row]] = weight[0];
    return HK_OK;
  }
  HK_TRY(hk_reserve(&d->motion.begin, b->motion_rows + 2, &b->motion_row_capacity));
  capacity = b->motion_entry_capacity;
  HK_TRY(hk_reserve(&d->motion.dof, b->motion_entries + count, &capacity));
  HK_TRY(hk_reserve(&d->motion.weight, b->motion_entries + count, &b->motion_entry_capacity));
  for (hk_index k = 0; k < count; k++) {
    d->motion.dof[b->motion_entries] = dof[k], d->motion.weight[b->motion_entries++] = weight[k];
    b->row_of_dof[dof[k] - b->shot_dof] = row + 1;
  }
  d->motion.begin[++b->motion_rows] = (hk_index)b->motion_entries;
  d->motion.rows = (hk_index)b->motion_rows;
cleanup:
  return status;
}

static hk_role role_of(hk_motion_kind kind)
{
  return kind == HK_MOVE_DISPLACEMENT
             ? HK_ROLE_DISPLACEMENT
             : (kind == HK_MOVE_VELOCITY ? HK_ROLE_VELOCITY : HK_ROLE_ACCELERATION);
}

/* Along a component, or along a direction: one row over the node's components with the direction as weights. */
static hk_index row_of_node(const builder *b, const hk_motion *m, hk_index node, double share,
                            hk_index *dof, double *weight)
{
  hk_index count = 0;
  for (int c = 0; c < b->mesh->dim; c++) {
    const double w = m->component < 0 ? m->direction[c] : (c == m->component);
    if (w == 0 || internal_dof(b, m->medium, node, c) < 0) continue;
    dof[count] = internal_dof(b, m->medium, node, c);
    weight[count++] = share * w;
  }
  return count;
}

static hk_status add_point_motion(builder *b, const hk_motion *m)
{
  hk_status status = HK_OK;
  const hk_rows *rows = &b->stage->points;
  const hk_count point = b->point++;
  hk_index dof[3 * HK_MOST_NODES], count = 0, signal;
  double weight[3 * HK_MOST_NODES];
  HK_TRY(
      find_signal(b, m->signal, start_of(b, m->total_time, m->delay), role_of(m->kind), &signal));
  for (hk_count k = rows->begin[point]; k < rows->begin[point + 1]; k++)
    count += row_of_node(b, m, rows->node[k], rows->weight[k], dof + count, weight + count);
  HK_TRY(add_motion_row(b, m, count, dof, weight, signal));
cleanup:
  return status;
}

/* Of a set of the other medium alone. */
static hk_status refuse_idle_motion(const builder *b, const hk_motion *m)
{
  return hk_model_error(
      b->problem->model, b->list, m->place, HK_BAD_INPUT,
      m->medium == HK_FLUID
          ? "fix: pressure acts on no fluid here: the set has nodes of solids alone"
          : "this condition acts on no solid here: the set has nodes of fluids "
            "alone, whose walls are rigid of themselves");
}

static hk_status add_motion(builder *b, const hk_motion *m)
{
  hk_status status = HK_OK;
  hk_index dof[3], signal;
  double weight[3];
  bool acts = !b->problem->model->fluid || !m->target.count;
  if (m->has_point) return add_point_motion(b, m);
  if (m->component >= b->mesh->dim) return HK_OK;
  for (hk_count i = 0; i < m->target.count; i++) {
    const double delay = m->delay + (m->delays ? m->delays[i] : 0);
    const hk_index count = row_of_node(b, m, m->target.item[i], 1, dof, weight);
    if (!count) continue;
    acts = true;
    HK_TRY(find_signal(b, m->signal, start_of(b, m->total_time, delay), role_of(m->kind), &signal));
    HK_TRY(add_motion_row(b, m, count, dof, weight, signal));
  }
  if (!acts) return refuse_idle_motion(b, m);
cleanup:
  return status;
}

/* Energy of one step of the full drive: 1/2 m d^2 / dt^2 with d = dt^2 F / m, or with the prescribed displacement. */
static hk_status measure_drive(const hk_problem *problem, hk_stage *stage)
{
  const hk_drive *d = &stage->drive;
  const double dt = stage->dt, *mass = problem->mass;
  const int components = problem->space->components;
  const hk_index dofs = problem->space->padded * components;
  hk_free(&stage->reference_energy);
  const hk_status status = hk_get(&stage->reference_energy, stage->shots);
  if (status != HK_OK) return status;
  for (hk_index r = 0; r < d->force.rows; r++) {
    double sum = 0;
    for (hk_index k = d->force.begin[r]; k < d->force.begin[r + 1]; k++)
      sum += fabs(d->force.coefficient[k]);
    const hk_index dof = d->force.dof[r];
    stage->reference_energy[dof / dofs] +=
        0.5 * sum * sum * dt * dt / mass[dof % dofs / components];
  }
  for (hk_index r = 0; r < d->motion.rows; r++) {
    const hk_index dof = d->motion.dof[d->motion.begin[r]];
    if (d->motion_signal[r] < 0) continue;
    const double scale[] = {
        [HK_ROLE_DISPLACEMENT] = 0.01, [HK_ROLE_VELOCITY] = dt, [HK_ROLE_ACCELERATION] = dt * dt};
    const double u = d->motion_value[r] * scale[d->signal[d->motion_signal[r]].role];
    stage->reference_energy[dof / dofs] += 0.5 * mass[dof % dofs / components] * u * u / (dt * dt);
  }
  return HK_OK;
}

static hk_status add_motions(builder *b, int count, const hk_motion *motion)
{
  hk_status status = HK_OK;
  for (int m = 0; m < count; m++) HK_TRY(add_motion(b, &motion[m]));
cleanup:
  return status;
}

static hk_status add_loads(builder *b, int count, const hk_load *load)
{
  hk_status status = HK_OK;
  for (int l = 0; l < count; l++) HK_TRY(add_load(b, &load[l]));
cleanup:
  return status;
}

/* Shot k of the drive: what acts in every shot, and its own. */
static hk_status build_shot(builder *b, int k)
{
  hk_status status = HK_OK;
  const hk_stage *stage = b->stage;
  const hk_space *space = b->problem->space;
  const hk_shot none = {0};
  const hk_shot *own = b->step->shot_count ? &b->step->shot[stage->first_shot + k] : &none;
  const hk_sparse *m = &stage->drive.motion;
  const hk_index first = m->rows;
  b->shot_dof = k * space->padded * space->components;
  b->point = 0;
  HK_TRY(add_motions(b, b->step->motion_count, b->step->motion));
  if (k == 0) b->stage->common_rows = m->rows;
  const hk_count common = b->point;
  b->point = stage->first_point[b->step->shot_count ? stage->first_shot + k : 0];
  HK_TRY(add_motions(b, own->motion_count, own->motion));
  const hk_count mine = b->point;
  b->point = common;
  HK_TRY(add_loads(b, b->step->load_count, b->step->load));
  b->point = mine;
  HK_TRY(add_loads(b, own->load_count, own->load));
  for (hk_index p = m->begin[first]; p < m->begin[m->rows]; p++)
    b->row_of_dof[m->dof[p] - b->shot_dof] = 0;
cleanup:
  return status;
}

static bool any_motion(const builder *b)
{
  const hk_stage *stage = b->stage;
  bool any = b->step->motion_count > 0;
  for (int k = 0; k < stage->shots && b->step->shot_count; k++)
    any = any || b->step->shot[stage->first_shot + k].motion_count > 0;
  return any;
}

static hk_status build_drive(builder *b)
{
  hk_status status = HK_OK;
  hk_drive *d = &b->stage->drive;
  if (any_motion(b))
    HK_TRY(hk_get(&b->row_of_dof,
                  (hk_count)b->problem->space->padded * b->problem->space->components));
  HK_TRY(hk_reserve(&d->motion.begin, 1, &b->motion_row_capacity));
  for (int k = 0; k < b->stage->shots; k++) HK_TRY(build_shot(b, k));
  HK_TRY(hk_reserve(&b->entry, 1, &b->entry_capacity));
  HK_TRY(hk_force_rows_build(b->entry, b->entries, &d->motion, &d->force));
cleanup:
  hk_free(&b->entry);
  hk_free(&b->row_of_dof);
  return status;
}

hk_status hk_stage_take(hk_problem *problem, hk_count first, int shots, hk_messages *list,
                        hk_stage *s)
{
  hk_status status = HK_OK;
  builder b = {.problem = problem,
               .mesh = problem->model->mesh,
               .step = s->step,
               .list = list,
               .start = s->start,
               .stage = s};
  hk_drive_clear(&s->drive);
  s->first_shot = first, s->shots = shots;
  for (int w = 0; w < s->watch_count; w++) s->watched[w].written = 0;
  HK_TRY(build_drive(&b));
  if (s->dt > 0) HK_TRY(measure_drive(problem, s));
cleanup:
  return status;
}

static hk_count nearest_step(const hk_stage *s, double time)
{
  const double n = floor(time / s->dt + 0.5);
  return n >= 0 && n <= (double)s->steps ? (hk_count)n : -1;
}

static void add_frame(hk_stage *s, hk_count n)
{
  if (n >= 0 && (!s->frame_count || n > s->frame[s->frame_count - 1]))
    s->frame[s->frame_count++] = n;
}

/* Steps at which frames are written: those nearest to the times asked for; or t = 0 (but for a step
 * that goes on where the frames of another one ended), then equally spaced, the last step always. */
static hk_status plan_frames(hk_stage *s, bool goes_on, double most)
{
  hk_status status = HK_OK;
  const hk_field_request *f = &s->step->field;
  double count =
      f->interval > 0 ? ceil(s->step->duration / f->interval * (1 - 1e-9)) : (double)f->frames;
  if (!f->quantities) return HK_OK;
  count = fmin(fmax(f->time_count ? (double)f->time_count : count, 1),
               f->time_count ? INFINITY : (double)s->steps);
  HK_CHECK(count < most, HK_BAD_INPUT, "%.0f field frames are too many: ask for fewer", count);
  HK_TRY(hk_get(&s->frame, (hk_count)count + 1));
  for (hk_count k = 0; k < f->time_count; k++) add_frame(s, nearest_step(s, f->times[k]));
  if (f->time_count) return HK_OK;
  for (double k = goes_on; k < count; k++)
    add_frame(s, f->interval > 0 ? nearest_step(s, k * f->interval)
                                 : (hk_count)floor(k * (double)s->steps / count + 0.5));
  add_frame(s, s->steps);
cleanup:
  return status;
}

/* Frames at given times, or at an interval, lie at the nearest steps: told where that is not where they were asked for. */
static void tell_of_frames(const hk_units *units, const hk_stage *s, bool goes_on,
                           hk_messages *list)
{
  const hk_field_request *f = &s->step->field;
  const bool times = f->time_count > 0, asked = f->quantities && (times || f->interval > 0);
  const double end = (double)s->steps * s->dt,
               count = times ? (double)f->time_count : floor(end / f->interval * (1 + 1e-9)) + 1;
  double farthest = 0;
  hk_count shared = 0, before = -1;
  for (double k = times ? 0 : goes_on; asked && k < count; k++) {
    const double time = times ? f->times[(hk_count)k] : k * f->interval;
    const hk_count n = nearest_step(s, time);
    if (n < 0) continue;
    farthest = fmax(farthest, fabs(time - (double)n * s->dt));
    shared += n == before;
    before = n;
  }
  hk_unit_words unit;
  char also[80] = "";
  if (shared)
    snprintf(also, sizeof also, "; %lld share a step with another one", (long long)shared);
  hk_unit_words_of(units, &unit);
  if (farthest > 1e-6 * s->dt)
    hk_messages_add(list, HK_NOTE, s->step->place.file, s->step->place.line, 0,
                    "frames lie up to %.3g%s from the times asked for, at the nearest time steps "
                    "(%.6g%s apart)%s",
                    farthest, unit.time, s->dt, unit.time, also);
}

/* Whether the frames of the step before end where those of step `index` begin. */
static bool frames_go_on(const hk_model *model, int index)
{
  const hk_field_request *before = index ? &model->step[index - 1].field : NULL;
  return before && before->quantities && !before->time_count;
}

/* Steps between samples of the energy. A sample is judged half of them later: a fault is told within 100 steps. */
enum { ENERGY_EVERY = 64, SHORT_RUN = 6400 };

hk_status hk_stage_create(hk_problem *problem, int index, double start, double before,
                          hk_messages *list, hk_stage *out)
{
  hk_status status = HK_OK;
  hk_stage s = {.step = &problem->model->step[index], .start = start};
  hk_sparse held; /* in every shot: one time step serves them all */

  HK_TRY(hk_stage_check_layer(problem, index, list));
  HK_TRY(hk_stage_find_points(problem, list, &s));
  HK_TRY(hk_stage_take(problem, 0, 1, list, &s));
  held = s.drive.motion, held.rows = s.common_rows;
  HK_TRY(hk_choose_dt(problem, s.step, &held, before, list, &s.dt, &s.steps));
  HK_TRY(measure_drive(problem, &s));
  hk_stage_warn_rounding(problem, list, &s);
  hk_dispersion_decide(problem, list, &s);
  s.sampled = s.steps + (s.kept ? 0 : hk_restore_beyond(s.steps));
  s.all_steps = s.sampled + !s.kept;
  HK_TRY(hk_stage_watch_traces(problem, list, &s));
  HK_TRY(plan_frames(&s, frames_go_on(problem->model, index), 1e6));
  tell_of_frames(&problem->model->units, &s, frames_go_on(problem->model, index), list);
  s.energy_every = s.steps < SHORT_RUN ? ENERGY_EVERY / 2 : ENERGY_EVERY;
  s.energy_samples = (s.steps + s.energy_every - 1) / s.energy_every;
  *out = s, s = (hk_stage){0};
cleanup:
  hk_stage_clear(&s);
  return status;
}

void hk_stage_clear(hk_stage *s)
{
  hk_drive_clear(&s->drive);
  hk_sparse_clear(&s->receivers);
  hk_free(&s->of_rate);
  hk_free(&s->watch);
  hk_free(&s->watched);
  hk_free(&s->frame);
  hk_free(&s->reference_energy);
  hk_free(&s->first_point);
  hk_rows_clear(&s->points);
}
