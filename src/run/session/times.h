/* The times at which results are asked for, beside those of the steps of a run: explicit steps and increments of transient solutions. */
#pragma once
#include "run/session/discretisation.h"

typedef struct hk_times { /* of one step of the model: 0, dt, ..., count dt */
  const hk_step *step;    /* borrowed */
  double dt;
  hk_count count;
} hk_times;

/* The number of the time nearest to `time` from the start of the step; -1: it lies outside. */
hk_count hk_times_nearest(const hk_times *times, double time);
/* Whether the interval is a multiple of dt. */
bool hk_times_divide(double dt, double interval);
/* The first trace whose interval is no multiple of dt; NULL: none. */
const hk_trace_request *hk_times_uneven(const hk_times *times);
/* Times between samples; one more than there are: the first sample alone, which hk_times_warn tells. */
hk_count hk_times_every(const hk_times *times, const hk_trace_request *trace);
void hk_times_warn(const hk_discretisation *on, const hk_times *times,
                   const hk_trace_request *trace);
/* Frames at given times, or at an interval from number `first` of them on, lie at the nearest times: notes where that is not where they were asked
 * for, and where the interval is longer than the step. */
void hk_times_tell_frames(const hk_discretisation *on, const hk_times *times, int first);
