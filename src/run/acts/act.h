/* What acts in a step, loads and motions alike: signals and when they begin. */
#ifndef HK_RUN_ACTS_ACT_H
#define HK_RUN_ACTS_ACT_H
#include "model/model.h"

typedef struct hk_act {
  int signal;            /* of the model; -1: constant */
  bool total_time, held; /* held: a prescribed displacement that is not zero */
  bool fixed;            /* a motion of value zero */
  double delay;
  const double *delays; /* delays[count]; NULL: none */
  hk_count count;       /* starts: one, or one for each node */
  hk_place place;
} hk_act;

hk_act hk_act_of_load(const hk_load *load);
hk_act hk_act_of_motion(const hk_motion *motion);

/* Whether `look` is true of something that acts in the step, in any shot; it is asked until then. */
typedef bool hk_act_look(const hk_act *act, void *context);
bool hk_step_any(const hk_step *step, hk_act_look *look, void *context);

/* When signal number i of the act begins, counted from the begin of the step, which is at step_start. */
double hk_act_start(const hk_act *act, double step_start, hk_count i);
#endif
