/* Points at which loads and motions act: found together, since looking for the first costs as much as for all. */
#include "run/acts/acts.h"
#include <string.h>

typedef struct finding {
  hk_count count, at_room, act_room, place_room;
  double (*at)[3];
  const void **act;
  hk_place *place;
} finding;

static hk_status add(finding *f, const void *act, const double *at, hk_place place)
{
  hk_status status = HK_OK;
  HK_TRY(hk_reserve(&f->at, f->count + 1, &f->at_room));
  HK_TRY(hk_reserve(&f->act, f->count + 1, &f->act_room));
  HK_TRY(hk_reserve(&f->place, f->count + 1, &f->place_room));
  memcpy(f->at[f->count], at, sizeof *f->at);
  f->act[f->count] = act;
  f->place[f->count++] = place;
cleanup:
  return status;
}

static hk_status add_all(finding *f, const hk_shot *acts)
{
  hk_status status = HK_OK;
  for (const hk_motion *m = acts->motion; m < acts->motion + acts->motion_count; m++)
    if (m->has_point) HK_TRY(add(f, m, m->at, m->place));
  for (const hk_load *l = acts->load; l < acts->load + acts->load_count; l++)
    if (l->kind == HK_LOAD_POINT) HK_TRY(add(f, l, l->at, l->place));
cleanup:
  return status;
}

/* Points that lie nowhere are an error at the place that names the first. */
static hk_status tell_outside(const hk_model *model, hk_messages *list, const finding *f)
{
  for (hk_count i = 0; i < f->count; i++) {
    hk_rows rows = {0};
    const hk_status status = hk_rows_of_points(model->mesh, 1, f->at[i], &rows);
    hk_rows_clear(&rows);
    if (status == HK_BAD_INPUT)
      return hk_model_error(model, list, f->place[i], status, "%s", hk_error());
    if (status != HK_OK) return status;
  }
  return HK_OK;
}

hk_status hk_points_find(const hk_model *model, hk_messages *list, int count, const hk_shot *acts,
                         hk_points *out)
{
  hk_status status = HK_OK;
  finding f = {0};
  for (int k = 0; k < count; k++) HK_TRY(add_all(&f, &acts[k]));
  if (!f.count) goto cleanup;
  status = hk_rows_of_points(model->mesh, f.count, f.at[0], &out->rows);
  if (status == HK_BAD_INPUT) HK_TRY(tell_outside(model, list, &f));
  HK_TRY(status);
  out->act = f.act, f.act = NULL;
cleanup:
  hk_free(&f.at);
  hk_free(&f.act);
  hk_free(&f.place);
  return status;
}

void hk_points_clear(hk_points *points)
{
  hk_rows_clear(&points->rows);
  hk_free(&points->act);
}
