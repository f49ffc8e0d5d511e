/* Seconds of a time step. The number of steps in a chunk is doubled until a chunk takes a fifth of the time that is
 * given; the best of at least three further chunks counts, by the clock and by the processor's own time. The first
 * steps, in which kernels are compiled, are not counted. */
#include "bench.h"
#include <math.h>
#include <time.h>

typedef struct took {
  double seconds, processor;
} took;

static hk_status advance_timed(hk_explicit *solver, hk_device *device, hk_count steps, took *t)
{
  hk_status status = HK_OK;
  const double start = hk_seconds();
  const clock_t clock_start = clock();
  HK_TRY(hk_explicit_advance(solver, hk_explicit_step(solver) + steps));
  HK_TRY(hk_device_finish(device));
  t->seconds = hk_seconds() - start;
  t->processor = (double)(clock() - clock_start) / CLOCKS_PER_SEC;
cleanup:
  return status;
}

hk_status hk_bench_time_steps(hk_explicit *solver, hk_device *device, double seconds, double *best,
                              double *processor)
{
  hk_status status = HK_OK;
  hk_count steps = 4;
  double spent = 0;
  took t, least;
  HK_TRY(advance_timed(solver, device, steps, &least)); /* compiles, warms */
  for (;; steps *= 2) {
    HK_TRY(advance_timed(solver, device, steps, &least));
    if (least.seconds > seconds / 5) break;
  }
  for (int k = 0; k < 3 || spent < seconds; k++) {
    HK_TRY(advance_timed(solver, device, steps, &t));
    least.seconds = fmin(least.seconds, t.seconds);
    least.processor = fmin(least.processor, t.processor);
    spent += t.seconds;
  }
  *best = least.seconds / (double)steps;
  if (processor) *processor = least.processor / (double)steps;
cleanup:
  return status;
}
