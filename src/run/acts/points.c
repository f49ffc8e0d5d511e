/* Points at which loads and motions act, each as the nodes of the element around it with their
 * weights N(x) (load/rows.h). All points of a step are located together, because most of the cost
 * is in the first search. A point outside the mesh is an error at the line of the input that names
 * it. */
#include "run/acts/acts.h"
#include <string.h>

typedef struct found {
  double at[3];
  const void *act;
  bool sloped; /* the gradients of the weights are wanted */
  hk_place place;
} found;

typedef HK_LIST(found) finding;

static hk_status add(finding *f, const void *act, const double *at, bool sloped, hk_place place)
{
  HK_PASS(hk_list_more(f));
  f->at[f->count++] = (found){{at[0], at[1], at[2]}, act, sloped, place};
  return HK_OK;
}

static hk_status add_all(finding *f, const hk_shot *acts)
{
  for (const hk_motion *m = acts->motion; m < acts->motion + acts->motion_count; m++)
    if (m->has_point) HK_PASS(add(f, m, m->at, false, m->place));
  for (const hk_load *l = acts->load; l < acts->load + acts->load_count; l++)
    if (l->kind == HK_LOAD_POINT) HK_PASS(add(f, l, l->at, l->moment != NULL, l->place));
  return HK_OK;
}

/* Points that lie nowhere are an error at the place that names the first. */
static hk_status tell_outside(const hk_model *model, hk_messages *list, const finding *f)
{
  for (hk_count i = 0; i < f->count; i++) {
    hk_rows rows = {0};
    const hk_status status = hk_rows_of_points(model->mesh, 1, f->at[i].at, &rows);
    hk_rows_clear(&rows);
    if (status == HK_BAD_INPUT)
      return hk_model_error(model, list, f->at[i].place, status, "%s", hk_error());
    if (status != HK_OK) return status;
  }
  return HK_OK;
}

hk_status hk_points_find(const hk_model *model, hk_messages *list, int count, const hk_shot *acts,
                         hk_points *out)
{
  hk_status status = HK_OK;
  finding f = {0};
  double *at = NULL;
  bool *sloped = NULL, any = false;
  for (int k = 0; k < count; k++) HK_TRY(add_all(&f, &acts[k]));
  if (!f.count) goto cleanup;
  HK_TRY(hk_get(&at, 3 * f.count));
  HK_TRY(hk_get(&sloped, f.count));
  HK_TRY(hk_get(&out->act, f.count));
  for (hk_count i = 0; i < f.count; i++) {
    memcpy(at + 3 * i, f.at[i].at, sizeof f.at[i].at);
    out->act[i] = f.at[i].act;
    sloped[i] = f.at[i].sloped, any = any || sloped[i];
  }
  status = hk_rows_of_sloped(model->mesh, f.count, at, any ? sloped : NULL, &out->rows);
  if (status == HK_BAD_INPUT) HK_TRY(tell_outside(model, list, &f));
cleanup:
  hk_free(&at);
  hk_free(&sloped);
  hk_free(&f.at);
  return status;
}

void hk_points_clear(hk_points *points)
{
  hk_rows_clear(&points->rows);
  hk_free(&points->act);
}
