/* A stage is one step of the model ready to be stepped in time. This file puts it together: points
 * and excitation (stage_sources.c), time step (dt.c), warnings about rounding, removal of time
 * dispersion, receivers (stage_output.c), and the steps at which frames and energies are taken.
 * Frames lie at the nearest steps to the requested times, and a note says how far off that is. */
#include "run/explicit/stage.h"
#include "model/unit_names.h"
#include <math.h>
#include <stdio.h>

static hk_count nearest_step(const hk_stage *s, double time)
{
  const double n = floor(time / s->dt + 0.5);
  return n >= 0 && n <= (double)s->steps ? (hk_count)n : -1;
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
  double count =
      f->interval > 0 ? ceil(s->step->duration / f->interval * (1 - 1e-9)) : (double)f->frames;
  if (!f->quantities) return HK_OK;
  count = fmin(fmax(f->time_count ? (double)f->time_count : count, 1),
               f->time_count ? INFINITY : (double)s->steps);
  HK_NEED(count < most, HK_BAD_INPUT, "%.0f field frames are too many: ask for fewer", count);
  HK_PASS(hk_pool_get(&s->pool, &s->frames.step, (hk_count)count + 1));
  for (hk_count k = 0; k < f->time_count; k++) add_frame(s, nearest_step(s, f->times[k]));
  if (f->time_count) return HK_OK;
  for (double k = goes_on; k < count; k++)
    add_frame(s, f->interval > 0 ? nearest_step(s, k * f->interval)
                                 : (hk_count)floor(k * (double)s->steps / count + 0.5));
  add_frame(s, s->steps);
  return HK_OK;
}

/* Frames at given times, or at an interval, lie at the nearest steps: told where that is not where they were asked for. */
static void tell_of_frames(const hk_units *units, const hk_stage *s, bool goes_on,
                           hk_messages *list)
{
  const hk_field_request *f = &s->step->field;
  const bool times = f->time_count > 0, asked = f->quantities && (times || f->interval > 0);
  const double end = (double)s->steps * s->dt,
               count = times ? (double)f->time_count : floor(end / f->interval * (1 + 1e-9)) + 1;
  double farthest = 0;
  hk_count shared = 0, before = -1;
  for (double k = times ? 0 : goes_on; asked && k < count; k++) {
    const double time = times ? f->times[(hk_count)k] : k * f->interval;
    const hk_count n = nearest_step(s, time);
    if (n < 0) continue;
    farthest = fmax(farthest, fabs(time - (double)n * s->dt));
    shared += n == before;
    before = n;
  }
  char also[80] = "";
  if (shared)
    snprintf(also, sizeof also, "; %lld share a step with another one", (long long)shared);
  const hk_unit_words unit = hk_unit_words_of(units);
  if (farthest > 1e-6 * s->dt)
    hk_messages_add(list, HK_NOTE, s->step->place.file, s->step->place.line, 0,
                    "frames lie up to %.3g%s from the requested times, at the nearest time steps "
                    "(%.6g%s apart)%s",
                    farthest, unit.time, s->dt, unit.time, also);
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
  tell_of_frames(&problem->on.model->units, &s, frames_go_on(problem->on.model, index),
                 problem->on.list);
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
