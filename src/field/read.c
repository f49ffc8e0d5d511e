/* Grids from files. The first bytes of a file tell its format, and its reader gives values, coordinates and the names of their units. Here
 * units are changed into those of the model, axes that descend are turned round, and values that are missing are told with their place. */
#include "base/file.h"
#include "field/reader.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static hk_status kind_of(const char *path, bool *hdf, bool *netcdf)
{
  hk_status status = HK_OK;
  char head[8] = {0};
  int fd = -1;
  HK_TRY(hk_open_input(path, &fd));
  const ssize_t got = read(fd, head, sizeof head);
  *hdf = got == 8 && !memcmp(head, "\211HDF\r\n\032\n", 8);
  *netcdf = got >= 4 && !memcmp(head, "CDF", 3) && (head[3] == 1 || head[3] == 2 || head[3] == 5);
cleanup:
  if (fd >= 0) close(fd);
  return status;
}

hk_status hk_grid_direct(const hk_grid_desc *desc, const char *called, int a, int axes,
                         hk_grid *grid)
{
  const char letter = desc->axes ? desc->axes[a] : called[0];
  HK_NEED(!desc->axes || (int)strlen(desc->axes) == axes, HK_BAD_INPUT,
          "%s: axes names %d coordinates, and the values have %d dimensions", desc->path,
          (int)strlen(desc->axes), axes);
  HK_NEED(
      (desc->axes || strlen(called) == 1) && letter >= 'x' && letter <= 'z', HK_BAD_INPUT,
      "%s: dimension %d of the values is called \"%.40s\", which is none of x, y, z: give axes, "
      "which coordinate each dimension is",
      desc->path, a + 1, called);
  grid->axis[a].direction = letter - 'x';
  for (int b = 0; b < a; b++)
    HK_NEED(grid->axis[b].direction != letter - 'x', HK_BAD_INPUT,
            "%s: two dimensions of the values are along %c", desc->path, letter);
  return HK_OK;
}

/* Numbers of `unit`, or of what the file says, times *factor are in the model's units. any: of any dimension, else a length. */
static hk_status find_factor(const hk_grid_desc *desc, const char *unit, const char *own,
                             bool length, double *factor)
{
  hk_unit parsed;
  const char *text = unit ? unit : own;
  *factor = 1;
  if (!*text || !strcmp(text, "1") || !desc->units) return HK_OK;
  HK_NEED(hk_unit_parse(text, &parsed) == HK_OK, HK_BAD_INPUT,
          "%s: the unit \"%.40s\" of %s is not known: give %s", desc->path, text,
          length ? "its coordinates" : "its values", length ? "axis_unit" : "unit");
  HK_NEED(!length || hk_same_dimension(parsed.dimension, (hk_dimension){{1}}), HK_BAD_INPUT,
          "%s: the unit \"%.40s\" of its coordinates is not one of length: give axis_unit",
          desc->path, text);
  *factor = hk_unit_si(&parsed);
  for (int b = 0; b < HK_BASE_UNITS; b++) *factor /= pow(desc->units[b], parsed.dimension.power[b]);
  return HK_OK;
}

static hk_count stride_of(const hk_grid *grid, int a)
{
  hk_count stride = 1;
  for (int b = a + 1; b < grid->axes; b++) stride *= grid->axis[b].count;
  return stride;
}

static void swap(double *a, double *b)
{
  const double kept = *a;
  *a = *b, *b = kept;
}

/* An axis that descends is turned round, with the values. */
static void turn(hk_grid *grid, int a)
{
  hk_grid_axis *axis = &grid->axis[a];
  const hk_count n = axis->count, stride = stride_of(grid, a);
  hk_count outer = 1;
  for (int b = 0; b < a; b++) outer *= grid->axis[b].count;
  for (hk_count k = 0; k < n / 2; k++) {
    swap(&axis->at[k], &axis->at[n - 1 - k]);
    for (hk_count o = 0; o < outer; o++)
      for (hk_count s = 0; s < stride; s++)
        swap(&grid->value[(o * n + k) * stride + s],
             &grid->value[(o * n + n - 1 - k) * stride + s]);
  }
}

static hk_status order_axis(const hk_grid_desc *desc, hk_grid *grid, int a)
{
  hk_grid_axis *axis = &grid->axis[a];
  const char letter = (char)('x' + axis->direction);
  double factor;
  HK_PASS(find_factor(desc, desc->axis_unit, axis->unit, true, &factor));
  for (hk_count k = 0; k < axis->count; k++) {
    axis->at[k] *= factor;
    HK_NEED(isfinite(axis->at[k]), HK_BAD_INPUT,
            "%s: coordinate %lld of the axis %c is not a number", desc->path, (long long)k + 1,
            letter);
  }
  const bool down = axis->count > 1 && axis->at[1] < axis->at[0];
  for (hk_count k = 1; k < axis->count; k++)
    HK_NEED(down ? axis->at[k] < axis->at[k - 1] : axis->at[k] > axis->at[k - 1], HK_BAD_INPUT,
            "%s: the axis %c is not monotonic: coordinate %lld is %g after %g", desc->path, letter,
            (long long)k + 1, axis->at[k], axis->at[k - 1]);
  if (down) turn(grid, a);
  return HK_OK;
}

static hk_status check_values(const hk_grid_desc *desc, hk_grid *grid)
{
  double factor;
  hk_count count = 1, missing = 0, first = -1;
  HK_PASS(find_factor(desc, desc->unit, grid->unit, false, &factor));
  for (int a = 0; a < grid->axes; a++) count *= grid->axis[a].count;
  for (hk_count k = 0; k < count; k++) {
    grid->value[k] *= factor;
    if (!isfinite(grid->value[k]) && !missing++) first = k;
  }
  if (!missing) return HK_OK;
  char place[128] = "";
  for (int a = 0, used = 0; a < grid->axes; a++)
    used += snprintf(place + used, sizeof place - (size_t)used, "%s%c = %g", a ? ", " : "",
                     'x' + grid->axis[a].direction,
                     grid->axis[a].at[first / stride_of(grid, a) % grid->axis[a].count]);
  return hk_error_set(HK_BAD_INPUT,
                      "%s: %lld of %lld values of %s are missing or not numbers, the first at %s",
                      desc->path, (long long)missing, (long long)count,
                      desc->name ? desc->name : "the grid", place);
}

hk_status hk_grid_read(const hk_grid_desc *desc, const char *name, hk_spatial **out)
{
  hk_status status = HK_OK;
  hk_grid grid = {0};
  bool hdf, netcdf;
  HK_TRY(kind_of(desc->path, &hdf, &netcdf));
  HK_TRY((hdf      ? hk_grid_read_array
          : netcdf ? hk_grid_read_netcdf
                   : hk_grid_read_table)(desc, &grid));
  for (int a = 0; a < grid.axes; a++) HK_TRY(order_axis(desc, &grid, a));
  HK_TRY(check_values(desc, &grid));
  HK_TRY(hk_grid_field(&grid, desc, name, out));
cleanup:
  hk_grid_clear(&grid);
  return status;
}
