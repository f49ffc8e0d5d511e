/* Points at which a stage's sources act: found together, since looking for the first costs as much as for all. */
#include "load/rows.h"
#include "run/explicit/stage.h"
#include <string.h>

typedef struct points {
  hk_count count, capacity, place_capacity;
  double (*at)[3];
  hk_place *place;
} points;

static hk_status add(points *p, const double *at, hk_place place)
{
  hk_status status = HK_OK;
  HK_TRY(hk_reserve(&p->at, p->count + 1, &p->capacity));
  HK_TRY(hk_reserve(&p->place, p->count + 1, &p->place_capacity));
  memcpy(p->at[p->count], at, sizeof *p->at);
  p->place[p->count++] = place;
cleanup:
  return status;
}

/* In the order in which they are taken: motions, then loads. */
static hk_status add_all(points *p, int motions, const hk_motion *motion, int loads,
                         const hk_load *load)
{
  hk_status status = HK_OK;
  for (int i = 0; i < motions; i++)
    if (motion[i].has_point) HK_TRY(add(p, motion[i].at, motion[i].place));
  for (int i = 0; i < loads; i++)
    if (load[i].kind == HK_LOAD_POINT) HK_TRY(add(p, load[i].at, load[i].place));
cleanup:
  return status;
}

/* Points that lie nowhere are an error at the place that names the first. */
static hk_status tell_outside(const hk_problem *problem, hk_messages *list, const points *p)
{
  for (hk_count i = 0; i < p->count; i++) {
    hk_rows rows = {0};
    const hk_status status = hk_rows_of_points(problem->model->mesh, 1, p->at[i], &rows);
    hk_rows_clear(&rows);
    if (status == HK_BAD_INPUT)
      return hk_model_error(problem->model, list, p->place[i], status, "%s", hk_error());
    if (status != HK_OK) return status;
  }
  return HK_OK;
}

hk_status hk_stage_find_points(const hk_problem *problem, hk_messages *list, hk_stage *stage)
{
  hk_status status = HK_OK;
  const hk_step *step = stage->step;
  points p = {0};
  HK_TRY(hk_get(&stage->first_point, step->shot_count + 1));
  HK_TRY(add_all(&p, step->motion_count, step->motion, step->load_count, step->load));
  stage->first_point[0] = p.count;
  for (int k = 0; k < step->shot_count; k++) {
    const hk_shot *own = &step->shot[k];
    HK_TRY(add_all(&p, own->motion_count, own->motion, own->load_count, own->load));
    stage->first_point[k + 1] = p.count;
  }
  if (!p.count) goto cleanup;
  status = hk_rows_of_points(problem->model->mesh, p.count, p.at[0], &stage->points);
  if (status == HK_BAD_INPUT) status = tell_outside(problem, list, &p);
cleanup:
  hk_free(&p.at);
  hk_free(&p.place);
  return status;
}
