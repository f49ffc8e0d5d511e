/* The device and the host integrate at once what each integrates alone: elements of a second of the device, of the host and of both, and what part
 * of the sum of the first two the third is. Matrices come to the host, where nothing is done with them. Alone each takes as many elements at once
 * as together; the host also takes as many as the device, and its faster way counts. It has one thread more alone than beside the device. Each
 * counts with its best time over runs in turn. */
#include "integration/integration.h"
#include "operator/integration/together.h"
#include <math.h>
#include <omp.h>

enum { DEVICE, HOST, HOST_IN_CHUNKS, BOTH, RIVALS };
enum { RUNS = 3 };

typedef struct rivals {
  hk_integral *alone[BOTH]; /* the first ones */
  hk_together *both;
  double best[RIVALS];
} rivals;

static hk_status create_alone(const hk_integral_desc *from, hk_device *device, hk_count launch,
                              hk_integral **out)
{
  hk_integral_desc desc = *from;
  if (device != desc.device) desc.device = device, desc.cache = NULL;
  desc.limits.launch = launch;
  return hk_integral_create(&desc, out);
}

static hk_status create_rivals(const hk_integration_body *b, hk_device *host, hk_device *beside,
                               rivals *r)
{
  const hk_integral_desc desc = hk_integration_describe(b, HK_INTEGRAL_AUTO);
  HK_PASS(hk_together_create(&desc, beside, &r->both));
  const hk_count launch = hk_together_portion(r->both, false);
  const hk_count chunk = hk_together_portion(r->both, true);
  HK_PASS(create_alone(&desc, desc.device, launch, &r->alone[DEVICE]));
  HK_PASS(create_alone(&desc, host, launch, &r->alone[HOST]));
  HK_PASS(create_alone(&desc, host, chunk, &r->alone[HOST_IN_CHUNKS]));
  for (int k = 0; k < RIVALS; k++) r->best[k] = HUGE_VAL;
  return HK_OK;
}

static void destroy_rivals(rivals *r)
{
  for (int k = 0; k < BOTH; k++) hk_integral_destroy(&r->alone[k]);
  hk_together_destroy(&r->both);
}

/* Chunks are small: threads that wait for the next one to prepare would keep cores from the kernels. */
static hk_status run_one(rivals *r, int k)
{
  const int threads = omp_get_max_threads();
  if (k == BOTH) return hk_together_run(r->both, hk_integration_ignore, NULL);
  if (k == HOST_IN_CHUNKS) omp_set_num_threads(1);
  const hk_status status = hk_integral_run(r->alone[k], false, hk_integration_ignore, NULL);
  omp_set_num_threads(threads);
  return status;
}

static hk_status run_each(rivals *r)
{
  for (int k = DEVICE; k < RIVALS; k++) {
    const double start = hk_seconds();
    HK_PASS(run_one(r, k));
    r->best[k] = fmin(r->best[k], hk_seconds() - start);
  }
  return HK_OK;
}

static void set_way(json_t *row, const char *key, const hk_integral *alone)
{
  hk_bench_set_text(row, key, hk_integral_way_name(hk_integral_describe(alone)->way));
}

static void add_row(const hk_integration_body *b, const hk_device *host, const rivals *r)
{
  json_t *row = hk_integration_row(b, "together", "together");
  const double elements = (double)b->elements, *best = r->best;
  const double of_host = fmin(best[HOST], best[HOST_IN_CHUNKS]);
  hk_bench_set_integer(row, "elements", b->elements);
  hk_bench_set_integer(row, "host_threads", hk_device_describe(host)->threads);
  set_way(row, "device_method", r->alone[DEVICE]);
  set_way(row, "host_method", r->alone[HOST]);
  hk_bench_set(row, "device_elements_per_s", elements / best[DEVICE]);
  hk_bench_set(row, "host_elements_per_s", elements / of_host);
  hk_bench_set(row, "elements_per_s", elements / best[BOTH]);
  hk_bench_set(row, "share_of_sum", 1 / (best[BOTH] / best[DEVICE] + best[BOTH] / of_host));
  hk_bench_set(row, "device_share", (double)hk_together_share(r->both) / elements);
  hk_bench_add(b->job, row);
}

hk_status hk_integration_together(const hk_integration_body *b, hk_device *host, hk_device *beside)
{
  hk_status status = HK_OK;
  rivals r = {0};
  double spent = 0;
  hk_bench_say(b->job, "order %d: together, %s, %s", b->order, b->real ? "double" : "single",
               hk_device_describe(b->device)->backend);
  HK_TRY(create_rivals(b, host, beside, &r));
  for (int n = 0; n < RUNS || spent < b->job->seconds; n++) {
    const double start = hk_seconds();
    HK_TRY(run_each(&r));
    spent += hk_seconds() - start;
  }
  add_row(b, host, &r);
cleanup:
  destroy_rivals(&r);
  return status;
}
