/* When a static run writes results: at the end of each step, and in transient steps of heat after the increments that the model asks for. Requests
 * are rounded to increments; the last increment of a step always has a frame. */
#include "run/static/static.h"
#include <math.h>

enum { MOST_FRAMES = 9999 }; /* numbers of groups in run.h5 */

hk_count hk_static_increments(const hk_step *step)
{
  return step->theta > 0 ? (hk_count)fmax(1, ceil(step->duration / step->dt * (1 - 1e-9))) : 1;
}

double hk_static_dt(const hk_step *step)
{
  return step->duration / (double)hk_static_increments(step);
}

double hk_static_theta(const hk_static *s, int step)
{
  return s->time.stands ? 0 : s->on.model->step[step].theta;
}

/* The increment is the nearest one to a multiple of the interval. */
static bool at_interval(const hk_step *step, hk_count increment)
{
  const double dt = hk_static_dt(step), interval = fmax(step->field.interval, dt);
  return nearbyint(nearbyint((double)increment * dt / interval) * interval / dt) ==
         (double)increment;
}

/* Whether a request of the step falls on the increment, the last aside. */
static bool is_due(const hk_step *step, hk_count increment, hk_count increments)
{
  const hk_field_request *f = &step->field;
  const double dt = hk_static_dt(step), share = (double)f->frames / (double)increments;
  bool due = false;
  if (f->frames)
    due = floor((double)increment * share + 1e-9) > floor((double)(increment - 1) * share + 1e-9);
  else if (f->interval > 0)
    due = at_interval(step, increment);
  for (hk_count k = 0; k < f->time_count; k++)
    due = due || nearbyint(f->times[k] / dt) == (double)increment;
  for (int p = 0; p < step->print_count; p++)
    due = due || (step->print[p].every > 0 && increment % step->print[p].every == 0);
  return due;
}

static hk_status add_frames(hk_static *s, int step, double start)
{
  const hk_step *of = &s->on.model->step[step];
  const hk_count increments = hk_static_increments(of);
  for (hk_count i = 1; i <= increments; i++) {
    if (i < increments && !is_due(of, i, increments)) continue;
    if (s->frames.count == MOST_FRAMES)
      return hk_model_error(s->on.model, s->on.list, of->place, HK_BAD_INPUT,
                            "more than %d frames are due: ask for fewer of them", MOST_FRAMES);
    HK_PASS(hk_pool_room(&s->pool, &s->frames.at, s->frames.count + 1));
    s->frames.at[s->frames.count++] = (hk_static_frame){
        step, i, i == increments ? start + of->duration : start + (double)i * hk_static_dt(of)};
  }
  return HK_OK;
}

hk_times hk_static_times(const hk_step *step)
{
  return (hk_times){step, hk_static_dt(step), hk_static_increments(step)};
}

hk_status hk_static_find_frames(hk_static *s)
{
  for (int i = 0; i < s->on.model->step_count; i++) {
    const hk_times times = hk_static_times(&s->on.model->step[i]);
    HK_PASS(add_frames(s, i, hk_model_step_start(s->on.model, i)));
    if (times.step->theta > 0) hk_times_tell_frames(&s->on, &times, 1);
  }
  return HK_OK;
}
