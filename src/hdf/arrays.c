/* Describes every array of an HDF5 file as JSON (hooke/result.h): path, type, size, offset in the
 * file, unit, components.
 * Programs without HDF5, such as the MATLAB functions, use this to read the numbers directly. The
 * offset is null if an array is not contiguous or not in the number format of this machine. */
#include <hooke/result.h>
#include <sys/stat.h>
#include "hdf/file.h"
#include "base/json.h"

typedef struct path_list {
  hk_status status;
  int count;
  hk_count capacity;
  char **path;
} path_list;

static herr_t add_path(hid_t object, const char *name, const H5O_info_t *info, void *to)
{
  path_list *list = to;
  (void)object;
  if (info->type != H5O_TYPE_DATASET) return 0;
  list->status = hk_reserve(&list->path, list->count + 1, &list->capacity);
  if (list->status == HK_OK) list->status = hk_format(&list->path[list->count], "/%s", name);
  if (list->status != HK_OK) return -1;
  list->count++;
  return 0;
}

static hk_status add_text(hk_hdf *file, const char *path, const char *name, json_t *to)
{
  char *text = NULL;
  const hk_status status = hk_hdf_text_read(file, path, name, &text);
  if (status == HK_OK) json_object_set_new(to, name, json_string(text));
  hk_free(&text);
  return status;
}

static hk_status find_paths(hk_hdf *file, path_list *found)
{
  hk_status status = HK_OK;
  hk_hdf_begin();
  if (H5Ovisit(file->file, H5_INDEX_NAME, H5_ITER_INC, add_path, found) < 0) {
    HK_TRY(found->status);
    HK_TRY(hk_hdf_failed(file, HK_BAD_INPUT, "its objects"));
  }
cleanup:
  hk_hdf_end();
  return status;
}

/* Arrays of other types than numbers, or of no dimension, are passed over. */
static hk_status describe(hk_hdf *file, const char *path, json_t *list)
{
  static const char *const type[] = {"float64", "float32", "int64", "uint8"};
  hk_status status = HK_OK;
  hk_hdf_array array;
  if (hk_hdf_array_find(file, path, &array) != HK_OK) return HK_OK;
  json_t *size = json_array(), *one = json_object();
  for (int k = 0; k < array.rank; k++)
    json_array_append_new(size, json_integer((json_int_t)array.size[k]));
  json_object_set_new(one, "path", json_string(path));
  json_object_set_new(one, "type", json_string(array.offset < 0 ? "other" : type[array.type]));
  json_object_set_new(one, "size", size);
  json_object_set_new(one, "offset",
                      array.offset < 0 ? json_null() : json_integer((json_int_t)array.offset));
  HK_TRY(add_text(file, path, "unit", one));
  HK_TRY(add_text(file, path, "components", one));
  json_array_append(list, one);
cleanup:
  json_decref(one);
  return status;
}

hk_status hk_arrays(const char *path, char **json)
{
  hk_status status = HK_OK;
  struct stat info;
  hk_hdf *file = NULL;
  path_list found = {0};
  json_t *root = json_object(), *list = json_array();
  HK_CHECK(stat(path, &info) != 0 || !S_ISDIR(info.st_mode), HK_BAD_INPUT,
           "%s: is a folder: name an HDF5 file in it, such as run.h5 or field.vtkhdf", path);
  HK_TRY(hk_hdf_open(path, false, &file));
  HK_TRY(hk_get(&found.path, 8));
  found.capacity = 8;
  HK_TRY(find_paths(file, &found));
  for (int i = 0; i < found.count; i++) HK_TRY(describe(file, found.path[i], list));
  json_object_set_new(root, "kind", json_string("arrays"));
  json_object_set_new(root, "path", json_string(path));
  json_object_set(root, "arrays", list);
  HK_TRY(hk_json_dump(root, 17, json));
cleanup:
  hk_names_free(found.count, &found.path);
  hk_hdf_close(&file);
  json_decref(list);
  json_decref(root);
  return status;
}
