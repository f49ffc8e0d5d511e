/* Checkpoints: the state of a run at one step, as one HDF5 file that is whole or not there (written beside, synced, renamed). The
 * one before is kept as <path>.old. A checksum over all of it is verified on reading. */
#pragma once
#include "base/base.h"

enum { HK_CHECKPOINT_ENERGIES = 5, HK_CHECKPOINT_PARTS = 20 };

typedef struct hk_checkpoint {
  /* hashes of what the checkpoint depends on: a run must have the same */
  uint64_t part[HK_CHECKPOINT_PARTS];
  int64_t first_shot, shots; /* those being stepped; first_shot 0, shots 1 where there are none */
  int64_t stage, step;
  /* of the stage: simulated time at which it began, time step, steps to its end */
  double start, dt, steps;
  double energy[HK_CHECKPOINT_ENERGIES]; /* of the shots that ended before */
  hk_count bytes;                        /* of state */
  hk_count
      others; /* of these at the end: what is known of other batches of shots (run/march/queue.c) */
} hk_checkpoint;

/* state: readable up to the next multiple of 8 bytes (memory of hk_get is). HK_NOT_WRITABLE. */
hk_status hk_checkpoint_write(const char *path, const hk_checkpoint *head, const void *state);
/* *head of the file; *state owned by the caller (hk_free). HK_BAD_INPUT when the file is damaged, or of another version; the caller compares its parts with those of the run. */
hk_status hk_checkpoint_read(const char *path, hk_checkpoint *head, char **state);
