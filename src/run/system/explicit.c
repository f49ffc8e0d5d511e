/* The system of an explicit model for hk_system: K, the lumped mass, and what moves and acts in a
 * step at a given time. Prescribed displacements are the values of their signals, velocities and
 * accelerations are summed over the steps as in a run, and forces are their values at that time. */
#include <math.h>
#include <string.h>
#include "run/explicit/stage.h"
#include "run/system/parts.h"

typedef struct own {
  hk_problem *problem;
  hk_stage stage; /* of the step taken */
} own;

static hk_status create(hk_system *y)
{
  const hk_model *model = y->session.model;
  own *o = NULL;
  HK_NEED(!model->media.fluid || !model->media.solid, HK_BAD_INPUT,
          "%s: a fluid beside a solid has no system of its own: its unknowns differ from node to "
          "node",
          model->path);
  HK_PASS(hk_new(&o));
  y->own = o;
  HK_PASS(hk_problem_create(model, &y->how, y->session.list, &o->problem));
  HK_PASS(hk_discretisation_vectors(&o->problem->on));
  y->on = &o->problem->on;
  return HK_OK;
}

static void destroy(hk_system *y)
{
  own *o = y->own;
  if (!o) return;
  hk_stage_clear(&o->stage);
  hk_problem_destroy(&o->problem);
  hk_memory_free(&y->own);
}

/* goal[signal_count]: what the signals of motions have come to at `time`; of rates the sum over the steps of a run. */
static hk_status find_goals(hk_stage *stage, double time, double *goal)
{
  enum { SOME = 256 };
  hk_status status = HK_OK;
  hk_excitation *d = &stage->excitation;
  double *table = NULL;
  const hk_count steps = (hk_count)floor(fmin(time / stage->dt, (double)stage->steps) + 0.5);
  HK_TRY(hk_get(&table, (hk_count)d->signal_count * SOME));
  for (hk_count n = 0; n < steps; n += SOME) {
    const int count = steps - n < SOME ? (int)(steps - n) : SOME;
    hk_excitation_sample(d, stage->dt, n, count, SOME, table);
    for (int i = 0; i < d->signal_count; i++) goal[i] = table[(hk_count)i * SOME + count - 1];
  }
  for (int i = 0; i < d->signal_count; i++)
    if (d->signal[i].role == HK_ROLE_DISPLACEMENT)
      goal[i] = hk_source_signal_at(&d->signal[i], time);
cleanup:
  hk_free(&table);
  return status;
}

static hk_status hold(hk_system *y, double time)
{
  hk_status status = HK_OK;
  own *o = y->own;
  const hk_excitation *d = &o->stage.excitation;
  const hk_place place = o->stage.step->place;
  hk_constraint_rows rows = {0};
  hk_constraints built = {0};
  double *goal = NULL;
  HK_TRY(hk_get(&goal, d->signal_count));
  HK_TRY(find_goals(&o->stage, time, goal));
  for (hk_index r = 0; r < d->motion.rows; r++) {
    const hk_index first = d->motion.begin[r], signal = d->motion_signal[r];
    HK_TRY(hk_constraint_rows_add(
        &rows, d->motion.begin[r + 1] - first, d->motion.dof + first, d->motion.weight + first,
        signal < 0 ? 0 : d->motion_value[r] * goal[signal], place.file, place.line));
  }
  HK_TRY(
      hk_constraints_build(&rows, hk_discretisation_dofs(y->on), 0, y->session.list, &built, NULL));
  HK_TRY(hk_system_merge(y, &built, &(hk_constraints){0}, NULL));
cleanup:
  hk_free(&goal);
  hk_constraint_rows_clear(&rows);
  hk_constraints_clear(&built);
  return status;
}

static void load(hk_system *y, double time)
{
  const own *o = y->own;
  const hk_excitation *d = &o->stage.excitation;
  memset(y->load, 0, (size_t)hk_system_dofs(y) * sizeof *y->load);
  for (hk_index r = 0; r < d->force.rows; r++) {
    double f = 0;
    for (hk_index k = d->force.begin[r]; k < d->force.begin[r + 1]; k++)
      f += d->force.coefficient[k] * hk_source_signal_at(&d->signal[d->force.signal[k]], time);
    y->load[hk_system_to_mesh(y, NULL, d->force.dof[r])] = f;
  }
}

static hk_status take(hk_system *y, int step, double time)
{
  own *o = y->own;
  if (step != y->step) {
    hk_stage_clear(&o->stage);
    o->stage = (hk_stage){0};
    HK_PASS(hk_stage_create(o->problem, step, hk_model_step_start(y->session.model, step), 0,
                            &o->stage));
    HK_PASS(hk_operator_bind(o->problem->on.op, HK_FORM_STORE, false, 1));
  }
  HK_PASS(hold(y, time));
  load(y, time);
  return HK_OK;
}

static hk_status mass(const hk_system *y, double *m)
{
  const own *o = y->own;
  memcpy(m, o->problem->mass, (size_t)y->on->space->padded * sizeof *m);
  return HK_OK;
}

static const hk_sparse *moving(const hk_system *y)
{
  const own *o = y->own;
  return &o->stage.excitation.motion;
}

static double time_step(const hk_system *y)
{
  const own *o = y->own;
  return o->stage.dt;
}

const hk_system_kind hk_system_explicit = {.create = create,
                                           .destroy = destroy,
                                           .take = take,
                                           .mass = mass,
                                           .moving = moving,
                                           .time_step = time_step};
