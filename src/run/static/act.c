/* What acts in a static step, at its end. Motions and equations become rows, sum weight u[dof] = value, which elimination brings to u = T w + offset
 * (A.1, load/constraints.h); loads become f. Films of the step are faces that exchange heat (films.c), and nodes that only equations name are kept
 * apart (extra.c). */
#include "physics/words.h"
#include "run/static/static.h"
#include <math.h>
#include <string.h>

/* The degrees of freedom of the run; of a transient step at t0 + at dt of its increment, else at the end. */
static hk_acts_on acts_on(const hk_static *s, int step, double start, double at)
{
  const hk_step *of = &s->on.model->step[step];
  double end = of->duration;
  if (s->time.stands && of->theta > 0) end = s->time.at;
  if (hk_static_theta(s, step) > 0) end = ((double)s->time.increment - 1 + at) * hk_static_dt(of);
  return (hk_acts_on){.model = s->on.model,
                      .list = s->on.list,
                      .space = s->on.space,
                      .extra = s->extra.node,
                      .extra_count = s->extra.count,
                      .start = start,
                      .still = true,
                      .ties = &s->on.ties,
                      .end = end};
}

/* Of a motion that grows over a transient step: between the temperatures at its beginning and the value, by the time of the increment's end. */
static double grown(const hk_static *s, const hk_act_row *r, const hk_index *dof,
                    const double *weight)
{
  const hk_step *step = &s->on.model->step[s->step];
  const double part = s->time.stands
                          ? s->time.at / step->duration
                          : (double)s->time.increment * hk_static_dt(step) / step->duration;
  double start = 0;
  for (int k = 0; k < r->terms; k++) start += weight[k] * s->time.start[dof[k]];
  return start + (r->value - start) * fmin(part, 1);
}

/* What is frozen is held where the step before has left it. Transient steps are asked for theta t1 + (1 - theta) t0. */
static hk_status add_rows(const hk_static *s, const hk_acts *acts, hk_constraint_rows *rows)
{
  const double *last = hk_static_solid(s) ? s->vector.u : s->time.t,
               theta = hk_static_theta(s, s->step);
  for (const hk_act_row *r = acts->row.at; r < acts->row.at + acts->row.count; r++) {
    const hk_index *dof = acts->dof.at + r->begin;
    const double *weight = acts->weight.at + r->begin;
    double value = r->motion && r->motion->grows ? grown(s, r, dof, weight) : r->value;
    for (int k = 0; r->motion && r->motion->frozen && k < r->terms; k++)
      value += weight[k] * last[dof[k]];
    if (theta > 0) value *= theta;
    for (int k = 0; theta > 0 && theta < 1 && k < r->terms; k++)
      value += (1 - theta) * weight[k] * last[dof[k]];
    HK_PASS(
        hk_constraint_rows_add(rows, r->terms, dof, weight, value, r->place.file, r->place.line));
  }
  return HK_OK;
}

/* Rows of the model's equations, and of the step's motions. */
static hk_status constrain(const hk_static *s, const hk_acts_on *on, int step,
                           hk_constraint_rows *rows)
{
  hk_status status = HK_OK;
  const hk_step *from = &s->on.model->step[step];
  hk_points points = {0};
  hk_acts acts = {.on = on, .points = &points};
  const hk_shot motions = {.motion = from->motion, .motion_count = from->motion_count};
  HK_TRY(hk_points_find(s->on.model, s->on.list, 1, &motions, &points));
  HK_TRY(hk_acts_tie(&acts));
  HK_TRY(hk_acts_link(&acts, s->on.model->equation.count, s->on.model->equation.at));
  HK_TRY(hk_acts_move(&acts, from->motion_count, from->motion));
  if (acts.orphans && step == 0)
    hk_messages_add(s->on.list, HK_WARNING, from->place.file, from->place.line, 0,
                    "%lld prescribed %s are at nodes that belong to no element, and are ignored",
                    (long long)acts.orphans, hk_words_of(s->unknowns)->values);
  HK_TRY(add_rows(s, &acts, rows));
cleanup:
  hk_acts_clear(&acts);
  hk_points_clear(&points);
  return status;
}

hk_status hk_static_hold(hk_static *s, int step, double start)
{
  hk_status status = HK_OK;
  hk_constraint_rows rows = {0};
  const double theta = hk_static_theta(s, step);
  const hk_acts_on on = acts_on(s, step, start, 1), within = acts_on(s, step, start, theta);
  hk_step_constraints *held = &s->held;
  const hk_count dofs = s->vector.dofs, extra = s->vector.all - dofs;
  s->step = step;
  if (hk_static_heats(s) && s->time.increment <= 1)
    memcpy(s->time.start, s->time.t, (size_t)s->vector.all * sizeof *s->time.t);
  hk_constraints_clear(&held->own);
  hk_constraints_clear(&held->extras);
  hk_constraints_clear(&held->lead);
  HK_TRY(constrain(s, &on, step, &rows));
  HK_TRY(hk_constraints_build(&rows, dofs, extra, s->on.list, &held->own, &held->extras));
  HK_TRY(hk_extra_tell_open(s, &rows));
  if (on.model->equation.count || s->on.ties.count)
    HK_TRY(hk_constraints_lead(&rows, dofs, extra, &held->lead));
  HK_TRY(hk_films_find(&within, &on.model->step[step], &s->films));
  hk_static_scale_feedback(s, &within, &on.model->step[step]);
cleanup:
  hk_constraint_rows_clear(&rows);
  return status;
}

hk_status hk_static_load(hk_static *s, double start)
{
  hk_status status = HK_OK;
  const hk_step *from = &s->on.model->step[s->step];
  hk_acts_on on = acts_on(s, s->step, start, hk_static_theta(s, s->step));
  hk_points points = {0};
  double *t = NULL;
  hk_acts acts = {.on = &on, .points = &points, .f = s->vector.f};
  const hk_shot loads = {.load = from->load, .load_count = from->load_count};
  memset(s->vector.f, 0, (size_t)s->vector.all * sizeof *s->vector.f);
  if (s->on.warm) {
    HK_TRY(hk_get(&t, s->on.model->mesh->node_count));
    hk_space_from_internal(s->on.space, 1, s->on.warm->t, t);
    on.t = t;
    HK_TRY(hk_films_check(&on, from));
  }
  HK_TRY(hk_points_find(s->on.model, s->on.list, 1, &loads, &points));
  HK_TRY(hk_acts_push(&acts, from->load_count, from->load));
  if (hk_static_heats(s)) hk_static_load_advection(s);
  HK_TRY(hk_extra_load(s));
cleanup:
  hk_free(&t);
  hk_acts_clear(&acts);
  hk_points_clear(&points);
  return status;
}
