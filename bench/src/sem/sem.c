/* The bench `sem`: the tables and figures of Carrascal-Manzanares et al. (2017), and rates of steps by order beside
 * those of others. Words after the name choose parts, physics, dimensions and orders. Everything is measured on the
 * device, and order 4 on the processor beside it. */
#include "sem/sem.h"
#include <stdlib.h>
#include <string.h>

static const char *const part_name[] = {"rates", "stages",    "tuner",    "bp5",     "scatter",
                                        "sets",  "precision", "products", "patches", "attenuation"};
enum { PARTS = sizeof part_name / sizeof *part_name };

static const char *const physics_name[] = {"elastic", "acoustic"};

static hk_status take_word(const char *word, hk_sem_wanted *w)
{
  char *end = NULL;
  const long number = strtol(word + (*word == 'p'), &end, 10);
  for (int k = 0; k < PARTS; k++)
    if (!strcmp(word, part_name[k])) {
      w->parts |= 1 << k;
      return HK_OK;
    }
  for (int k = 0; k < 2; k++)
    if (!strcmp(word, physics_name[k])) {
      w->physics |= 1 << k;
      return HK_OK;
    }
  if (!strcmp(word, "whole"))
    w->whole = true;
  else if (*word == 'p' && !*end && number >= 1 && number <= HK_MOST_ORDER)
    w->order[number] = w->order[0] = true;
  else if (!strcmp(word, "2d") || !strcmp(word, "3d"))
    w->dim[number] = w->dim[0] = true;
  else
    return hk_error_set(HK_USAGE,
                        "bench sem: unknown word %s: there are rates, stages, tuner, bp5, scatter, "
                        "sets, precision, products, patches, attenuation, whole, elastic, "
                        "acoustic, 2d, 3d and p1 to "
                        "p%d",
                        word, HK_MOST_ORDER);
  return HK_OK;
}

/* Element 0 of a list: something of it was named. */
static hk_status read_words(const hk_bench_desc *d, hk_sem_wanted *w)
{
  for (int i = 0; i < d->model_count; i++) HK_PASS(take_word(d->model[i], w));
  for (int k = 1; k < 4 && !w->dim[0]; k++) w->dim[k] = true;
  for (int k = 1; k <= HK_MOST_ORDER && !w->order[0]; k++) w->order[k] = true;
  if (!w->parts) w->parts = HK_SEM_PARTS;
  if (!w->physics) w->physics = 3;
  return HK_OK;
}

static hk_status measure(hk_bench_job *job, hk_device *device, int place, void *data)
{
  const hk_sem_wanted *wanted = data;
  if (wanted->parts & (HK_SEM_STAGES | HK_SEM_SETS | HK_SEM_PRODUCTS))
    HK_PASS(hk_sem_stages(job, device, wanted));
  if (wanted->parts & HK_SEM_TUNER) HK_PASS(hk_sem_tuner(job, device, place, wanted));
  if (wanted->parts & HK_SEM_PATCHES) HK_PASS(hk_sem_patches(job, device, place, wanted));
  if (wanted->parts & HK_SEM_ATTENUATION) HK_PASS(hk_sem_attenuation(job, device, place, wanted));
  if (wanted->parts & HK_SEM_BP5) HK_PASS(hk_sem_bp5(job, device, place, wanted));
  if (wanted->parts & HK_SEM_SCATTER) HK_PASS(hk_sem_scatters(job, device, place, wanted));
  if (wanted->parts & HK_SEM_PRECISION) HK_PASS(hk_sem_precision(job, device, place, wanted));
  if (wanted->parts & HK_SEM_RATES) HK_PASS(hk_sem_rates(job, device, place, wanted));
  return HK_OK;
}

hk_status hk_bench_sem(hk_bench_job *job)
{
  hk_sem_wanted wanted = {0}, beside = {.order = {[4] = true}};
  HK_PASS(read_words(job->desc, &wanted));
  HK_PASS(hk_bench_on(job, 0, measure, &wanted));
  if (hk_bench_is_beside(job)) {
    memcpy(beside.dim, wanted.dim, sizeof beside.dim);
    beside.parts = wanted.parts, beside.physics = wanted.physics, beside.whole = wanted.whole;
    HK_PASS(hk_bench_on(job, 1, measure, &beside));
  }
  return HK_OK;
}
