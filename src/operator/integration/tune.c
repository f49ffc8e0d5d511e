/* The fastest plan of an integration on this device: each candidate (plan.c, factors.c, whole.c) integrates a sample of the elements, and its time
 * per element counts. An idle GPU is kept busy until it has come to its speed. The choice is remembered in the cache folder (operator/tune.h),
 * under all that the list of candidates depends on. Where there are too few elements to tell, nothing is timed and the estimate decides. */
#include "operator/integration/parts.h"
#include "operator/tune.h"
#include <math.h>
#include <stdio.h>

enum { SAMPLE_BYTES = 1 << 30, ENOUGH_BYTES = 64 << 20, UNOPTIMISED_CANDIDATES = 2, ROUNDS = 3 };
static const double AWAKE = 0.05; /* seconds in which an idle GPU comes to its speed */

/* Elements that are timed, where there are as many. */
static hk_count sample_of(const hk_integral *t)
{
  const hk_count available = hk_device_available(t->desc.device) / 8;
  const hk_count most = (available < SAMPLE_BYTES ? available : SAMPLE_BYTES) / (t->size * t->real);
  if (hk_device_describe(t->desc.device)->unoptimised && most > 2) return 2;
  return most > 1 ? most : 1;
}

/* Elements, and room for as many, whose time tells which plan is the fastest. */
static bool enough(const hk_integral *t)
{
  const bool slow = hk_device_describe(t->desc.device)->unoptimised;
  const hk_count sample = sample_of(t), least = ENOUGH_BYTES / (t->size * t->real);
  return slow ? t->desc.elements >= sample : t->desc.elements >= least && sample >= least;
}

/* Seconds per element of a plan, on the first elements, which are on the device. */
static hk_status time_plan(const hk_integral *t, const hk_integral_plan *plan, double *seconds)
{
  hk_status status = HK_OK;
  hk_integral_desc desc = t->desc;
  hk_integral *trial = NULL;
  hk_buffer *matrix = NULL;
  const hk_count sample = sample_of(t);
  const bool wakes = hk_device_describe(desc.device)->own_memory && sample > 2;
  double spent = 0;
  if (desc.elements > sample) desc.elements = sample;
  desc.cache = NULL, desc.resident = true;
  *seconds = HUGE_VAL;
  HK_TRY(hk_integral_make(&desc, plan, &trial));
  HK_TRY(hk_buffer_create(desc.device, desc.elements * t->size * t->real, &matrix));
  const hk_count count = desc.elements < trial->plan.launch ? desc.elements : trial->plan.launch;
  HK_TRY(hk_integral_fill(trial, 0, count, matrix, 0));
  HK_TRY(hk_device_finish(desc.device));
  for (int round = 0; round < ROUNDS || (wakes && spent < AWAKE); round++) {
    const double start = hk_seconds();
    HK_TRY(hk_integral_launch(trial, 0, count, matrix, 0));
    HK_TRY(hk_device_finish(desc.device));
    const double took = hk_seconds() - start;
    *seconds = fmin(*seconds, took / (double)count), spent += took;
  }
cleanup:
  hk_buffer_destroy(&matrix);
  hk_integral_destroy(&trial);
  return status;
}

typedef struct trial {
  const hk_integral *integral;
  hk_integral_plan list[HK_INTEGRAL_CANDIDATES];
} trial;

/* No room, or a folded element, which whoever integrates it is told: a plan that cannot be timed. */
static hk_status time_candidate(void *user, const int *choice, double *seconds)
{
  const trial *t = user;
  const hk_status status = time_plan(t->integral, &t->list[*choice], seconds);
  if (status != HK_BAD_INPUT && status != HK_NO_RESOURCES) return status;
  *seconds = HUGE_VAL;
  return HK_OK;
}

/* Of a list: what is remembered is a place in it, and means nothing in another. */
static uint64_t hash_of(const hk_integral_plan *list, int count)
{
  uint64_t hash = 0;
  for (int k = 0; k < count; k++) {
    const hk_integral_plan *p = &list[k];
    const hk_count all[] = {p->way,   p->threads,       p->parts,     p->blocks, p->tile,
                            p->span,  p->chunk,         p->batch,     p->rows,   p->planes,
                            p->pairs, p->most_elements, p->per_group, p->split,  p->local};
    hash = hk_hash(all, sizeof all, hash);
  }
  return hash;
}

hk_status hk_integral_tune(hk_integral *t)
{
  trial candidates = {.integral = t};
  const bool slow = hk_device_describe(t->desc.device)->unoptimised;
  char form[240];
  int count = hk_integral_candidates(t, candidates.list), best;
  if (slow && count > UNOPTIMISED_CANDIDATES) count = UNOPTIMISED_CANDIDATES;
  if (!t->desc.elements || count < 2) return HK_OK;
  snprintf(form, sizeof form,
           "%s %d shapes %d points %d corners %d factors %d equations %d directions %d elastic %d "
           "symmetric %d bytes limits %d %lld plans %016llx",
           hk_integral_way_name(t->desc.way), t->desc.reference->shapes, t->desc.reference->points,
           t->desc.reference->corners, t->desc.reference->factors.nodes,
           t->desc.coefficients.equations, t->directions, t->desc.coefficients.elastic,
           t->symmetric, t->real, t->desc.limits.threads, (long long)t->desc.limits.local_memory,
           (unsigned long long)hash_of(candidates.list, count));
  const hk_tune tune = {.device = t->desc.device,
                        .cache = t->desc.cache,
                        .what = "integral",
                        .form = form,
                        .fields = 1,
                        .options = {count},
                        .time = time_candidate,
                        .user = &candidates};
  if (!hk_tune_remembered(&tune, &best) && !enough(t)) return HK_OK;
  HK_PASS(hk_tune_find(&tune, &best));
  const hk_count launch = t->plan.launch;
  t->plan = candidates.list[best], t->plan.launch = launch;
  return HK_OK;
}
