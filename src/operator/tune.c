/* The fastest of several candidates, by timing: the caller gives options per field and a function that times a choice; fields are tried one
 * after the other, each with the best options so far. The result is kept in the cache folder under a key of device, driver and
 * problem, so that a device is timed once. */
#include "operator/tune.h"
#include "device/cache.h"
#include <math.h>
#include <stdio.h>

static hk_cache_key key_of(const hk_tune *t)
{
  const hk_device_info *info = hk_device_describe(t->device);
  char what[320], form[320];
  int length = snprintf(form, sizeof form, "%.250s options", t->form);
  for (int f = 0; f < t->fields; f++)
    length += snprintf(form + length, sizeof form - (size_t)length, " %d", t->options[f]);
  snprintf(what, sizeof what, "%s %s %s %s", t->what, info->name, info->isa, info->software);
  return hk_cache_key_of(what, form);
}

bool hk_tune_remembered(const hk_tune *t, int *choice)
{
  char *data = NULL;
  hk_count size = 0;
  bool known = t->cache && hk_cache_read(t->cache, key_of(t), &data, &size) && size == t->fields;
  for (int f = 0; known && f < t->fields; f++) known = data[f] >= 0 && data[f] < t->options[f];
  for (int f = 0; f < t->fields; f++) choice[f] = known ? data[f] : 0;
  hk_free(&data);
  return known;
}

hk_status hk_tune_find(const hk_tune *t, int *choice)
{
  double least = HUGE_VAL, seconds;
  char data[HK_TUNE_FIELDS];
  if (hk_tune_remembered(t, choice)) return HK_OK;
  for (int f = 0; f < t->fields; f++) {
    int best = 0;
    for (int k = f > 0; k < t->options[f]; k++) { /* the first is timed with the field before it */
      choice[f] = k;
      HK_PASS(t->time(t->user, choice, &seconds));
      if (seconds < least) least = seconds, best = k;
    }
    choice[f] = best;
  }
  for (int f = 0; f < t->fields; f++) data[f] = (char)choice[f];
  if (t->cache && least < HUGE_VAL) hk_cache_write(t->cache, key_of(t), data, t->fields);
  return HK_OK;
}
