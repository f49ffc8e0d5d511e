/* How the parts of a model that is stepped by several solvers tell each other the rows that they read (space/part.h): what a step does between
 * its launches. A model of one part has no link.
 *
 *   K on the boundary  ->  begin  ->  K on the interior  ->  sources, terms  ->  end  ->  receivers
 *   K on the boundary  ->  sources, terms  ->  begin  ->  K on the interior  ->  end  ->  receivers   where these act on the boundary alone
 *
 * Forces, motions and dashpots act on own rows alone; those of a ghost belong to its owner, and a motion to one part with all its
 * nodes. Where some sources or terms act on rows that other parts read, begin follows them. The last increment before step 0 is exchanged too, and
 * with `rates` that of each step. All parts make the same calls in the same order. */
#pragma once
#include "device/device.h"

typedef struct hk_link {
  hk_index sent; /* of a space by patches: other parts read rows below this one alone (hk_part) */
  bool recorded; /* begin and end are launches of the device, which recorded steps may hold */
  bool singly;   /* they are such launches, but steps are not recorded */
  /* Of some part receivers of velocities or accelerations, or terms of K, read the last increment of ghosts. */
  bool rates;
  /* Sends the rows of a vector [shots][padded][components] that other parts read: no launch of the step changes them any more. */
  hk_status (*begin)(void *user, hk_buffer *vector);
  /* The ghosts of that vector are those of the step, for all launches that follow. */
  hk_status (*end)(void *user, hk_buffer *vector);
  void *user;
} hk_link;
