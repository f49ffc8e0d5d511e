/* Warns where single precision loses a force. The state keeps u and its increment v dt. A force
 * that accelerates the body by a changes the increment by a dt^2 in each step, and rounding takes
 * up to 2^-24 v dt of it, a share of 2^-24 v / (a dt), always in the same direction while v hardly
 * changes. It also warns about forces so small that their increments underflow. */
#include "run/explicit/stage.h"
#include "model/unit_names.h"
#include <math.h>

static const double rounding = 0x1p-24, most_share = 0.01;

static double largest(const hk_stage *s, const hk_source_signal *signal)
{
  enum { TIMES = 1000 };
  const double end = (double)s->steps * s->dt;
  double most = 0;
  for (int k = 0; k <= TIMES; k++)
    most = fmax(most, fabs(hk_source_signal_at(signal, end * k / TIMES)));
  return most;
}

/* What the body is given at the start, or by a motion that is prescribed. */
static double given_speed(const hk_problem *p, const hk_stage *s)
{
  const hk_excitation *d = &s->excitation;
  double most = 0;
  for (int i = 0; i < p->on.model->initial.count; i++) {
    const hk_initial *state = &p->on.model->initial.at[i];
    if (state->kind != HK_MOVE_VELOCITY || state->medium == HK_FLUID) continue;
    most = fmax(most, fabs(state->value));
    for (hk_count k = 0; state->values && k < state->target.count; k++)
      most = fmax(most, fabs(state->values[k]));
  }
  for (hk_index r = 0; r < d->motion.rows; r++) {
    const hk_index signal = d->motion_signal[r];
    if (signal >= 0 && d->signal[signal].role == HK_ROLE_VELOCITY)
      most = fmax(most, fabs(d->motion_value[r]) * largest(s, &d->signal[signal]));
  }
  return most;
}

/* The acceleration of the whole body by the forces of one signal: their sum over its mass. */
static double acceleration_of(const hk_problem *p, const hk_stage *s, hk_index signal)
{
  const hk_force_rows *force = &s->excitation.force;
  const int components = p->on.space->components;
  const hk_index dofs = p->on.space->padded * components;
  double sum[3] = {0}, mass = 0;
  for (hk_index r = 0; r < force->rows && force->dof[r] < dofs; r++)
    for (hk_index k = force->begin[r]; k < force->begin[r + 1]; k++)
      if (force->signal[k] == signal) sum[force->dof[r] % components] += force->coefficient[k];
  for (hk_index i = 0; i < p->on.space->padded; i++)
    if (p->on.space->mesh_node[i] >= 0) mass += p->mass[i];
  return hypot(hypot(sum[0], sum[1]), sum[2]) / mass * largest(s, &s->excitation.signal[signal]);
}

/* A body that nothing holds or damps falls ever faster. */
static double falling_speed(const hk_problem *p, const hk_stage *s, double acceleration)
{
  bool volume = false;
  for (int i = 0; i < s->step->load_count; i++)
    volume =
        volume || s->step->load[i].kind == HK_LOAD_GRAVITY || s->step->load[i].kind == HK_LOAD_BODY;
  const bool held = s->excitation.motion.rows || p->damping || p->dashpots.count || p->pml.stretch;
  return volume && !held ? acceleration * (double)s->steps * s->dt : 0;
}

/* largest of each signal that is of forces, else 0: (*of)[signal_count]. Many signals are few that begin at many times: those are looked at
 * once, as if they began at 0. */
static hk_status find_largest(const hk_stage *s, double **of)
{
  enum { MANY = 1000 };
  const int count = s->excitation.signal_count;
  HK_PASS(hk_get(of, count));
  for (int i = 0; i < count; i++) {
    const hk_source_signal *d = &s->excitation.signal[i];
    const bool again = count > MANY && i && d[-1].signal == d->signal && d[-1].role == d->role;
    const hk_source_signal whole = {.signal = d->signal};
    if (again)
      (*of)[i] = (*of)[i - 1];
    else if (d->role == HK_ROLE_FORCE)
      (*of)[i] = largest(s, count > MANY ? &whole : d);
  }
  return HK_OK;
}

/* The largest change of an increment in one step by a force on its node: F dt^2 / m. */
static hk_status largest_push(const hk_problem *p, const hk_stage *s, double *most)
{
  const hk_force_rows *force = &s->excitation.force;
  const int components = p->on.space->components;
  double *acts = NULL;
  HK_PASS(find_largest(s, &acts));
  *most = 0;
  for (hk_index r = 0; r < force->rows && force->dof[r] < p->on.space->padded * components; r++)
    for (hk_index k = force->begin[r]; k < force->begin[r + 1]; k++)
      *most = fmax(*most, fabs(force->coefficient[k]) * acts[force->signal[k]] * s->dt * s->dt /
                              p->mass[force->dof[r] / components]);
  hk_free(&acts);
  return HK_OK;
}

/* Below 1.2e-38 single precision has fewer digits, then none; waves are weaker than what drives them. */
static hk_status warn_of_underflow(const hk_problem *p, const hk_stage *s)
{
  const double least = 1e-30;
  double push;
  HK_PASS(largest_push(p, s, &push));
  if (s->excitation.motion.rows || p->on.model->initial.count || !(push > 0) || push > least)
    return HK_OK;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  hk_messages_add(p->on.list, HK_WARNING,
                  s->step->place.file ? s->step->place.file : p->on.model->path,
                  s->step->place.line, 0,
                  "single precision: forces move their nodes by %.3g%s per step, and numbers below "
                  "1e-38 are lost: choose a smaller unit of length, or give --precision=double",
                  push, unit.length);
  return HK_OK;
}

hk_status hk_stage_warn_rounding(const hk_problem *p, const hk_stage *s)
{
  if (p->on.double_precision) return HK_OK;
  const hk_unit_words unit = hk_unit_words_of(&p->on.model->units);
  HK_PASS(warn_of_underflow(p, s));
  if (p->on.model->media.fluid) return HK_OK;
  const double given = given_speed(p, s);
  if (!(given > 0) && !(falling_speed(p, s, 1) > 0)) return HK_OK;
  for (int i = 0; i < s->excitation.signal_count; i++) {
    if (s->excitation.signal[i].role != HK_ROLE_FORCE) continue;
    const double a = acceleration_of(p, s, i), v = fmax(given, falling_speed(p, s, a));
    const double share = rounding * v / (a * s->dt);
    if (!(a > 0) || !(share > most_share)) continue;
    hk_messages_add(p->on.list, HK_WARNING,
                    s->step->place.file ? s->step->place.file : p->on.model->path,
                    s->step->place.line, 0,
                    "single precision: a force accelerates the body by %.3g%s, so each step of "
                    "%.3g%s changes its speed of up to %.3g%s by %.3g%s, and rounding loses up to "
                    "%.0f %% of that; give --precision=double",
                    a, unit.acceleration, s->dt, unit.time, v, unit.speed, a * s->dt, unit.speed,
                    fmin(100, 100 * share));
    return HK_OK;
  }
  return HK_OK;
}
