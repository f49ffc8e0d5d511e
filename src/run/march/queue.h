/* Batches of shots in a queue, and what a checkpoint keeps of each. A model without shots is one batch. */
#pragma once
#include "base/base.h"
#include <pthread.h>

struct hk_march;

typedef struct hk_march_batch {
  bool taken, ended; /* by a device; its shots */
  hk_count step;     /* of what was saved last: */
  hk_count bytes;    /* of state */
  char *state; /* the solver's, and behind it the balance of each shot; NULL: nothing was saved */
} hk_march_batch;

typedef struct hk_march_queue {
  hk_count count;
  hk_march_batch *batch; /* batch[count] */
  pthread_mutex_t lock; /* of the batches, the balances and the files, where several devices step */
  struct hk_lanes *lanes; /* run/march/lanes.h; NULL: one device steps all batches */
} hk_march_queue;

/* s->queue, without batches. */
hk_status hk_queue_create(struct hk_march *s);
/* Its batches as shots.at_once gives them, and s->energy.all. Where the run goes on from a checkpoint, which is consumed, the batches are
 * as it left them: HK_BAD_INPUT where what it says of them does not fit. */
hk_status hk_queue_fill(struct hk_march *s);
void hk_queue_destroy(struct hk_march *s);
/* The next batch becomes that of s (shots.first, shots.batch, energy.balance); false: none is left. */
bool hk_queue_take(struct hk_march *s);
/* The batch of s. */
hk_march_batch *hk_queue_batch(const struct hk_march *s);
/* The batch of s has ended. */
void hk_queue_end(struct hk_march *s);
/* Steps of all batches that are done, by what the checkpoint said. */
hk_count hk_queue_steps(const struct hk_march *s);
/* head: first_shot, step, bytes, others and energy of what the queue holds; *state: that of the only batch, or *owned (hk_free). */
struct hk_checkpoint;
hk_status hk_queue_pack(const struct hk_march *s, struct hk_checkpoint *head, const char **state,
                        char **owned);
