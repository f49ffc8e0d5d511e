#include "run/explicit/act.h"

static bool any_load(int count, const hk_load *load, hk_act_look *look, void *context)
{
  bool found = false;
  for (int i = 0; i < count && !found; i++) {
    const hk_load *l = &load[i];
    const hk_act a = {.signal = l->signal,
                      .total_time = l->total_time,
                      .delay = l->delay,
                      .delays = l->delays,
                      .count = l->delays ? l->target.count : 1,
                      .place = l->place};
    found = look(&a, context);
  }
  return found;
}

static bool any_motion(int count, const hk_motion *motion, hk_act_look *look, void *context)
{
  bool found = false;
  for (int i = 0; i < count && !found; i++) {
    const hk_motion *m = &motion[i];
    const bool moves = m->value != 0 || m->values;
    const hk_act a = {.signal = m->signal,
                      .total_time = m->total_time,
                      .held = moves && m->kind == HK_MOVE_DISPLACEMENT,
                      .fixed = !moves,
                      .delay = m->delay,
                      .delays = m->delays,
                      .count = m->delays ? m->target.count : 1,
                      .place = m->place};
    found = look(&a, context);
  }
  return found;
}

bool hk_step_any(const hk_step *step, hk_act_look *look, void *context)
{
  bool found = any_load(step->load_count, step->load, look, context) ||
               any_motion(step->motion_count, step->motion, look, context);
  for (int k = 0; k < step->shot_count && !found; k++)
    found = any_load(step->shot[k].load_count, step->shot[k].load, look, context) ||
            any_motion(step->shot[k].motion_count, step->shot[k].motion, look, context);
  return found;
}

double hk_act_start(const hk_act *a, double step_start, hk_count i)
{
  return (a->total_time ? -step_start : 0) + a->delay + (a->delays ? a->delays[i] : 0);
}
