/* The field files of a run, one per shot with frames: opened with their names, given to a writer
 * thread (explicit/stage.h) while their shot is in the batch, flushed and closed.
 * hk_snapshots_roll ends the writers of the batch before and starts those of the next one. */
#include "run/march/march.h"
#include <stdio.h>

/* Position among the shots being stepped; -1: not among them. */
static int place_of(const hk_march *s, const hk_snapshots *f)
{
  const hk_count k = f->shot - s->shots.first;
  return k >= 0 && k < s->shots.batch ? (int)k : -1;
}

hk_status hk_snapshots_name(hk_march *s)
{
  const hk_field_request *field = &s->model->step[0].field;
  const bool shots = s->files.layouts.run.shots > 0;
  const int count = shots ? field->shot_count : 1;
  if (!s->files.layouts.field.frames || s->snapshots) return HK_OK;
  HK_PASS(hk_pool_get(&s->pool, &s->snapshots, count));
  s->snapshots_count = count;
  for (int i = 0; i < count; i++) {
    hk_snapshots *f = &s->snapshots[i];
    char name[40] = "field";
    f->shot = shots ? field->shot[i] : 0;
    if (shots) snprintf(name, sizeof name, "field_shot%04lld", (long long)f->shot + 1);
    HK_PASS(hk_pool_text(&s->pool, name, &f->name));
    f->layout = s->files.layouts.field;
    f->layout.beside = hk_device_describe(s->problem->on.device)->overlaps;
    f->layout.name = f->name;
  }
  return HK_OK;
}

/* Frames that the run did not have before begin a file. */
static bool is_there(const hk_march *s, const hk_snapshots *f)
{
  char name[60];
  snprintf(name, sizeof name, "%s.vtkhdf", f->name);
  return !s->files.carried || hk_session_has(s->session, name);
}

hk_status hk_snapshots_open(hk_march *s, bool vtu, bool reopen)
{
  HK_PASS(hk_snapshots_name(s));
  for (int i = 0; i < s->snapshots_count; i++) {
    hk_snapshots *f = &s->snapshots[i];
    HK_PASS(hk_field_file_open(s->session->desc->output, vtu, reopen && is_there(s, f), &f->layout,
                               &f->file));
  }
  return HK_OK;
}

hk_status hk_snapshots_roll(hk_march *s)
{
  HK_PASS(hk_snapshots_release(s));
  for (int i = 0; i < s->snapshots_count; i++) {
    hk_snapshots *f = &s->snapshots[i];
    if (place_of(s, f) >= 0) HK_PASS(hk_frames_create(s->problem, &f->layout, f->file, &f->frames));
  }
  return HK_OK;
}

hk_status hk_snapshots_begin(hk_march *s, hk_count frame, double dt)
{
  for (int i = 0; i < s->snapshots_count; i++)
    if (s->snapshots[i].frames)
      HK_PASS(hk_frames_begin(s->snapshots[i].frames, s->solver, place_of(s, &s->snapshots[i]),
                              frame, dt));
  return HK_OK;
}

bool hk_snapshots_pending(const hk_march *s)
{
  for (int i = 0; i < s->snapshots_count; i++)
    if (hk_frames_pending(s->snapshots[i].frames)) return true;
  return false;
}

hk_status hk_snapshots_complete(hk_march *s, bool at_end)
{
  for (int i = 0; i < s->snapshots_count; i++)
    if (hk_frames_pending(s->snapshots[i].frames))
      HK_PASS(hk_frames_complete(s->snapshots[i].frames, s->solver, place_of(s, &s->snapshots[i]),
                                 at_end));
  return HK_OK;
}

hk_status hk_snapshots_wait(hk_march *s)
{
  for (int i = 0; i < s->snapshots_count; i++) HK_PASS(hk_frames_wait(s->snapshots[i].frames));
  return HK_OK;
}

hk_status hk_snapshots_flush(hk_march *s)
{
  HK_PASS(hk_snapshots_wait(s));
  for (int i = 0; i < s->snapshots_count; i++) HK_PASS(hk_field_file_flush(s->snapshots[i].file));
  return HK_OK;
}

hk_status hk_snapshots_release(hk_march *s)
{
  hk_status status = HK_OK;
  for (int i = 0; i < s->snapshots_count; i++) {
    const hk_status frames = hk_frames_wait(s->snapshots[i].frames);
    hk_frames_destroy(&s->snapshots[i].frames);
    if (status == HK_OK) status = frames;
  }
  return status;
}

hk_status hk_snapshots_close(hk_march *s)
{
  hk_status status = hk_snapshots_release(s);
  for (int i = 0; i < s->snapshots_count; i++) {
    const hk_status file =
        s->snapshots[i].file ? hk_field_file_close(&s->snapshots[i].file) : HK_OK;
    if (status == HK_OK) status = file;
  }
  return status;
}
