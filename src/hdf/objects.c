/* Groups, datasets and attributes of HDF5 files: creates those of a new file, and finds and reads
 * those of an existing one.
 * A dataset is contiguous and gets its address when it is created. Numbers of a file are not
 * trusted: sizes are checked against the file before memory is allocated. The list of names of a
 * group comes in ascending order. */
#include "hdf/door.h"
#include "hdf/file.h"
#include <math.h>
#include <string.h>

hk_status hk_hdf_group(hk_hdf *file, const char *name)
{
  hk_status status = HK_OK;
  hid_t group = -1;
  hk_hdf_begin();
  const hid_t list = H5Pcreate(H5P_GROUP_CREATE);
  if (list >= 0 && H5Pset_obj_track_times(list, false) >= 0)
    group = H5Gcreate2(file->file, name, H5P_DEFAULT, list, H5P_DEFAULT);
  if (group < 0) status = hk_hdf_failed(file, HK_NOT_WRITABLE, name);
  if (group >= 0) H5Gclose(group);
  if (list >= 0) H5Pclose(list);
  hk_hdf_end();
  return status;
}

/* Contiguous, its place fixed now; the fill is declared here and written by hk_hdf_complete. */
static hid_t dataset_list(hk_hdf_type type)
{
  static const double missing = NAN;
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (list < 0) return list;
  bool good = H5Pset_obj_track_times(list, false) >= 0 &&
              H5Pset_layout(list, H5D_CONTIGUOUS) >= 0 &&
              H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 &&
              H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
  if (type == HK_F64 || type == HK_F32)
    good = good && H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &missing) >= 0;
  if (good) return list;
  H5Pclose(list);
  return -1;
}

hk_status hk_hdf_array_create(hk_hdf *file, const char *name, hk_hdf_type type, int rank,
                              const hk_count *size, hk_hdf_array *out)
{
  hk_status status = HK_OK;
  hsize_t extent[4] = {0};
  hk_hdf_array array = {.type = type, .rank = rank, .count = 1};
  hid_t space = -1, list = -1, set = -1;

  hk_hdf_begin();
  for (int k = 0; k < rank; k++) {
    HK_CHECK(size[k] >= 0 && !__builtin_mul_overflow(array.count, size[k], &array.count) &&
                 array.count < INT64_MAX / 16,
             HK_BAD_INPUT, "%s: %s is too large", file->path, name);
    array.size[k] = size[k], extent[k] = (hsize_t)size[k];
  }
  HK_TRY(hk_reserve(&file->array, file->arrays + 1, &file->capacity));
  space = H5Screate_simple(rank, extent, NULL);
  list = dataset_list(type);
  if (space >= 0 && list >= 0)
    set = H5Dcreate2(file->file, name, hk_hdf_native_type(type), space, H5P_DEFAULT, list,
                     H5P_DEFAULT);
  if (set < 0) HK_TRY(hk_hdf_failed(file, HK_NOT_WRITABLE, name));
  const haddr_t place = array.count ? H5Dget_offset(set) : 0;
  if (place == HADDR_UNDEF) HK_TRY(hk_hdf_failed(file, HK_NOT_WRITABLE, name));
  array.offset = (hk_count)place;
  file->array[file->arrays++] = array;
  if (out) *out = array;
cleanup:
  if (set >= 0) H5Dclose(set);
  if (list >= 0) H5Pclose(list);
  if (space >= 0) H5Sclose(space);
  hk_hdf_end();
  return status;
}

static hk_status put_attribute(hk_hdf *file, const char *object, const char *name, hid_t type,
                               hid_t space, const void *value)
{
  hid_t attribute = -1;
  if (type >= 0 && space >= 0)
    attribute = H5Acreate_by_name(file->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT,
                                  H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  const hk_status status = good ? HK_OK : hk_hdf_failed(file, HK_NOT_WRITABLE, name);
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return status;
}

static hk_status put_text(hk_hdf *file, const char *object, const char *name, const char *text,
                          bool ascii)
{
  const size_t size = ascii ? strlen(text) : H5T_VARIABLE;
  hk_status status;
  hk_hdf_begin();
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, size) < 0 ||
      H5Tset_strpad(type, ascii ? H5T_STR_NULLPAD : H5T_STR_NULLTERM) < 0 ||
      H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8) < 0)
    status = hk_hdf_failed(file, HK_NOT_WRITABLE, name);
  else
    status = put_attribute(file, object, name, type, H5Screate(H5S_SCALAR),
                           ascii ? (const void *)text : (const void *)&text);
  if (type >= 0) H5Tclose(type);
  hk_hdf_end();
  return status;
}

hk_status hk_hdf_text(hk_hdf *file, const char *object, const char *name, const char *text)
{
  return put_text(file, object, name, text, false);
}

hk_status hk_hdf_ascii(hk_hdf *file, const char *object, const char *name, const char *text)
{
  return put_text(file, object, name, text, true);
}

hk_status hk_hdf_integers(hk_hdf *file, const char *object, const char *name, int count,
                          const int64_t *value)
{
  const hsize_t extent = (hsize_t)count;
  hk_hdf_begin();
  const hid_t space = count ? H5Screate_simple(1, &extent, NULL) : H5Screate(H5S_SCALAR);
  const hk_status status = put_attribute(file, object, name, H5T_NATIVE_INT64, space, value);
  hk_hdf_end();
  return status;
}

hk_status hk_hdf_real(hk_hdf *file, const char *object, const char *name, double value)
{
  hk_hdf_begin();
  const hk_status status =
      put_attribute(file, object, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR), &value);
  hk_hdf_end();
  return status;
}

bool hk_hdf_exists(hk_hdf *file, const char *name)
{
  char part[512];
  const size_t length = strlen(name);
  if (length >= sizeof part) return false;
  bool there = true;
  hk_hdf_begin();
  for (size_t i = 1; i <= length && there; i++) { /* HDF5 asks that each group on the way exists */
    if (name[i] != '/' && name[i]) continue;
    memcpy(part, name, i);
    part[i] = 0;
    there = H5Lexists(file->file, part, hk_hdf_door()) > 0;
  }
  hk_hdf_end();
  return there;
}

static bool known_type(hid_t set, hk_hdf_type *type)
{
  const hid_t stored = H5Dget_type(set);
  bool known = false;
  for (int k = HK_F64; k <= HK_U8 && !known; k++)
    if (H5Tequal(stored, hk_hdf_native_type((hk_hdf_type)k)) > 0)
      known = true, *type = (hk_hdf_type)k;
  if (stored >= 0) H5Tclose(stored);
  return known;
}

static bool is_number(hid_t set)
{
  const hid_t stored = H5Dget_type(set);
  const H5T_class_t class = stored >= 0 ? H5Tget_class(stored) : H5T_NO_CLASS;
  if (stored >= 0) H5Tclose(stored);
  return class == H5T_FLOAT || class == H5T_INTEGER;
}

/* What a file announces, its bytes must justify: packed by zlib they shrink to a thousandth at most. */
static bool is_stored(const hk_hdf *file, hid_t set, hk_count count)
{
  hsize_t size = 0;
  const hsize_t stored = H5Dget_storage_size(set);
  if (H5Fget_filesize(file->file, &size) < 0 || stored < size) size = stored;
  return (hsize_t)count / 1032 <= size && (size > 0 || !count);
}

hk_status hk_hdf_array_find(hk_hdf *file, const char *name, hk_hdf_array *out)
{
  hk_status status = HK_OK;
  hsize_t extent[4];
  hk_hdf_array array = {.count = 1, .offset = -1};
  hid_t set = -1, space = -1;

  hk_hdf_begin();
  HK_CHECK(hk_hdf_exists(file, name), HK_BAD_INPUT, "%s: has no %s", file->path, name);
  HK_TRY(hk_hdf_dataset(file->file, file->path, name, &set));
  if (set >= 0) space = H5Dget_space(set);
  array.rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  HK_CHECK(array.rank >= 1 && array.rank <= 4 && is_number(set), HK_BAD_INPUT,
           "%s: %s is not an array of numbers of one to four dimensions", file->path, name);
  if (H5Sget_simple_extent_dims(space, extent, NULL) < 0)
    HK_TRY(hk_hdf_failed(file, HK_BAD_INPUT, name));
  for (int k = 0; k < array.rank; k++) {
    array.size[k] = (hk_count)extent[k];
    HK_CHECK(array.size[k] >= 0 &&
                 !__builtin_mul_overflow(array.count, array.size[k], &array.count),
             HK_BAD_INPUT, "%s: %s is too large", file->path, name);
  }
  HK_CHECK(is_stored(file, set, array.count), HK_BAD_INPUT,
           "%s: %s announces %lld numbers, but they are missing", file->path, name,
           (long long)array.count);
  const haddr_t place = H5Dget_offset(set);
  if (known_type(set, &array.type) && (place != HADDR_UNDEF || !array.count))
    array.offset = array.count ? (hk_count)place : 0;
  *out = array;
cleanup:
  H5Eclear2(H5E_DEFAULT);
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  hk_hdf_end();
  return status;
}

/* Rows [first, first + count) of the first dimension; or, within its index `outer`, of the second. */
typedef struct part {
  bool within;
  hk_count outer, first, count;
} part;

static bool read_part(hid_t set, const hk_hdf_array *array, const part *p, hid_t type, void *data)
{
  hsize_t start[4] = {(hsize_t)p->outer}, size[4] = {1};
  for (int k = p->within; k < array->rank; k++) size[k] = (hsize_t)array->size[k];
  start[p->within] = (hsize_t)p->first, size[p->within] = (hsize_t)p->count;
  const hid_t space = H5Dget_space(set), memory = H5Screate_simple(array->rank, size, NULL);
  const bool good = space >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                    H5Dread(set, type, memory, space, H5P_DEFAULT, data) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return good;
}

/* Types that HDF5 need not convert. */
static bool is_plain(const hk_hdf_array *a, hk_hdf_type type)
{
  return a->offset >= 0 && (a->type == type || type == HK_F64 || a->type == HK_U8);
}

/* to[i] = from[i], of another type. */
static void convert(const hk_hdf_array *a, hk_hdf_type type, hk_count count, const void *from,
                    void *to)
{
  double *real = to;
  int64_t *whole = to;
  for (hk_count i = 0; i < count; i++)
    if (type == HK_I64)
      whole[i] = ((const uint8_t *)from)[i];
    else
      real[i] = a->type == HK_F32   ? ((const float *)from)[i]
                : a->type == HK_I64 ? (double)((const int64_t *)from)[i]
                                    : ((const uint8_t *)from)[i];
}

/* Items [first, first + count) from where they lie, beside other threads. */
static hk_status read_plain(hk_hdf *file, const hk_hdf_array *a, hk_count first, hk_count count,
                            hk_hdf_type type, void *data)
{
  enum { SOME = 1 << 16 };
  hk_status status = HK_OK;
  char *piece = NULL;
  if (a->type == type) return hk_hdf_read_back(file, a, first, count, data);
  HK_TRY(hk_memory_get((void **)&piece, SOME, hk_hdf_type_size(a->type)));
  for (hk_count k = 0; k < count; k += SOME) {
    const hk_count some = count - k < SOME ? count - k : SOME;
    HK_TRY(hk_hdf_read_back(file, a, first + k, some, piece));
    convert(a, type, some, piece, (char *)data + (size_t)k * hk_hdf_type_size(type));
  }
cleanup:
  hk_free(&piece);
  return status;
}

static hk_status read_rows(hk_hdf *file, const char *name, hk_count row, const part *p,
                           hk_hdf_type type, void *data)
{
  hk_status status = HK_OK;
  hk_hdf_array array = {0};
  hid_t set = -1;
  bool plain = false;

  hk_hdf_begin();
  HK_TRY(hk_hdf_array_find(file, name, &array));
  HK_CHECK(array.rank > p->within && p->outer >= 0 && (!p->within || p->outer < array.size[0]),
           HK_BAD_INPUT, "%s: %s has no part %lld", file->path, name, (long long)p->outer);
  const hk_count rows = array.size[p->within],
                 items = p->within ? array.count / array.size[0] : array.count;
  HK_CHECK(p->first >= 0 && p->count >= 0 && p->first <= rows - p->count, HK_BAD_INPUT,
           "%s: %s has %lld rows, %lld are needed", file->path, name, (long long)rows,
           (long long)(p->first + p->count));
  if (!p->count) goto cleanup;
  HK_CHECK(items == rows * row, HK_BAD_INPUT, "%s: %s has rows of %lld numbers, %lld are expected",
           file->path, name, (long long)(items / rows), (long long)row);
  if (!array.count) goto cleanup;
  plain = !p->within && is_plain(&array, type);
  if (plain) goto cleanup;
  HK_TRY(hk_hdf_dataset(file->file, file->path, name, &set));
  if (set < 0 || !read_part(set, &array, p, hk_hdf_native_type(type), data))
    HK_TRY(hk_hdf_failed(file, HK_BAD_INPUT, name));
cleanup:
  if (set >= 0) H5Dclose(set);
  hk_hdf_end();
  return plain ? read_plain(file, &array, p->first * row, p->count * row, type, data) : status;
}

hk_status hk_hdf_read(hk_hdf *file, const char *name, hk_count row, hk_count first, hk_count count,
                      double *data)
{
  return read_rows(file, name, row, &(part){.first = first, .count = count}, HK_F64, data);
}

hk_status hk_hdf_read_within(hk_hdf *file, const char *name, hk_count outer, hk_count row,
                             hk_count first, hk_count count, double *data)
{
  return read_rows(file, name, row, &(part){true, outer, first, count}, HK_F64, data);
}

hk_status hk_hdf_read_integers(hk_hdf *file, const char *name, hk_count first, hk_count count,
                               int64_t *data)
{
  return read_rows(file, name, 1, &(part){.first = first, .count = count}, HK_I64, data);
}

hk_status hk_hdf_text_read(hk_hdf *file, const char *object, const char *name, char **text)
{
  char found[1024] = "";
  bool good = true;
  hk_hdf_begin();
  if (H5Aexists_by_name(file->file, object, name, hk_hdf_door()) > 0) {
    const hid_t holder = H5Oopen(file->file, object, hk_hdf_door());
    good = holder >= 0 && hk_hdf_attribute_text(file->fd, holder, name, found, sizeof found);
    if (holder >= 0) H5Oclose(holder);
    if (!good) H5Eclear2(H5E_DEFAULT);
  }
  hk_hdf_end();
  if (good) return hk_copy_text(text, found);
  return hk_error_set(HK_BAD_INPUT, "%s: the attribute %s of %s is not a text, or damaged",
                      file->path, name, object);
}

hk_status hk_hdf_text_place(hk_hdf *file, const char *object, const char *name, hk_count *at,
                            hk_count *length)
{
  uint64_t place = 0, size = 0;
  hk_hdf_begin();
  bool good = !file->made || H5Fflush(file->file, H5F_SCOPE_GLOBAL) >= 0;
  const hid_t holder = good ? H5Oopen(file->file, object, H5P_DEFAULT) : -1;
  good = holder >= 0 && hk_hdf_attribute_place(file->fd, holder, name, &place, &size);
  if (holder >= 0) H5Oclose(holder);
  if (!good) H5Eclear2(H5E_DEFAULT);
  hk_hdf_end();
  if (!good)
    return hk_error_set(HK_BAD_INPUT, "%s: the attribute %s of %s is missing, or damaged",
                        file->path, name, object);
  *at = (hk_count)place, *length = (hk_count)size;
  return HK_OK;
}

hk_status hk_hdf_integer_read(hk_hdf *file, const char *object, const char *name, int64_t otherwise,
                              int64_t *out)
{
  hk_status status = HK_OK;
  *out = otherwise;
  hk_hdf_begin();
  if (H5Aexists_by_name(file->file, object, name, hk_hdf_door()) <= 0) goto cleanup;
  const hid_t attribute = H5Aopen_by_name(file->file, object, name, H5P_DEFAULT, hk_hdf_door());
  const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
  const bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                    H5Aread(attribute, H5T_NATIVE_INT64, out) >= 0;
  if (space >= 0) H5Sclose(space);
  if (attribute >= 0) H5Aclose(attribute);
  if (!good) status = hk_hdf_failed(file, HK_BAD_INPUT, name);
cleanup:
  hk_hdf_end();
  return status;
}

typedef struct name_list {
  hk_status status;
  int count;
  hk_count capacity;
  char **name;
} name_list;

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *to)
{
  name_list *list = to;
  (void)group, (void)info;
  list->status = hk_reserve(&list->name, list->count + 1, &list->capacity);
  if (list->status == HK_OK) list->status = hk_copy_text(&list->name[list->count], name);
  if (list->status != HK_OK) return -1;
  list->count++;
  return 0;
}

hk_status hk_hdf_names(hk_hdf *file, const char *group, int *count, char ***names)
{
  hk_status status = HK_OK;
  name_list list = {0};
  hk_hdf_begin();
  HK_TRY(hk_get(&list.name, 4));
  list.capacity = 4;
  if (hk_hdf_exists(file, group) &&
      H5Literate_by_name(file->file, group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, &list,
                         hk_hdf_door()) < 0) {
    HK_TRY(list.status);
    HK_TRY(hk_hdf_failed(file, HK_BAD_INPUT, group));
  }
  *count = list.count, *names = list.name, list = (name_list){0};
cleanup:
  hk_hdf_end();
  hk_names_free(list.count, &list.name);
  return status;
}

void hk_names_free(int count, char ***names)
{
  if (!*names) return;
  for (int i = 0; i < count; i++) hk_free(&(*names)[i]);
  hk_free(names);
}
