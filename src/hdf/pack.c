/* Copies an HDF5 file with its arrays packed: in chunks of some rows, in which the bytes of the numbers are ordered by their place in a number
 * ("shuffle"), and then deflated. All threads pack; HDF5 takes the packed chunks as they are, and its filters unpack them for
 * whoever reads. Groups, attributes and types stay. Small arrays are copied, for a chunk takes an index. */
#include "hdf/file.h"
#include <omp.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { MOST_RANK = 4, SMALL = 4096, CHUNK = 1 << 20, LEVEL = 4, TEXT = 256 };

typedef struct packing {
  hk_hdf *from, *to;
  hk_status status; /* of the walk */
} packing;

typedef struct array { /* a dataset on its way */
  hid_t from, to, type, space;
  int rank;
  hsize_t size[MOST_RANK], chunk[MOST_RANK];
  size_t item, row; /* bytes */
} array;

static void close_array(array *a)
{
  if (a->from >= 0) H5Dclose(a->from);
  if (a->to >= 0) H5Dclose(a->to);
  if (a->type >= 0) H5Tclose(a->type);
  if (a->space >= 0) H5Sclose(a->space);
}

/* An attribute of numbers, or a text of fixed length. */
static bool copy_bytes(hid_t from, hid_t type, hid_t to, const char *name)
{
  const hid_t space = H5Aget_space(from);
  const hid_t made = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  char *data = NULL;
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  bool good = space >= 0 && made >= 0 && count >= 0 &&
              hk_memory_get((void **)&data, (hk_count)count + 1, H5Tget_size(type)) == HK_OK;
  good = good && H5Aread(from, type, data) >= 0 && H5Awrite(made, type, data) >= 0;
  hk_free(&data);
  if (made >= 0) H5Aclose(made);
  if (space >= 0) H5Sclose(space);
  return good;
}

static herr_t copy_attribute(hid_t object, const char *name, const H5A_info_t *info, void *to)
{
  const hid_t from = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = from < 0 ? -1 : H5Aget_type(from);
  const H5T_class_t kind = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  bool good = kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_STRING;
  (void)info;
  if (good && !(kind == H5T_STRING && H5Tis_variable_str(type) > 0))
    good = copy_bytes(from, type, *(const hid_t *)to, name);
  if (type >= 0) H5Tclose(type);
  if (from >= 0) H5Aclose(from);
  return good ? 0 : -1;
}

/* Texts of variable length: those that hooke gives to arrays. */
static hk_status copy_texts(const packing *p, const char *path)
{
  static const char *const name[] = {"unit", "components", "names"};
  for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
    char *text = NULL;
    HK_PASS(hk_hdf_text_read(p->from, path, name[k], &text));
    const hk_status status = *text ? hk_hdf_text(p->to, path, name[k], text) : HK_OK;
    hk_free(&text);
    HK_PASS(status);
  }
  return HK_OK;
}

static hk_status copy_group(const packing *p, const char *path)
{
  const bool root = !strcmp(path, "/");
  const hid_t from = H5Gopen2(p->from->file, path, hk_hdf_group_door());
  const hid_t to = root ? H5Gopen2(p->to->file, "/", H5P_DEFAULT)
                        : H5Gcreate2(p->to->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t target = to;
  const bool good =
      from >= 0 && to >= 0 &&
      H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &target) >= 0;
  if (from >= 0) H5Gclose(from);
  if (to >= 0) H5Gclose(to);
  return good ? HK_OK : hk_hdf_failed(p->to, HK_NOT_WRITABLE, path);
}

static hk_status find_array(const packing *p, const char *path, array *a)
{
  *a = (array){-1, -1, -1, -1, 0, {0}, {0}, 0, 0};
  HK_PASS(hk_hdf_dataset(p->from->file, p->from->path, path, &a->from));
  if (a->from >= 0) a->type = H5Dget_type(a->from), a->space = H5Dget_space(a->from);
  HK_NEED(a->type >= 0 && a->space >= 0, HK_BAD_INPUT, "%s: %s cannot be read", p->from->path,
          path);
  const H5T_class_t kind = H5Tget_class(a->type);
  a->rank = H5Sget_simple_extent_ndims(a->space);
  HK_NEED((kind == H5T_INTEGER || kind == H5T_FLOAT) && a->rank >= 1 && a->rank <= MOST_RANK,
          HK_BAD_INPUT, "%s: %s is no array of numbers", p->from->path, path);
  H5Sget_simple_extent_dims(a->space, a->size, NULL);
  a->item = a->row = H5Tget_size(a->type);
  for (int k = 1; k < a->rank; k++) a->row *= a->size[k];
  HK_NEED(a->row <= CHUNK, HK_BAD_INPUT, "%s: %s has rows of %zu bytes", p->from->path, path,
          a->row);
  memcpy(a->chunk, a->size, sizeof a->chunk);
  const hsize_t rows = a->row ? CHUNK / a->row : 1;
  if (a->chunk[0] > rows) a->chunk[0] = rows;
  return HK_OK;
}

static hk_status make_array(const packing *p, const char *path, bool packed, array *a)
{
  const hid_t list = H5Dget_create_plist(a->from);
  bool good = list >= 0;
  if (packed)
    good = good && H5Pset_chunk(list, a->rank, a->chunk) >= 0 && H5Pset_shuffle(list) >= 0 &&
           H5Pset_deflate(list, LEVEL) >= 0 && H5Pset_alloc_time(list, H5D_ALLOC_TIME_INCR) >= 0 &&
           H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
  if (good)
    a->to = H5Dcreate2(p->to->file, path, a->type, a->space, H5P_DEFAULT, list, H5P_DEFAULT);
  hid_t target = a->to;
  good = good && a->to >= 0 &&
         H5Aiterate2(a->from, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &target) >= 0;
  if (list >= 0) H5Pclose(list);
  return good ? HK_OK : hk_hdf_failed(p->to, HK_NOT_WRITABLE, path);
}

static hk_status copy_small(const packing *p, const array *a)
{
  hk_status status = HK_OK;
  char *data = NULL;
  HK_TRY(hk_get(&data, (hk_count)(a->size[0] * a->row) + 1));
  if (H5Dread(a->from, a->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    HK_TRY(hk_hdf_failed(p->from, HK_BAD_INPUT, "cannot be read"));
  if (H5Dwrite(a->to, a->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    HK_TRY(hk_hdf_failed(p->to, HK_NOT_WRITABLE, "cannot be written"));
cleanup:
  hk_free(&data);
  return status;
}

/* The rows of chunk number c, zeros behind the last. */
static bool read_chunk(const array *a, hsize_t c, char *data)
{
  hsize_t first[MOST_RANK] = {c * a->chunk[0]}, count[MOST_RANK];
  memcpy(count, a->size, sizeof count);
  count[0] = a->size[0] - first[0] < a->chunk[0] ? a->size[0] - first[0] : a->chunk[0];
  memset(data, 0, a->chunk[0] * a->row);
  const hid_t memory = H5Screate_simple(a->rank, count, NULL);
  const bool good = memory >= 0 &&
                    H5Sselect_hyperslab(a->space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                    H5Dread(a->from, a->type, memory, a->space, H5P_DEFAULT, data) >= 0;
  if (memory >= 0) H5Sclose(memory);
  return good;
}

/* packed[bound] = data[bytes], its bytes ordered by their place in a number, deflated; sorted[bytes]: room. Returns its bytes, 0 on failure. */
static uLongf pack_chunk(const char *data, size_t bytes, size_t item, char *sorted, char *packed,
                         uLongf bound)
{
  const size_t items = bytes / item;
  for (size_t b = 0; b < item; b++)
    for (size_t i = 0; i < items; i++) sorted[b * items + i] = data[i * item + b];
  return compress2((Bytef *)packed, &bound, (const Bytef *)sorted, bytes, LEVEL) == Z_OK ? bound
                                                                                         : 0;
}

/* Chunks [first, first + count), each with room for three of it in room[count]. */
static hk_status pack_some(const packing *p, const array *a, hsize_t first, int count,
                           size_t stride, char *room)
{
  const size_t bytes = a->chunk[0] * a->row;
  const uLongf bound = (uLongf)(stride - 2 * bytes);
  uLongf *size = NULL;
  hk_status status = HK_OK;
  HK_TRY(hk_get(&size, count));
  for (int k = 0; k < count; k++)
    if (!read_chunk(a, first + (hsize_t)k, room + (size_t)k * stride))
      HK_TRY(hk_hdf_failed(p->from, HK_BAD_INPUT, "cannot be read"));
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < count; k++) {
    char *own = room + (size_t)k * stride;
    size[k] = pack_chunk(own, bytes, a->item, own + bytes, own + 2 * bytes, bound);
  }
  for (int k = 0; k < count; k++) {
    const hsize_t at[MOST_RANK] = {(first + (hsize_t)k) * a->chunk[0]};
    const char *packed = room + (size_t)k * stride + 2 * bytes;
    HK_CHECK(size[k], HK_NO_RESOURCES, "%s: zlib cannot pack %zu bytes", p->to->path, bytes);
    if (H5Dwrite_chunk(a->to, H5P_DEFAULT, 0, at, size[k], packed) < 0)
      HK_TRY(hk_hdf_failed(p->to, HK_NOT_WRITABLE, "cannot be written"));
  }
cleanup:
  hk_free(&size);
  return status;
}

static hk_status pack_array(const packing *p, const array *a)
{
  hk_status status = HK_OK;
  const size_t bytes = a->chunk[0] * a->row, stride = 2 * bytes + compressBound((uLong)bytes);
  const hsize_t rows = a->chunk[0] ? a->chunk[0] : 1, chunks = (a->size[0] + rows - 1) / rows;
  const int threads = omp_get_max_threads();
  char *room = NULL;
  HK_TRY(hk_memory_get((void **)&room, threads, stride));
  for (hsize_t c = 0; c < chunks; c += (hsize_t)threads) {
    const hsize_t left = chunks - c;
    const int count = left < (hsize_t)threads ? (int)left : threads;
    HK_TRY(pack_some(p, a, c, count, stride, room));
  }
cleanup:
  hk_free(&room);
  return status;
}

static hk_status copy_array(const packing *p, const char *path)
{
  hk_status status = HK_OK;
  array a;
  HK_TRY(find_array(p, path, &a));
  const bool packed = a.size[0] * a.row > SMALL;
  HK_TRY(make_array(p, path, packed, &a));
  HK_TRY(packed ? pack_array(p, &a) : copy_small(p, &a));
  HK_TRY(copy_texts(p, path));
cleanup:
  close_array(&a);
  return status;
}

static herr_t copy_object(hid_t object, const char *name, const H5O_info_t *info, void *user)
{
  packing *p = user;
  char path[TEXT];
  (void)object;
  const int length = snprintf(path, sizeof path, "/%s", strcmp(name, ".") ? name : "");
  if (length >= (int)sizeof path)
    p->status = hk_error_set(HK_BAD_INPUT, "%s: a name is too long", p->from->path);
  else
    p->status = info->type == H5O_TYPE_GROUP     ? copy_group(p, path)
                : info->type == H5O_TYPE_DATASET ? copy_array(p, path)
                                                 : HK_OK;
  return p->status == HK_OK ? 0 : -1;
}

hk_status hk_hdf_pack(const char *from, const char *to)
{
  hk_status status = HK_OK;
  packing p = {0};
  struct stat info;
  hk_hdf_begin();
  HK_TRY(hk_hdf_open(from, false, &p.from));
  HK_CHECK(fstat(p.from->fd, &info) == 0, HK_BAD_INPUT, "%s: cannot be read", from);
  HK_TRY(hk_hdf_create(to, (hk_count)info.st_size + (hk_count)info.st_size / 64 + CHUNK, &p.to));
  if (H5Ovisit(p.from->file, H5_INDEX_NAME, H5_ITER_INC, copy_object, &p) < 0) {
    HK_TRY(p.status);
    HK_TRY(hk_hdf_failed(p.from, HK_BAD_INPUT, "its objects"));
  }
  HK_TRY(hk_hdf_finish(p.to));
  status = hk_hdf_close(&p.to);
cleanup:
  hk_hdf_close(&p.to);
  hk_hdf_close(&p.from);
  hk_hdf_end();
  return status;
}
