/* Shots are stepped together, so that the operator's lists are read once per step for all of them. */
#ifndef HK_RUN_EXPLICIT_BATCH_H
#define HK_RUN_EXPLICIT_BATCH_H
#include "run/explicit/stage.h"

/* How many shots of the stages are stepped together: those asked for, or as many as `room` bytes of the
 * device's memory hold beside the operator, at most 8, in batches of about equal size; at least 1. */
int hk_batch_choose(const hk_problem *problem, const hk_stage *stage, int stages, hk_count room);

/* The most shots of one batch that have frames; 1 without shots. */
int hk_batch_snapshots(const hk_step *step, int at_once);

/* Bytes of state and receivers on the device of `shots` shots stepped together. */
hk_count hk_batch_bytes(const hk_problem *problem, const hk_stage *stage, int stages, int shots);
#endif
