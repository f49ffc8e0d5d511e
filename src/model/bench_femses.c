/* The figures of Keating (2019), chapter 5: whole solutions by every method against the number of unknowns, their stages, speed-ups. */
#include "model/bench_femses.h"
#include <math.h>
#include <omp.h>
#include <string.h>

enum { GROUP_STEP = 32, GROUP_MOST = 1024 };
static const double host_scale = 0.1;      /* of the paper's sizes, where no scale is given */
static const double grouped_dofs = 160000; /* of the paper's Figures 5.7, 5.22, near it */

/* The paper's largest sizes are a device's. */
static double scale_of(const hk_bench_job *job)
{
  return job->desc->scale > 0 ? job->desc->scale : strcmp(job->device, "cpu") == 0 ? host_scale : 1;
}

static hk_status measure_body(hk_bench_job *job, const hk_femses_case *of, double dofs,
                              hk_device *device, int place, hk_femses_results *results)
{
  hk_status status = HK_OK;
  hk_femses_body b = {0};
  HK_TRY(hk_femses_body_create(job, of, dofs * scale_of(job), device, place, &b));
  HK_TRY(hk_femses_kernels(&b));
  HK_TRY(hk_femses_solve_all(&b, results));
cleanup:
  hk_femses_body_clear(&b);
  return status;
}

static hk_status open_device(const hk_bench_job *job, const char *name, int group_threads,
                             hk_device **out)
{
  const hk_bench_desc *d = job->desc;
  return hk_device_create(&(hk_device_desc){.name = name,
                                            .threads = d->threads,
                                            .toolkit = d->toolkit,
                                            .cache = d->cache,
                                            .group_threads = group_threads},
                          out);
}

static hk_status measure_on(hk_bench_job *job, const char *name, int place,
                            hk_femses_results *results)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  HK_TRY(open_device(job, name, 0, &device));
  omp_set_num_threads(hk_device_describe(device)->threads);
  for (int c = 0; c < HK_FEMSES_CASES; c++)
    for (int s = 0; s < HK_FEMSES_SIZES && hk_femses_cases[c].dofs[s] > 0; s++)
      HK_TRY(measure_body(job, &hk_femses_cases[c], hk_femses_cases[c].dofs[s], device, place,
                          results));
cleanup:
  hk_device_close(&device);
  return status;
}

static hk_status measure_grouped(hk_bench_job *job, const char *name, int group_threads, bool *ends)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  hk_femses_body b = {0};
  HK_TRY(open_device(job, name, group_threads, &device));
  *ends = !hk_device_describe(device)->compiles ||
          2 * group_threads > hk_device_describe(device)->most_threads;
  if (!hk_device_describe(device)->compiles) goto cleanup;
  HK_TRY(
      hk_femses_body_create(job, &hk_femses_cases[0], grouped_dofs * scale_of(job), device, 0, &b));
  HK_TRY(hk_femses_solve_grouped(&b, group_threads));
cleanup:
  hk_femses_body_clear(&b);
  hk_device_close(&device);
  return status;
}

hk_status hk_bench_femses(hk_bench_job *job)
{
  hk_status status = HK_OK;
  hk_femses_results results = {0};
  const bool beside = strcmp(job->device, "cpu") != 0;
  const int threads_before = omp_get_max_threads();
  bool ends = !beside;
  HK_TRY(hk_femses_draw_pattern(job));
  HK_TRY(measure_on(job, job->desc->device, 0, &results));
  if (beside) HK_TRY(measure_on(job, "cpu", 1, &results));
  for (int g = GROUP_STEP; g <= GROUP_MOST && !ends; g *= 2)
    HK_TRY(measure_grouped(job, job->desc->device, g, &ends));
  hk_femses_compare(job, &results);
  HK_TRY(hk_femses_draw(job, &results));
cleanup:
  omp_set_num_threads(threads_before);
  hk_free(&results.of);
  return status;
}
