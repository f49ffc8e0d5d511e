/* Any text as a quantity with a unit: a finite number, or refused in words; its dimension is said in the room that there is. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_dimension(const char *text, const hk_unit *unit)
{
  const hk_unit_system si = hk_unit_system_si();
  char words[HK_DIMENSION_TEXT];
  double value = 0;
  hk_dimension_text(unit->dimension, words);
  assert(memchr(words, 0, sizeof words) && hk_dimension_example(unit->dimension));
  const hk_status status = hk_quantity_parse(text, unit->dimension, &si, &value);
  assert(status == HK_OK ? isfinite(value) != 0 : status == HK_BAD_INPUT && hk_error()[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  hk_unit unit = {.factor = 1};
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  try_dimension(text, &unit);
  unit.dimension = (hk_dimension){{-3, 1, 0, 0}};
  try_dimension(text, &unit);
  const hk_status status = hk_unit_parse(text, &unit);
  assert(status == HK_OK || (status == HK_BAD_INPUT && hk_error()[0]));
  if (status == HK_OK) try_dimension(text, &unit);
  free(text);
  return 0;
}
