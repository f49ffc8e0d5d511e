/* Opens the files of an explicit run, new or as an earlier run left them: run.h5, computed.h5 if
 * traces are transformed at the end, and the field files. Pictures that would overwrite files of
 * the user are refused before the first step. It also allocates the room for samples and counts the
 * steps that a checkpoint has done. */
#include "run/march/march.h"
#include "picture/pictures.h"
#include "result/written.h"

/* Traces as they are computed, where they are to be transformed at the end. */
static hk_status open_computed(hk_march *s)
{
  const bool resume = s->checkpoint.resumes;
  const hk_path path = hk_session_path(s->session, "computed.h5");
  if (s->stage[0].kept) return HK_OK;
  if (resume) return hk_run_file_reopen(path.text, &s->files.layouts.computed, &s->files.computed);
  HK_PASS(hk_written_claim(path.text));
  return hk_run_file_create(path.text, &s->files.layouts.computed, &s->files.computed);
}

/* For every batch: those after the first may be smaller, though not the samples that they write at a time. */
hk_status hk_march_get_room(hk_march *s)
{
  for (int i = 0; i < s->stage_count; i++)
    for (int w = 0; w < s->stage[i].group_count; w++) {
      const hk_count need =
          hk_receiver_most((hk_count)s->stage[i].receiver_group[w].rows * s->shots.at_once);
      if (need > s->files.room_count) s->files.room_count = need;
    }
  HK_PASS(hk_pool_get(&s->pool, &s->files.room, s->files.room_count));
  return hk_pool_get(&s->pool, &s->energy.sample, s->shots.at_once);
}

/* A step of a batch is one; before: those that a checkpoint says are done. */
static void count_steps(hk_march *s, const hk_checkpoint *before)
{
  hk_count steps = 0;
  for (int i = 0; i < s->stage_count; i++) steps += s->stage[i].all_steps;
  s->steps.all = steps * ((s->shots.all + s->shots.at_once - 1) / s->shots.at_once);
  s->steps.before = hk_queue_steps(s);
  for (int i = 0; before && i < before->stage; i++) s->steps.before += s->stage[i].all_steps;
  s->steps.done = s->checkpoint.step = s->steps.before;
}

/* Files of the user where pictures will be drawn, before hours have passed. */
static hk_status check_pictures(hk_march *s)
{
  if (s->session->desc->no_pictures) return HK_OK;
  HK_PASS(hk_snapshots_name(s));
  HK_PASS(hk_pictures_check_traces(s->session->desc->output, &s->files.layouts.run));
  const hk_field_layout *peak = &s->files.layouts.peak;
  const int fields = s->snapshots_count + (peak->frames > 0);
  for (int i = 0; i < s->snapshots_count; i++)
    HK_PASS(hk_pictures_check_field(s->session->desc->output, &s->snapshots[i].layout, i, fields));
  return peak->frames ? hk_pictures_check_field(s->session->desc->output, peak, fields - 1, fields)
                      : HK_OK;
}

hk_status hk_march_open(void *march)
{
  hk_status status = HK_OK;
  hk_march *s = march;
  const bool resume = s->checkpoint.resumes;
  const hk_path path = hk_session_path(s->session, "run.h5");
  HK_TRY(check_pictures(s));
  if (resume) HK_TRY(hk_march_check_checkpoint(s));
  HK_TRY(hk_queue_fill(s));
  HK_TRY(resume ? hk_session_adopt(s->session) : hk_written_claim(path.text));
  if (resume) HK_TRY(hk_march_carry(s, &s->checkpoint.head));
  status = resume ? hk_run_file_reopen(path.text, &s->files.layouts.run, &s->files.run)
                  : hk_run_file_create(path.text, &s->files.layouts.run, &s->files.run);
  if (!resume && (status == HK_OK || !hk_session_has(s->session, "run.h5")))
    hk_session_clean(s->session);
  if (status != HK_OK) goto cleanup;
  HK_TRY(open_computed(s));
  HK_TRY(hk_snapshots_open(s, hk_session_wants_vtu(s->session), resume));
  HK_TRY(hk_march_peaks_open(s));
  HK_TRY(hk_march_get_room(s));
  count_steps(s, resume ? &s->checkpoint.head : NULL);
  hk_session_log(s->session, "%s: %lld nodes, %lld elements, %lld steps from step %lld, %s, %s",
                 s->model->path, (long long)s->model->mesh->node_count,
                 (long long)s->model->mesh->element_count, (long long)s->steps.all,
                 (long long)s->steps.before, s->problem->on.kind->name,
                 s->problem->on.double_precision ? "double" : "single");
  if (s->problem->on.space->blocks)
    hk_session_log(s->session, "%d blocks of %d nodes, efficiency %.4f",
                   s->problem->on.space->patches, s->problem->on.space->patch,
                   (double)s->problem->on.space->nodes / s->problem->on.space->padded);
  if (s->problem->on.space->interior && s->problem->on.space->interior->coloured)
    hk_session_log(s->session, "%d colours of elements", s->problem->on.space->interior->colours);
cleanup:
  return status;
}
