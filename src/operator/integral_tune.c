/* The fastest of the candidates on this device, found once and remembered in the cache folder. */
#include "device/cache.h"
#include "operator/integral_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE_BYTES = 64 << 20, EMULATED_CANDIDATES = 2, ROUNDS = 3 };

static hk_cache_key key_of(const hk_integral *t)
{
  const hk_device_info *info = hk_device_describe(t->desc.device);
  char what[320], form[160];
  snprintf(what, sizeof what, "integral %s %s %s", info->name, info->isa, info->software);
  snprintf(form, sizeof form,
           "%s %d shapes %d points %d equations %d directions %d elastic %d bytes limits %d %lld",
           hk_integral_way_name(t->plan.way), t->desc.reference->shapes, t->desc.reference->points,
           t->desc.coefficients.equations, t->directions, t->desc.coefficients.elastic, t->real,
           t->desc.limits.threads, (long long)t->desc.limits.local_memory);
  return hk_cache_key_of(what, form);
}

/* Seconds per element of a plan, on the first elements. */
static hk_status time_plan(const hk_integral *t, const hk_integral_plan *plan, double *seconds)
{
  hk_status status = HK_OK;
  hk_integral_desc desc = t->desc;
  hk_integral *trial = NULL;
  hk_buffer *matrix = NULL;
  hk_count most = SAMPLE_BYTES / (t->size * t->real);
  if (hk_device_describe(desc.device)->emulated && most > 2) most = 2;
  if (most < 1) most = 1;
  if (desc.elements > most) desc.elements = most;
  desc.cache = NULL, desc.resident = true;
  *seconds = HUGE_VAL;
  HK_TRY(hk_integral_make(&desc, plan, &trial));
  HK_TRY(hk_buffer_create(desc.device, desc.elements * t->size * t->real, &matrix));
  for (int round = 0; round <= ROUNDS; round++) { /* the first warms */
    const double start = hk_seconds();
    HK_TRY(hk_integral_fill(trial, 0, desc.elements, matrix, 0));
    HK_TRY(hk_device_finish(desc.device));
    if (round) *seconds = fmin(*seconds, (hk_seconds() - start) / (double)desc.elements);
  }
cleanup:
  hk_buffer_destroy(&matrix);
  hk_integral_destroy(&trial);
  return status;
}

static bool remembered(hk_integral *t, hk_cache_key key, const hk_integral_plan *list, int count)
{
  char *data = NULL;
  hk_count size = 0;
  bool known = hk_cache_read(t->desc.cache, key, &data, &size) && size == 1;
  if (known && data[0] >= 0 && data[0] < count) {
    const hk_count launch = t->plan.launch;
    t->plan = list[(int)data[0]], t->plan.launch = launch;
  } else {
    known = false;
  }
  hk_free(&data);
  return known;
}

hk_status hk_integral_tune(hk_integral *t)
{
  hk_status status = HK_OK;
  hk_integral_plan list[HK_INTEGRAL_CANDIDATES];
  const hk_device_info *info = hk_device_describe(t->desc.device);
  const hk_cache_key key = key_of(t);
  int count = hk_integral_candidates(t, list), best = 0;
  double least = HUGE_VAL;
  if (info->emulated && count > EMULATED_CANDIDATES) count = EMULATED_CANDIDATES;
  if (!t->desc.elements || count < 2 || remembered(t, key, list, count)) return HK_OK;
  for (int k = 0; k < count; k++) {
    double seconds;
    HK_TRY(time_plan(t, &list[k], &seconds));
    if (seconds < least) least = seconds, best = k;
  }
  hk_cache_write(t->desc.cache, key, &(char){(char)best}, 1);
  const hk_count launch = t->plan.launch;
  t->plan = list[best], t->plan.launch = launch;
cleanup:
  return status;
}
