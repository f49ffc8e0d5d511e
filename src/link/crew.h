/* Threads of the host, one for each device: a piece of work is done by all of them at once, and the caller waits for the last. They live as long as
 * the crew, so that a device is always driven by the same thread. */
#pragma once
#include "device/device.h"

typedef struct hk_crew hk_crew;

/* threads[members]: of OpenMP in the work of each. */
hk_status hk_crew_create(int members, const int *threads, hk_crew **out);
void hk_crew_destroy(hk_crew **crew);
/* work(user, 0), ... at once. The first failure that is not HK_STOPPED, else that; failed(user), which may be NULL, is called from the thread that
 * fails, so that others do not wait for it. */
hk_status hk_crew_run(hk_crew *crew, hk_status (*work)(void *user, int member),
                      void (*failed)(void *user), void *user);
