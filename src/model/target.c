#include "model/model.h"
#include <string.h>

void hk_target_clear(hk_target *target)
{
  hk_free(&target->item);
  hk_free(&target->face);
  target->count = 0;
}

hk_status hk_target_copy(const hk_target *from, hk_target *to)
{
  hk_status status = HK_OK;
  hk_target copy = {.count = from->count};
  HK_TRY(hk_get(&copy.item, from->count));
  if (from->count) memcpy(copy.item, from->item, (size_t)from->count * sizeof *copy.item);
  if (from->face) {
    HK_TRY(hk_get(&copy.face, from->count));
    if (from->count) memcpy(copy.face, from->face, (size_t)from->count);
  }
  *to = copy, copy = (hk_target){0};
cleanup:
  hk_target_clear(&copy);
  return status;
}

const char *hk_quantity_name(hk_quantity quantity)
{
  static const char *const name[HK_QUANTITY_COUNT] = {"displacement", "velocity", "acceleration",
                                                      "stress",       "strain",   "reaction",
                                                      "temperature",  "heat_flux"};
  return name[quantity];
}
