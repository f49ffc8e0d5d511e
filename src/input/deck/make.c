/* The whole of the model from what the deck was read into: regions, signals, initial state, equations, and step by step the loads, motions and
 * outputs that act (step/). A step of *STEP, AMPLITUDE=RAMP gives what has no amplitude a ramp from 0 to its value, temperatures from those at its
 * beginning; of static steps only the end counts. *INITIAL CONDITIONS change nothing in static steps, which is told. */
#include "input/deck/make.h"

enum { MOST_STEPS = 1000 };

static hk_status make_signals(deck *d, hk_model *model)
{
  hk_status status = HK_OK;
  int number;
  for (hk_count i = 0; i < d->acts.amplitude.count && status == HK_OK; i++)
    status = hk_model_add_signal(model, &d->acts.amplitude.at[i].signal, &number);
  return status;
}

/* *STEP, AMPLITUDE=RAMP: what has no amplitude grows from 0 to its value over the step. Only its end
 * matters where the step is static. */
static hk_status ramp_of(deck *d, hk_model *model, int s, int *ramp)
{
  *ramp = -1;
  const deck_step *step = &d->step.at[s];
  if (!step->ramp || (step->procedure >= DECK_STATIC && !step->marches)) return HK_OK;
  return hk_model_add_signal(
      model, &(hk_signal){.kind = HK_SIGNAL_RAMP, .period = d->step.at[s].duration, .scale = 1},
      ramp);
}

/* Temperatures belong to transient heat, the others to explicit steps: elsewhere they change nothing, which is told once. */
static bool passed_over(deck *d, const deck_initial *from, bool told[2])
{
  const bool temperature = from->component == DECK_TEMPERATURE;
  if (temperature ? hk_deck_marches(d) : !hk_deck_is_static(d)) return false;
  if (!told[temperature] && temperature)
    hk_inp_say(d->reader, HK_NOTE, from->on.place,
               "*INITIAL CONDITIONS, TYPE=TEMPERATURE changes nothing: no step has other "
               "temperatures");
  else if (!told[temperature])
    hk_inp_say(d->reader, HK_WARNING, from->on.place,
               "*INITIAL CONDITIONS: velocities and displacements change nothing in static steps");
  told[temperature] = true;
  return true;
}

static hk_status make_initial(deck *d, hk_model *model)
{
  bool told[2] = {false, false};
  for (hk_count i = 0; i < d->acts.initial.count; i++) {
    const deck_initial *from = &d->acts.initial.at[i];
    const int component = from->component == DECK_TEMPERATURE ? 0 : from->component;
    if (passed_over(d, from, told)) continue;
    if (component >= model->mesh->dim) {
      hk_inp_error(d->reader, from->on.place,
                   "*INITIAL CONDITIONS: component %d: plane elements have "
                   "two",
                   component + 1);
      continue;
    }
    hk_initial *to;
    HK_PASS(hk_model_add_initial(model, from->kind, from->on.place, &to));
    to->component = component, to->value = from->value;
    HK_PASS(hk_deck_nodes(d, &model->pool, "*INITIAL CONDITIONS", &from->on, &to->target));
  }
  return HK_OK;
}

/* Static steps need densities where gravity or rotation pulls. */
static void check_densities(deck_maker *m, const hk_step *step)
{
  for (int i = 0; i < step->load_count; i++) {
    const hk_load *load = &step->load[i];
    if (load->kind != HK_LOAD_GRAVITY && load->kind != HK_LOAD_CENTRIFUGAL) continue;
    const hk_material *material = hk_model_weightless(m->model, &load->target);
    if (!material) continue;
    hk_inp_error(m->d->reader, load->place,
                 "*DLOAD: material %s has no *DENSITY, which GRAV and CENTRIF need",
                 material->name);
    return;
  }
}

static hk_status make_step(deck_maker *m, int s)
{
  const deck_step *from = &m->d->step.at[s];
  hk_step *to = &m->model->step[m->model->step_count++];
  const bool still = from->procedure >= DECK_STATIC;
  *to = (hk_step){.kind = from->procedure == DECK_HEAT ? HK_STEP_HEAT
                          : still                      ? HK_STEP_STATIC
                                                       : HK_STEP_EXPLICIT,
                  .duration = from->duration,
                  .dt = from->dt,
                  .theta = from->marches ? 1 : 0,
                  .place = from->place};
  int ramp;
  HK_PASS(ramp_of(m->d, m->model, s, &ramp));
  HK_PASS(hk_deck_act_loads(m, s, ramp));
  HK_PASS(hk_deck_act_motions(m, s, ramp));
  if (still) check_densities(m, to);
  return still ? hk_deck_make_prints(m, s) : hk_deck_make_outputs(m->d, m->model, s);
}

hk_status hk_deck_make(deck *d, hk_model *model)
{
  hk_status status = HK_OK;
  deck_maker m = {.d = d, .model = model};
  HK_TRY(hk_deck_make_regions(d, model));
  hk_deck_check_local_fields(d, model);
  HK_TRY(make_signals(d, model));
  HK_TRY(make_initial(d, model));
  HK_CHECK(d->step.count <= MOST_STEPS, HK_BAD_INPUT, "%s:%lld: more than %d steps",
           d->step.at[MOST_STEPS].place.file, (long long)d->step.at[MOST_STEPS].place.line,
           MOST_STEPS);
  HK_TRY(hk_pool_get(&model->pool, &model->step, d->step.count));
  HK_TRY(hk_deck_make_transforms(&m));
  HK_TRY(hk_deck_make_equations(&m));
  for (int s = 0; s < (int)d->step.count; s++) HK_TRY(make_step(&m, s));
cleanup:
  hk_pool_clear(&m.pool);
  return status;
}
