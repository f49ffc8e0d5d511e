/* An act is a load or a prescribed motion: when it begins, by which signal it changes, and whether
 * it holds or fixes nodes. Questions about all that acts in a step (does anything begin with a
 * jump, does a signal last too long to be filtered) are asked of acts, whether they are loads or
 * motions and in whichever shot. */
#include "run/acts/acts.h"

hk_act hk_act_of_load(const hk_load *l)
{
  return (hk_act){.signal = l->signal,
                  .total_time = l->total_time,
                  .delay = l->delay,
                  .delays = l->delays,
                  .count = l->delays ? l->target.count : 1,
                  .place = l->place};
}

hk_act hk_act_of_motion(const hk_motion *m)
{
  const bool moves = m->value != 0 || m->values;
  return (hk_act){.signal = m->signal,
                  .total_time = m->total_time,
                  .held = moves && m->kind == HK_MOVE_DISPLACEMENT,
                  .fixed = !moves,
                  .delay = m->delay,
                  .delays = m->delays,
                  .count = m->delays ? m->target.count : 1,
                  .place = m->place};
}

static bool any(const hk_shot *acts, hk_act_look *look, void *context)
{
  bool found = false;
  for (int i = 0; i < acts->load_count && !found; i++) {
    const hk_act a = hk_act_of_load(&acts->load[i]);
    found = look(&a, context);
  }
  for (int i = 0; i < acts->motion_count && !found; i++) {
    const hk_act a = hk_act_of_motion(&acts->motion[i]);
    found = look(&a, context);
  }
  return found;
}

bool hk_step_any(const hk_step *step, hk_act_look *look, void *context)
{
  const hk_shot every = hk_step_acts(step);
  bool found = any(&every, look, context);
  for (int k = 0; k < step->shot_count && !found; k++) found = any(&step->shot[k], look, context);
  return found;
}

double hk_act_start(const hk_act *a, double step_start, hk_count i)
{
  return (a->total_time ? -step_start : 0) + a->delay + (a->delays ? a->delays[i] : 0);
}
