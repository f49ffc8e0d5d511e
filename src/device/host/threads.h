/* Threads that share the groups of a launch.
 *
 *   work(user, first_p, count_p)   for p = 0 ... parts - 1,   parts = min(threads, count)
 *
 * The parts are contiguous and their lengths differ by at most one, longer ones first; they depend on
 * count and threads alone. Who waits spins for some microseconds and then sleeps. A part that its thread has not begun
 * is done by the caller, so that nobody waits for a thread that the machine does not run; such a thread is then left
 * asleep for a millisecond. */
#pragma once
#include "base/base.h"

typedef struct hk_threads hk_threads;

/* Called by several threads at a time. */
typedef void hk_threads_work(void *user, hk_count first, hk_count count);

/* The caller and threads - 1 more. HK_NO_RESOURCES where they cannot be started. */
hk_status hk_threads_create(int threads, hk_threads **out);
void hk_threads_destroy(hk_threads **threads);
/* Does [first, first + count) and returns when all is done. Neither allocates nor fails; one call at a time. */
void hk_threads_run(hk_threads *threads, hk_count first, hk_count count, hk_threads_work *work,
                    void *user);
