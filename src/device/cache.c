/* Files of compiled kernels and small results under a key (a hash of all that they depend on): a head, the key, the data, a check sum.
 * A cache is read only if folder and file belong to the user and nobody else may write them, for what it holds is run; a broken file is
 * as good as none. Written beside and renamed. */
#include "device/cache.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct head {
  char magic[8];
  hk_cache_key key;
  hk_count size;
  uint64_t sum; /* of the data */
} head;

static const char magic[8] = "hkcache";
enum { MOST_BYTES = 64 << 20 };

hk_cache_key hk_cache_key_of(const char *what, const char *source)
{
  hk_cache_key key;
  for (uint64_t i = 0; i < 2; i++)
    key.word[i] = hk_hash(source, strlen(source), hk_hash(what, strlen(what), i * 1000003));
  return key;
}

static void path_of(const char *folder, hk_cache_key key, const char *ending, char *path,
                    size_t size)
{
  snprintf(path, size, "%s/%016llx%016llx%s", folder, (unsigned long long)key.word[0],
           (unsigned long long)key.word[1], ending);
}

static bool is_right(const head *h, hk_cache_key key)
{
  return !memcmp(h->magic, magic, sizeof magic) && !memcmp(&h->key, &key, sizeof key) &&
         h->size > 0 && h->size <= MOST_BYTES;
}

/* Kernels that a cache holds are run, and devices that it calls right are trusted: it must be the user's own, and nobody else's to write. */
static bool is_private(const struct stat *info, mode_t kind)
{
  return (info->st_mode & S_IFMT) == kind && info->st_uid == geteuid() &&
         !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_own_folder(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && is_private(&info, S_IFDIR);
}

static bool is_own_file(int fd)
{
  struct stat info;
  return fstat(fd, &info) == 0 && is_private(&info, S_IFREG);
}

bool hk_cache_read(const char *folder, hk_cache_key key, char **data, hk_count *size)
{
  char path[1024], *text = NULL;
  head h;
  bool right = false;
  if (!folder) return false;
  path_of(folder, key, "", path, sizeof path);
  if (!is_own_folder(folder)) return false;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  FILE *file = fd >= 0 && is_own_file(fd) ? fdopen(fd, "rb") : NULL;
  if (!file && fd >= 0) close(fd);
  if (!file) return false;
  if (fread(&h, sizeof h, 1, file) == 1 && is_right(&h, key) && hk_get(&text, h.size) == HK_OK)
    right = fread(text, (size_t)h.size, 1, file) == 1 && hk_hash(text, (size_t)h.size, 0) == h.sum;
  fclose(file);
  if (right)
    *data = text, *size = h.size;
  else
    hk_free(&text);
  return right;
}

void hk_cache_write(const char *folder, hk_cache_key key, const char *data, hk_count size)
{
  static _Atomic int writes; /* devices write at once */
  char path[1024], made[1024], ending[48];
  head h = {.key = key, .size = size, .sum = hk_hash(data, (size_t)size, 0)};
  if (!folder) return;
  memcpy(h.magic, magic, sizeof magic);
  mkdir(folder, 0700);
  if (!is_own_folder(folder)) return;
  snprintf(ending, sizeof ending, ".%ld.%d", (long)getpid(), atomic_fetch_add(&writes, 1));
  path_of(folder, key, ending, made, sizeof made);
  path_of(folder, key, "", path, sizeof path);
  unlink(made); /* of a process of that number that was killed */
  const int fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  if (!file && fd >= 0) close(fd);
  if (!file) return;
  bool whole = fwrite(&h, sizeof h, 1, file) == 1 && fwrite(data, (size_t)size, 1, file) == 1;
  if (fclose(file)) whole = false;
  if (!whole || rename(made, path)) remove(made);
}
