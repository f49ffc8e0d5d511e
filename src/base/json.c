/* JSON values and texts that hooke writes, on top of Jansson.
 * A number that is not finite becomes null, because JSON has no such numbers. A root is written
 * with an indent of 2 and a given number of digits. */
#include "base/json.h"
#include <math.h>
#include <stdlib.h>

json_t *hk_json_real(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *hk_json_reals(hk_count count, const double *value)
{
  json_t *list = json_array();
  for (hk_count i = 0; i < count; i++) json_array_append_new(list, hk_json_real(value[i]));
  return list;
}

hk_status hk_json_dump(const json_t *root, int digits, char **text)
{
  char *dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
  const hk_status status =
      dump ? hk_copy_text(text, dump) : hk_error_set(HK_NO_RESOURCES, "out of memory: a JSON text");
  free(dump);
  return status;
}
