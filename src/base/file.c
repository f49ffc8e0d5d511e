/* Opens files for reading and writing, replaces files as a whole, and makes folders with their parents.
 * Only plain files are opened: pipes and devices are refused without waiting, and output does not
 * follow symbolic links. A new file is written beside the old one and renamed over it, so a reader
 * sees either the old or the new content; text files are synced first.
 * Threads delete large files. A writer that finds the disk full waits for them and tries again.
 * hk_number_text prints a number with a decimal point, whatever the locale. */
#include "base/file.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static hk_status check_plain(const char *path, int fd, hk_status code)
{
  struct stat info;
  if (fstat(fd, &info) != 0)
    return hk_error_set(code, "%s: cannot be opened: %s", path, strerror(errno));
  if (S_ISREG(info.st_mode)) return HK_OK;
  return hk_error_set(code, "%s: is %s, not a plain file", path,
                      S_ISDIR(info.st_mode) ? "a folder" : "a pipe or a device");
}

hk_status hk_open_input(const char *path, int *out)
{
  hk_status status = HK_OK;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  HK_CHECK(fd >= 0, HK_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  HK_TRY(check_plain(path, fd, HK_BAD_INPUT));
  *out = fd, fd = -1;
cleanup:
  if (fd >= 0) close(fd);
  return status;
}

hk_status hk_open_input_stream(const char *path, FILE **file)
{
  int fd;
  const hk_status status = hk_open_input(path, &fd);
  if (status != HK_OK) return status;
  *file = fdopen(fd, "rb");
  if (*file) return HK_OK;
  close(fd);
  return hk_error_set(HK_NO_RESOURCES, "%s: cannot be opened: %s", path, strerror(errno));
}

/* name: what messages call it. */
static hk_status open_output(const char *path, const char *name, int flags, int *out)
{
  hk_status status = HK_OK;
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0666);
  HK_CHECK(
      fd >= 0 || errno != ELOOP, HK_NOT_WRITABLE,
      "%s: is a symbolic link, and hooke does not follow it: remove it, or give another --output",
      name);
  HK_CHECK(fd >= 0, HK_NOT_WRITABLE, "%s: cannot be made: %s", name, strerror(errno));
  if (fd <= STDERR_FILENO) {
    const int low = fd;
    fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(low);
    HK_CHECK(fd >= 0, HK_NO_RESOURCES, "%s: cannot be opened: %s", name, strerror(errno));
  }
  HK_TRY(check_plain(name, fd, HK_NOT_WRITABLE));
  *out = fd, fd = -1;
cleanup:
  if (fd >= 0) close(fd);
  return status;
}

hk_status hk_open_output(const char *path, int flags, int *out)
{
  return open_output(path, path, flags, out);
}

hk_status hk_stream_begin(const char *path, hk_stream *out)
{
  hk_status status = HK_OK;
  hk_stream s = {0};
  int fd = -1;

  HK_TRY(hk_copy_text(&s.path, path));
  HK_TRY(hk_format(&s.beside, "%s.%ld.tmp", path, (long)getpid()));
  unlink(s.beside); /* of a process of that number that was killed */
  HK_TRY(open_output(s.beside, path, O_CREAT | O_EXCL, &fd));
  s.file = fdopen(fd, "wb");
  HK_CHECK(s.file, HK_NO_RESOURCES, "%s: cannot be opened: %s", path, strerror(errno));
  *out = s, s = (hk_stream){0}, fd = -1;
cleanup:
  if (fd >= 0) close(fd), unlink(s.beside);
  hk_free(&s.path);
  hk_free(&s.beside);
  return status;
}

hk_status hk_stream_end(hk_stream *s, hk_status so_far)
{
  hk_status status = so_far;
  if (!s->file) return so_far;
  if (status == HK_OK && (ferror(s->file) || fflush(s->file) != 0 ||
                          (s->synced && fsync(fileno(s->file)) != 0 && errno != EINVAL)))
    status = hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written: %s", s->path, strerror(errno));
  if (fclose(s->file) != 0 && status == HK_OK)
    status = hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written: %s", s->path, strerror(errno));
  if (status == HK_OK && rename(s->beside, s->path) != 0)
    status = hk_error_set(HK_NOT_WRITABLE, "%s: cannot be replaced: %s", s->path, strerror(errno));
  if (status != HK_OK) unlink(s->beside);
  hk_free(&s->path);
  hk_free(&s->beside);
  s->file = NULL;
  return status;
}

hk_status hk_write_file(const char *path, const void *data, size_t size)
{
  hk_stream stream = {0};
  const hk_status status = hk_stream_begin(path, &stream);
  if (status == HK_OK) fwrite(data, 1, size, stream.file);
  return hk_stream_end(&stream, status);
}

hk_status hk_write_text_file(const char *path, const char *text)
{
  hk_stream stream = {0};
  const hk_status status = hk_stream_begin(path, &stream);
  stream.synced = true;
  if (status == HK_OK) fwrite(text, 1, strlen(text), stream.file);
  return hk_stream_end(&stream, status);
}

const char *hk_number_text(char *text, int digits, double value)
{
  snprintf(text, 32, "%.*g", digits, value);
  for (char *c = text; *c; c++)
    if (*c == ',') *c = '.';
  return text;
}

/* part: the path, or a folder on the way to it */
static hk_status make_one(const char *path, const char *part)
{
  struct stat info;
  if (mkdir(part, 0777) == 0) return HK_OK;
  const int failed = errno;
  const bool there = stat(part, &info) == 0;
  if (there && S_ISDIR(info.st_mode)) return HK_OK;
  return hk_error_set(HK_NOT_WRITABLE, "%s: the folder cannot be made: %s%s%s", path,
                      strcmp(part, path) ? part : "", strcmp(part, path) ? ": " : "",
                      strerror(there ? ENOTDIR : failed));
}

hk_status hk_make_folder(const char *path)
{
  hk_status status = HK_OK;
  char *part = NULL;
  HK_TRY(hk_format(&part, "%s", path));
  for (char *c = part; *c; c++) {
    if (*c != '/' || c == part || c[-1] == '/') continue;
    *c = 0;
    HK_TRY(make_one(path, part));
    *c = '/';
  }
  HK_TRY(make_one(path, part));
cleanup:
  hk_free(&part);
  return status;
}

static struct { /* files that threads of the process delete */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  hk_count begun, ended;
} deleting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void count_deleting(int begun, int ended)
{
  pthread_mutex_lock(&deleting.mutex);
  deleting.begun += begun, deleting.ended += ended;
  pthread_cond_broadcast(&deleting.changed);
  pthread_mutex_unlock(&deleting.mutex);
}

static void *close_beside(void *fd)
{
  close((int)(intptr_t)fd);
  count_deleting(0, 1);
  return NULL;
}

void hk_file_let_go(int fd)
{
  struct stat info;
  pthread_t thread;
  if (fstat(fd, &info) != 0 || info.st_nlink > 0 || info.st_size < HK_LARGE_FILE) {
    close(fd);
    return;
  }
  count_deleting(1, 0);
  if (pthread_create(&thread, NULL, close_beside, (void *)(intptr_t)fd) == 0)
    pthread_detach(thread);
  else
    close_beside((void *)(intptr_t)fd);
}

bool hk_file_delete(const char *path)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  const bool gone = unlink(path) == 0;
  const int failed = errno;
  if (fd >= 0) hk_file_let_go(fd);
  errno = failed;
  return gone;
}

hk_count hk_files_deleted(void)
{
  pthread_mutex_lock(&deleting.mutex);
  const hk_count ended = deleting.ended;
  pthread_mutex_unlock(&deleting.mutex);
  return ended;
}

bool hk_disk_freed(hk_count *deleted)
{
  const hk_count before = *deleted;
  if (errno != ENOSPC && errno != EDQUOT) return false;
  pthread_mutex_lock(&deleting.mutex);
  while (deleting.ended < deleting.begun) pthread_cond_wait(&deleting.changed, &deleting.mutex);
  *deleted = deleting.ended;
  pthread_mutex_unlock(&deleting.mutex);
  return *deleted > before;
}

/* Of the process (ulimit -f): fallocate does not look at it where the size stays. */
static bool is_too_large(hk_count bytes)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return (rlim_t)bytes > limit.rlim_cur;
}

/* fallocate reserves the bytes, so that a full disk is found at once. File systems without it reserve nothing; there the write itself fails. */
hk_status hk_disk_reserve(const char *path, int fd, hk_count bytes, bool keep_size)
{
  if (is_too_large(bytes))
    return hk_error_set(HK_NOT_WRITABLE, "%s: %.3g MB are needed: %s", path, (double)bytes / 1e6,
                        strerror(EFBIG));
#ifdef FALLOC_FL_KEEP_SIZE
  hk_count deleted = hk_files_deleted();
  int failed;
  do failed = fallocate(fd, keep_size ? FALLOC_FL_KEEP_SIZE : 0, 0, (off_t)bytes);
  while (failed && (errno == EINTR || hk_disk_freed(&deleted)));
  if (failed && errno != EOPNOTSUPP && errno != ENOSYS)
    return hk_error_set(HK_NOT_WRITABLE, "%s: %.3g MB are needed: %s", path, (double)bytes / 1e6,
                        strerror(errno));
#endif
  return HK_OK;
}

hk_status hk_disk_release(const char *path, int fd)
{
  struct stat info;
  if (fstat(fd, &info) == 0 && ftruncate(fd, info.st_size) == 0) return HK_OK;
  return hk_error_set(HK_NOT_WRITABLE, "%s: cannot be written: %s", path, strerror(errno));
}

bool hk_library_file(char *path, size_t size)
{
  static const char here = 0;
  Dl_info info = {0};
  if (!dladdr(&here, &info) || !info.dli_fname) return false;
  return (size_t)snprintf(path, size, "%s", info.dli_fname) < size;
}

bool hk_library_folder(char *path, size_t size)
{
  char *slash = hk_library_file(path, size) ? strrchr(path, '/') : NULL;
  if (slash) slash[1] = 0;
  return slash != NULL;
}
