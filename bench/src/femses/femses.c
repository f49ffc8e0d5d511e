/* Measures the figures of Keating (2019), chapter 5: whole solutions of heat conduction by every
 * method over the number of unknowns, their stages, and speed-ups. The paper's sizes are taken on a
 * device and a tenth of them on the host, if no scale is given. With a device the host is measured
 * beside it, and two sizes again for each number of threads in a group. */
#include "femses/femses.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_STEP = 32, GROUP_MOST = 1024, LEAST_DOFS = 16 };
static const double host_scale = 0.1; /* of the paper's sizes, where no scale is given */
/* Whose every number of threads in a group is measured, where none is named: of the paper's Figures 5.7, 5.15 to 5.19, 5.22, 5.23. */
static const double grouped_dofs[] = {2500, 10000};
enum { GROUPED = sizeof grouped_dofs / sizeof *grouped_dofs };

enum { SIZES = 1, GROUPS = 2, ON_DEVICE = 1, ON_HOST = 2, KERNELS = 1, SOLUTIONS = 2 };

static const struct {
  const char *word;
  hk_femses_kind kind;
  int bit;
} words[] = {{"sizes", HK_FEMSES_PARTS, SIZES},       {"groups", HK_FEMSES_PARTS, GROUPS},
             {"device", HK_FEMSES_PLACES, ON_DEVICE}, {"host", HK_FEMSES_PLACES, ON_HOST},
             {"kernels", HK_FEMSES_WHAT, KERNELS},    {"solutions", HK_FEMSES_WHAT, SOLUTIONS},
             {"rectangle", HK_FEMSES_BODIES, 1},      {"irregular", HK_FEMSES_BODIES, 2},
             {"bore", HK_FEMSES_BODIES, 4},           {"box", HK_FEMSES_BODIES, 8},
             {"cholesky", HK_FEMSES_WAYS, 1},         {"dense", HK_FEMSES_WAYS, 2},
             {"dense-to-sparse", HK_FEMSES_WAYS, 4},  {"cg", HK_FEMSES_WAYS, 8},
             {"femses", HK_FEMSES_WAYS, 16},          {"jacobi", HK_FEMSES_WAYS, 32},
             {"chebyshev", HK_FEMSES_WAYS, 64},       {"conjugate", HK_FEMSES_WAYS, 128},
             {"multigrid", HK_FEMSES_WAYS, 256}};
enum { WORDS = sizeof words / sizeof *words };

typedef struct bench {
  hk_femses_wanted wanted;
  hk_femses_results results;
} bench;

static bool has(const hk_femses_wanted *w, hk_femses_kind kind, int bit)
{
  return !w->chosen[kind] || (w->chosen[kind] & bit);
}

bool hk_femses_wants(const hk_femses_wanted *w, const char *method, const char *relaxation)
{
  int bits = 0;
  for (int k = 0; k < WORDS; k++)
    if (words[k].kind == HK_FEMSES_WAYS &&
        (!strcmp(words[k].word, method) || (relaxation && !strcmp(words[k].word, relaxation))))
      bits |= words[k].bit;
  return has(w, HK_FEMSES_WAYS, bits);
}

/* -1: it is no word of the table. */
static int find_word(const char *word)
{
  int k = WORDS - 1;
  while (k >= 0 && strcmp(words[k].word, word) != 0) k--;
  return k;
}

/* 0: it is no number. */
static double number_of(const char *word)
{
  char *end = NULL;
  const double number = strtod(word, &end);
  return *end || !(number > 0) || !isfinite(number) ? 0 : number;
}

static bool is_file(const char *word)
{
  return find_word(word) < 0 && !number_of(word);
}

static hk_status take_word(const char *word, hk_femses_wanted *w)
{
  const int k = find_word(word);
  const double number = number_of(word);
  if (k >= 0) w->chosen[words[k].kind] |= words[k].bit;
  if (is_file(word)) w->files++;
  if (!number) return HK_OK;
  HK_NEED(w->sizes < HK_FEMSES_SIZES, HK_USAGE,
          "bench femses: more than %d numbers of unknowns: measure the others in a second bench",
          HK_FEMSES_SIZES);
  HK_NEED(number >= LEAST_DOFS && number <= INT32_MAX, HK_USAGE,
          "bench femses: %s unknowns: give a number between %d and %d", word, LEAST_DOFS,
          INT32_MAX);
  w->dofs[w->sizes++] = number;
  return HK_OK;
}

/* Without a word of parts: sizes, and groups of generated bodies. */
static hk_status read_words(const hk_bench_desc *d, hk_femses_wanted *w)
{
  for (int i = 0; i < d->model_count; i++) HK_PASS(take_word(d->model[i], w));
  if (!w->chosen[HK_FEMSES_PARTS]) w->chosen[HK_FEMSES_PARTS] = w->files ? SIZES : SIZES | GROUPS;
  return HK_OK;
}

/* The paper's largest sizes are a device's. Numbers that are named are taken as they are. */
static double scale_of(const hk_bench_job *job, const hk_femses_wanted *w)
{
  if (w->sizes) return 1;
  return job->desc->scale > 0 ? job->desc->scale : hk_bench_is_beside(job) ? 1 : host_scale;
}

static hk_status measure_parts(hk_femses_body *b, bench *t)
{
  b->wanted = &t->wanted;
  if (has(&t->wanted, HK_FEMSES_WHAT, KERNELS)) HK_PASS(hk_femses_kernels(b));
  if (has(&t->wanted, HK_FEMSES_WHAT, SOLUTIONS)) HK_PASS(hk_femses_solve_all(b, &t->results));
  return HK_OK;
}

static hk_status measure_body(hk_bench_job *job, const hk_femses_case *of, double dofs,
                              hk_device *device, int place, bench *t)
{
  hk_status status = HK_OK;
  hk_femses_body b = {0};
  HK_TRY(hk_femses_body_create(job, of, dofs * scale_of(job, &t->wanted), device, place, &b));
  HK_TRY(measure_parts(&b, t));
cleanup:
  hk_femses_body_clear(&b);
  return status;
}

static hk_status measure_models(hk_bench_job *job, const char *device, int place, bench *t)
{
  hk_status status = HK_OK;
  for (int i = 0; i < job->desc->model_count && status == HK_OK; i++) {
    hk_femses_body b = {0};
    if (!is_file(job->desc->model[i])) continue;
    status = hk_femses_body_read(job, job->desc->model[i], device, place, &b);
    if (status == HK_OK) status = measure_parts(&b, t);
    hk_femses_body_clear(&b);
  }
  return status;
}

static hk_status measure(hk_bench_job *job, hk_device *device, int place, void *data)
{
  bench *t = data;
  const hk_femses_wanted *w = &t->wanted;
  if (w->files) return measure_models(job, place ? "cpu" : job->desc->device, place, t);
  for (int c = 0; c < HK_FEMSES_CASES; c++) {
    const hk_femses_case *of = &hk_femses_cases[c];
    const double *dofs = w->sizes ? w->dofs : of->dofs;
    if (!has(w, HK_FEMSES_BODIES, 1 << c)) continue;
    for (int s = 0; s < HK_FEMSES_SIZES && dofs[s] > 0; s++)
      HK_PASS(measure_body(job, of, dofs[s], device, place, t));
  }
  return HK_OK;
}

/* The kernels of every share of local memory, solutions of the driver's own. */
static hk_status measure_group(hk_bench_job *job, hk_device *device, const hk_femses_wanted *w,
                               double dofs, const hk_femses_group *group)
{
  hk_status status = HK_OK;
  hk_femses_body b = {0};
  HK_TRY(hk_femses_body_create(job, &hk_femses_cases[0], dofs * scale_of(job, w), device, 0, &b));
  b.wanted = w;
  if (has(w, HK_FEMSES_WHAT, KERNELS)) HK_TRY(hk_femses_kernels_grouped(&b, group));
  if (has(w, HK_FEMSES_WHAT, SOLUTIONS) && !group->local_share)
    HK_TRY(hk_femses_solve_grouped(&b, group));
cleanup:
  hk_femses_body_clear(&b);
  return status;
}

static hk_status measure_grouped(hk_bench_job *job, const hk_femses_wanted *w,
                                 const hk_femses_group *group)
{
  hk_status status = HK_OK;
  hk_device *device = NULL;
  const double *dofs = w->sizes ? w->dofs : grouped_dofs;
  const int count = w->sizes ? w->sizes : GROUPED;
  HK_TRY(hk_bench_open(job, job->desc->device, group->threads, group->local_share, &device));
  for (int k = 0; k < count; k++) HK_TRY(measure_group(job, device, w, dofs[k], group));
cleanup:
  hk_device_close(&device);
  return status;
}

/* Figures 5.7, 5.14 to 5.19, 5.22, 5.23: threads of a group; where it is NVIDIA's, the paper's three ways of dividing 64 KB between LOCAL memory
 * and cache, as shares. */
static hk_status measure_groups(hk_bench_job *job, const hk_femses_wanted *w)
{
  static const int share[] = {0, 25, 50, 75};
  hk_device *device = NULL;
  HK_PASS(hk_bench_open(job, job->desc->device, 0, 0, &device));
  const hk_device_info info = *hk_device_describe(device);
  const int shares =
      info.obeys_hints && has(w, HK_FEMSES_WHAT, KERNELS) ? (int)(sizeof share / sizeof *share) : 1;
  hk_device_close(&device);
  for (int k = 0; k < shares; k++)
    for (int g = GROUP_STEP; info.compiles && g <= GROUP_MOST && g <= info.most_threads; g *= 2)
      HK_PASS(measure_grouped(job, w, &(hk_femses_group){g, share[k]}));
  return HK_OK;
}

hk_status hk_bench_femses(hk_bench_job *job)
{
  hk_status status = HK_OK;
  bench t = {0};
  const bool beside = hk_bench_is_beside(job);
  HK_TRY(read_words(job->desc, &t.wanted));
  const int *chosen = t.wanted.chosen;
  const bool sizes = chosen[HK_FEMSES_PARTS] & SIZES, groups = chosen[HK_FEMSES_PARTS] & GROUPS,
             device = has(&t.wanted, HK_FEMSES_PLACES, ON_DEVICE),
             host = has(&t.wanted, HK_FEMSES_PLACES, ON_HOST);
  HK_TRY(hk_femses_write_pattern(job));
  if (sizes && (device || !beside)) HK_TRY(hk_bench_on(job, 0, measure, &t));
  if (sizes && host && beside) HK_TRY(hk_bench_on(job, 1, measure, &t));
  if (groups && device && beside) HK_TRY(measure_groups(job, &t.wanted));
  hk_femses_compare(job, &t.results);
cleanup:
  hk_free(&t.results.of);
  return status;
}
