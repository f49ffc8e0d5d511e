/* An image as HDF5: /image [row, column] with the axes as arrays of their names, and what it was made with. The file is made beside its place and
 * renamed: an old one stays whole if writing fails. */
#include "result/image/image.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ARRAYS = 5 };

typedef struct dataset {
  char path[32];
  const char *unit;
  const double *data;
  int rank;
  hk_count size[2];
  hk_hdf_array array;
} dataset;

/* Returns how many there are. */
static int list_arrays(const hk_image *i, const hk_image_words *words, dataset *set)
{
  const hk_count wide = i->axis[0].count, tall = i->axis[1].count;
  int count = 0;
  set[count++] = (dataset){"/image", i->unit, i->value, 2, {tall, wide}, {0}};
  for (int k = 0; k < 2; k++) {
    const hk_image_axis *a = &i->axis[k];
    set[count] = (dataset){"", a->unit, a->at, 1, {a->count, 0}, {0}};
    snprintf(set[count].path, sizeof set[count].path, "/%s", a->name);
    count++;
  }
  if (isfinite(words->speed)) set[count++] = (dataset){"/speed", "", &words->speed, 1, {1, 0}, {0}};
  if (isfinite(words->delay)) set[count++] = (dataset){"/delay", "", &words->delay, 1, {1, 0}, {0}};
  return count;
}

static hk_status make(hk_hdf *file, const hk_image *i, const hk_image_words *words, int count,
                      dataset *set)
{
  char axes[32];
  for (int k = 0; k < count; k++) {
    HK_PASS(
        hk_hdf_array_create(file, set[k].path, HK_F64, set[k].rank, set[k].size, &set[k].array));
    if (*set[k].unit) HK_PASS(hk_hdf_text(file, set[k].path, "unit", set[k].unit));
  }
  snprintf(axes, sizeof axes, "%s %s", i->axis[1].name, i->axis[0].name);
  HK_PASS(hk_hdf_text(file, "/image", "axes", axes));
  HK_PASS(hk_hdf_text(file, "/", "kind", "image"));
  HK_PASS(hk_hdf_text(file, "/", "method", words->method));
  HK_PASS(hk_hdf_text(file, "/", "trace", words->trace));
  HK_PASS(hk_hdf_text(file, "/", "component", words->component));
  return hk_hdf_lay_out(file);
}

hk_status hk_image_write_h5(const char *path, const hk_image *i, const hk_image_words *words)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  char *beside = NULL;
  dataset set[ARRAYS];
  hk_count bytes = 0;
  const int count = list_arrays(i, words, set);
  for (int k = 0; k < count; k++)
    bytes += 8 * set[k].size[0] * (set[k].rank == 2 ? set[k].size[1] : 1);
  HK_TRY(hk_format(&beside, "%s.%ld.tmp", path, (long)getpid()));
  HK_TRY(hk_hdf_create(beside, hk_hdf_plan(ARRAYS + 1, bytes), &file));
  HK_TRY(make(file, i, words, count, set));
  for (int k = 0; k < count; k++)
    HK_TRY(hk_hdf_write(file, &set[k].array, 0, set[k].array.count, set[k].data));
  HK_TRY(hk_hdf_complete(file, false, NULL, NULL));
  HK_TRY(hk_hdf_close(&file));
  HK_CHECK(rename(beside, path) == 0, HK_NOT_WRITABLE, "%s: %s", path, strerror(errno));
cleanup:
  hk_hdf_close(&file);
  if (status != HK_OK && beside) unlink(beside);
  hk_free(&beside);
  return status;
}
