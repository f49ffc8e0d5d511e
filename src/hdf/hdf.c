/* Creates, opens, writes and closes HDF5 files of contiguous datasets (hdf.h).
 * hk_hdf_create reserves the space and locks the file. hk_hdf_lay_out closes HDF5.
 * hk_hdf_write then writes numbers to the addresses of a dataset with pwrite, so a failed write
 * reports the system's error. hk_hdf_complete fills with not-a-number what was not written (fill.h):
 * from then on a killed process leaves a readable file. */
#include "base/file.h"
#include "hdf/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 1 << 20, HURRIED_BYTES = 1 << 17 };

size_t hk_hdf_type_size(hk_hdf_type type)
{
  static const size_t size[] = {8, 4, 8, 1};
  return size[type];
}

hid_t hk_hdf_native_type(hk_hdf_type type)
{
  const hid_t native[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT64, H5T_NATIVE_UCHAR};
  return native[type];
}

/* The words of HDF5's error stack: the innermost line holds the system's errno. */

static herr_t keep_words(unsigned n, const H5E_error2_t *error, void *to)
{
  (void)n;
  if (error->desc) snprintf(to, 256, "%s", error->desc);
  const char *system = error->desc ? strstr(error->desc, "error message = '") : NULL;
  if (!system) return 0;
  snprintf(to, 256, "%s", system + strlen("error message = '"));
  char *end = strchr(to, '\'');
  if (end) *end = 0;
  return 1;
}

hk_status hk_hdf_failed(const hk_hdf *file, hk_status code, const char *what)
{
  char words[256] = "HDF5 gave no reason";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_words, words);
  return hk_error_set(code, "%s: %s: %s", file->path, what, words);
}

static hk_status in_use(const char *path)
{
  return hk_error_set(HK_NOT_WRITABLE,
                      "%s: another run uses it: wait until it ends, or give another --output",
                      path);
}

static hk_status lock_file(const hk_hdf *file)
{
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file->fd, F_OFD_SETLK, &range) == 0) return HK_OK;
  if (errno == EAGAIN || errno == EACCES) return in_use(file->path);
  return HK_OK; /* a file system without locks */
}

hk_status hk_hdf_check_idle(const char *path)
{
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int fd = -1;
  if (hk_open_input(path, &fd) != HK_OK) return HK_OK;
  const bool held = fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
  close(fd);
  return held ? in_use(path) : HK_OK;
}

/* Types and headers of HDF5 1.8 at most, no lock of HDF5's own (ours is held). */
static hid_t access_list(void)
{
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (list < 0) return list;
  bool good = H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0 &&
              H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0;
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  good = good && H5Pset_file_locking(list, false, true) >= 0;
#endif
  if (good) return list;
  H5Pclose(list);
  return -1;
}

static hk_status new_file(const char *path, hk_hdf **out)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  HK_TRY(hk_new(&file));
  file->fd = -1, file->file = -1;
  HK_TRY(hk_copy_text(&file->path, path));
  HK_CHECK(H5open() >= 0, HK_NO_RESOURCES, "%s: HDF5 could not be initialised", path);
  *out = file, file = NULL;
cleanup:
  hk_hdf_close(&file);
  return status;
}

hk_count hk_hdf_plan(hk_count objects, hk_count data)
{
  return 16384 + 2048 * objects + data;
}

/* A file without contents, locked. To empty a large one takes long: it is deleted, and a new one made before its lock is given up. */
static hk_status begin_file(hk_hdf *file)
{
  hk_status status = HK_OK;
  struct stat info;
  int old = -1;
  HK_TRY(hk_open_output(file->path, O_CREAT, &file->fd));
  HK_TRY(lock_file(file));
  HK_CHECK(fstat(file->fd, &info) == 0, HK_NOT_WRITABLE, "%s: cannot be written: %s", file->path,
           strerror(errno));
  if (info.st_nlink == 0) HK_TRY(in_use(file->path)); /* that run has deleted it since */
  if (info.st_size >= HK_LARGE_FILE && unlink(file->path) == 0) {
    old = file->fd, file->fd = -1;
    HK_TRY(hk_open_output(file->path, O_CREAT | O_EXCL, &file->fd));
    HK_TRY(lock_file(file));
  }
  file->made = true;
  HK_CHECK(ftruncate(file->fd, 0) == 0, HK_NOT_WRITABLE, "%s: cannot be emptied: %s", file->path,
           strerror(errno));
cleanup:
  if (old >= 0) hk_file_let_go(old);
  return status;
}

/* HDF5 empties the file that it makes: what it writes itself is asked for before, all of it afterwards. */
hk_status hk_hdf_create(const char *path, hk_count bytes, hk_hdf **out)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  hid_t list = -1;

  hk_hdf_begin();
  HK_TRY(new_file(path, &file));
  HK_TRY(begin_file(file));
  HK_TRY(hk_disk_reserve(path, file->fd, bytes < FIRST_BYTES ? bytes : FIRST_BYTES, false));
  list = access_list();
  if (list >= 0) file->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list);
  if (file->file < 0) HK_TRY(hk_hdf_failed(file, HK_NOT_WRITABLE, "cannot be made"));
  HK_TRY(hk_disk_reserve(path, file->fd, bytes, true));
  *out = file, file = NULL;
cleanup:
  if (list >= 0) H5Pclose(list);
  hk_hdf_close(&file);
  hk_hdf_end();
  return status;
}

hk_status hk_hdf_open(const char *path, bool write, hk_hdf **out)
{
  hk_status status = HK_OK;
  hk_hdf *file = NULL;
  hid_t list = -1;

  hk_hdf_begin();
  HK_TRY(new_file(path, &file));
  HK_CHECK(access(path, F_OK) == 0, HK_BAD_INPUT, "%s: cannot be opened: %s", path,
           strerror(errno));
  HK_TRY(write ? hk_open_output(path, 0, &file->fd) : hk_open_input(path, &file->fd));
  if (write) HK_TRY(lock_file(file));
  list = access_list();
  if (list >= 0) file->file = H5Fopen(path, H5F_ACC_RDONLY, list);
  HK_CHECK(file->file >= 0 || hk_hdf_fill_done(file->fd), HK_BAD_INPUT,
           "%s: is not complete: a run that has just begun fills it, or it was killed then", path);
  if (file->file < 0) HK_TRY(hk_hdf_failed(file, HK_BAD_INPUT, "cannot be read as HDF5"));
  *out = file, file = NULL;
cleanup:
  if (list >= 0) H5Pclose(list);
  hk_hdf_close(&file);
  hk_hdf_end();
  return status;
}

/* A hint: the system begins to bring these bytes to disk, so that a flush soon after waits less. */
static void hurry(const hk_hdf *file, hk_count at, hk_count bytes)
{
#ifdef SYNC_FILE_RANGE_WRITE
  if (bytes >= HURRIED_BYTES) sync_file_range(file->fd, at, bytes, SYNC_FILE_RANGE_WRITE);
#else
  (void)file, (void)at, (void)bytes;
#endif
}

/* What nothing was written to yet is filled where the bytes do not cover it. */
static hk_status write_bytes(hk_hdf *file, const void *data, hk_count bytes, hk_count at)
{
#pragma omp atomic write
  file->dirty = true; /* several threads may write at a time */
  if (file->fill) HK_PASS(hk_hdf_fill_take(file->fill, at, bytes));
  const hk_status status = hk_hdf_put(file->path, file->fd, data, (size_t)bytes, at);
  if (file->fill) hk_hdf_fill_give(file->fill, at, bytes, status == HK_OK);
  if (status == HK_OK) hurry(file, at, bytes);
  return status;
}

hk_status hk_hdf_write(hk_hdf *file, const hk_hdf_array *array, hk_count first, hk_count count,
                       const void *data)
{
  const size_t size = hk_hdf_type_size(array->type);
  if (first < 0 || count < 0 || first > array->count - count)
    return hk_error_set(HK_INTERNAL, "%s: items %lld to %lld lie outside an array of %lld",
                        file->path, (long long)first, (long long)(first + count),
                        (long long)array->count);
  return write_bytes(file, data, count * (hk_count)size, array->offset + first * (hk_count)size);
}

hk_status hk_hdf_write_bytes(hk_hdf *file, hk_count at, hk_count bytes, const void *data)
{
  return write_bytes(file, data, bytes, at);
}

hk_status hk_hdf_read_back(hk_hdf *file, const hk_hdf_array *array, hk_count first, hk_count count,
                           void *data)
{
  const size_t size = hk_hdf_type_size(array->type);
  char *to = data;
  off_t at = (off_t)(array->offset + first * (hk_count)size);
  if (first < 0 || count < 0 || first > array->count - count)
    return hk_error_set(HK_INTERNAL, "%s: items %lld to %lld lie outside an array of %lld",
                        file->path, (long long)first, (long long)(first + count),
                        (long long)array->count);
  for (size_t left = (size_t)count * size; left;) {
    const ssize_t done = pread(file->fd, to, left, at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0)
      return hk_error_set(HK_BAD_INPUT, "%s: cannot be read: %s", file->path,
                          done ? strerror(errno) : "it is cut short");
    left -= (size_t)done, to += done, at += done;
  }
  return HK_OK;
}

/* Of a new file, when it is filled: nothing is to be done again. */
static hk_status wait_for_fill(hk_hdf *file)
{
  if (!file->made || !file->fill) return HK_OK;
  HK_PASS(hk_hdf_fill_wait(file->fill));
  file->made = false;
  return HK_OK;
}

hk_status hk_hdf_flush(hk_hdf *file)
{
  HK_PASS(wait_for_fill(file));
#pragma omp atomic write
  file->dirty = false; /* before: what others write meanwhile is to be flushed again */
  if (fsync(file->fd) == 0 || errno == EINVAL) return HK_OK;
#pragma omp atomic write
  file->dirty = true;
  return hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written: %s", file->path, strerror(errno));
}

static hk_status flush_hdf(hk_hdf *file)
{
  hk_status status = HK_OK;
  hk_hdf_begin();
  if (H5Fflush(file->file, H5F_SCOPE_GLOBAL) < 0)
    status = hk_hdf_failed(file, HK_NOT_WRITABLE, "cannot be written");
  hk_hdf_end();
  return status;
}

static hk_status end_hdf(hk_hdf *file)
{
  const hid_t id = file->file;
  hk_status status = HK_OK;
  if (id < 0) return HK_OK;
  hk_hdf_begin();
  file->file = -1;
  if (H5Fclose(id) < 0) status = hk_hdf_failed(file, HK_NOT_WRITABLE, "cannot be written");
  hk_hdf_end();
  return status;
}

hk_status hk_hdf_lay_out(hk_hdf *file)
{
  HK_PASS(flush_hdf(file));
  HK_PASS(end_hdf(file));
  return file->made
             ? hk_hdf_fill_create(file->path, file->fd, file->arrays, file->array, &file->fill)
             : HK_OK;
}

hk_status hk_hdf_complete(hk_hdf *file, bool beside, hk_status (*work)(void *user), void *user)
{
  HK_PASS(hk_hdf_fill_run(file->fill, beside, work, user));
  if (beside) return HK_OK;
  file->dirty = false;
  return wait_for_fill(file);
}

hk_status hk_hdf_finish(hk_hdf *file)
{
  HK_PASS(hk_hdf_lay_out(file));
  return file->made ? hk_hdf_complete(file, false, NULL, NULL) : HK_OK;
}

hk_status hk_hdf_close(hk_hdf **pointer)
{
  hk_hdf *file = *pointer;
  hk_status status = HK_OK;
  if (!file) return HK_OK;
  status = end_hdf(file);
  const hk_status filled = hk_hdf_fill_begun(file->fill) ? wait_for_fill(file) : HK_OK;
  if (status == HK_OK) status = filled;
  if (file->made) unlink(file->path);
  if (file->fd >= 0) {
    if (file->dirty && status == HK_OK) status = hk_hdf_flush(file);
    if (close(file->fd) != 0 && status == HK_OK && file->dirty)
      status =
          hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written: %s", file->path, strerror(errno));
  }
  hk_hdf_fill_destroy(&file->fill);
  hk_free(&file->array);
  hk_free(&file->path);
  hk_free(pointer); /* at last: the thread that completes the file may look there */
  return status;
}
