/* Finds models that nothing drives: no load, motion, equation or initial value different from zero
 * acts in a step. In explicit steps a signal acts if it is not zero at one of 1001 times of the
 * step; in other analyses every signal counts as acting. Such models are warned about, because
 * their result is zero. */
#include "run/estimate/estimate.h"
#include "run/session/session.h"

/* s(t - delay) at some time of the step, which begins at `start` of the model's time. */
static bool signal_acts(const hk_model *model, const hk_step *step, double start, int signal,
                        bool total_time, double delay)
{
  enum { TIMES = 1000 };
  if (signal < 0) return true;
  const double from = (total_time ? start : 0) - delay;
  if (!hk_analysis_of(step->kind)->in_time) return true;
  for (int k = 0; k <= TIMES; k++) {
    const double t = from + step->duration * k / TIMES; /* nothing acts before t = 0 */
    if (t >= 0 && hk_signal_acts(&model->signal.at[signal], t)) return true;
  }
  return false;
}

static double least_delay(double delay, const double *delays, hk_count count)
{
  double least = delays && count ? delays[0] : 0;
  for (hk_count i = 1; delays && i < count; i++)
    if (delays[i] < least) least = delays[i];
  return delay + least;
}

static bool load_acts(const hk_model *model, const hk_step *step, double start, const hk_load *l)
{
  bool any = l->by || (l->kind == HK_LOAD_CENTRIFUGAL && l->omega2 != 0);
  const bool film = l->kind == HK_LOAD_FILM, turning = l->kind == HK_LOAD_CENTRIFUGAL;
  for (int d = 0; d < 3 && !turning; d++) any = any || l->vector[d] != 0;
  any = any || (l->wave && l->wave->amplitude != 0);
  for (int i = 0; l->moment && i < 9; i++) any = any || l->moment[i] != 0;
  for (hk_count i = 0; l->vectors && i < 3 * l->target.count; i++) any = any || l->vectors[i] != 0;
  if (film && !l->film_by && l->film == 0) any = false;
  return any && signal_acts(model, step, start, l->signal, l->total_time,
                            least_delay(l->delay, l->delays, l->target.count));
}

static bool motion_acts(const hk_model *model, const hk_step *step, double start,
                        const hk_motion *m)
{
  bool any = m->value != 0 || m->frozen;
  for (hk_count i = 0; m->values && i < m->target.count; i++) any = any || m->values[i] != 0;
  return any && signal_acts(model, step, start, m->signal, m->total_time,
                            least_delay(m->delay, m->delays, m->target.count));
}

static bool any_acts(const hk_model *model, const hk_step *step, double start, const hk_shot *s)
{
  bool any = false;
  for (int i = 0; i < s->load_count && !any; i++) any = load_acts(model, step, start, &s->load[i]);
  for (int i = 0; i < s->motion_count && !any; i++)
    any = motion_acts(model, step, start, &s->motion[i]);
  return any;
}

static bool begins_moving(const hk_model *model)
{
  for (int i = 0; i < model->initial.count; i++) {
    const hk_initial *state = &model->initial.at[i];
    if (state->value != 0 && !state->values) return true;
    for (hk_count k = 0; state->values && k < state->target.count; k++)
      if (state->values[k] != 0) return true;
  }
  return false;
}

bool hk_model_idle(const hk_model *model, int index, int shot)
{
  const hk_step *step = &model->step[index];
  const hk_shot every = hk_step_acts(step);
  const double start = hk_model_step_start(model, index);
  for (int i = 0; i < model->equation.count; i++)
    if (model->equation.at[i].value != 0) return false;
  if (hk_analysis_of(step->kind)->in_time && begins_moving(model)) return false;
  return !any_acts(model, step, start, &every) &&
         (shot < 0 || !any_acts(model, step, start, &step->shot[shot]));
}

static void warn_in_time(const hk_model *model, hk_messages *list)
{
  const int shots = model->step[0].shot_count;
  int idle = 0, first = 0;
  bool all = true;
  for (int s = 0; s < model->step_count && !shots; s++) all = all && hk_model_idle(model, s, -1);
  for (int k = 0; k < shots; k++)
    if (hk_model_idle(model, 0, k) && !idle++) first = k + 1;
  if (shots && idle && idle < shots)
    hk_messages_add(list, HK_WARNING, model->path, 0, 0,
                    "nothing drives %d of %d shots (first: shot %d): their results will be zero",
                    idle, shots, first);
  else if (all && idle == shots)
    hk_messages_add(list, HK_WARNING, model->path, 0, 0,
                    "nothing drives the model: no source, load, prescribed motion or initial value "
                    "acts before it ends: the result will be zero");
}

void hk_model_warn_idle(const hk_model *model, hk_messages *list)
{
  if (!model->step_count) return;
  if (hk_analysis_of_model(model)->in_time) {
    warn_in_time(model, list);
    return;
  }
  for (int s = 0; s < model->step_count; s++)
    if (hk_model_idle(model, s, -1))
      hk_messages_add(list, HK_WARNING, model->step[s].place.file, model->step[s].place.line, 0,
                      "step %d has no load: its result will be zero", s + 1);
}
