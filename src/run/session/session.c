#include "run/session/session.h"
#include "base/file.h"
#include "hdf/hdf.h"
#include "picture/pictures.h"
#include "base/text_file.h"
#include "result/written.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

char *hk_session_path(const hk_session *s, const char *name)
{
  char *path = NULL;
  return hk_format(&path, "%s/%s", s->desc->output, name) == HK_OK ? path : NULL;
}

void hk_session_log(const hk_session *s, const char *format, ...)
{
  char text[2048], *path = hk_session_path(s, "log.txt");
  int fd = -1;
  FILE *file = path && hk_written_claim(path) == HK_OK &&
                       hk_open_output(path, O_CREAT | O_APPEND, &fd) == HK_OK
                   ? fdopen(fd, "a")
                   : NULL;
  hk_free(&path);
  if (!file && fd >= 0) close(fd);
  if (!file) return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(file, "%.3f s: ", hk_seconds() - s->start);
  for (const char *p = text; *p;) { /* a terminal that shows the file obeys nothing in it */
    const size_t plain = hk_text_plain(p);
    fwrite(p, 1, plain, file);
    p += plain;
    if (*p) fprintf(file, "\\x%02x", (unsigned char)*p++);
  }
  fputc('\n', file);
  fclose(file);
}

/* Traces as they are computed, where they are to be transformed at the end. */
static hk_status open_computed(hk_session *s, bool resume)
{
  hk_status status = HK_OK;
  char *path = NULL;
  if (s->stage[0].kept) return HK_OK;
  path = hk_session_path(s, "computed.h5");
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(resume ? hk_run_file_reopen(path, &s->layouts.computed, &s->computed)
                : hk_written_claim(path));
  if (!resume) HK_TRY(hk_run_file_create(path, &s->layouts.computed, &s->computed));
cleanup:
  hk_free(&path);
  return status;
}

/* A checkpoint that cannot be used stops the run: where the one before is kept, the words name it. */
static hk_status read_checkpoint(hk_session *s, const char *path, hk_checkpoint *head)
{
  hk_status status = HK_OK;
  char *old = NULL, words[1024];
  HK_TRY(hk_format(&old, "%s.old", path));
  status = hk_checkpoint_read(path, head, &s->state);
  if (status == HK_BAD_INPUT && access(old, F_OK) == 0) {
    snprintf(words, sizeof words, "%s", hk_error());
    hk_error_set(status,
                 "%s; the one before is kept: give --restart=\"%s\", or start again with --force",
                 words, old);
  }
cleanup:
  hk_free(&old);
  return status;
}

/* Each number is held against the model before it is used: a check sum keeps accidents away, not intent. */
static bool fits(const hk_session *s, const hk_checkpoint *head)
{
  if (head->stage < 0 || head->stage >= s->stage_count) return false;
  const hk_stage *stage = &s->stage[head->stage];
  bool good = head->step >= 0 && head->step <= stage->all_steps && head->start == stage->start &&
              head->shots > 0 && head->shots <= s->shots && head->shots < INT_MAX &&
              head->first_shot >= 0 && head->first_shot < s->shots &&
              head->first_shot % head->shots == 0;
  for (int i = 0; i < HK_CHECKPOINT_ENERGIES; i++) good = good && isfinite(head->energy[i]);
  return good;
}

static hk_status check_key(const hk_session *s, const char *path, const hk_checkpoint *head)
{
  hk_status status = HK_OK;
  char what[512];
  HK_CHECK(!hk_session_differs(s->key, head->part, what, sizeof what), HK_BAD_INPUT,
           "%s: belongs to another model (what differs: %s): run the model that wrote it, or start "
           "again with --force",
           path, what);
cleanup:
  return status;
}

/* *path: NULL where the folder holds none. */
static hk_status checkpoint_path(const hk_session *s, char **path)
{
  hk_status status = HK_OK;
  if (strcmp(s->desc->restart, "auto")) return hk_copy_text(path, s->desc->restart);
  if (!hk_session_has(s, "checkpoint.h5") && !hk_session_has(s, "checkpoint.h5.old")) return HK_OK;
  *path = hk_session_path(s, hk_session_has(s, "checkpoint.h5") ? "checkpoint.h5"
                                                                : "checkpoint.h5.old");
  HK_CHECK(*path, HK_NO_RESOURCES, "out of memory");
cleanup:
  return status;
}

hk_status hk_session_find(hk_session *s, bool *resume, hk_checkpoint *head)
{
  hk_status status = HK_OK;
  char *path = NULL;
  if (!s->desc->restart) return HK_OK;
  HK_TRY(checkpoint_path(s, &path));
  if (!path) {
    hk_messages_add(s->list, HK_NOTE, NULL, 0, 0,
                    "%s has no checkpoint: the run starts from the beginning", s->desc->output);
    return HK_OK;
  }
  HK_TRY(read_checkpoint(s, path, head));
  *resume = true;
cleanup:
  hk_free(&path);
  return status;
}

/* What was found belongs to this model. */
static hk_status check_checkpoint(hk_session *s, const hk_checkpoint *head)
{
  hk_status status = HK_OK;
  char *path = NULL;
  HK_TRY(checkpoint_path(s, &path));
  HK_CHECK(path, HK_NOT_WRITABLE, "%s: another run has removed the checkpoint", s->desc->output);
  HK_TRY(check_key(s, path, head));
  HK_TRY(hk_session_check_carry(s, path, head));
  HK_CHECK(fits(s, head), HK_BAD_INPUT, "%s: does not fit this model", path);
  s->at_once = (int)head->shots;
cleanup:
  hk_free(&path);
  return status;
}

/* For every batch: those after the first may be smaller, though not the samples that they write at a time. */
static hk_status get_room(hk_session *s)
{
  hk_status status = HK_OK;
  for (int i = 0; i < s->stage_count; i++)
    for (int w = 0; w < s->stage[i].group_count; w++) {
      const hk_count need =
          hk_receiver_most((hk_count)s->stage[i].receiver_group[w].rows * s->at_once);
      if (need > s->trace_room) s->trace_room = need;
    }
  HK_TRY(hk_get(&s->traces, s->trace_room));
  HK_TRY(hk_get(&s->balance, s->at_once));
  HK_TRY(hk_get(&s->energy, s->at_once));
cleanup:
  return status;
}

/* A step of a batch is one; before: those that a checkpoint says are done. */
static void count_steps(hk_session *s, const hk_checkpoint *before)
{
  hk_count steps = 0;
  for (int i = 0; i < s->stage_count; i++) steps += s->stage[i].all_steps;
  s->steps_all = steps * ((s->shots + s->at_once - 1) / s->at_once);
  if (before) s->steps_before = before->first_shot / s->at_once * steps + before->step;
  for (int i = 0; before && i < before->stage; i++) s->steps_before += s->stage[i].all_steps;
  s->steps_done = s->last_checkpoint_step = s->steps_before;
}

/* Files of the user where pictures will be drawn, before hours have passed. */
static hk_status check_pictures(hk_session *s)
{
  hk_status status = HK_OK;
  if (s->desc->no_pictures) return HK_OK;
  HK_TRY(hk_snapshots_name(s));
  HK_TRY(hk_pictures_check_traces(s->desc->output, &s->layouts.run));
  for (int i = 0; i < s->snapshots_count; i++)
    HK_TRY(hk_pictures_check_field(s->desc->output, &s->snapshots[i].layout));
cleanup:
  return status;
}

hk_status hk_session_open(hk_session *s, bool resume, const hk_checkpoint *head)
{
  hk_status status = HK_OK;
  char *path = NULL;

  HK_TRY(hk_session_key(s, s->key));
  HK_TRY(hk_make_folder(s->desc->output));
  HK_TRY(hk_session_check(s)); /* once more: others may have written there meanwhile */
  HK_TRY(check_pictures(s));
  if (resume) HK_TRY(check_checkpoint(s, head));
  path = hk_session_path(s, "run.h5");
  HK_CHECK(path, HK_NO_RESOURCES, "out of memory");
  HK_TRY(resume ? hk_session_adopt(s) : hk_written_claim(path));
  if (resume) HK_TRY(hk_session_carry(s, head));
  status = resume ? hk_run_file_reopen(path, &s->layouts.run, &s->file)
                  : hk_run_file_create(path, &s->layouts.run, &s->file);
  if (!resume && (status == HK_OK || !hk_session_has(s, "run.h5"))) hk_session_clean(s);
  if (status != HK_OK) goto cleanup;
  HK_TRY(open_computed(s, resume));
  HK_TRY(hk_snapshots_open(s, hk_session_wants_vtu(s), resume));
  HK_TRY(get_room(s));
  count_steps(s, resume ? head : NULL);
  hk_session_log(s, "%s: %lld nodes, %lld elements, %lld steps from step %lld, %s, %s",
                 s->model->path, (long long)s->model->mesh->node_count,
                 (long long)s->model->mesh->element_count, (long long)s->steps_all,
                 (long long)s->steps_before, s->problem->kind->name,
                 s->problem->double_precision ? "double" : "single");
  if (s->problem->space->blocks)
    hk_session_log(s, "%d blocks of %d nodes, efficiency %.4f", s->problem->space->patches,
                   s->problem->space->patch,
                   (double)s->problem->space->nodes / s->problem->space->padded);
  if (s->problem->space->interior && s->problem->space->interior->coloured)
    hk_session_log(s, "%d colours of elements", s->problem->space->interior->colours);
cleanup:
  hk_free(&path);
  return status;
}

/* Of traces[rows][count], samples from `first` on, those that run.h5 has, none beyond step `last`, first in each row: traces[rows][returned]. */
static hk_count thin(double *traces, hk_count rows, hk_count first, hk_count count, hk_count last,
                     hk_count every)
{
  const hk_count skip = (every - first % every) % every,
                 end = count < last + 1 - first ? count : last + 1 - first,
                 kept = skip < end ? (end - skip + every - 1) / every : 0;
  for (hk_count r = 0; r < rows; r++)
    for (hk_count k = 0; k < kept; k++) traces[r * kept + k] = traces[r * count + skip + k * every];
  return kept;
}

/* Samples of one quantity, traces[batch][rows][count]: all to computed.h5, thinned to run.h5. */
static hk_status write_samples(hk_session *s, const hk_group_output *to, hk_count of_shot,
                               hk_count count)
{
  hk_status status = HK_OK;
  hk_count first = to->written;
  for (int k = 0; s->computed && k < s->batch; k++)
    HK_TRY(hk_run_file_write_trace(s->computed, s->first_shot + k, to->trace, to->quantity, first,
                                   count, s->traces + k * of_shot * count));
  if (s->computed) {
    count = thin(s->traces, of_shot * s->batch, first, count, s->stage[0].steps, to->every);
    first = (first + to->every - 1) / to->every;
  }
  for (int k = 0; count && k < s->batch; k++)
    HK_TRY(hk_run_file_write_trace(s->file, s->first_shot + k, to->trace, to->quantity, first,
                                   count, s->traces + k * of_shot * count));
cleanup:
  return status;
}

/* Writes the samples of a receiver group that were on their way, [count][shots][receivers][components], turned. */
static hk_status end_drain(hk_session *s, int w)
{
  hk_status status = HK_OK;
  const hk_stage *stage = &s->stage[s->current];
  const hk_count of_shot = stage->receiver_group[w].rows, rows = of_shot * s->batch;
  hk_group_output *to = &stage->group_output[w];
  const hk_count count = to->coming;
  const double *sample;
  if (!count) return HK_OK;
  HK_TRY(hk_explicit_samples_end(s->solver, w, &sample));
  for (hk_count k = 0; k < count; k++)
    for (hk_count r = 0; r < rows; r++) s->traces[r * count + k] = sample[k * rows + r];
  HK_TRY(write_samples(s, to, of_shot, count));
  to->written += count, to->coming = 0;
cleanup:
  return status;
}

/* Sends for samples that are complete: half a ring, or with `all` whatever there is. */
static hk_status begin_drain(hk_session *s, int w, bool all)
{
  hk_status status = HK_OK;
  hk_group_output *to = &s->stage[s->current].group_output[w];
  const hk_count half = hk_explicit_room(s->solver, w) / 2,
                 ready = hk_explicit_complete(s->solver, w) - to->written;
  if (!ready || (!all && ready < half - 2)) return HK_OK;
  to->coming = ready < half ? ready : half;
  HK_TRY(hk_explicit_samples_begin(s->solver, w, to->written, to->coming));
cleanup:
  return status;
}

/* What one call begins the next one writes: the device steps on in between. */
static hk_status drain(hk_session *s, bool all)
{
  hk_status status = HK_OK;
  for (int w = 0; w < s->stage[s->current].group_count; w++) {
    HK_TRY(end_drain(s, w));
    HK_TRY(begin_drain(s, w, all));
    while (all && s->stage[s->current].group_output[w].coming) {
      HK_TRY(end_drain(s, w));
      HK_TRY(begin_drain(s, w, all));
    }
  }
cleanup:
  return status;
}

hk_status hk_session_drain(hk_session *s)
{
  const double before = hk_seconds();
  const bool ended = hk_explicit_step(s->solver) >= s->stage[s->current].all_steps;
  const hk_status status = drain(s, ended);
  s->seconds_output += hk_seconds() - before;
  return status;
}

/* Whether u_n of all shots, which begins the saved state, holds numbers. */
static bool holds_numbers(const hk_session *s)
{
  const hk_count dofs =
      (hk_count)s->problem->space->padded * s->problem->space->components * s->batch;
  const void *reals = s->state;
  double sum = 0;
  for (hk_count i = 0; i < dofs; i++)
    sum += 0 * (s->problem->double_precision ? ((const double *)reals)[i]
                                             : (double)((const float *)reals)[i]);
  return sum == 0;
}

hk_status hk_session_checkpoint(hk_session *s)
{
  hk_status status = HK_OK;
  const double before = hk_seconds();
  const hk_energy *e = &s->ended.energy;
  const hk_count state = hk_explicit_state_bytes(s->solver, true),
                 balances = s->batch * (hk_count)sizeof *s->balance;
  hk_checkpoint head = {.first_shot = s->first_shot,
                        .shots = s->at_once,
                        .stage = s->current,
                        .step = hk_explicit_step(s->solver),
                        .start = s->stage[s->current].start,
                        .dt = s->stage[s->current].dt,
                        .steps = (double)s->stage[s->current].steps,
                        .energy = {e->kinetic, e->strain, e->work, e->damping, s->ended.balance},
                        .bytes = state + balances};
  char *path = hk_session_path(s, "checkpoint.h5"), *old = hk_session_path(s, "checkpoint.h5.old");
  HK_CHECK(path && old, HK_NO_RESOURCES, "out of memory");
  memcpy(head.part, s->key, sizeof head.part);
  HK_TRY(hk_session_energy_end(s));
  HK_TRY(drain(s, true));
  HK_TRY(hk_snapshots_flush(s));
  HK_TRY(hk_run_file_flush(s->file));
  if (s->computed) HK_TRY(hk_run_file_flush(s->computed));
  hk_free(&s->state);
  HK_TRY(hk_get(&s->state, head.bytes));
  HK_TRY(hk_explicit_save(s->solver, s->state));
  memcpy(s->state + state, s->balance, (size_t)balances);
  if (!holds_numbers(s))
    goto cleanup; /* the next energy sample ends the run; the last good checkpoint stays */
  HK_TRY(hk_written_claim(path));
  HK_TRY(hk_written_claim(old));
  HK_TRY(hk_checkpoint_write(path, &head, s->state));
  s->last_checkpoint = hk_seconds();
  s->last_checkpoint_step = s->steps_done;
  s->seconds_output += s->last_checkpoint - before;
cleanup:
  hk_free(&s->state);
  hk_free(&path);
  hk_free(&old);
  return status;
}
