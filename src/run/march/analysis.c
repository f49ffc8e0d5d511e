/* The explicit analysis: the run advances from event to event, where an event is an energy sample,
 * a frame, a ring of samples that is half full, the end of a stage, or the next tenth of a second.
 * Then it writes what is due. After the last step of a stage the next stage begins, after the last
 * stage the next batch of shots. A result that is zero although the model is loaded is an error. */
#include "run/march/lanes.h"
#include "operator/times.h"
#include <stdio.h>

static hk_count least(hk_count a, hk_count b)
{
  return a < b ? a : b;
}

/* Steps after which a sample of the energies that is on its way is waited for: the device has others to do meanwhile, and at
 * the next sample a run that went wrong ends. */
static hk_count patience(const hk_stage *stage)
{
  return stage->energies.every - 1;
}

/* Where to stop next: an energy sample, one that is due, a frame, a full ring, the end, the last step, or a tenth of a second from now. */
static hk_count next_event(const hk_march *s, hk_count n)
{
  const hk_stage *stage = &s->stage[s->current];
  const bool beyond = n >= stage->steps;
  hk_count to = beyond
                    ? stage->all_steps
                    : least(stage->steps, (n / stage->energies.every + 1) * stage->energies.every);
  if (s->energy.coming) to = least(to, s->energy.step + patience(stage));
  if (s->frame < stage->frames.count && stage->frames.step[s->frame] > n)
    to = least(to, stage->frames.step[s->frame]);
  for (int w = 0; w < stage->group_count; w++)
    to = least(to, n + stage->receiver_group[w].every * (hk_team_room(s->solver, w) / 2 - 2));
  const double chunk = s->steps.seconds > 0 ? 0.1 / s->steps.seconds : 1;
  if (chunk < 1e9) to = least(to, n + (hk_count)chunk + 1);
  return to > n ? to : n + 1;
}

/* Waits where the frames before are still being written. */
static hk_status begin_frame(hk_march *s)
{
  const hk_stage *stage = &s->stage[s->current];
  const int before = hk_clock_begin("frames");
  HK_PASS(hk_snapshots_begin(s, stage->frames.first + s->frame++, stage->dt));
  hk_clock_end(before);
  return HK_OK;
}

static hk_status step(hk_march *s)
{
  const hk_stage *stage = &s->stage[s->current];
  const hk_count n = hk_team_step(s->solver);
  const double before = hk_seconds();

  if (s->frame < stage->frames.count && stage->frames.step[s->frame] == n) HK_PASS(begin_frame(s));
  if (n % stage->energies.every == 0 && n < stage->steps) {
    HK_PASS(hk_march_energy_end(s));
    HK_PASS(hk_march_energy_begin(s, n / stage->energies.every));
  } else {
    HK_PASS(hk_team_advance(s->solver, hk_snapshots_pending(s) ? n + 1 : next_event(s, n)));
    s->steps.seconds = (hk_seconds() - before) / (double)(hk_team_step(s->solver) - n);
  }
  if (hk_snapshots_pending(s)) HK_PASS(hk_snapshots_complete(s, false));
  HK_PASS(hk_march_peaks_write(s, n));
  if (hk_team_step(s->solver) >= s->energy.step + patience(stage)) HK_PASS(hk_march_energy_end(s));
  pthread_mutex_lock(&s->queue->lock);
  s->steps.done += hk_team_step(s->solver) - n;
  s->steps.updates += (double)(hk_team_step(s->solver) - n) * s->shots.batch;
  pthread_mutex_unlock(&s->queue->lock);
  return HK_OK;
}

static bool checkpoint_due(const hk_march *s)
{
  const hk_run_desc *d = s->session->desc;
  if (d->keep_checkpoint && s->solver && hk_team_step(s->solver) > s->stage[s->current].steps)
    return false;
  if (d->checkpoint_steps > 0) return s->steps.done - s->checkpoint.step >= d->checkpoint_steps;
  return hk_seconds() - s->checkpoint.time >
         (d->checkpoint_seconds > 0 ? d->checkpoint_seconds : 60);
}

/* The state at the end is kept, for a later end. */
static bool ends(const hk_march *s)
{
  return s->session->desc->keep_checkpoint && s->solver && s->current == s->stage_count - 1 &&
         s->shots.first + s->shots.batch >= s->shots.all &&
         hk_team_step(s->solver) == s->stage[s->current].steps;
}

/* Moves samples to the files. */
static hk_status drain(hk_march *s)
{
  const int before = hk_clock_begin("traces");
  const bool ended = hk_team_step(s->solver) >= s->stage[s->current].all_steps;
  const hk_status status = hk_march_drain(s, ended);
  hk_clock_end(before);
  return status;
}

static hk_status finish_stage(hk_march *s)
{
  hk_stage *stage = &s->stage[s->current];
  HK_PASS(hk_march_energy_end(s));
  if (s->frame < stage->frames.count) {
    HK_PASS(begin_frame(s));
    HK_PASS(hk_snapshots_complete(s, true));
  }
  if (stage->all_steps == stage->sampled) HK_PASS(hk_team_finish(s->solver));
  HK_PASS(drain(s));
  return hk_march_judge_end(s);
}

/* Some signal acts before the first stage ends: one that has not begun by then is the model's own affair. */
static bool loaded(const hk_march *s)
{
  const hk_stage *stage = &s->stage[0];
  for (int i = 0; i < s->model->signal.count; i++)
    for (int k = 0; k <= 1000; k++)
      if (hk_signal_acts(&s->model->signal.at[i], stage->dt * (double)stage->steps * k / 1000))
        return true;
  return false;
}

static void warn_of_rest(const hk_march *s, int k)
{
  const bool one = s->shots.all == 1;
  char shot[48] = "";
  if (!one) snprintf(shot, sizeof shot, " of shot %lld", (long long)(s->shots.first + k + 1));
  pthread_mutex_lock(&s->queue->lock);
  hk_messages_add(s->list, HK_WARNING, s->model->path, 0, 0, "the result%s is zero: %s", shot,
                  loaded(s) ? "the loads are 0, or act only on held degrees of freedom"
                            : "nothing drives the model");
  pthread_mutex_unlock(&s->queue->lock);
}

/* A result that is zero everywhere although something drives the model is no result; where that acts on what is held alone, or nothing
 * does, it is warned of. Energies are sampled too seldom to tell by themselves. */
static hk_status check_zero(const hk_march *s, int k)
{
  hk_status status = HK_OK;
  const hk_count dofs = hk_discretisation_dofs(&s->problem->on); /* padding is zero */
  double excitation = 0, *u = NULL;
  hk_count zeros = 0;
  for (int i = 0; i < s->stage_count; i++) excitation += s->stage[i].energies.reference[k];
  if (s->energy.balance[k].largest > 0 || s->steps.before > 0 || (excitation > 0 && !loaded(s)))
    return HK_OK;
  HK_TRY(hk_get(&u, dofs));
  HK_TRY(hk_team_read(s->solver, k, HK_STATE_DISPLACEMENT, u));
  while (zeros < dofs && u[zeros] == 0) zeros++;
  HK_CHECK(zeros < dofs || excitation == 0, HK_INTERNAL,
           "the result is zero everywhere although the model is loaded");
  if (zeros == dofs) warn_of_rest(s, k);
cleanup:
  hk_free(&u);
  return status;
}

hk_status hk_march_next_batch(hk_march *s)
{
  s->over = !hk_queue_take(s);
  if (s->over) return HK_OK;
  hk_team_destroy(&s->solver);
  s->checkpoint.resumes = hk_queue_batch(s)->state != NULL;
  s->current = s->checkpoint.resumes ? (int)s->checkpoint.head.stage : 0;
  for (int k = 0; k < s->shots.batch; k++) s->energy.balance[k] = (hk_balance){0};
  if (s->files.layouts.run.shots)
    HK_PASS(hk_stage_take(s->problem, s->shots.first, s->shots.batch, &s->stage[0]));
  HK_PASS(hk_snapshots_roll(s));
  return hk_march_begin_stage(s);
}

static hk_times_of times_of(const hk_march *s)
{
  const hk_problem *p = s->problem;
  return (hk_times_of){.op = p->on.op,
                       .damped = p->damping != NULL,
                       .layered = p->pml.stretch != NULL,
                       .shots = s->shots.at_once};
}

/* The steps end: their seconds are kept, where there were enough, and what follows is output. */
static void keep_times(hk_march *s)
{
  enum { ENOUGH = 20 };
  const hk_times_of of = times_of(s);
  const double steps = (double)(s->steps.done - s->steps.before);
  hk_clock_begin_top("output");
  if (steps >= ENOUGH && of.op && !s->queue->lanes)
    hk_times_keep(&of, hk_clock_named(&s->session->clock, "solve") / steps);
}

/* After the last step of a stage: the stage that follows it, or the shots that follow these. */
static hk_status turn_over(hk_march *s)
{
  HK_PASS(finish_stage(s));
  s->steps.seconds = 0;
  if (s->current + 1 < s->stage_count) {
    s->current++;
    return hk_march_begin_stage(s);
  }
  for (int k = 0; k < s->shots.batch; k++) HK_PASS(check_zero(s, k));
  HK_PASS(hk_snapshots_wait(s)); /* a checkpoint of other shots tells that these have ended */
  hk_queue_end(s);
  return hk_march_next_batch(s);
}

/* The last stage may go on from a checkpoint, whose time step it keeps. */
static hk_status create_stages(hk_march *s)
{
  const hk_checkpoint *before = s->checkpoint.resumes ? &s->checkpoint.head : NULL;
  double start = 0;
  HK_PASS(hk_pool_get(&s->pool, &s->stage, s->model->step_count));
  for (int i = 0; i < s->model->step_count; i++) {
    const bool goes_on = before && before->stage == i && i == s->model->step_count - 1;
    HK_PASS(hk_stage_create(s->problem, i, start, goes_on ? before->dt : 0, &s->stage[i]));
    s->stage_count++;
    start += (double)s->stage[i].steps * s->stage[i].dt;
    s->steps.all += s->stage[i].all_steps;
  }
  return hk_layouts_create(s->problem, s->stage, s->stage_count, &s->files.layouts);
}

/* Warns where the mesh is too coarse for the sources; s->band. */
static hk_status check_resolution(hk_march *s)
{
  hk_status status = HK_OK;
  hk_resolution *resolution = NULL;
  hk_march_band *b = &s->band;
  HK_TRY(hk_get(&resolution, s->model->region_count));
  HK_TRY(hk_resolution_measure(s->model, s->list, &b->highest, resolution));
  for (int i = 0; i < hk_model_named_regions(s->model); i++) {
    const hk_resolution *r = &resolution[i];
    if (!(r->points > 0) || (b->points > 0 && b->points <= r->points)) continue;
    b->points = r->points, b->least = r->least;
  }
cleanup:
  hk_free(&resolution);
  return status;
}

/* Files of frames and traces, and the solver with what it holds of the device; the first failure. */
static hk_status close_all(hk_march *s)
{
  const hk_status lanes = hk_lanes_end(s), snapshots = hk_snapshots_close(s);
  const hk_status file = s->files.run ? hk_run_file_close(&s->files.run) : HK_OK;
  const hk_status computed = s->files.computed ? hk_run_file_close(&s->files.computed) : HK_OK;
  const hk_status peak = s->files.peak ? hk_field_file_close(&s->files.peak) : HK_OK;
  hk_team_destroy(&s->solver);
  if (lanes != HK_OK) return lanes;
  if (peak != HK_OK) return peak;
  return snapshots != HK_OK ? snapshots : file != HK_OK ? file : computed;
}

static void destroy(void **run)
{
  hk_march *s = *run;
  if (!s) return;
  close_all(s);
  if (s->queue) hk_lanes_destroy(&s->queue->lanes);
  hk_queue_destroy(s);
  for (int i = 0; i < s->stage_count; i++) hk_stage_clear(&s->stage[i]);
  hk_pool_clear(&s->files.layouts.pool);
  hk_problem_destroy(&s->problem);
  hk_free(&s->checkpoint.state);
  hk_pool_clear(&s->pool);
  hk_memory_free(run);
}

static hk_status prepare(hk_session *session, void **run)
{
  hk_march *s = NULL;
  HK_PASS(hk_new(&s));
  *run = s;
  s->session = session, s->model = session->model, s->list = session->list;
  HK_PASS(hk_problem_prepare(s->model, session->desc, s->list, &s->problem));
  return HK_OK;
}

static const hk_discretisation *on_of(const void *run)
{
  const hk_march *s = run;
  return &s->problem->on;
}

static void mark(const hk_space *space, hk_count entries, const hk_index *dof, bool *acted)
{
  for (hk_count k = 0; k < entries; k++) acted[dof[k] / space->components % space->padded] = true;
}

static void mark_rows(const hk_space *space, const hk_sparse *rows, bool *acted)
{
  if (rows->rows) mark(space, rows->begin[rows->rows], rows->dof, acted);
}

/* A part of the model owns all nodes that a motion of any stage, or one of every shot, holds together. */
static hk_status divide(hk_march *s)
{
  hk_status status = HK_OK;
  const hk_sparse **held = NULL;
  hk_excitation *common = NULL;
  bool *acted = NULL;
  const hk_space *space = s->problem->on.space;
  HK_TRY(hk_get(&held, 2 * s->stage_count));
  HK_TRY(hk_get(&acted, space->padded));
  HK_TRY(hk_get(&common, s->stage_count));
  for (int i = 0; i < s->stage_count; i++) {
    HK_TRY(hk_stage_hold_common(s->problem, &s->stage[i], &common[i]));
    held[2 * i] = &s->stage[i].excitation.motion, held[2 * i + 1] = &common[i].motion;
    mark(space, s->stage[i].excitation.force.rows, s->stage[i].excitation.force.dof, acted);
    for (int k = 0; k < 2; k++) mark_rows(space, held[2 * i + k], acted);
    mark_rows(space, &s->stage[i].receivers, acted);
  }
  HK_TRY(hk_problem_divide(s->problem, 2 * s->stage_count, held, acted));
cleanup:
  for (int i = 0; common && i < s->stage_count; i++) hk_excitation_clear(&common[i]);
  hk_free(&common);
  hk_free(&held);
  hk_free(&acted);
  return status;
}

static hk_status assemble(void *run)
{
  hk_march *s = run;
  const bool several = s->problem->several.parts > 1 && !s->problem->several.queued;
  if (!several) HK_PASS(hk_problem_assemble(s->problem));
  const int before = hk_clock_begin("resolution");
  HK_PASS(check_resolution(s));
  HK_PASS(hk_march_find(s));
  hk_clock_next("sources and receivers");
  HK_PASS(create_stages(s));
  if (several) HK_PASS(divide(s));
  s->shots.all = s->files.layouts.run.shots ? s->files.layouts.run.shots : 1;
  s->shots.at_once = hk_batch_choose(s->problem, s->stage, s->stage_count,
                                     hk_device_available(s->problem->on.device));
  hk_clock_next("key of checkpoints");
  HK_PASS(hk_march_key(s, s->checkpoint.key));
  HK_PASS(hk_queue_create(s));
  if (s->problem->several.queued) HK_PASS(hk_lanes_create(s, &s->queue->lanes));
  hk_clock_end(before);
  return hk_ranks_now() ? hk_march_compare_keys(s) : HK_OK;
}

static void foretell(hk_march *s)
{
  const hk_times_of of = times_of(s);
  const int lanes = s->queue->lanes ? hk_lanes_count(s->queue->lanes) : 1;
  const double steps = (double)(s->steps.all - s->steps.before) / lanes;
  if (of.op) s->steps.foretold = hk_times_kept(&of) * steps;
}

static hk_status begin(void *run)
{
  hk_march *s = run;
  const double *e = s->checkpoint.head.energy;
  foretell(s);
  s->steps.began = s->checkpoint.time = s->session->last_progress = hk_seconds();
  HK_PASS(hk_march_unrestore(s));
  if (s->checkpoint.resumes) {
    s->energy.ended =
        (hk_balance){.energy = {.kinetic = e[0], .strain = e[1], .work = e[2], .damping = e[3]},
                     .balance = e[4]};
    hk_march_judge_ended(s, e[4]);
  }
  s->shots.batch = s->shots.at_once;
  return s->queue->lanes ? hk_lanes_start(s) : hk_march_next_batch(s);
}

hk_status hk_march_forward(hk_march *s)
{
  HK_PASS(hk_team_step(s->solver) < s->stage[s->current].all_steps ? step(s) : turn_over(s));
  return s->over ? HK_OK : drain(s);
}

static hk_status advance(void *run)
{
  hk_march *s = run;
  HK_PASS(s->queue->lanes ? hk_lanes_wait(s) : hk_march_forward(s));
  if (s->over) keep_times(s);
  return HK_OK;
}

static hk_status write(void *run, bool *more)
{
  hk_march *s = run;
  const bool due =
      s->over ? s->queue->lanes && s->session->desc->keep_checkpoint : ends(s) || checkpoint_due(s);
  *more = !s->over;
  hk_march_progress(s, s->over);
  if (due) HK_PASS(hk_march_checkpoint_write(s));
  return s->over ? hk_march_restore(s) : HK_OK;
}

static hk_status stop(void *run)
{
  hk_march *s = run;
  const hk_status status = hk_march_checkpoint_write(s);
  if (status != HK_OK) return status;
  return hk_error_set(
      HK_STOPPED, "stopped at step %lld of %lld; a checkpoint was written: continue with --restart",
      (long long)s->steps.done, (long long)s->steps.all);
}

static hk_status close_files(void *run)
{
  hk_march *s = run;
  if (!s->over) keep_times(s);
  return close_all(s);
}

const hk_analysis hk_analysis_explicit = {.name = "explicit",
                                          .kind = HK_STEP_EXPLICIT,
                                          .in_time = true,
                                          .system = &hk_system_explicit,
                                          .prepare = prepare,
                                          .on = on_of,
                                          .assemble = assemble,
                                          .open = hk_march_open,
                                          .begin = begin,
                                          .advance = advance,
                                          .write = write,
                                          .stop = stop,
                                          .close = close_files,
                                          .summary = hk_march_summary,
                                          .serve = hk_march_serve,
                                          .destroy = destroy,
                                          .check = hk_march_check,
                                          .ahead = hk_march_ahead};
