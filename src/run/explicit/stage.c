/* A stage is one step of the model ready to be stepped in time. This file puts it together: points
 * and excitation (stage_sources.c), time step (dt.c), warnings about rounding, removal of time
 * dispersion, receivers (stage_output.c), and the steps at which frames and energies are taken.
 * Frames lie at the nearest steps to the requested times, and a note says how far off that is. */
#include "run/explicit/stage.h"
#include <math.h>

hk_times hk_stage_times(const hk_stage *s)
{
  return (hk_times){s->step, s->dt, s->steps};
}

static void add_frame(hk_stage *s, hk_count n)
{
  if (n >= 0 && (!s->frames.count || n > s->frames.step[s->frames.count - 1]))
    s->frames.step[s->frames.count++] = n;
}

/* Steps at which frames are written: those nearest to the times asked for; or t = 0 (but for a step
 * that goes on where the frames of another one ended), then equally spaced, the last step always. */
static hk_status plan_frames(hk_stage *s, bool goes_on, double most)
{
  const hk_field_request *f = &s->step->field;
  const hk_times times = hk_stage_times(s);
  double count =
      f->interval > 0 ? ceil(s->step->duration / f->interval * (1 - 1e-9)) : (double)f->frames;
  if (!f->quantities) return HK_OK;
  count = fmin(fmax(f->time_count ? (double)f->time_count : count, 1),
               f->time_count ? INFINITY : (double)s->steps);
  HK_NEED(count < most, HK_BAD_INPUT, "%.0f field frames are too many: ask for fewer", count);
  HK_PASS(hk_pool_get(&s->pool, &s->frames.step, (hk_count)count + 1));
  for (hk_count k = 0; k < f->time_count; k++) add_frame(s, hk_times_nearest(&times, f->times[k]));
  if (f->time_count) return HK_OK;
  for (double k = goes_on; k < count; k++)
    add_frame(s, f->interval > 0 ? hk_times_nearest(&times, k * f->interval)
                                 : (hk_count)floor(k * (double)s->steps / count + 0.5));
  add_frame(s, s->steps);
  return HK_OK;
}

/* More frames asked for than there are steps. */
static void tell_of_frames(const hk_problem *problem, const hk_stage *s)
{
  const hk_field_request *f = &s->step->field;
  if (f->quantities && f->asked && f->frames > s->steps)
    hk_messages_add(problem->on.list, HK_NOTE, f->place.file, f->place.line, 0,
                    "field: %lld frames are asked for and there are %lld steps: each step is a "
                    "frame",
                    (long long)f->frames, (long long)s->steps);
}

/* Whether the frames of the step before end where those of step `index` begin. */
static bool frames_go_on(const hk_model *model, int index)
{
  const hk_field_request *before = index ? &model->step[index - 1].field : NULL;
  return before && before->quantities && !before->time_count;
}

/* Steps between samples of the energy. A sample is judged half of them later: a fault is told within 100 steps. */
enum { ENERGY_EVERY = 64, SHORT_RUN = 6400 };

hk_status hk_stage_create(hk_problem *problem, int index, double start, double before,
                          hk_stage *out)
{
  hk_status status = HK_OK;
  hk_stage s = {.step = &problem->on.model->step[index], .start = start};
  hk_excitation common = {0}; /* of every shot: one time step serves them all */

  HK_TRY(hk_stage_check_layer(problem, index));
  HK_TRY(hk_stage_find_points(problem, &s));
  HK_TRY(hk_stage_take(problem, 0, 1, &s));
  if (s.step->shot_count) HK_TRY(hk_stage_hold_common(problem, &s, &common));
  const hk_sparse *held = s.step->shot_count ? &common.motion : &s.excitation.motion;
  HK_TRY(hk_choose_dt(problem, s.step, held, before, &s.dt, &s.steps));
  HK_TRY(hk_stage_measure(problem, &s));
  HK_TRY(hk_stage_warn_rounding(problem, &s));
  hk_dispersion_decide(problem, &s);
  s.sampled = s.steps + (s.kept ? 0 : hk_restore_beyond(s.steps));
  s.all_steps = s.sampled + !s.kept;
  HK_TRY(hk_stage_add_receivers(problem, &s));
  HK_TRY(plan_frames(&s, frames_go_on(problem->on.model, index), 1e6));
  tell_of_frames(problem, &s);
  const hk_times times = hk_stage_times(&s);
  hk_times_tell_frames(&problem->on, &times, frames_go_on(problem->on.model, index));
  s.energies.every = s.steps < SHORT_RUN ? ENERGY_EVERY / 2 : ENERGY_EVERY;
  s.energies.samples = (s.steps + s.energies.every - 1) / s.energies.every;
  *out = s, s = (hk_stage){0};
cleanup:
  hk_excitation_clear(&common);
  hk_stage_clear(&s);
  return status;
}

void hk_stage_clear(hk_stage *s)
{
  hk_excitation_clear(&s->excitation);
  hk_points_clear(&s->points);
  hk_pool_clear(&s->pool);
}
