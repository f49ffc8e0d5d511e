/* Seconds of a time step and of a launch. Of steps: the number of steps in a chunk is doubled until a chunk takes a fifth of the time that is
 * given; the best of at least three further chunks counts, by the clock and by the processor's own time. The first
 * steps, in which kernels are compiled, are not counted. Of launches: their number is doubled until they take a part of
 * the time that is given, and each run of so many is a sample. */
#include "bench.h"
#include <math.h>
#include <time.h>

typedef struct took {
  double seconds, processor;
} took;

static hk_status advance_timed(hk_explicit *solver, hk_device *device, hk_count steps, took *t)
{
  const double start = hk_seconds();
  const clock_t clock_start = clock();
  HK_PASS(hk_explicit_advance(solver, hk_explicit_step(solver) + steps));
  HK_PASS(hk_device_finish(device));
  t->seconds = hk_seconds() - start;
  t->processor = (double)(clock() - clock_start) / CLOCKS_PER_SEC;
  return HK_OK;
}

hk_status hk_bench_time_steps(hk_explicit *solver, hk_device *device, double seconds, double *best,
                              double *processor)
{
  hk_count steps = 4;
  double spent = 0;
  took t, least;
  HK_PASS(advance_timed(solver, device, steps, &least)); /* compiles, warms */
  for (;; steps *= 2) {
    HK_PASS(advance_timed(solver, device, steps, &least));
    if (least.seconds > seconds / 5) break;
  }
  for (int k = 0; k < 3 || spent < seconds; k++) {
    HK_PASS(advance_timed(solver, device, steps, &t));
    least.seconds = fmin(least.seconds, t.seconds);
    least.processor = fmin(least.processor, t.processor);
    spent += t.seconds;
  }
  *best = least.seconds / (double)steps;
  if (processor) *processor = least.processor / (double)steps;
  return HK_OK;
}

hk_status hk_bench_time(const hk_bench_job *job, hk_device *device, hk_status (*launch)(void *data),
                        void *data, int runs, double *value)
{
  enum { MOST = 4096 };
  int times = 1;
  for (int k = -1; k < runs;) {
    const double start = hk_seconds();
    for (int n = 0; n < times; n++) HK_PASS(launch(data));
    HK_PASS(hk_device_finish(device));
    const double spent = hk_seconds() - start;
    if (k < 0 && spent < job->seconds / runs && times < MOST) {
      times *= 2;
      continue;
    }
    if (k >= 0) value[k] = spent / times;
    k++;
  }
  return HK_OK;
}

typedef struct product {
  hk_operator *op;
  const hk_buffer *u;
  hk_buffer *out;
} product;

static hk_status multiply(void *data)
{
  const product *p = data;
  return hk_operator_apply(p->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = p->u, .out = p->out});
}

hk_status hk_bench_time_product(const hk_bench_job *job, hk_operator *op, const hk_buffer *u,
                                hk_buffer *out, double *seconds)
{
  enum { RUNS = 5 };
  double value[RUNS];
  product p = {op, u, out};
  HK_PASS(hk_operator_bind(op, HK_FORM_STORE, false, 1));
  HK_PASS(hk_bench_time(job, op->desc.device, multiply, &p, RUNS, value));
  *seconds = value[0];
  for (int k = 1; k < RUNS; k++) *seconds = fmin(*seconds, value[k]);
  return HK_OK;
}
