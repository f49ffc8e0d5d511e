/* Any text as a formula: read, with its text kept and values everywhere, or refused in words. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_text(const char *text)
{
  static const double x[][3] = {{0, 0, 0}, {1, -2, 0.5}, {1e300, -1e300, 1e-300}};
  hk_formula *formula = NULL;
  const hk_status status = hk_formula_read(text, &formula);
  assert((status == HK_OK) == (formula != NULL));
  assert(status == HK_OK || (status == HK_BAD_INPUT && hk_error()[0]));
  assert(!formula || !strcmp(hk_formula_text(formula), text));
  for (int i = 0; formula && i < 3; i++) {
    const double once = hk_formula_value(formula, x[i]), again = hk_formula_value(formula, x[i]);
    assert(!memcmp(&once, &again, sizeof once));
  }
  hk_formula_destroy(&formula);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  try_text(text);
  free(text);
  assert(hk_memory_held() == 0);
  return 0;
}
