/* Dimension scales of a dataset, as HDF5's own convention and netCDF-4 attach them: the attribute REFERENCE_LIST of a scale, a dataset with
 * coordinates, lists the datasets that it belongs to and which of their dimensions it is. (The attribute DIMENSION_LIST of the dataset says the same by
 * texts of variable length, which a damaged file makes the library read beyond its memory: door.h.) Also attributes that are single numbers. */
#include "hdf/file.h"
#include <string.h>

typedef struct reference { /* an item of REFERENCE_LIST */
  hobj_ref_t set;
  int dimension;
} reference;

static hid_t reference_type(void)
{
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(reference));
  if (type < 0) return type;
  H5Tinsert(type, "dataset", HOFFSET(reference, set), H5T_STD_REF_OBJ);
  H5Tinsert(type, "dimension", HOFFSET(reference, dimension), H5T_NATIVE_INT);
  return type;
}

/* The dimensions of `own` that the scale `at` belongs to get its name. */
static hk_status note_scale(hid_t attribute, const hobj_ref_t *own, const char *at, int rank,
                            char *scale[4])
{
  enum { MOST = 1 << 16 };
  hk_status status = HK_OK;
  reference *list = NULL;
  const hid_t space = H5Aget_space(attribute), type = reference_type();
  const hk_count count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
  if (type < 0 || count < 1 || count > MOST) goto cleanup;
  HK_TRY(hk_get(&list, count));
  if (H5Aread(attribute, type, list) < 0) goto cleanup;
  for (hk_count k = 0; k < count; k++) {
    const int d = list[k].dimension;
    if (memcmp(&list[k].set, own, sizeof *own) != 0 || d < 0 || d >= rank || scale[d]) continue;
    HK_TRY(hk_copy_text(&scale[d], at));
  }
cleanup:
  hk_free(&list);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  return status;
}

static hk_status look_at(hk_hdf *file, const char *at, const hobj_ref_t *own, int rank,
                         char *scale[4])
{
  static const char key[] = "REFERENCE_LIST";
  hk_status status = HK_OK;
  hk_hdf_array array;
  if (hk_hdf_array_find(file, at, &array) != HK_OK || array.rank != 1) return HK_OK;
  if (H5Aexists_by_name(file->file, at, key, hk_hdf_door()) <= 0) return HK_OK;
  const hid_t attribute = H5Aopen_by_name(file->file, at, key, H5P_DEFAULT, hk_hdf_door());
  if (attribute >= 0) status = note_scale(attribute, own, at, rank, scale);
  if (attribute >= 0) H5Aclose(attribute);
  return status;
}

hk_status hk_hdf_scales(hk_hdf *file, const char *name, int rank, char *scale[4])
{
  hk_status status = HK_OK;
  const char *slash = strrchr(name, '/');
  char **beside = NULL, *group = NULL, *at = NULL;
  hobj_ref_t own;
  int count = 0;
  HK_TRY(hk_format(&group, "%.*s/", slash ? (int)(slash - name) : 0, name));
  hk_hdf_begin();
  status = hk_hdf_names(file, group, &count, &beside);
  const bool known = status == HK_OK && H5Rcreate(&own, file->file, name, H5R_OBJECT, -1) >= 0;
  for (int k = 0; k < count && known && status == HK_OK; k++) {
    hk_free(&at);
    status = hk_format(&at, "%s%s", group, beside[k]);
    if (status == HK_OK) status = look_at(file, at, &own, rank, scale);
  }
  H5Eclear2(H5E_DEFAULT);
  hk_hdf_end();
cleanup:
  hk_names_free(count, &beside);
  hk_free(&group);
  hk_free(&at);
  return status;
}

hk_status hk_hdf_real_read(hk_hdf *file, const char *object, const char *name, double otherwise,
                           double *out)
{
  bool good = true;
  *out = otherwise;
  hk_hdf_begin();
  if (H5Aexists_by_name(file->file, object, name, hk_hdf_door()) > 0) {
    const hid_t attribute = H5Aopen_by_name(file->file, object, name, H5P_DEFAULT, hk_hdf_door());
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    good = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
           H5Aread(attribute, H5T_NATIVE_DOUBLE, out) >= 0;
    if (space >= 0) H5Sclose(space);
    if (attribute >= 0) H5Aclose(attribute);
    H5Eclear2(H5E_DEFAULT);
  }
  hk_hdf_end();
  if (good) return HK_OK;
  return hk_error_set(HK_BAD_INPUT, "%s: the attribute %s of %s is not a number, or damaged",
                      file->path, name, object);
}
