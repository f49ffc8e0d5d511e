/* The loop of an explicit run: advance to the next event, take what is due, write it, look after signals. */
#include "run/static/static.h"
#include <hooke/result.h>
#include "run/explicit/batch.h"
#include "run/explicit/dt.h"
#include "run/estimate/resolution.h"
#include "base/text_file.h"
#include "result/written.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin_stage(const hk_run_desc *desc, const char *stage)
{
  const hk_progress p = {.stage = stage, .seconds_left = -1};
  if (desc->progress) desc->progress(&p, desc->user);
}

static hk_count least(hk_count a, hk_count b)
{
  return a < b ? a : b;
}

/* Steps after which a sample of the energies that is on its way is waited for: the device has others to do meanwhile, and less
 * than the next sample away a run that went wrong ends. */
static hk_count patience(const hk_stage *stage)
{
  return stage->energy_every / 2;
}

/* Where to stop next: an energy sample, one that is due, a frame, a full ring, the end, the last step, or a tenth of a second from now. */
static hk_count next_event(const hk_session *s, hk_count n, double seconds_per_step)
{
  const hk_stage *stage = &s->stage[s->current];
  const bool beyond = n >= stage->steps;
  hk_count to = beyond ? stage->all_steps
                       : least(stage->steps, (n / stage->energy_every + 1) * stage->energy_every);
  if (s->energy_coming) to = least(to, s->energy_step + patience(stage));
  if (s->frame < stage->frame_count && stage->frame[s->frame] > n)
    to = least(to, stage->frame[s->frame]);
  for (int w = 0; w < stage->group_count; w++)
    to = least(to, n + stage->receiver_group[w].every * (hk_explicit_room(s->solver, w) / 2 - 2));
  const double chunk = seconds_per_step > 0 ? 0.1 / seconds_per_step : 1;
  if (chunk < 1e9) to = least(to, n + (hk_count)chunk + 1);
  return to > n ? to : n + 1;
}

static hk_status advance(hk_session *s, double *seconds_per_step)
{
  hk_status status = HK_OK;
  hk_stage *stage = &s->stage[s->current];
  const hk_count n = hk_explicit_step(s->solver);
  const double before = hk_seconds();

  if (s->frame < stage->frame_count && stage->frame[s->frame] == n)
    HK_TRY(hk_snapshots_begin(s, stage->first_frame + s->frame++, stage->dt));
  if (n % stage->energy_every == 0 && n < stage->steps) {
    HK_TRY(hk_session_energy_end(s));
    HK_TRY(hk_session_energy_begin(s, n / stage->energy_every));
  } else {
    HK_TRY(hk_explicit_advance(
        s->solver, hk_snapshots_pending(s) ? n + 1 : next_event(s, n, *seconds_per_step)));
    *seconds_per_step = (hk_seconds() - before) / (double)(hk_explicit_step(s->solver) - n);
  }
  if (hk_snapshots_pending(s)) HK_TRY(hk_snapshots_complete(s, false));
  if (hk_explicit_step(s->solver) >= s->energy_step + patience(stage))
    HK_TRY(hk_session_energy_end(s));
  s->steps_done += hk_explicit_step(s->solver) - n;
  s->updates += (double)(hk_explicit_step(s->solver) - n) * s->batch;
cleanup:
  return status;
}

static bool checkpoint_due(const hk_session *s)
{
  const hk_run_desc *d = s->desc;
  if (d->keep_checkpoint && hk_explicit_step(s->solver) > s->stage[s->current].steps) return false;
  if (d->checkpoint_steps > 0)
    return s->steps_done - s->last_checkpoint_step >= d->checkpoint_steps;
  return hk_seconds() - s->last_checkpoint >
         (d->checkpoint_seconds > 0 ? d->checkpoint_seconds : 60);
}

/* The state at the end is kept, for a later end. */
static bool ends(const hk_session *s)
{
  return s->desc->keep_checkpoint && s->current == s->stage_count - 1 &&
         s->first_shot + s->batch >= s->shots &&
         hk_explicit_step(s->solver) == s->stage[s->current].steps;
}

static hk_status finish_stage(hk_session *s)
{
  hk_status status = HK_OK;
  hk_stage *stage = &s->stage[s->current];
  HK_TRY(hk_session_energy_end(s));
  if (s->frame < stage->frame_count) {
    HK_TRY(hk_snapshots_begin(s, stage->first_frame + s->frame++, stage->dt));
    HK_TRY(hk_snapshots_complete(s, true));
  }
  if (stage->all_steps == stage->sampled) HK_TRY(hk_explicit_finish(s->solver));
  HK_TRY(hk_session_drain(s));
  HK_TRY(hk_session_judge_end(s));
cleanup:
  return status;
}

static hk_status run_stage(hk_session *s)
{
  hk_status status = HK_OK;
  const hk_stage *stage = &s->stage[s->current];
  double seconds_per_step = 0;
  while (hk_explicit_step(s->solver) < stage->all_steps) {
    HK_TRY(advance(s, &seconds_per_step));
    HK_TRY(hk_session_drain(s));
    hk_session_progress(s, false);
    const bool stop = s->desc->stop && s->desc->stop(s->desc->user);
    if (stop || ends(s) || checkpoint_due(s)) HK_TRY(hk_session_checkpoint(s));
    HK_CHECK(!stop, HK_STOPPED,
             "stopped at step %lld of %lld; a checkpoint was written: continue with --restart",
             (long long)s->steps_done, (long long)s->steps_all);
  }
  HK_TRY(finish_stage(s));
cleanup:
  return status;
}

static hk_status run_stages(hk_session *s, const hk_checkpoint *head, bool resume)
{
  hk_status status = HK_OK;
  for (s->current = resume ? (int)head->stage : 0; s->current < s->stage_count; s->current++) {
    s->frame = 0;
    HK_TRY(hk_session_begin_stage(s, resume ? head : NULL));
    resume = false;
    HK_TRY(run_stage(s));
  }
  s->current = s->stage_count - 1;
cleanup:
  return status;
}

/* before: the checkpoint that the last stage goes on from; NULL: none. */
static hk_status create_stages(hk_session *s, const hk_checkpoint *before)
{
  hk_status status = HK_OK;
  double start = 0;
  HK_TRY(hk_get(&s->stage, s->model->step_count));
  for (int i = 0; i < s->model->step_count; i++) {
    const bool goes_on = before && before->stage == i && i == s->model->step_count - 1;
    HK_TRY(hk_stage_create(s->problem, i, start, goes_on ? before->dt : 0, s->list, &s->stage[i]));
    s->stage_count++;
    start += (double)s->stage[i].steps * s->stage[i].dt;
    s->steps_all += s->stage[i].all_steps;
  }
  HK_TRY(hk_layouts_create(s->problem, s->stage, s->stage_count, &s->layouts));
cleanup:
  return status;
}

/* Warns where the mesh is too coarse for the sources. */
static hk_status check_resolution(const hk_session *s)
{
  hk_status status = HK_OK;
  hk_resolution *resolution = NULL;
  double frequency;
  HK_TRY(hk_get(&resolution, s->model->region_count));
  HK_TRY(hk_resolution_measure(s->model, s->list, &frequency, resolution));
cleanup:
  hk_free(&resolution);
  return status;
}

static const char *status_word(hk_status status)
{
  return status == HK_OK ? "ok" : hk_status_name(status);
}

/* Some signal acts before the first stage ends: one that has not begun by then is the model's own affair. */
static bool loaded(const hk_session *s)
{
  const hk_stage *stage = &s->stage[0];
  for (int i = 0; i < s->model->signal_count; i++)
    for (int k = 0; k <= 1000; k++)
      if (hk_signal_acts(&s->model->signal[i], stage->dt * (double)stage->steps * k / 1000))
        return true;
  return false;
}

static void warn_of_rest(const hk_session *s, int k)
{
  const bool one = s->shots == 1;
  char shot[48] = "";
  if (!one) snprintf(shot, sizeof shot, " of shot %lld", (long long)(s->first_shot + k + 1));
  hk_messages_add(s->list, HK_WARNING, s->model->path, 0, 0, "the result%s is zero: %s", shot,
                  loaded(s) ? "the loads act only on held degrees of freedom"
                            : "nothing drives the model");
}

/* A result that is zero everywhere although something drives the model is no result; where that acts on what is held alone, or nothing
 * does, it is warned of. Energies are sampled too seldom to tell by themselves. */
static hk_status check_zero(const hk_session *s, int k)
{
  hk_status status = HK_OK;
  const hk_space *space = s->problem->space;
  const hk_count dofs = (hk_count)space->padded * space->components; /* padding is zero */
  double excitation = 0, *u = NULL;
  hk_count zeros = 0;
  for (int i = 0; i < s->stage_count; i++) excitation += s->stage[i].reference_energy[k];
  if (s->balance[k].largest > 0 || s->steps_before > 0 || (excitation > 0 && !loaded(s)))
    return HK_OK;
  HK_TRY(hk_get(&u, dofs));
  HK_TRY(hk_explicit_read(s->solver, k, HK_STATE_DISPLACEMENT, u));
  while (zeros < dofs && u[zeros] == 0) zeros++;
  HK_CHECK(zeros < dofs || excitation == 0, HK_INTERNAL,
           "the result is zero everywhere although the model is loaded");
  if (zeros == dofs) warn_of_rest(s, k);
cleanup:
  hk_free(&u);
  return status;
}

/* The shots from first_shot on: at most at_once of them, all in the same steps. */
static hk_status run_batch(hk_session *s, const hk_checkpoint *head, bool resume)
{
  hk_status status = HK_OK;
  s->batch = (int)least(s->at_once, s->shots - s->first_shot);
  for (int k = 0; k < s->batch; k++) s->balance[k] = (hk_balance){0};
  if (s->layouts.run.shots)
    HK_TRY(hk_stage_take(s->problem, s->first_shot, s->batch, s->list, &s->stage[0]));
  HK_TRY(hk_snapshots_roll(s));
  HK_TRY(run_stages(s, head, resume));
  for (int k = 0; k < s->batch; k++) HK_TRY(check_zero(s, k));
cleanup:
  return status;
}

static hk_status run_batches(hk_session *s, const hk_checkpoint *head, bool resume)
{
  hk_status status = HK_OK;
  if (resume) {
    const double *e = head->energy;
    s->first_shot = head->first_shot;
    s->ended =
        (hk_balance){.energy = {.kinetic = e[0], .strain = e[1], .work = e[2], .damping = e[3]},
                     .balance = e[4]};
    hk_session_judge_ended(s);
  }
  HK_TRY(run_batch(s, head, resume));
  while (s->first_shot + s->batch < s->shots) {
    s->ended = hk_session_balance(s);
    s->first_shot += s->batch;
    hk_explicit_destroy(&s->solver);
    HK_TRY(run_batch(s, head, false));
  }
  hk_session_progress(s, true);
cleanup:
  return status;
}

static hk_status close_files(hk_session *s)
{
  const hk_status snapshots = hk_snapshots_close(s);
  const hk_status file = s->file ? hk_run_file_close(&s->file) : HK_OK;
  const hk_status computed = s->computed ? hk_run_file_close(&s->computed) : HK_OK;
  return snapshots != HK_OK ? snapshots : file != HK_OK ? file : computed;
}

/* run.json; *json is what it says, or should say where it cannot be written. */
static hk_status write_summary(hk_session *s, char **json)
{
  hk_status status = HK_OK;
  char *text = NULL, *path = hk_session_path(s, "run.json");
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(hk_session_summary(s, &text));
  HK_TRY(hk_written_claim(path));
  status = hk_write_text_file(path, text);
  if (json) hk_free(json), *json = text, text = NULL;
cleanup:
  hk_free(&text);
  hk_free(&path);
  return status;
}

/* A run that ends badly does not leave a run.json that says ok. */
static hk_status take_back(hk_session *s, hk_status status, char **json)
{
  char words[1024], *path = hk_session_path(s, "run.json");
  snprintf(words, sizeof words, "%s", hk_error());
  s->status = status_word(status);
  if (write_summary(s, json) != HK_OK && path && hk_written_check(path) == HK_OK) remove(path);
  hk_free(&path);
  return hk_error_set(status, "%s", words);
}

/* Pictures, then run.json (the report shows it), then the report, then the time that it took. */
static hk_status write_results(hk_session *s, char **json)
{
  hk_status status = HK_OK;
  const bool pictures = !s->desc->no_pictures;
  const double start = hk_seconds();
  begin_stage(s->desc, "output");
  if (pictures) HK_TRY(hk_pictures_write(s->desc->output, NULL, 0));
  const double drawn = hk_seconds();
  s->seconds_output += drawn - start;
  s->status = status_word(s->off[0] ? HK_UNSTABLE : HK_OK);
  HK_TRY(write_summary(s, json));
  if (pictures) {
    HK_TRY(hk_report_write(s->desc->output, NULL));
    s->seconds_output += hk_seconds() - drawn;
    HK_TRY(write_summary(s, json));
  }
cleanup:
  return status == HK_OK ? HK_OK : take_back(s, status, json);
}

/* A finished run needs no checkpoint, nor what belongs to it, unless it is to go on some day. */
static void remove_checkpoints(const hk_session *s)
{
  if (s->desc->keep_checkpoint) return;
  const char *const name[] = {"checkpoint.h5", "checkpoint.h5.old", "computed.h5"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    char *path = hk_session_path(s, name[i]);
    if (path && hk_written_check(path) == HK_OK) remove(path);
    hk_free(&path);
  }
}

static void clear(hk_session *s)
{
  hk_snapshots_clear(s);
  if (s->file) hk_run_file_close(&s->file);
  if (s->computed) hk_run_file_close(&s->computed);
  hk_explicit_destroy(&s->solver);
  for (int i = 0; i < s->stage_count; i++) hk_stage_clear(&s->stage[i]);
  hk_free(&s->stage);
  hk_layouts_clear(&s->layouts);
  hk_problem_destroy(&s->problem);
  hk_free(&s->state);
  hk_free(&s->traces);
  hk_free(&s->balance);
  hk_free(&s->energy);
}

/* After the folder is open: the run itself, and what is written whatever its end. The first failure counts. */
static hk_status run_opened(hk_session *s, bool resume, const hk_checkpoint *head, char **json)
{
  char words[1024] = "";
  begin_stage(s->desc, "solve");
  const double before = hk_seconds();
  s->solve_start = s->last_checkpoint = s->last_progress = before;
  s->status = "running";
  hk_status status = write_summary(s, json);
  if (status == HK_OK) status = hk_session_unrestore(s);
  if (status == HK_OK) status = run_batches(s, head, resume);
  if (status == HK_OK) status = hk_session_restore(s);
  if (status != HK_OK) snprintf(words, sizeof words, "%s", hk_error());
  s->seconds_solve = hk_seconds() - before;
  const hk_status closed = close_files(s);
  hk_explicit_destroy(&s->solver);
  if (status == HK_OK && closed != HK_OK)
    status = closed, snprintf(words, sizeof words, "%s", hk_error());
  if (status == HK_OK) {
    status = write_results(s, json);
    if (status == HK_OK) remove_checkpoints(s);
    if (status == HK_OK && s->off[0]) status = hk_error_set(HK_UNSTABLE, "%s", s->off);
    return status;
  }
  s->status = status_word(status);
  hk_session_log(s, "%s", words);
  write_summary(s, json);
  return hk_error_set(status, "%s", words);
}

bool hk_stop_when_set(void *user)
{
  return *(const volatile bool *)user;
}

hk_status hk_run(const hk_model *model, const hk_run_desc *desc, hk_messages *list, char **json)
{
  hk_status status = HK_OK;
  hk_session s = {.model = model, .desc = desc, .list = list, .start = hk_seconds()};
  hk_checkpoint head = {0};
  bool resume = false;

  hk_messages_renew(list);
  if (json) *json = NULL;
  HK_CHECK(desc->output && desc->output[0], HK_USAGE, "no output folder was given");
  if (hk_model_is_static(model)) return hk_static_run(model, desc, list, json);
  HK_TRY(hk_session_check(&s));
  begin_stage(desc, "mesh");
  HK_TRY(hk_problem_prepare(model, desc, list, &s.problem));
  begin_stage(desc, "assemble");
  HK_TRY(hk_problem_assemble(s.problem));
  HK_TRY(check_resolution(&s));
  HK_TRY(hk_session_find(&s, &resume, &head));
  HK_TRY(create_stages(&s, resume ? &head : NULL));
  s.shots = s.layouts.run.shots ? s.layouts.run.shots : 1;
  s.at_once =
      hk_batch_choose(s.problem, s.stage, s.stage_count, hk_device_available(s.problem->device));
  HK_TRY(hk_session_open(&s, resume, &head));
  status = run_opened(&s, resume, &head, json);
cleanup:
  clear(&s);
  return status;
}
