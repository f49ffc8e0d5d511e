/* Preloaded into the command by moments_of.py: sends a signal to it at the HOOK_AT-th call of a kind, so that a test stops a run at a moment
 * that neither the clock nor the load of the machine chooses.
 *   HOOK_CALL=checkpoint   a file was renamed to checkpoint.h5: it is whole, the run has not gone on
 *   HOOK_CALL=write        a file is about to be written
 *   HOOK_CALL=memory       a block of 16 kB or more is asked for
 *   HOOK_SIGNAL=2, 9, ...  HOOK_TIMES=2: at that call and the next   HOOK_COUNT=FILE: the number of calls until now */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static atomic_long calls;

static long setting(const char *name, long otherwise)
{
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

static void tell(long number)
{
  const char *path = getenv("HOOK_COUNT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", number);
  fclose(file);
}

/* raise() returns when the signal has been delivered: this thread does nothing more before it. */
static void count(const char *kind)
{
  const char *call = getenv("HOOK_CALL");
  if (!call || strcmp(call, kind)) return;
  const long now = atomic_fetch_add(&calls, 1) + 1, at = setting("HOOK_AT", 0);
  tell(now);
  if (at > 0 && now >= at && now < at + setting("HOOK_TIMES", 1))
    raise((int)setting("HOOK_SIGNAL", SIGKILL));
}

void *__libc_malloc(size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void count_block(size_t size)
{
  if (size >= 16384) count("memory");
}

void *malloc(size_t size)
{
  count_block(size);
  return __libc_malloc(size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  count_block(size);
  return __libc_memalign(alignment, size);
}

typedef int renames(const char *, const char *);
typedef ssize_t writes(int, const void *, size_t);
typedef ssize_t writes_at(int, const void *, size_t, off_t);

int rename(const char *from, const char *to)
{
  renames *next = (renames *)dlsym(RTLD_NEXT, "rename");
  static const char name[] = "checkpoint.h5";
  const size_t n = strlen(to), m = sizeof name - 1;
  count("write");
  const int code = next(from, to);
  if (code == 0 && n >= m && !strcmp(to + n - m, name)) count("checkpoint");
  return code;
}

ssize_t write(int file, const void *data, size_t size)
{
  writes *next = (writes *)dlsym(RTLD_NEXT, "write");
  count("write");
  return next(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
  writes_at *next = (writes_at *)dlsym(RTLD_NEXT, "pwrite");
  count("write");
  return next(file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t at)
{
  writes_at *next = (writes_at *)dlsym(RTLD_NEXT, "pwrite64");
  count("write");
  return next(file, data, size, at);
}
