/* Measures the figures of Keating (2019), chapter 5: whole solutions of heat conduction by every
 * method over the number of unknowns, their stages, and speed-ups. The paper's sizes are taken on a
 * device and a tenth of them on the host, if no scale is given. With a device the host is measured
 * beside it, and one size again for each number of threads in a group. */
#include "femses/femses.h"
#include <math.h>
#include <string.h>

enum { GROUP_STEP = 32, GROUP_MOST = 1024 };
static const double host_scale = 0.1;      /* of the paper's sizes, where no scale is given */
static const double grouped_dofs = 160000; /* of the paper's Figures 5.7, 5.22, near it */

/* The paper's largest sizes are a device's. */
static double scale_of(const hk_bench_job *job)
{
  return job->desc->scale > 0 ? job->desc->scale : hk_bench_is_beside(job) ? 1 : host_scale;
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

/* What words choose of the bench: rectangles of every size, threads of a group, a place. None: all of them. */
typedef struct chosen {
  bool sizes, groups, device, host;
  int files;
  hk_femses_results results;
} chosen;

/* The place that a word chooses; NULL: the name of a file. */
static bool *place_of(chosen *c, const char *word)
{
  return !strcmp(word, "sizes")    ? &c->sizes
         : !strcmp(word, "groups") ? &c->groups
         : !strcmp(word, "device") ? &c->device
         : !strcmp(word, "host")   ? &c->host
                                   : NULL;
}

static void read_words(const hk_bench_desc *d, chosen *c)
{
  for (int i = 0; i < d->model_count; i++) {
    bool *place = place_of(c, d->model[i]);
    if (place)
      *place = true;
    else
      c->files++;
  }
  if (!c->sizes && !c->groups) c->sizes = true, c->groups = !c->files;
  if (c->device == c->host) c->device = c->host = true;
}

static hk_status measure_models(hk_bench_job *job, const char *device, int place, chosen *c)
{
  hk_status status = HK_OK;
  hk_femses_results *results = &c->results;
  for (int i = 0; i < job->desc->model_count && status == HK_OK; i++) {
    hk_femses_body b = {0};
    if (place_of(c, job->desc->model[i])) continue;
    status = hk_femses_body_read(job, job->desc->model[i], device, place, &b);
    if (status == HK_OK) status = hk_femses_kernels(&b);
    if (status == HK_OK) status = hk_femses_solve_all(&b, results);
    hk_femses_body_clear(&b);
  }
  return status;
}

static hk_status measure(hk_bench_job *job, hk_device *device, int place, void *data)
{
  chosen *of = data;
  hk_femses_results *results = &of->results;
  if (of->files) return measure_models(job, place ? "cpu" : job->desc->device, place, of);
  for (int c = 0; c < HK_FEMSES_CASES; c++)
    for (int s = 0; s < HK_FEMSES_SIZES && hk_femses_cases[c].dofs[s] > 0; s++)
      HK_PASS(measure_body(job, &hk_femses_cases[c], hk_femses_cases[c].dofs[s], device, place,
                           results));
  return HK_OK;
}

static hk_status measure_grouped(hk_bench_job *job, int group_threads, int local_share)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  hk_femses_body b = {0};
  HK_TRY(hk_bench_open(job, job->desc->device, group_threads, local_share, &device));
  HK_TRY(
      hk_femses_body_create(job, &hk_femses_cases[0], grouped_dofs * scale_of(job), device, 0, &b));
  HK_TRY(hk_femses_solve_grouped(&b, group_threads, local_share));
cleanup:
  hk_femses_body_clear(&b);
  hk_device_close(&device);
  return status;
}

/* Figures 5.7, 5.14 to 5.19, 5.22, 5.23: threads of a group; where it is NVIDIA's, the paper's three ways of dividing 64 KB between LOCAL memory
 * and cache, as shares. */
static hk_status measure_groups(hk_bench_job *job)
{
  static const int share[] = {0, 25, 50, 75};
  hk_device *device = NULL;
  HK_PASS(hk_bench_open(job, job->desc->device, 0, 0, &device));
  const hk_device_info info = *hk_device_describe(device);
  const int shares = info.obeys_hints ? (int)(sizeof share / sizeof *share) : 1;
  hk_device_close(&device);
  for (int k = 0; k < shares; k++)
    for (int g = GROUP_STEP; info.compiles && g <= GROUP_MOST && g <= info.most_threads; g *= 2)
      HK_PASS(measure_grouped(job, g, share[k]));
  return HK_OK;
}

hk_status hk_bench_femses(hk_bench_job *job)
{
  hk_status status = HK_OK;
  chosen c = {0};
  const bool beside = hk_bench_is_beside(job);
  read_words(job->desc, &c);
  HK_TRY(hk_femses_write_pattern(job));
  if (c.sizes && (c.device || !beside)) HK_TRY(hk_bench_on(job, 0, measure, &c));
  if (c.sizes && c.host && beside) HK_TRY(hk_bench_on(job, 1, measure, &c));
  if (c.groups && c.device && beside) HK_TRY(measure_groups(job));
  hk_femses_compare(job, &c.results);
cleanup:
  hk_free(&c.results.of);
  return status;
}
