/* Samples of traces and frames are taken at steps alone. What was asked for at other times is compared with them here: an interval of samples that is no
 * multiple of the time step, an interval that is longer than the computed time, frames between two steps. */
#include "run/session/times.h"
#include "model/unit_names.h"
#include <math.h>
#include <stdio.h>

hk_count hk_times_nearest(const hk_times *t, double time)
{
  const double n = floor(time / t->dt + 0.5);
  return n >= 0 && n <= (double)t->count ? (hk_count)n : -1;
}

bool hk_times_divide(double dt, double interval)
{
  const double n = interval / dt;
  return n > 0.5 && fabs(n - floor(n + 0.5)) <= 1e-6 * n;
}

const hk_trace_request *hk_times_uneven(const hk_times *t)
{
  for (int k = 0; k < t->step->trace_count; k++) {
    const hk_trace_request *r = &t->step->trace[k];
    if (r->interval > 0 && !hk_times_divide(t->dt, r->interval)) return r;
  }
  return NULL;
}

hk_count hk_times_every(const hk_times *t, const hk_trace_request *r)
{
  const double asked = r->interval > 0 ? r->interval / t->dt + 0.5 : (double)r->every;
  return (hk_count)fmin(fmax(asked, 1), (double)t->count + 1);
}

void hk_times_warn(const hk_discretisation *on, const hk_times *t, const hk_trace_request *r)
{
  if (hk_times_every(t, r) <= t->count) return;
  const hk_unit_words unit = hk_unit_words_of(&on->model->units);
  if (r->interval > 0)
    hk_messages_add(on->list, HK_WARNING, r->place.file, r->place.line, 0,
                    "trace %s: its interval of %.6g%s is longer than the computed time of %.6g%s: "
                    "only the sample at t = 0 is recorded; give a shorter interval",
                    r->name, r->interval, unit.time, (double)t->count * t->dt, unit.time);
  else
    hk_messages_add(on->list, HK_WARNING, r->place.file, r->place.line, 0,
                    "trace %s: it samples every %lld time steps, and there are %lld: only the "
                    "sample at t = 0 is recorded; give a smaller number",
                    r->name, (long long)r->every, (long long)t->count);
}

/* Times that were asked for, their largest distance from a step, and how many share a step with the one before. */
static double farthest_frame(const hk_times *t, int first, hk_count *shared)
{
  const hk_field_request *f = &t->step->field;
  const bool given = f->time_count > 0;
  const double end = (double)t->count * t->dt,
               count = given ? (double)f->time_count : floor(end / f->interval * (1 + 1e-9)) + 1;
  double farthest = 0;
  hk_count before = -1;
  *shared = 0;
  for (double k = given ? 0 : first; k < count; k++) {
    const double time = given ? f->times[(hk_count)k] : k * f->interval;
    const hk_count n = hk_times_nearest(t, time);
    if (n < 0) continue;
    farthest = fmax(farthest, fabs(time - (double)n * t->dt));
    *shared += n == before;
    before = n;
  }
  return farthest;
}

void hk_times_tell_frames(const hk_discretisation *on, const hk_times *t, int first)
{
  const hk_field_request *f = &t->step->field;
  const hk_place place = t->step->place;
  const hk_unit_words unit = hk_unit_words_of(&on->model->units);
  const double end = (double)t->count * t->dt;
  char also[80] = "";
  hk_count shared;
  if (!f->quantities || !(f->time_count > 0 || f->interval > 0)) return;
  const double farthest = farthest_frame(t, first, &shared);
  if (shared)
    snprintf(also, sizeof also, "; %lld share a step with another one", (long long)shared);
  if (farthest > 1e-6 * t->dt)
    hk_messages_add(on->list, HK_NOTE, place.file, place.line, 0,
                    "frames lie up to %.3g%s from the requested times, at the nearest time steps "
                    "(%.6g%s apart)%s",
                    farthest, unit.time, t->dt, unit.time, also);
  if (!f->time_count && f->interval > end * (1 + 1e-9))
    hk_messages_add(on->list, HK_NOTE, place.file, place.line, 0,
                    "the interval of %.6g%s of field is longer than the computed time of %.6g%s: "
                    "there are no frames between its ends",
                    f->interval, unit.time, end, unit.time);
}
