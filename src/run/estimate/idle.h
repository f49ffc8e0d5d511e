/* Models that nothing drives. */
#ifndef HK_RUN_ESTIMATE_IDLE_H
#define HK_RUN_ESTIMATE_IDLE_H
#include "model/model.h"

/* Whether no load, no prescribed motion (zero ones apart), no equation and no initial value acts in the step: its result is zero, or what the step
 * before left. shot: -1 of the step alone. A signal acts if it is not 0 at some of 1001 times of the step; in static and
 * heat steps each one does. */
bool hk_model_idle(const hk_model *model, int step, int shot);

/* Warns of an explicit model that nothing drives as a whole, or in some of its shots; of each static step without a load. */
void hk_model_warn_idle(const hk_model *model, hk_messages *list);
#endif
