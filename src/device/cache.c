/* Files of compiled kernels and small results under a key (a hash of all that they depend on): a head with the key and a check sum, and the data,
 * packed by zlib. A cache is read only if folder and file belong to the user and nobody else may write them, for what it holds is run; kernels
 * that were installed are believed as far as the library that they lie beside. A broken file is as good as none. Written beside and renamed. */
#include "device/cache.h"
#include "base/file.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

typedef struct head {
  char magic[8];
  hk_cache_key key;
  hk_count size, packed; /* bytes of the data, and of what follows the head */
  uint64_t sum;          /* of the data */
} head;

typedef bool is_trusted(const struct stat *info, mode_t kind);

static const char magic[8] = "hkcach2";
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
         h->size > 0 && h->size <= MOST_BYTES && h->packed > 0 && h->packed <= MOST_BYTES;
}

/* Kernels that a cache holds are run, and devices that it calls right are trusted: it must be the user's own, and nobody else's to write. */
static bool is_private(const struct stat *info, mode_t kind)
{
  return (info->st_mode & S_IFMT) == kind && info->st_uid == geteuid() &&
         !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_installed(const struct stat *info, mode_t kind)
{
  char path[1024];
  struct stat library;
  if (!hk_library_file(path, sizeof path) || stat(path, &library) != 0) return false;
  const bool owned =
      info->st_uid == 0 || info->st_uid == geteuid() || info->st_uid == library.st_uid;
  return (info->st_mode & S_IFMT) == kind && owned &&
         !(info->st_mode & ~library.st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_folder(const char *path, is_trusted *trusted)
{
  struct stat info;
  return stat(path, &info) == 0 && trusted(&info, S_IFDIR);
}

static bool is_file(int fd, is_trusted *trusted)
{
  struct stat info;
  return fstat(fd, &info) == 0 && trusted(&info, S_IFREG);
}

/* The data of the head, *text[h->size]. */
static bool unpack(FILE *file, const head *h, char **text)
{
  char *packed = NULL;
  uLongf size = (uLongf)h->size;
  const bool right =
      hk_get(&packed, h->packed) == HK_OK && hk_get(text, h->size) == HK_OK &&
      fread(packed, (size_t)h->packed, 1, file) == 1 &&
      uncompress((Bytef *)*text, &size, (const Bytef *)packed, (uLong)h->packed) == Z_OK &&
      size == (uLongf)h->size && hk_hash(*text, (size_t)h->size, 0) == h->sum;
  hk_free(&packed);
  return right;
}

static bool read_file(const char *folder, hk_cache_key key, is_trusted *trusted, int flags,
                      char **data, hk_count *size)
{
  char path[1024], *text = NULL;
  head h;
  if (!folder) return false;
  path_of(folder, key, "", path, sizeof path);
  if (!is_folder(folder, trusted)) return false;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
  FILE *file = fd >= 0 && is_file(fd, trusted) ? fdopen(fd, "rb") : NULL;
  if (!file && fd >= 0) close(fd);
  if (!file) return false;
  const bool right =
      fread(&h, sizeof h, 1, file) == 1 && is_right(&h, key) && unpack(file, &h, &text);
  fclose(file);
  if (right)
    *data = text, *size = h.size;
  else
    hk_free(&text);
  return right;
}

bool hk_cache_read(const char *folder, hk_cache_key key, char **data, hk_count *size)
{
  return read_file(folder, key, is_private, O_NOFOLLOW, data, size);
}

/* Some installers make links. */
bool hk_cache_read_installed(const char *folder, hk_cache_key key, char **data, hk_count *size)
{
  return read_file(folder, key, is_installed, 0, data, size);
}

/* *out[*packed] (hk_free). */
static bool pack(const char *data, hk_count size, char **out, hk_count *packed)
{
  uLongf bytes = compressBound((uLong)size);
  if (hk_get(out, (hk_count)bytes) != HK_OK) return false;
  const bool right = compress2((Bytef *)*out, &bytes, (const Bytef *)data, (uLong)size,
                               Z_BEST_COMPRESSION) == Z_OK;
  *packed = (hk_count)bytes;
  return right;
}

/* A file that nobody else has begun, open for writing. */
static FILE *create(const char *path)
{
  unlink(path); /* of a process of that number that was killed */
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  if (!file && fd >= 0) close(fd);
  return file;
}

/* The folder, and those it lies in where they are not there: a new user has no ~/.cache. */
static void make_private(const char *folder)
{
  char part[1024];
  if (snprintf(part, sizeof part, "%s", folder) >= (int)sizeof part) return;
  for (char *c = part; *c; c++)
    if (*c == '/' && c > part) *c = 0, mkdir(part, 0700), *c = '/';
  mkdir(part, 0700);
}

void hk_cache_write(const char *folder, hk_cache_key key, const char *data, hk_count size)
{
  static _Atomic int writes; /* devices write at once */
  char path[1024], made[1024], ending[48], *packed = NULL;
  head h = {.key = key, .size = size};
  FILE *file = NULL;
  if (!folder || size <= 0 || size > MOST_BYTES) return;
  memcpy(h.magic, magic, sizeof magic);
  h.sum = hk_hash(data, (size_t)size, 0);
  make_private(folder);
  snprintf(ending, sizeof ending, ".%ld.%d", (long)getpid(), atomic_fetch_add(&writes, 1));
  path_of(folder, key, ending, made, sizeof made);
  path_of(folder, key, "", path, sizeof path);
  if (is_folder(folder, is_private) && pack(data, size, &packed, &h.packed)) file = create(made);
  if (file) {
    bool whole =
        fwrite(&h, sizeof h, 1, file) == 1 && fwrite(packed, (size_t)h.packed, 1, file) == 1;
    if (fclose(file)) whole = false;
    if (!whole || rename(made, path)) remove(made);
  }
  hk_free(&packed);
}
