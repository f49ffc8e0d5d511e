/* The fastest of candidates on a device, found once by timing them and remembered in the cache folder.
 *
 * A candidate is a choice of one option in each field. Fields are tried one after the other, each with the best options of those before it
 * and the first of those behind it: the first options are what is taken where nothing was timed. */
#pragma once
#include "device/device.h"

enum { HK_TUNE_FIELDS = 5 };

typedef struct hk_tune {
  const hk_device *device;
  const char *cache;                   /* folder; NULL: nothing is remembered */
  const char *what, *form;             /* what is chosen, and all that its options depend on */
  int fields, options[HK_TUNE_FIELDS]; /* options[fields] */
  /* Seconds of a candidate, choice[fields]; HUGE_VAL: it is the same as another, or cannot be. Not needed to remember. */
  hk_status (*time)(void *user, const int *choice, double *seconds);
  void *user;
} hk_tune;

/* choice[fields]; false, and the first options, where none is remembered. */
bool hk_tune_remembered(const hk_tune *tune, int *choice);
/* Remembered, or timed and then remembered where any could be. Errors of `time` end it. */
hk_status hk_tune_find(const hk_tune *tune, int *choice);
