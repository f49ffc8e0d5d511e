#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

hk_status hk_stream_begin(const char *path, hk_stream *out)
{
  hk_status status = HK_OK;
  hk_stream s = {0};
  int fd = -1;

  HK_TRY(hk_copy_text(&s.path, path));
  HK_TRY(hk_format(&s.beside, "%s.%ld.tmp", path, (long)getpid()));
  fd = open(s.beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  HK_CHECK(fd >= 0, HK_NOT_WRITABLE, "%s: cannot be made: %s", path, strerror(errno));
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
