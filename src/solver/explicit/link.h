/* How the parts of a model that is stepped by several solvers tell each other the rows that they read (space/part.h): what a step does between
 * its launches. A model of one part has no link.
 *
 *   K on the boundary  ->  begin  ->  K on the interior  ->  sources, terms  ->  end  ->  receivers
 *
 * Where sources or terms act on rows that other parts read, begin follows them. */
#ifndef HK_SOLVER_EXPLICIT_LINK_H
#define HK_SOLVER_EXPLICIT_LINK_H
#include "device/device.h"

typedef struct hk_link {
  bool recorded; /* begin and end are launches of the device, which recorded steps may hold */
  /* Sends the rows of next [shots][padded][components] that other parts read: no launch of the step changes them any more. */
  hk_status (*begin)(void *user, hk_buffer *next);
  /* The ghosts of next are those of the step, for all launches that follow. */
  hk_status (*end)(void *user, hk_buffer *next);
  void *user;
} hk_link;
#endif
