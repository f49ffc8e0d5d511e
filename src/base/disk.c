/* Reserves disk space for a file before it is written, and returns what was not used.
 * fallocate reserves the blocks of bytes 0 ... bytes, so a full disk is found at once. File systems
 * without fallocate reserve nothing; there the write itself fails. */
#include "base/base.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hk_status hk_disk_reserve(const char *path, int fd, hk_count bytes, bool keep_size)
{
#ifdef FALLOC_FL_KEEP_SIZE
  int failed;
  do failed = fallocate(fd, keep_size ? FALLOC_FL_KEEP_SIZE : 0, 0, (off_t)bytes);
  while (failed && errno == EINTR);
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
