/* Finds, checks and writes the checkpoint of an explicit run. Its key must match the model (key.c),
 * and each of its numbers is checked before use, because a checksum detects accidents only. Writing
 * saves the state of the solver and the balances after all samples and frames are on disk. A state
 * that is not finite is not written, so that the last good checkpoint stays. */
#include "run/march/march.h"
#include "result/written.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A checkpoint that cannot be used stops the run: where the one before is kept, the words name it. */
static hk_status read_checkpoint(hk_march *s, const char *path, hk_checkpoint *head)
{
  hk_status status = HK_OK;
  char *old = NULL, words[1024];
  HK_TRY(hk_format(&old, "%s.old", path));
  status = hk_checkpoint_read(path, head, &s->checkpoint.state);
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
static bool fits(const hk_march *s, const hk_checkpoint *head)
{
  if (head->stage < 0 || head->stage >= s->stage_count) return false;
  const hk_stage *stage = &s->stage[head->stage];
  bool good = head->step >= 0 && head->step <= stage->all_steps && head->start == stage->start &&
              head->shots > 0 && head->shots <= s->shots.all && head->shots < INT_MAX &&
              head->first_shot >= 0 && head->first_shot < s->shots.all &&
              head->first_shot % head->shots == 0;
  for (int i = 0; i < HK_CHECKPOINT_ENERGIES; i++) good = good && isfinite(head->energy[i]);
  return good;
}

static hk_status check_key(const hk_march *s, const char *path, const hk_checkpoint *head)
{
  hk_status status = HK_OK;
  char what[512];
  HK_CHECK(!hk_march_differs(s->checkpoint.key, head->part, what, sizeof what), HK_BAD_INPUT,
           "%s: belongs to another model (what differs: %s): run the model that wrote it, or start "
           "again with --force",
           path, what);
cleanup:
  return status;
}

/* *path: NULL where the folder holds none. */
static hk_status checkpoint_path(const hk_march *s, char **path)
{
  hk_status status = HK_OK;
  if (strcmp(s->session->desc->restart, "auto"))
    return hk_copy_text(path, s->session->desc->restart);
  if (!hk_session_has(s->session, "checkpoint.h5") &&
      !hk_session_has(s->session, "checkpoint.h5.old"))
    return HK_OK;
  *path = hk_session_path(s->session, hk_session_has(s->session, "checkpoint.h5")
                                          ? "checkpoint.h5"
                                          : "checkpoint.h5.old");
  HK_CHECK(*path, HK_NO_RESOURCES, "out of memory");
cleanup:
  return status;
}

hk_status hk_march_find(hk_march *s)
{
  hk_status status = HK_OK;
  char *path = NULL;
  if (!s->session->desc->restart) return HK_OK;
  HK_TRY(checkpoint_path(s, &path));
  if (!path) {
    hk_messages_add(s->list, HK_NOTE, NULL, 0, 0,
                    "%s has no checkpoint: the run starts from the beginning",
                    s->session->desc->output);
    return HK_OK;
  }
  HK_TRY(read_checkpoint(s, path, &s->checkpoint.head));
  s->checkpoint.resumes = true;
cleanup:
  hk_free(&path);
  return status;
}

hk_status hk_march_check_checkpoint(hk_march *s)
{
  hk_status status = HK_OK;
  const hk_checkpoint *head = &s->checkpoint.head;
  char *path = NULL;
  HK_TRY(checkpoint_path(s, &path));
  HK_CHECK(path, HK_NOT_WRITABLE, "%s: another run has removed the checkpoint",
           s->session->desc->output);
  HK_TRY(check_key(s, path, head));
  HK_TRY(hk_march_check_carry(s, path, head));
  HK_CHECK(fits(s, head), HK_BAD_INPUT, "%s: does not fit this model", path);
  s->shots.at_once = (int)head->shots;
cleanup:
  hk_free(&path);
  return status;
}

/* Whether u_n of all shots, which begins the saved state, holds numbers. */
static bool holds_numbers(const hk_march *s)
{
  const hk_count dofs = hk_discretisation_dofs(&s->problem->on) * s->shots.batch;
  const void *reals = s->checkpoint.state;
  double sum = 0;
  for (hk_count i = 0; i < dofs; i++)
    sum += 0 * (s->problem->on.double_precision ? ((const double *)reals)[i]
                                                : (double)((const float *)reals)[i]);
  return sum == 0;
}

hk_status hk_march_checkpoint_write(hk_march *s)
{
  hk_status status = HK_OK;
  const double before = hk_seconds();
  const hk_energy *e = &s->energy.ended.energy;
  const hk_count state = hk_explicit_state_bytes(s->solver, true),
                 balances = s->shots.batch * (hk_count)sizeof *s->energy.balance;
  hk_checkpoint head = {
      .first_shot = s->shots.first,
      .shots = s->shots.at_once,
      .stage = s->current,
      .step = hk_explicit_step(s->solver),
      .start = s->stage[s->current].start,
      .dt = s->stage[s->current].dt,
      .steps = (double)s->stage[s->current].steps,
      .energy = {e->kinetic, e->strain, e->work, e->damping, s->energy.ended.balance},
      .bytes = state + balances};
  char *path = hk_session_path(s->session, "checkpoint.h5"),
       *old = hk_session_path(s->session, "checkpoint.h5.old");
  HK_CHECK(path && old, HK_NO_RESOURCES, "out of memory");
  memcpy(head.part, s->checkpoint.key, sizeof head.part);
  HK_TRY(hk_march_energy_end(s));
  HK_TRY(hk_march_drain(s, true));
  HK_TRY(hk_snapshots_flush(s));
  HK_TRY(hk_run_file_flush(s->files.run));
  if (s->files.computed) HK_TRY(hk_run_file_flush(s->files.computed));
  hk_free(&s->checkpoint.state);
  HK_TRY(hk_get(&s->checkpoint.state, head.bytes));
  HK_TRY(hk_explicit_save(s->solver, s->checkpoint.state));
  memcpy(s->checkpoint.state + state, s->energy.balance, (size_t)balances);
  if (!holds_numbers(s))
    goto cleanup; /* the next energy sample ends the run; the last good checkpoint stays */
  HK_TRY(hk_written_claim(path));
  HK_TRY(hk_written_claim(old));
  HK_TRY(hk_checkpoint_write(path, &head, s->checkpoint.state));
  s->checkpoint.time = hk_seconds();
  s->checkpoint.step = s->steps.done;
  s->session->seconds.output += s->checkpoint.time - before;
cleanup:
  hk_free(&s->checkpoint.state);
  hk_free(&path);
  hk_free(&old);
  return status;
}
