/* Finds, checks and writes the checkpoint of an explicit run. Its key must match the model (key.c),
 * and each of its numbers is checked before use, because a checksum detects accidents only. Writing
 * saves the state of the solver and the balances after all samples and frames are on disk. A state
 * that is not finite is not written, so that the last good checkpoint stays. */
#include "run/march/lanes.h"
#include "base/reals.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A checkpoint that cannot be used stops the run: where the one before is kept, the words name it. */
static hk_status read_checkpoint(hk_march *s, const char *path, hk_checkpoint *head)
{
  hk_path old;
  char words[1024];
  const hk_status status = hk_checkpoint_read(path, head, &s->checkpoint.state);
  snprintf(old.text, sizeof old.text, "%s.old", path);
  if (status != HK_BAD_INPUT || access(old.text, F_OK) != 0) return status;
  snprintf(words, sizeof words, "%s", hk_error());
  return hk_error_set(
      status, "%s; the one before is kept: give --restart=\"%s\", or start again with --force",
      words, old.text);
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
  char what[512];
  if (!hk_march_differs(s->checkpoint.key, head->part, what, sizeof what)) return HK_OK;
  return hk_error_set(HK_BAD_INPUT,
                      "%s: belongs to another model (what differs: %s): run the model that wrote "
                      "it, or start again with --force",
                      path, what);
}

/* The checkpoint that is asked for; room: for a name in the folder. NULL where the folder holds none. */
static const char *checkpoint_path(const hk_march *s, hk_path *room)
{
  static const char *const name[] = {"checkpoint.h5", "checkpoint.h5.old"};
  if (strcmp(s->session->desc->restart, "auto")) return s->session->desc->restart;
  for (int i = 0; i < 2; i++) {
    *room = hk_session_path(s->session, name[i]);
    if (access(room->text, F_OK) == 0) return room->text;
  }
  return NULL;
}

static hk_status find(hk_march *s)
{
  hk_path room;
  if (!s->session->desc->restart) return HK_OK;
  const char *path = checkpoint_path(s, &room);
  if (!path) {
    hk_messages_add(s->list, HK_NOTE, NULL, 0, 0,
                    "%s has no checkpoint: the run starts from the beginning",
                    s->session->desc->output);
    return HK_OK;
  }
  HK_PASS(read_checkpoint(s, path, &s->checkpoint.head));
  s->checkpoint.resumes = true;
  return HK_OK;
}

hk_status hk_march_find(hk_march *s)
{
  if (hk_ranks_rank() == 0) HK_PASS(find(s));
  return hk_ranks_now() ? hk_march_share_checkpoint(s) : HK_OK;
}

hk_status hk_march_check_checkpoint(hk_march *s)
{
  const hk_checkpoint *head = &s->checkpoint.head;
  hk_path room;
  const char *path = checkpoint_path(s, &room);
  HK_NEED(path, HK_NOT_WRITABLE, "%s: another run has removed the checkpoint",
          s->session->desc->output);
  HK_PASS(check_key(s, path, head));
  HK_PASS(hk_march_check_carry(s, path, head));
  HK_NEED(fits(s, head), HK_BAD_INPUT, "%s: does not fit this model", path);
  s->shots.at_once = (int)head->shots;
  return HK_OK;
}

/* Whether u_n of all shots, which begins the saved state, holds numbers. */
static bool holds_numbers(const hk_march *s, const void *reals)
{
  const hk_count dofs = hk_discretisation_dofs(&s->problem->on) * s->shots.batch;
  double sum = 0;
  for (hk_count i = 0; i < dofs; i++)
    sum += 0 * hk_real_at(reals, s->problem->on.double_precision, i);
  return sum == 0;
}

hk_status hk_march_save(hk_march *s, bool *good)
{
  const hk_count state = hk_team_state_bytes(s->solver, true),
                 balances = s->shots.batch * (hk_count)sizeof *s->energy.balance;
  hk_march_batch *b = hk_queue_batch(s);
  HK_PASS(hk_march_energy_end(s));
  HK_PASS(hk_march_drain(s, true));
  HK_PASS(hk_snapshots_wait(s));
  if (b->bytes != state + balances) hk_free(&b->state);
  if (!b->state) HK_PASS(hk_get(&b->state, state + balances));
  const hk_status saved = hk_team_save(s->solver, b->state);
  if (saved != HK_OK) hk_free(&b->state); /* a part of it is no state to go on from */
  HK_PASS(saved);
  b->bytes = state + balances, b->step = hk_team_step(s->solver);
  memcpy(b->state + state, s->energy.balance, (size_t)balances);
  *good = holds_numbers(s, b->state);
  return HK_OK;
}

/* Of what the queue holds. */
static hk_status write_file(hk_march *s)
{
  hk_status status = HK_OK;
  const hk_stage *stage = &s->stage[s->current];
  hk_checkpoint head = {
      .stage = s->current, .start = stage->start, .dt = stage->dt, .steps = (double)stage->steps};
  hk_path path, old;
  const char *state = NULL;
  char *owned = NULL;
  memcpy(head.part, s->checkpoint.key, sizeof head.part);
  HK_TRY(hk_snapshots_flush(s));
  HK_TRY(hk_run_file_flush(s->files.run));
  if (s->files.computed) HK_TRY(hk_run_file_flush(s->files.computed));
  HK_TRY(hk_queue_pack(s, &head, &state, &owned));
  HK_TRY(hk_session_claim(s->session, "checkpoint.h5", &path));
  HK_TRY(hk_session_claim(s->session, "checkpoint.h5.old", &old));
  HK_TRY(hk_checkpoint_write(path.text, &head, state));
  s->checkpoint.time = hk_seconds();
  s->checkpoint.step = s->steps.done;
cleanup:
  hk_free(&owned);
  return status;
}

/* What holds no numbers is not kept: the next sample of the energies ends the run, and the last good checkpoint stays. */
hk_status hk_march_checkpoint_write(hk_march *s)
{
  hk_status status = HK_OK;
  const int before = hk_clock_begin("checkpoint");
  bool good = false;
  if (s->queue->lanes) {
    HK_TRY(hk_lanes_rest(s, &good));
  } else {
    HK_TRY(hk_march_save(s, &good));
  }
  if (good) HK_TRY(write_file(s));
cleanup:
  if (s->queue->lanes)
    hk_lanes_go_on(s);
  else
    hk_free(&hk_queue_batch(s)->state);
  hk_clock_end(before);
  return status;
}
