/* Any bytes as the edge of a block: its kind, its ends, inner points, and the rest a formula of one coordinate. A curve that is taken
 * has its ends at 0 and 1, exactly. */
#include <assert.h>
#include <string.h>
#include "mesh/make/curve.h"

enum { ENDS = 6, MOST_POINTS = 8, LONGEST = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool take(const uint8_t **data, size_t *size, size_t bytes, void *to)
{
  if (*size < bytes) return false;
  memcpy(to, *data, bytes);
  *data += bytes, *size -= bytes;
  return true;
}

static void try_curve(const hk_curve *curve, int dim, double (*end)[3])
{
  hk_pool pool = {0};
  hk_curve_knots *knots = NULL;
  double x[3];
  const hk_status status = hk_curve_prepare(&pool, curve, dim, end[0], end[1], &knots);
  assert((status == HK_OK) == (knots != NULL));
  assert(status == HK_OK || (status == HK_BAD_INPUT && hk_error()[0]));
  for (int i = 0; knots && i <= 4; i++) {
    hk_curve_at(knots, i / 4.0, x);
    for (int d = 0; i % 4 == 0 && d < dim; d++) assert(x[d] == end[i / 4][d]);
  }
  hk_pool_clear(&pool);
}

/* Small whole numbers: arcs and splines through any doubles are mostly refused. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  uint8_t head[3];
  int8_t ends[ENDS], inner[MOST_POINTS][3];
  char text[LONGEST + 1];
  double end[2][3], point[MOST_POINTS][3];
  hk_formula *formula = NULL;
  if (!take(&data, &size, sizeof head, head) || !take(&data, &size, sizeof ends, ends)) return 0;
  hk_curve curve = {.kind = (hk_curve_kind)(head[0] % (HK_CURVE_FORMULA + 1)),
                    .count = head[1] % (MOST_POINTS + 1),
                    .point = point};
  if (curve.kind == HK_CURVE_ARC) curve.count = 1;
  if (curve.kind == HK_CURVE_LINE || curve.kind == HK_CURVE_FORMULA) curve.count = 0;
  if (!take(&data, &size, (size_t)curve.count * sizeof *inner, inner) || size > LONGEST) return 0;
  const int dim = 2 + (head[2] & 1);
  for (int i = 0; i < ENDS; i++) end[i / 3][i % 3] = i % 3 < dim ? 0.25 * ends[i] : 0;
  for (int i = 0; i < curve.count; i++)
    for (int d = 0; d < 3; d++) point[i][d] = d < dim ? 0.25 * inner[i][d] : 0;
  memcpy(text, data, size);
  text[size] = 0;
  if (curve.kind == HK_CURVE_FORMULA) {
    if (hk_formula_read(text, &formula) != HK_OK) return 0;
    curve.formula[head[2] % dim] = formula;
  }
  try_curve(&curve, dim, end);
  hk_formula_destroy(&formula);
  assert(hk_memory_held() == 0);
  return 0;
}
