/* Values on a rectilinear grid, linear between its points (bilinear in 2D, trilinear in 3D):
 *   f(x) = sum over the corners of the cell of value times the product over the axes of (1 - t or t),
 * t the place of x between two points of an axis. Along axes with one point, and along coordinates without an axis, f is constant. Outside
 * the grid there is no value, or that of the nearest point. A place that is outside by rounding alone lies on the border. */
#include "field/reader.h"
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct grid_field {
  hk_spatial field; /* first */
  hk_grid grid;
  bool nearest, nearest_outside;
} grid_field;

void hk_grid_clear(hk_grid *grid)
{
  for (int a = 0; a < HK_GRID_AXES; a++) hk_free(&grid->axis[a].at);
  hk_free(&grid->value);
}

static void destroy(hk_spatial *field)
{
  grid_field *g = (grid_field *)field;
  hk_grid_clear(&g->grid);
  hk_free(&g->field.name);
  hk_free(&g);
}

/* The cell of an axis that x lies in and the part of it that x has passed; false: outside by more than rounding. */
static bool find_cell(const hk_grid_axis *axis, double x, hk_count *cell, double *part)
{
  const double *at = axis->at;
  const hk_count n = axis->count;
  const double slack =
      1e-9 * (at[n - 1] - at[0]) + 8 * DBL_EPSILON * fmax(fabs(at[0]), fabs(at[n - 1]));
  hk_count low = 0, high = n - 1;
  *cell = 0, *part = 0;
  if (n == 1) return true;
  while (high - low > 1) {
    const hk_count middle = (low + high) / 2;
    if (at[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  *cell = low;
  *part = fmin(fmax((x - at[low]) / (at[low + 1] - at[low]), 0), 1);
  return x >= at[0] - slack && x <= at[n - 1] + slack;
}

static double value_at(const hk_spatial *field, const double x[3])
{
  const grid_field *g = (const grid_field *)field;
  hk_count cell[HK_GRID_AXES] = {0};
  double part[HK_GRID_AXES] = {0}, sum = 0;
  for (int a = 0; a < g->grid.axes; a++) {
    const hk_grid_axis *axis = &g->grid.axis[a];
    if (!find_cell(axis, x[axis->direction], &cell[a], &part[a]) && !g->nearest_outside) return NAN;
    if (g->nearest) part[a] = part[a] >= 0.5;
  }
  for (int corner = 0; corner < 1 << g->grid.axes; corner++) {
    hk_count at = 0;
    double weight = 1;
    for (int a = 0; a < g->grid.axes; a++) {
      const int up = corner >> a & 1;
      weight *= up ? part[a] : 1 - part[a];
      at = at * g->grid.axis[a].count + cell[a] + (up && part[a] > 0);
    }
    if (weight > 0) sum += weight * g->grid.value[at];
  }
  return sum;
}

bool hk_grid_box(const hk_spatial *field, double low[3], double high[3])
{
  const grid_field *g = (const grid_field *)field;
  if (field->at != value_at) return false;
  for (int d = 0; d < 3; d++) low[d] = -INFINITY, high[d] = INFINITY;
  for (int a = 0; a < g->grid.axes; a++) {
    const hk_grid_axis *axis = &g->grid.axis[a];
    if (axis->count == 1) continue;
    low[axis->direction] = axis->at[0], high[axis->direction] = axis->at[axis->count - 1];
  }
  return true;
}

hk_status hk_grid_field(hk_grid *grid, const hk_grid_desc *desc, const char *name, hk_spatial **out)
{
  hk_status status = HK_OK;
  grid_field *g = NULL;
  HK_TRY(hk_new(&g));
  HK_TRY(hk_copy_text((char **)&g->field.name, name));
  g->field.at = value_at, g->field.destroy = destroy;
  g->grid = *grid, g->nearest = desc->nearest, g->nearest_outside = desc->nearest_outside;
  *grid = (hk_grid){0};
  *out = &g->field, g = NULL;
cleanup:
  hk_free(&g);
  return status;
}
