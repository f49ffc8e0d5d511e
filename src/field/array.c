/* Grids from HDF5 files, which netCDF-4 files are too: a dataset of one to three dimensions. The coordinates of a dimension are those of its dimension
 * scale, else a dataset x, y or z beside the values. Units are in the attribute `unit` or `units`. Integers that stand for numbers
 * (scale_factor, add_offset) and values that are missing (_FillValue, missing_value, or never written) are as netCDF's conventions say. */
#include "field/reader.h"
#include "hdf/hdf.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 1024 };

static bool is_axis(const char *name)
{
  return name[0] >= 'x' && name[0] <= 'z' && !name[1];
}

/* The only dataset in the root that is no axis. */
static hk_status find_only(hk_hdf *file, const hk_grid_desc *desc, char path[PATH])
{
  hk_status status = HK_OK;
  char **name = NULL;
  int count = 0, found = 0;
  hk_hdf_array array;
  HK_TRY(hk_hdf_names(file, "/", &count, &name));
  for (int i = 0; i < count; i++) {
    if (is_axis(name[i]) || hk_hdf_array_find(file, name[i], &array) != HK_OK) continue;
    HK_CHECK(!found++, HK_BAD_INPUT, "%s: has several arrays (%s and %.60s): give the name of one",
             desc->path, path, name[i]);
    snprintf(path, PATH, "/%s", name[i]);
  }
  HK_CHECK(found, HK_BAD_INPUT, "%s: has no array of values beside x, y and z: give its name",
           desc->path);
cleanup:
  hk_names_free(count, &name);
  return status;
}

static hk_status read_unit(hk_hdf *file, const char *object, char unit[32])
{
  hk_status status = HK_OK;
  char *text = NULL;
  HK_TRY(hk_hdf_text_read(file, object, "unit", &text));
  if (!*text) {
    hk_free(&text);
    HK_TRY(hk_hdf_text_read(file, object, "units", &text));
  }
  snprintf(unit, 32, "%s", text);
cleanup:
  hk_free(&text);
  return status;
}

/* Values as netCDF means them: value * scale_factor + add_offset, missing ones not-a-number. */
static hk_status convert(hk_hdf *file, const char *path, hk_count count, double *value)
{
  double factor, offset, fill, missing;
  HK_PASS(hk_hdf_real_read(file, path, "scale_factor", 1, &factor));
  HK_PASS(hk_hdf_real_read(file, path, "add_offset", 0, &offset));
  HK_PASS(hk_hdf_real_read(file, path, "_FillValue", NAN, &fill));
  HK_PASS(hk_hdf_real_read(file, path, "missing_value", NAN, &missing));
  for (hk_count i = 0; i < count; i++) {
    const bool none = value[i] == fill || value[i] == missing || value[i] == HK_GRID_UNWRITTEN;
    value[i] = none ? NAN : value[i] * factor + offset;
  }
  return HK_OK;
}

/* The dataset `letter` beside the values. */
static void beside(const char *path, char letter, char *out)
{
  const char *slash = strrchr(path, '/');
  snprintf(out, PATH, "%.*s/%c", slash ? (int)(slash - path) : 0, path, letter);
}

/* Which coordinates stand beside the values, in the order x, y, z, where no scale says it: as many as the values have dimensions. */
static hk_status guess_axes(hk_hdf *file, const hk_grid_desc *desc, const char *path, int rank,
                            char letters[4])
{
  char at[PATH];
  int found = 0;
  for (int c = 'x'; c <= 'z'; c++) {
    beside(path, (char)c, at);
    if (hk_hdf_exists(file, at)) letters[found++] = (char)c;
  }
  letters[found] = 0;
  HK_NEED(found == rank, HK_BAD_INPUT,
          "%s: %s has %d dimensions, and beside it stand %d of the axes x, y, z (%s): write the "
          "coordinates of each dimension, ascending, as a dataset x, y or z, or give axes",
          desc->path, path, rank, found, found ? letters : "none");
  return HK_OK;
}

static hk_status read_axis(hk_hdf *file, const hk_grid_desc *desc, const char *path, hk_count size,
                           const char *values, hk_grid_axis *axis)
{
  hk_hdf_array array;
  HK_NEED(hk_hdf_exists(file, path), HK_BAD_INPUT,
          "%s: has no %s, the coordinates of the axis %c of %s", desc->path, path,
          'x' + axis->direction, values);
  HK_PASS(hk_hdf_array_find(file, path, &array));
  HK_NEED(
      array.rank == 1 && array.count == size, HK_BAD_INPUT,
      "%s: %s has %lld coordinates, and %s has %lld points along %c (its dimensions are taken in "
      "the order of axes, or of their scales, else x, y, z)",
      desc->path, path, (long long)array.count, values, (long long)size, 'x' + axis->direction);
  HK_NEED(size > 0, HK_BAD_INPUT, "%s: %s is empty", desc->path, path);
  axis->count = size;
  HK_PASS(hk_get(&axis->at, size));
  HK_PASS(hk_hdf_read(file, path, 1, 0, size, axis->at));
  return read_unit(file, path, axis->unit);
}

static hk_status read_axes(hk_hdf *file, const hk_grid_desc *desc, const char *path,
                           const hk_hdf_array *array, hk_grid *grid)
{
  hk_status status = HK_OK;
  char *scale[4] = {NULL}, at[PATH], letters[4] = "";
  HK_TRY(hk_hdf_scales(file, path, array->rank, scale));
  const bool scaled = scale[0] && *scale[0];
  if (!scaled && !desc->axes) HK_TRY(guess_axes(file, desc, path, array->rank, letters));
  for (int a = 0; a < array->rank; a++) {
    const char *own = scale[a] && *scale[a] ? strrchr(scale[a], '/') : NULL;
    const char guessed[2] = {letters[0] ? letters[a] : 0};
    HK_TRY(hk_grid_direct(desc, own ? own + 1 : guessed, a, array->rank, grid));
    beside(path, (char)('x' + grid->axis[a].direction), at);
    HK_TRY(read_axis(file, desc, own ? scale[a] : at, array->size[a], path, &grid->axis[a]));
  }
  grid->axes = array->rank;
cleanup:
  for (int k = 0; k < 4; k++) hk_free(&scale[k]);
  return status;
}

hk_status hk_grid_read_array(const hk_grid_desc *desc, hk_grid *grid)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  hk_hdf_array array;
  char path[PATH] = "";
  HK_TRY(hk_hdf_open(desc->path, false, &file));
  if (desc->name)
    snprintf(path, sizeof path, "%s%s", *desc->name == '/' ? "" : "/", desc->name);
  else
    HK_TRY(find_only(file, desc, path));
  HK_TRY(hk_hdf_array_find(file, path, &array));
  HK_CHECK(array.rank <= HK_GRID_AXES && array.count > 0, HK_BAD_INPUT,
           "%s: %s has %d dimensions and %lld values: one to three dimensions are possible",
           desc->path, path, array.rank, (long long)array.count);
  HK_TRY(read_axes(file, desc, path, &array, grid));
  HK_TRY(hk_get(&grid->value, array.count));
  HK_TRY(hk_hdf_read(file, path, array.count / array.size[0], 0, array.size[0], grid->value));
  HK_TRY(convert(file, path, array.count, grid->value));
  HK_TRY(read_unit(file, path, grid->unit));
cleanup:
  hk_hdf_close(&file);
  return status;
}
