/* What steps change beside the vectors u and its increment: arrays that a checkpoint holds, and that a trial step puts back. Whoever needs one
 * adds it; saving, restoring and trial steps go through all of them. */
#pragma once
#include "solver/explicit/explicit.h"

enum { HK_MOST_ARRAYS = 24 };

typedef enum hk_array_use {
  HK_ARRAY_SAVED = 0,   /* in checkpoints */
  HK_ARRAY_TRIAL = 1,   /* put back after a trial step, too */
  HK_ARRAY_RECEIVER = 2 /* in checkpoints where the receivers stay the same */
} hk_array_use;

typedef struct hk_state_array {
  const char *name;
  unsigned use;      /* of hk_array_use */
  hk_buffer *buffer; /* bytes, zero at first */
  hk_buffer *shadow; /* its copy before a trial step; NULL: none */
} hk_state_array;

typedef struct hk_state {
  int arrays;
  /* in the order in which they are saved, those of receivers last */
  hk_state_array array[HK_MOST_ARRAYS];
} hk_state;

/* Adds an array of so many bytes; *out is borrowed. HK_NO_RESOURCES. */
hk_status hk_state_add(hk_state *state, hk_device *device, const char *name, unsigned use,
                       hk_count bytes, hk_buffer **out);
/* The array of that name; NULL: there is none. */
hk_buffer *hk_state_find(const hk_state *state, const char *name);
/* Copies of all that a trial step changes, and back. */
hk_status hk_state_keep(hk_state *state);
hk_status hk_state_put_back(hk_state *state);
hk_count hk_state_bytes(const hk_state *state, bool receivers);
/* Bytes as above, those of receivers last. */
hk_status hk_state_save(const hk_state *state, void *to);
hk_status hk_state_restore(hk_state *state, bool receivers, const void *from);
void hk_state_destroy(hk_state *state);
