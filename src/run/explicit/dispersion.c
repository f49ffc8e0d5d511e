/* Decides whether the time dispersion of the integrator is removed from the traces of a stage
 * (load/dispersion.h), and predicts the phase error (D.2). It stays for linear elements and those
 * whose mass is lumped by (W.4), whose error in space cancels part of it, and where the filter does not apply: an integrator that it is
 * not made for, several steps, initial displacements, motions that begin with a jump, very long
 * signals. The error is predicted for the longest path between sources and receivers at the slowest
 * wave speed. What the rate of a Kelvin-Voigt solid adds is never removed. */
#include "run/explicit/stage.h"
#include "element/element.h"
#include "model/unit_names.h"
#include <math.h>

static const double TOLD = 0.01; /* error of phase that is worth a warning */

typedef struct looking {
  const hk_stage *stage;
  const hk_model *model;
} looking;

/* Longer than what can be filtered. */
static bool lasts(const hk_act *a, void *context)
{
  const looking *l = context;
  hk_source_signal d = {.signal = a->signal < 0 ? NULL : &l->model->signal.at[a->signal]};
  for (hk_count i = 0; i < a->count; i++) {
    d.start = hk_act_start(a, l->stage->start, i);
    if (!hk_signal_filterable(&d, l->stage->dt, l->stage->steps)) return true;
  }
  return false;
}

static bool held_with_jump(const hk_act *a, void *context)
{
  const looking *l = context;
  for (hk_count i = 0; i < a->count && a->held; i++) {
    const double start = hk_act_start(a, l->stage->start, i);
    if (a->signal < 0 ? start <= 0 : hk_signal_jump(&l->model->signal.at[a->signal], start) != 0)
      return true;
  }
  return false;
}

static bool displaced(const hk_model *model)
{
  for (int i = 0; i < model->initial.count; i++) {
    const hk_initial *v = &model->initial.at[i];
    bool zero = v->value == 0 || v->values;
    for (hk_count k = 0; v->values && k < v->target.count; k++) zero = zero && v->values[k] == 0;
    if (v->kind == HK_MOVE_DISPLACEMENT && !zero) return true;
  }
  return false;
}

static bool linear(const hk_mesh *mesh)
{
  return !mesh->block_count || hk_element_of(mesh->block[0].shape)->order < 2;
}

/* Waves lag by an error of second order in space: linear elements, and those of second order but for spectral ones. */
static bool lag(const hk_problem *problem)
{
  return linear(problem->on.model->mesh) ||
         !(problem->on.kind->mass || hk_mesh_quad_families(problem->on.model->mesh));
}

static const char *hindrance(const hk_problem *problem, const hk_stage *stage)
{
  const hk_model *model = problem->on.model;
  looking l = {stage, model};
  if (!problem->integrator->filtered) return "the time integrator has another dispersion";
  if (model->step_count > 1) return "the run has several steps";
  if (displaced(model)) return "initial displacements are given";
  if (hk_step_any(stage->step, held_with_jump, &l))
    return "a prescribed displacement begins with a jump";
  if (hk_step_any(stage->step, lasts, &l)) return "a signal changes over more than 2 million steps";
  return NULL;
}

/* The traces are computed for some steps beyond the end: a recorded wave that still moves when its samples end is held from there on. */
static void warn_record(const hk_problem *problem, const hk_stage *stage)
{
  static const double rest = 1e-3; /* of the largest value */
  const double needed = (double)(stage->steps + hk_restore_beyond(stage->steps)) * stage->dt;
  double end = INFINITY, from, to;
  for (int i = 0; i < stage->excitation.signal_count; i++) {
    const hk_source_signal *s = &stage->excitation.signal[i];
    if (!s->signal || s->signal->kind != HK_SIGNAL_SPLINE) continue;
    hk_signal_support(s->signal, &from, &to);
    if (fabs(hk_signal_value(s->signal, to)) > rest) end = fmin(end, s->start + to);
  }
  if (!(end < needed)) return;
  hk_messages_add(problem->on.list, HK_WARNING, stage->step->place.file, stage->step->place.line, 0,
                  "the samples of the injection end at t = %.6g while the wave moves, and traces "
                  "without time dispersion need it until %.6g: they are less exact near the end; "
                  "record the wave for longer, or give time_dispersion: keep",
                  end, needed);
}

void hk_dispersion_decide(const hk_problem *problem, hk_stage *stage)
{
  const hk_model *model = problem->on.model;
  const bool wanted = model->solve.time_dispersion == HK_DISPERSION_REMOVE;
  stage->kept = NULL;
  if (!stage->step->trace_count)
    stage->kept = "the case requests no traces";
  else if (model->solve.time_dispersion == HK_DISPERSION_KEEP)
    stage->kept = "time_dispersion: keep is given";
  else if (!wanted && lag(problem))
    stage->kept =
        linear(model->mesh)
            ? "the elements are linear, and their error in space cancels part of that in time"
            : "the masses are lumped, and the error in space cancels part of that in time";
  else if ((stage->kept = hindrance(problem, stage)))
    hk_messages_add(
        problem->on.list, wanted ? HK_WARNING : HK_NOTE, stage->step->place.file,
        stage->step->place.line, 0,
        "hooke does not remove time dispersion from the traces: %s (docs/theory/dispersion.md)",
        stage->kept);
  if (!stage->kept) warn_record(problem, stage);
}

double hk_dispersion_phase(const hk_integrator *integrator, double frequency, double dt,
                           double time)
{
  const double omega = 2 * M_PI * frequency, computed = integrator->frequency(omega * dt);
  return isfinite(computed) ? omega * time * (computed - 1) : INFINITY;
}

double hk_dispersion_lag(const hk_problem *problem, double frequency, double dt, double time)
{
  const double omega = 2 * M_PI * frequency;
  return omega * time * omega * omega * problem->delay.most * dt / 4;
}

const char *hk_dispersion_rest(const hk_problem *problem)
{
  return problem->delay.most > 0
             ? "the rate of kelvin_voigt lags by half a step, which a smaller dt alone reduces"
             : NULL;
}

/* The box of points is widened by x. */
static void widen(double (*box)[2], int dim, const double *x)
{
  for (int c = 0; c < dim; c++) {
    box[c][0] = fmin(box[c][0], x[c]);
    box[c][1] = fmax(box[c][1], x[c]);
  }
}

static void widen_target(double (*box)[2], const hk_mesh *mesh, const hk_target *t, bool nodes)
{
  for (hk_count i = 0; nodes && !t->face && i < t->count; i++)
    widen(box, mesh->dim, mesh->x + (hk_count)t->item[i] * mesh->dim);
}

static void widen_sources(double (*box)[2], const hk_mesh *mesh, const hk_shot *acts)
{
  for (const hk_load *l = acts->load; l < acts->load + acts->load_count; l++) {
    if (l->kind == HK_LOAD_POINT) widen(box, mesh->dim, l->at);
    widen_target(box, mesh, &l->target, l->kind == HK_LOAD_FORCE);
  }
  for (const hk_motion *m = acts->motion; m < acts->motion + acts->motion_count; m++) {
    if (m->signal < 0) continue; /* fixed */
    if (m->has_point) widen(box, mesh->dim, m->at);
    widen_target(box, mesh, &m->target, true);
  }
}

/* Largest distance between the corners of the boxes of sources and receivers; negative: one of them is not there. */
static double longest_path(const hk_model *model)
{
  const hk_step *step = &model->step[0];
  const hk_shot every = hk_step_acts(step);
  const hk_mesh *mesh = model->mesh;
  double box[2][3][2], sum = 0;
  for (int k = 0; k < 6; k++) box[k / 3][k % 3][0] = INFINITY, box[k / 3][k % 3][1] = -INFINITY;
  widen_sources(box[0], mesh, &every);
  for (int k = 0; k < step->shot_count; k++) widen_sources(box[0], mesh, &step->shot[k]);
  for (int t = 0; t < step->trace_count; t++) {
    for (hk_count i = 0; i < step->trace[t].point_count; i++)
      widen(box[1], mesh->dim, step->trace[t].at + 3 * i);
    widen_target(box[1], mesh, &step->trace[t].target, !step->trace[t].point_count);
  }
  for (int c = 0; c < mesh->dim; c++) {
    const double d = fmax(box[1][c][1] - box[0][c][0], box[0][c][1] - box[1][c][0]);
    if (!isfinite(d)) return -1;
    sum += d * d;
  }
  return sqrt(sum);
}

void hk_dispersion_foretell(const hk_problem *problem, const char *kept, double frequency,
                            double slowest, double dt, double end, hk_messages *list,
                            hk_dispersion *out)
{
  const hk_model *model = problem->on.model;
  const double path = longest_path(model);
  *out = (hk_dispersion){.kept = kept, .frequency = frequency, .path = path, .time = end};
  if (path >= 0 && slowest > 0) out->time = fmin(end, path / slowest);
  if (!(frequency > 0)) return;
  out->computed = hk_dispersion_phase(problem->integrator, frequency, dt, out->time);
  out->left = kept ? out->computed : 0;
  out->lag = hk_dispersion_lag(problem, frequency, dt, out->time);
  out->computed += out->lag, out->left += out->lag;
  if (!kept || !(out->computed - out->lag > TOLD) ||
      model->solve.time_dispersion != HK_DISPERSION_KEEP)
    return;
  const hk_unit_words unit = hk_unit_words_of(&model->units);
  const double early = out->computed - out->lag;
  hk_messages_add(
      list, HK_WARNING, model->path, 0, 0,
      "the time step makes waves of the highest frequency %.4g%s arrive early by %.2g rad "
      "over %.4g%s of time (an error of %.2g %%): leave time_dispersion to hooke, or give dt "
      "%.3g%s",
      frequency, unit.frequency, early, out->time, unit.time, 100 * fmin(early, 2),
      dt * sqrt(TOLD / early), unit.time);
}
