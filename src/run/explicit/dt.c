/* The time step of an explicit stage: 0.95 of the limit 2 / omega (W.10) by the bound of the
 * elements (W.11), reduced so that it divides the intervals of traces or, if none is given, the
 * duration. A given step above that bound is checked against the largest frequency that Lanczos's
 * iteration finds (solver/frequency/lanczos.c). */
#include "run/explicit/problem.h"
#include "run/session/times.h"
#include "model/unit_names.h"
#include <math.h>

static hk_status check_given(hk_problem *p, const hk_step *step, const hk_sparse *held)
{
  hk_status status = HK_OK;
  double omega;
  bool converged;
  const double bound = hk_problem_dt_limit(p);
  const long long element =
      (long long)hk_mesh_element_label(p->on.model->mesh, hk_problem_guilty(p));

  if (step->dt <= bound) return HK_OK;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  HK_TRY(hk_problem_assemble(p));
  HK_TRY(hk_largest_frequency(p->on.op, p->mass, held, HK_FREQUENCY_ITERATIONS,
                              HK_FREQUENCY_OF_LIMIT, &omega, &converged));
  if (!converged)
    hk_messages_add(p->on.list, HK_WARNING, step->place.file, step->place.line, 0,
                    "the iteration for the largest frequency has not converged in %d steps: hooke "
                    "takes the safe bound %.6g%s as the limit of the time step",
                    HK_FREQUENCY_ITERATIONS, bound, unit.time);
  const double limit = converged ? hk_problem_dt_below(p, omega) : bound;
  if (!(step->dt <= limit * (1 + 1e-9)))
    status =
        hk_model_error(p->on.model, p->on.list, step->place, HK_UNSTABLE,
                       "the time step %.6g%s is above the stability limit %.6g%s, set by element "
                       "%lld: give at most %.6g%s, or leave dt to hooke",
                       step->dt, unit.time, limit, unit.time, element, 0.95 * limit, unit.time);
  else
    hk_messages_add(p->on.list, HK_WARNING, step->place.file, step->place.line, 0,
                    "the time step %.6g%s is above the safe bound %.6g%s (element %lld) and below "
                    "the limit %.6g%s found by iteration",
                    step->dt, unit.time, bound, unit.time, element, limit, unit.time);
cleanup:
  return status;
}

/* The largest common divisor of a and b, to a relative 1e-6; b = 0: a. Returns 0 where the divisor is below `least`. */
static double common_divisor(double a, double b, double least)
{
  const double small = 1e-6 * (b > 0 ? fmin(a, b) : a);
  while (b > small) {
    const double rest = a - b * floor(a / b + 1e-6);
    a = b, b = fmax(rest, 0);
  }
  return a < least ? 0 : a;
}

/* A given step: samples at other times than those asked for are no answer. */
static hk_status check_intervals(const hk_problem *p, const hk_step *step)
{
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  const hk_times times = {.step = step, .dt = step->dt};
  const hk_trace_request *r = hk_times_uneven(&times);
  if (!r) return HK_OK;
  return hk_model_error(
      p->on.model, p->on.list, r->place, HK_BAD_INPUT,
      "the interval %.6g%s of trace %s is not a multiple of the time step %.6g%s: give dt "
      "%.9g%s, leave dt to hooke, or give every instead of interval",
      r->interval, unit.time, r->name, step->dt, unit.time,
      r->interval / fmax(ceil(r->interval / step->dt), 1), unit.time);
}

/* The largest step up to `most` that divides the intervals of all traces, and those of the frames where that costs no more than four times as
 * many steps; *dt = 0 where no interval is given. */
static hk_status fit_intervals(const hk_problem *p, const hk_step *step, double most, double *dt)
{
  enum { MOST_TIMES = 4 };
  double divisor = 0;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  *dt = 0;
  for (int t = 0; t < step->trace_count; t++) {
    const hk_trace_request *r = &step->trace[t];
    if (!(r->interval > 0)) continue;
    const double next = common_divisor(r->interval, divisor, divisor > 0 ? most / MOST_TIMES : 0);
    if (!(next > 0))
      return hk_model_error(
          p->on.model, p->on.list, r->place, HK_BAD_INPUT,
          "the interval %.6g%s of trace %s and those before it have no common divisor above a "
          "quarter of the time step %.6g%s: give intervals that are multiples of one another",
          r->interval, unit.time, r->name, most, unit.time);
    divisor = next;
  }
  if (step->field.interval > 0 && step->field.interval <= step->duration) {
    const double next = common_divisor(step->field.interval, divisor, most / MOST_TIMES);
    if (next > 0) divisor = next;
  }
  if (!(divisor > 0)) return HK_OK;
  *dt = divisor / fmax(ceil(divisor / most * (1 - 1e-9)), 1);
  if (*dt < most / MOST_TIMES)
    hk_messages_add(
        p->on.list, HK_WARNING, step->place.file, step->place.line, 0,
        "the intervals of the traces make the time step %.6g%s, though %.6g%s is stable: %.0f "
        "times as many steps",
        *dt, unit.time, most, unit.time, most / *dt);
  return HK_OK;
}

/* Whether a run can go on with the time step that it had. */
static bool serves(const hk_step *step, double before, double chosen)
{
  const hk_times times = {.step = step, .dt = before};
  return before > 0 && before <= chosen * (1 + 1e-9) && !hk_times_uneven(&times);
}

hk_status hk_choose_dt(hk_problem *p, const hk_step *step, const hk_sparse *held, double before,
                       double *dt, hk_count *steps)
{
  const double chosen = 0.95 * hk_problem_dt_limit(p);
  double fitted = 0;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  if (!(step->dt > 0)) HK_PASS(fit_intervals(p, step, chosen, &fitted));
  if (serves(step, before, chosen)) fitted = before;
  const double given = step->dt > 0 ? step->dt
                       : fitted > 0 ? fitted
                                    : chosen,
               count = step->duration / given;

  if (!(step->duration > 0 && isfinite(step->duration)))
    return hk_model_error(p->on.model, p->on.list, step->place, HK_BAD_INPUT,
                          "the duration %g%s must be above 0", step->duration, unit.time);
  if (!(count < 1e12))
    return hk_model_error(p->on.model, p->on.list, step->place, HK_BAD_INPUT,
                          "%.3g steps of %.3g%s are too many for a run", count, given, unit.time);
  *steps = (hk_count)ceil(count * (1 - 1e-9));
  if (*steps < 1) *steps = 1;
  *dt = step->dt > 0 || fitted > 0 ? given : step->duration / (double)*steps;
  HK_PASS(check_given(p, step, held));
  if (step->dt > 0) HK_PASS(check_intervals(p, step));
  return HK_OK;
}
