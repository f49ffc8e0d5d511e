/* The energy balance of a run: kinetic + strain + damping - work stays what it was at the first sample. */
#include "model/session.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PART = 1 << 16 }; /* dofs read at a time */

static const double TOLERATED = 0.05;

/* The node that is not a number, or moves most, in shot k of the batch. */
static hk_status find_worst(const hk_session *s, int k, int64_t *label, bool *finite)
{
  hk_status status = HK_OK;
  const hk_space *space = s->problem->space;
  const int c = space->components;
  const hk_count dofs = (hk_count)space->padded * c;
  double *u = NULL, most = -1;
  hk_index worst = 0;
  HK_TRY(hk_get(&u, PART));
  for (hk_count first = 0; first < dofs && isfinite(most); first += PART) {
    const hk_count count = dofs - first < PART ? dofs - first : PART;
    HK_TRY(hk_explicit_read_some(s->solver, k, HK_STATE_DISPLACEMENT, first, count, u));
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

static hk_status tell_instability(const hk_session *s, int k, hk_count step, bool finite)
{
  hk_status status = HK_OK;
  int64_t node = 0;
  bool numbers;
  char shot[40] = "";
  const hk_ledger *l = &s->ledger[k];
  const long long element = (long long)hk_mesh_element_label(s->model->mesh, s->problem->guilty);
  if (s->layouts.run.shots)
    snprintf(shot, sizeof shot, "shot %lld, ", (long long)s->first_shot + k + 1);
  HK_TRY(find_worst(s, k, &node, &numbers));
  if (!finite)
    return hk_error_set(
        HK_UNSTABLE,
        "unstable: not-a-number at %sstep %lld, node %lld; give a smaller time step "
        "than %.6g (element %lld "
        "sets the limit), or check the materials and loads",
        shot, (long long)step, (long long)node, s->stage[s->current].dt, element);
  return hk_error_set(HK_UNSTABLE,
                      "unstable: the energy balance is off by %.1f %% at %sstep %lld, the "
                      "displacement is largest at node %lld; "
                      "give a smaller time step than %.6g (element %lld sets the limit)%s",
                      100 * fabs(l->balance) / l->largest, shot, (long long)step, (long long)node,
                      s->stage[s->current].dt, element,
                      s->problem->double_precision
                          ? ""
                          : ", or --precision=double where a body drifts far as a whole");
cleanup:
  return status;
}

hk_status hk_session_judge_end(hk_session *s)
{
  hk_status status = HK_OK;
  int64_t node;
  bool finite;
  for (int k = 0; k < s->batch; k++) {
    HK_TRY(find_worst(s, k, &node, &finite));
    if (!finite) return tell_instability(s, k, hk_explicit_step(s->solver), false);
  }
cleanup:
  return status;
}

/* Of shot k of the batch. */
static hk_status judge(hk_session *s, int k, const hk_energy *of_stage)
{
  hk_status status = HK_OK;
  hk_ledger *l = &s->ledger[k];
  hk_energy total = *of_stage;
  const hk_energy *e = &total;
  total.work += l->earlier_work, total.damping += l->earlier_damping;
  const hk_stage *stage = &s->stage[s->current];
  const double value[HK_ENERGY_COUNT] = {e->kinetic, e->strain, e->work, e->damping};
  const double sum = e->kinetic + e->strain + e->damping - e->work;
  const double floor = stage->reference_energy[k] * (s->problem->double_precision ? 1e-18 : 1e-10);

  HK_TRY(hk_run_file_write_energy(s->file, s->first_shot + k,
                                  stage->first_energy + s->energy_sample, 1, value));
  l->energy = *e;
  if (l->has_baseline == 0) l->baseline = sum, l->has_baseline = 1;
  l->largest = fmax(l->largest, fmax(fabs(e->kinetic + e->strain + e->damping), fabs(e->work)));
  l->balance = sum - l->baseline;
  if (!isfinite(sum)) return tell_instability(s, k, s->energy_step, false);
  if (l->largest > floor && !(fabs(l->balance) <= TOLERATED * l->largest))
    return tell_instability(s, k, s->energy_step, true);
cleanup:
  return status;
}

hk_status hk_session_energy_begin(hk_session *s, hk_count sample)
{
  const hk_status status = hk_explicit_energy_begin(s->solver);
  s->energy_coming = status == HK_OK;
  s->energy_sample = sample, s->energy_step = hk_explicit_step(s->solver);
  return status;
}

hk_status hk_session_energy_end(hk_session *s)
{
  hk_status status = HK_OK;
  if (!s->energy_coming) return HK_OK;
  s->energy_coming = false;
  HK_TRY(hk_explicit_energy_end(s->solver, s->energy));
  for (int k = 0; k < s->batch; k++) HK_TRY(judge(s, k, &s->energy[k]));
cleanup:
  return status;
}

hk_ledger hk_session_ledger(const hk_session *s)
{
  hk_ledger sum = s->ended;
  for (int k = 0; s->ledger && k < s->batch; k++) {
    const hk_ledger *l = &s->ledger[k];
    sum.energy.kinetic += l->energy.kinetic, sum.energy.strain += l->energy.strain;
    sum.energy.work += l->energy.work, sum.energy.damping += l->energy.damping;
    if (l->largest > 0) sum.balance = fmax(sum.balance, fabs(l->balance) / l->largest);
  }
  return sum;
}

void hk_session_progress(hk_session *s, bool last)
{
  const double now = hk_seconds(), spent = now - s->solve_start;
  const hk_stage *stage = &s->stage[s->current];
  const hk_count done = s->steps_done - s->steps_before;
  const hk_stage *final = &s->stage[s->stage_count - 1];
  if (!s->desc->progress || (!last && now - s->last_progress < 0.1)) return;
  s->last_progress = now;
  const double rate = spent > 0 ? (double)done / spent : 0;
  const hk_ledger sum = hk_session_ledger(s);
  const hk_progress p = {
      .stage = "solve",
      .step = s->steps_done,
      .steps = s->steps_all,
      .time = stage->start + (double)hk_explicit_step(s->solver) * stage->dt,
      .end_time = final->start + (double) final->steps * final->dt,
      .seconds_left = rate > 0 ? (double)(s->steps_all - s->steps_done) / rate : -1,
      .dofs_per_second = spent > 0 ? s->updates / spent * (double)s->problem->space->nodes *
                                         s->problem->space->components
                                   : 0,
      .energy = sum.energy.kinetic + sum.energy.strain,
      .energy_error = sum.balance,
  };
  s->desc->progress(&p, s->desc->user);
}
