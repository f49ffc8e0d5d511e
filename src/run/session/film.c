#include "run/session/session.h"

/* Position among the shots being stepped; -1: not among them. */
static int place_of(const hk_session *s, const hk_film *f)
{
  const hk_count k = f->shot - s->first_shot;
  return k >= 0 && k < s->batch ? (int)k : -1;
}

hk_status hk_films_name(hk_session *s)
{
  hk_status status = HK_OK;
  const hk_field_request *field = &s->model->step[0].field;
  const bool shots = s->layouts.run.shots > 0;
  const int count = shots ? field->shot_count : 1;
  if (!s->layouts.field.frames || s->film) return HK_OK;
  HK_TRY(hk_get(&s->film, count));
  s->film_count = count;
  for (int i = 0; i < count; i++) {
    hk_film *f = &s->film[i];
    f->shot = shots ? field->shot[i] : 0;
    HK_TRY(shots ? hk_format(&f->name, "field_shot%04lld", (long long)f->shot + 1)
                 : hk_copy_text(&f->name, "field"));
    f->layout = s->layouts.field;
    f->layout.name = f->name;
  }
cleanup:
  return status;
}

/* Frames that the run did not have before begin a file. */
static bool is_there(const hk_session *s, const hk_film *f)
{
  char *name = NULL;
  const bool there =
      !s->carried || (hk_format(&name, "%s.vtkhdf", f->name) == HK_OK && hk_session_has(s, name));
  hk_free(&name);
  return there;
}

hk_status hk_films_open(hk_session *s, bool vtu, bool reopen)
{
  hk_status status = HK_OK;
  HK_TRY(hk_films_name(s));
  for (int i = 0; i < s->film_count; i++) {
    hk_film *f = &s->film[i];
    HK_TRY(
        hk_field_file_open(s->desc->output, vtu, reopen && is_there(s, f), &f->layout, &f->file));
  }
cleanup:
  return status;
}

hk_status hk_films_roll(hk_session *s)
{
  hk_status status = HK_OK;
  for (int i = 0; i < s->film_count; i++) {
    hk_film *f = &s->film[i];
    HK_TRY(hk_frames_wait(f->frames));
    hk_frames_destroy(&f->frames);
    if (place_of(s, f) >= 0) HK_TRY(hk_frames_create(s->problem, &f->layout, f->file, &f->frames));
  }
cleanup:
  return status;
}

hk_status hk_films_begin(hk_session *s, hk_count frame, double dt)
{
  hk_status status = HK_OK;
  for (int i = 0; i < s->film_count; i++)
    if (s->film[i].frames)
      HK_TRY(hk_frames_begin(s->film[i].frames, s->solver, place_of(s, &s->film[i]), frame, dt));
cleanup:
  return status;
}

bool hk_films_pending(const hk_session *s)
{
  for (int i = 0; i < s->film_count; i++)
    if (hk_frames_pending(s->film[i].frames)) return true;
  return false;
}

hk_status hk_films_complete(hk_session *s, bool at_end)
{
  hk_status status = HK_OK;
  for (int i = 0; i < s->film_count; i++)
    if (hk_frames_pending(s->film[i].frames))
      HK_TRY(hk_frames_complete(s->film[i].frames, s->solver, place_of(s, &s->film[i]), at_end));
cleanup:
  return status;
}

hk_status hk_films_flush(hk_session *s)
{
  hk_status status = HK_OK;
  for (int i = 0; i < s->film_count; i++) {
    HK_TRY(hk_frames_wait(s->film[i].frames));
    HK_TRY(hk_field_file_flush(s->film[i].file));
  }
cleanup:
  return status;
}

hk_status hk_films_close(hk_session *s)
{
  hk_status status = HK_OK;
  for (int i = 0; i < s->film_count; i++) {
    const hk_status frames = hk_frames_wait(s->film[i].frames);
    hk_frames_destroy(&s->film[i].frames);
    const hk_status file = s->film[i].file ? hk_field_file_close(&s->film[i].file) : HK_OK;
    if (status == HK_OK) status = frames != HK_OK ? frames : file;
  }
  return status;
}

void hk_films_clear(hk_session *s)
{
  for (int i = 0; i < s->film_count; i++) {
    hk_frames_destroy(&s->film[i].frames);
    if (s->film[i].file) hk_field_file_close(&s->film[i].file);
    hk_free(&s->film[i].name);
  }
  hk_free(&s->film);
}
