/* Whether signals begin from rest. */
#ifndef HK_RUN_EXPLICIT_REST_H
#define HK_RUN_EXPLICIT_REST_H
#include "load/excitation.h"
#include "model/model.h"

/* The signal's value at t = 0 over its largest; 0 below 1 %. */
double hk_signal_jump(const hk_signal *signal, double start);

/* Warns of signals of the first step of which a part lies before t = 0, or which jump there or later, with what to give; notes signals
 * of all frequencies (step), for which no mesh can be judged. Once for each signal, and once for all that has none. */
hk_status hk_rest_judge(const hk_model *model, hk_messages *list);
#endif
