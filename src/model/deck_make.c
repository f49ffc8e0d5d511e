/* The whole of the model from the deck: regions, signals, initial state, steps. */
#include "model/deck_make.h"
#include <string.h>

enum { MOST_STEPS = 1000 };

static hk_status make_signals(deck *d, hk_model *model)
{
  hk_status status = HK_OK;
  HK_TRY(hk_get(&model->signal, d->amplitudes + d->steps));
  for (hk_count i = 0; i < d->amplitudes; i++) {
    model->signal[model->signal_count++] = d->amplitude[i].signal;
    d->amplitude[i].signal = (hk_signal){0};
  }
cleanup:
  return status;
}

/* *STEP, AMPLITUDE=RAMP: what has no amplitude grows from 0 to its value over the step. */
static int ramp_of(deck *d, hk_model *model, int s)
{
  if (!d->step[s].ramp) return -1;
  model->signal[model->signal_count] =
      (hk_signal){.kind = HK_SIGNAL_RAMP, .period = d->step[s].duration, .scale = 1};
  return model->signal_count++;
}

static hk_status make_initial(deck *d, hk_model *model)
{
  hk_status status = HK_OK;
  hk_target target = {0};
  HK_TRY(hk_get(&model->initial, d->initials));
  for (hk_count i = 0; i < d->initials; i++) {
    const deck_initial *from = &d->initial[i];
    if (from->component >= model->mesh->dim) {
      hk_inp_error(d->reader, from->place,
                   "*INITIAL CONDITIONS: component %d: plane elements have "
                   "two",
                   from->component + 1);
      continue;
    }
    HK_TRY(
        hk_deck_nodes(d, "*INITIAL CONDITIONS", from->target, from->scope, from->place, &target));
    model->initial[model->initial_count++] = (hk_initial){.kind = from->kind,
                                                          .target = target,
                                                          .component = from->component,
                                                          .value = from->value,
                                                          .place = hk_deck_place(from->place)};
    target = (hk_target){0};
  }
cleanup:
  hk_target_clear(&target);
  return status;
}

static hk_status make_step(deck_maker *m, int s)
{
  hk_status status = HK_OK;
  const deck_step *from = &m->d->step[s];
  hk_step *to = &m->model->step[m->model->step_count++];
  *to = (hk_step){.kind = HK_STEP_EXPLICIT,
                  .duration = from->duration,
                  .dt = from->dt,
                  .place = hk_deck_place(from->place)};
  const int ramp = ramp_of(m->d, m->model, s);
  HK_TRY(hk_deck_act_loads(m, s, ramp));
  HK_TRY(hk_deck_act_motions(m, s, ramp));
  HK_TRY(hk_deck_make_outputs(m->d, m->model, s));
cleanup:
  return status;
}

hk_status hk_deck_make(deck *d, hk_model *model)
{
  hk_status status = HK_OK;
  deck_maker m = {.d = d, .model = model};
  HK_TRY(hk_deck_make_regions(d, model));
  HK_TRY(make_signals(d, model));
  HK_TRY(make_initial(d, model));
  HK_CHECK(d->steps <= MOST_STEPS, HK_BAD_INPUT, "%s:%lld: more than %d steps",
           d->step[MOST_STEPS].place.file, (long long)d->step[MOST_STEPS].place.line, MOST_STEPS);
  HK_TRY(hk_get(&model->step, d->steps));
  for (int s = 0; s < (int)d->steps; s++) HK_TRY(make_step(&m, s));
cleanup:
  hk_deck_act_clear(&m);
  return status;
}
