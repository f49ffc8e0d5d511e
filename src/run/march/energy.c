/* Samples the energies of a run: fetched from the device, written to run.h5, and judged by
 * balance.c. An unstable run ends with a message that names the shot, the step, the node that moves
 * most, the probable cause (time step, matched layer, springs, units) and the remedy. Progress is
 * reported to the caller here as well. */
#include "run/march/march.h"
#include "model/unit_names.h"
#include <math.h>
#include <stdio.h>

enum { PART = 1 << 16 }; /* dofs read at a time */

/* The node that is not a number, or moves most, in shot k of the batch. */
static hk_status find_worst(const hk_march *s, int k, int64_t *label, bool *finite)
{
  hk_status status = HK_OK;
  const hk_space *space = s->problem->on.space;
  const int c = space->components;
  const hk_count dofs = (hk_count)space->padded * c;
  double *u = NULL, most = -1;
  hk_index worst = 0;
  HK_TRY(hk_get(&u, PART));
  for (hk_count first = 0; first < dofs && isfinite(most); first += PART) {
    const hk_count count = dofs - first < PART ? dofs - first : PART;
    HK_TRY(hk_team_read_some(s->solver, k, HK_STATE_DISPLACEMENT, first, count, u));
    for (hk_count i = 0; i < count && isfinite(most); i++) {
      const hk_index node = (hk_index)((first + i) / c);
      if (space->mesh_node[node] < 0 || fabs(u[i]) <= most) continue;
      worst = node, most = fabs(u[i]);
    }
  }
  *finite = isfinite(most);
  *label = hk_mesh_node_label(s->model->mesh, space->mesh_node[worst]);
cleanup:
  hk_free(&u);
  return status;
}

/* Without a layer, and materials that relax, no loss is negative: what grows is rounding, which the balance judges. */
static hk_balance_bounds bounds_of(const hk_march *s, int k)
{
  const hk_problem *p = s->problem;
  const bool real = p->on.double_precision;
  const double delay = p->delay.most / s->stage[s->current].dt;
  return (hk_balance_bounds){
      .floor = s->stage[s->current].energies.reference[k] * (real ? 1e-18 : 1e-10),
      .hidden = fmax(1, p->hidden) * fmax(1, p->surplus),
      .counted = 1 + delay,
      .inexact = p->surplus > 1 || delay > 0,
      .noise = !p->pml.stretch ? 2 * HK_BALANCE_OFF_AT_END : (real ? 1e-10 : 1e-4)};
}

/* "shot 3, ", or nothing in models without shots */
static void name_shot(const hk_march *s, int k, size_t room, char *text)
{
  text[0] = 0;
  if (s->files.layouts.run.shots)
    snprintf(text, room, "shot %lld, ", (long long)s->shots.first + k + 1);
}

/* What is wrong, of a verdict but not-a-number. */
static void describe(const hk_balance *l, hk_balance_verdict verdict, size_t room, char *text)
{
  const double energy = l->energy.kinetic + l->energy.strain, most = fmax(l->given, 1e-300);
  if (verdict == HK_BALANCE_OFF)
    snprintf(text, room, "the energy balance is off by %.1f %%",
             100 * fabs(l->balance) / l->largest);
  if (verdict == HK_BALANCE_EXCESS)
    snprintf(text, room, "kinetic and strain energy are %.3g times the energy put in",
             energy / most);
  if (verdict == HK_BALANCE_SPLIT)
    snprintf(text, room, "the kinetic energy is %.3g times the energy put in",
             l->energy.kinetic / most);
  if (verdict == HK_BALANCE_GROWTH)
    snprintf(text, room, "the energy grows to %.3g times its former value, more than the work done",
             energy / l->window.low);
}

/* The cause, and what to do. */
static void advise(const hk_march *s, const hk_balance *l, hk_balance_verdict verdict, size_t room,
                   char *text)
{
  const hk_problem *p = s->problem;
  const double dt = s->stage[s->current].dt;
  const bool split = verdict == HK_BALANCE_SPLIT;
  const hk_unit_words unit = hk_unit_words_of(&s->model->units);
  if (p->pml.stretch && !split && hk_balance_blames_layer(l, verdict))
    snprintf(text, room,
             "the perfectly matched layer adds energy instead of absorbing it: make it thicker, or "
             "use kind stacey or layer there");
  else if (p->stiff_springs)
    snprintf(text, room,
             "springs of a crack set the limit of the time step: make them softer, or give a time "
             "step below %.6g%s",
             dt, unit.time);
  else
    snprintf(text, room, "give a time step below %.6g%s (element %lld sets the limit)%s", dt,
             unit.time, (long long)hk_mesh_element_label(s->model->mesh, hk_problem_guilty(p)),
             p->on.double_precision || split
                 ? ""
                 : ", or --precision=double where a body drifts far as a whole");
}

/* Of a step below its limit: nothing grows, so that only numbers too large or too small for the precision end in not-a-number. */
static void advise_units(const hk_problem *p, size_t room, char *text)
{
  snprintf(text, room,
           "the time step is below its limit, and numbers have left the range of %s: check the "
           "units of the materials and loads, choose other units%s",
           p->on.double_precision ? "double precision (1e-308 to 1e308)"
                                  : "single precision (1e-38 to 3e38)",
           p->on.double_precision ? "" : ", or give --precision=double");
}

static hk_status tell_instability(const hk_march *s, int k, hk_count step,
                                  hk_balance_verdict verdict)
{
  int64_t node = 0;
  bool numbers;
  char shot[40], what[160] = "", advice[240];
  const hk_balance *l = &s->energy.balance[k];
  name_shot(s, k, sizeof shot, shot);
  HK_PASS(find_worst(s, k, &node, &numbers));
  if (!numbers) verdict = HK_BALANCE_NAN;
  describe(l, verdict, sizeof what, what);
  advise(s, l, verdict, sizeof advice, advice);
  if (verdict == HK_BALANCE_NAN && s->stage[s->current].dt <= hk_problem_dt_limit(s->problem)) {
    advise_units(s->problem, sizeof advice, advice);
    return hk_error_set(HK_UNSTABLE, "unstable: not-a-number at %sstep %lld, node %lld; %s", shot,
                        (long long)step, (long long)node, advice);
  }
  if (verdict == HK_BALANCE_NAN)
    return hk_error_set(HK_UNSTABLE,
                        "unstable: not-a-number at %sstep %lld, node %lld; %s; or check the "
                        "materials and loads",
                        shot, (long long)step, (long long)node, advice);
  return hk_error_set(HK_UNSTABLE,
                      "unstable: %s at %sstep %lld, the displacement is largest at node %lld; %s",
                      what, shot, (long long)step, (long long)node, advice);
  return HK_OK;
}

/* Below the floor rounding is all there is: said, as it cannot be judged. */
static void tell_of_noise(const hk_march *s, int k, const hk_balance_bounds *bounds)
{
  const hk_balance *l = &s->energy.balance[k];
  char shot[40];
  if (!(l->largest > 0) || l->largest > bounds->floor) return;
  if (!(fabs(l->balance) > 0.01 * l->largest)) return;
  name_shot(s, k, sizeof shot, shot);
  hk_messages_add(s->list, HK_WARNING, s->model->path, 0, 0,
                  "%sthe energies are no larger than the rounding errors of the loads: they do not "
                  "balance, and the result is noise",
                  shot);
}

static void judge_balance(hk_march *s, int k)
{
  const hk_balance_bounds bounds = bounds_of(s, k);
  const hk_balance *l = &s->energy.balance[k];
  char shot[40], advice[240];
  tell_of_noise(s, k, &bounds);
  if (s->session->off[0] || !hk_balance_off_at_end(l, &bounds)) return;
  name_shot(s, k, sizeof shot, shot);
  advise(s, l, HK_BALANCE_OFF, sizeof advice, advice);
  snprintf(s->session->off, sizeof s->session->off,
           "unstable: %sthe energy balance is off by %.1f %% at the end: the results are written, "
           "but do not trust them; %s",
           shot, 100 * fabs(l->balance) / l->largest, advice);
}

hk_status hk_march_judge_end(hk_march *s)
{
  int64_t node;
  bool finite;
  for (int k = 0; k < s->shots.batch; k++) {
    HK_PASS(find_worst(s, k, &node, &finite));
    if (!finite) return tell_instability(s, k, hk_team_step(s->solver), HK_BALANCE_NAN);
    pthread_mutex_lock(&s->queue->lock);
    judge_balance(s, k);
    pthread_mutex_unlock(&s->queue->lock);
  }
  return HK_OK;
}

void hk_march_judge_ended(hk_march *s, double worst)
{
  if (worst > HK_BALANCE_OFF_AT_END)
    snprintf(s->session->off, sizeof s->session->off,
             "unstable: the energy balance of a shot was off by %.1f %% at its end", 100 * worst);
}

/* Of shot k of the batch. */
static hk_status judge(hk_march *s, int k, const hk_energy *of_stage)
{
  hk_balance *l = &s->energy.balance[k];
  const hk_stage *stage = &s->stage[s->current];
  const hk_balance_bounds bounds = bounds_of(s, k);
  pthread_mutex_lock(&s->queue->lock);
  const hk_balance_verdict verdict = hk_balance_add(l, of_stage, &bounds);
  pthread_mutex_unlock(&s->queue->lock);
  const hk_energy *e = &l->energy;
  const double value[HK_ENERGY_COUNT] = {e->kinetic, e->strain, e->work, e->damping};

  HK_PASS(hk_run_file_write_energy(s->files.run, s->shots.first + k,
                                   stage->energies.first + s->energy.number, 1, value));
  if (verdict != HK_BALANCE_SOUND) return tell_instability(s, k, s->energy.step, verdict);
  return HK_OK;
}

hk_status hk_march_energy_begin(hk_march *s, hk_count sample)
{
  const hk_status status = hk_team_energy_begin(s->solver);
  s->energy.coming = status == HK_OK;
  s->energy.number = sample, s->energy.step = hk_team_step(s->solver);
  return status;
}

hk_status hk_march_energy_end(hk_march *s)
{
  if (!s->energy.coming) return HK_OK;
  s->energy.coming = false;
  HK_PASS(hk_team_energy_end(s->solver, s->energy.sample));
  for (int k = 0; k < s->shots.batch; k++) HK_PASS(judge(s, k, &s->energy.sample[k]));
  return HK_OK;
}

hk_balance hk_march_balance(const hk_march *s, hk_count shots)
{
  hk_balance sum = s->energy.ended;
  for (hk_count k = 0; s->energy.all && k < shots; k++) {
    const hk_balance *l = &s->energy.all[k];
    sum.energy.kinetic += l->energy.kinetic, sum.energy.strain += l->energy.strain;
    sum.energy.work += l->energy.work, sum.energy.damping += l->energy.damping;
    if (l->largest > 0) sum.balance = fmax(sum.balance, fabs(l->balance) / l->largest);
  }
  return sum;
}

void hk_march_progress(hk_march *s, bool last)
{
  const double spent = hk_seconds() - s->steps.began;
  const hk_stage *stage = &s->stage[s->current], *final = &s->stage[s->stage_count - 1];
  const double rate = spent > 0 ? (double)(s->steps.done - s->steps.before) / spent : 0;
  const hk_space *space = s->problem->on.space;
  pthread_mutex_lock(&s->queue->lock);
  const hk_balance sum = hk_march_balance(s, s->shots.all);
  const double end = final->start + (double) final->steps * final->dt;
  const double after = s->session->rest.pictures + s->session->rest.report;
  const hk_progress p = {
      .stage = "solve",
      .step = s->steps.done,
      .steps = s->steps.all,
      .time = s->solver
                  ? stage->start +
                        fmin((double)hk_team_step(s->solver), (double)stage->steps) * stage->dt
                  : end * (double)s->steps.done / (double)s->steps.all,
      .end_time = end,
      .seconds_left = rate > 0 ? (double)(s->steps.all - s->steps.done) / rate + after : -1,
      .dofs_per_second =
          spent > 0 ? s->steps.updates / spent * (double)space->nodes * space->components : 0,
      .energy = sum.energy.kinetic + sum.energy.strain,
      .energy_error = sum.balance,
  };
  hk_session_progress(s->session, &p, last); /* which shows messages: a lane may add one */
  pthread_mutex_unlock(&s->queue->lock);
}
