/* Opens the libraries that make factors, under a limit on the process's addresses (`ulimit -v`) with care: OpenBLAS, which they call, maps a
 * buffer for each of its threads and tries again for ever where it gets none. So there must be room before it is opened, it begins with one
 * thread, its buffer is taken at once, and more threads come only where their buffers are a small part of what is left. */
#include "solver/linear/direct/factor_parts.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

static const hk_count ROOM =
    256LL << 20; /* libraries 50 MB, a buffer 128 MB, the rest for what they ask for on the way */
static const hk_count OF_A_THREAD = 136LL << 20; /* buffer and stack */
enum { SHARE = 16 };                             /* of what is left, for more threads */
static atomic_bool passed_over;

static bool is_limited(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* The factor of [1]: OpenBLAS takes its buffer for it. */
static void take_buffer(void *library)
{
  void (*potrf)(const char *, const int *, double *, const int *, int *, size_t);
  double one = 1;
  int n = 1, info = 0;
  *(void **)&potrf = dlsym(library, "dpotrf_");
  if (potrf) potrf("L", &n, &one, &n, &info, 1);
}

static void *open_first(const char *const *names)
{
  void *library = NULL;
  for (int k = 0; names[k] && !library; k++) library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
  return library;
}

/* OpenBLAS makes as many threads as the caller may use processors. */
static void *open_with_one_thread(const char *const *names)
{
  cpu_set_t before, one;
  const bool known = sched_getaffinity(0, sizeof before, &before) == 0;
  const int here = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET(here < 0 ? 0 : here, &one);
  if (known) sched_setaffinity(0, sizeof one, &one);
  void *library = open_first(names);
  if (known) sched_setaffinity(0, sizeof before, &before);
  if (library) take_buffer(library);
  return library;
}

/* By another library, with its buffer. */
static bool is_open(const char *const *names)
{
  void *library = NULL;
  for (int k = 0; names[k] && !library; k++)
    library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library) dlclose(library);
  return library != NULL;
}

/* NULL: none, or no room for it. */
static void *open_library(const char *const *names)
{
  if (!is_limited() || is_open(names)) return open_first(names);
  if (hk_memory_available() >= ROOM) return open_with_one_thread(names);
  passed_over = true;
  return NULL;
}

static void load(hk_host_library *l)
{
  void *library = open_library(l->names);
  l->tried = true, l->there = library != NULL;
  for (int k = 0; library && l->symbol[k].name; k++) {
    *l->symbol[k].to = dlsym(library, l->symbol[k].name);
    l->there = l->there && *l->symbol[k].to;
  }
  if (library) *(void **)&l->blas_threads = dlsym(library, "openblas_set_num_threads");
}

bool hk_host_library_load(hk_host_library *l)
{
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&once);
  if (!l->tried) load(l);
  pthread_mutex_unlock(&once);
  return l->there;
}

hk_count hk_factor_missing_room(void)
{
  return passed_over ? ROOM : 0;
}

void hk_factor_set_threads(const hk_factor *f)
{
  int threads = f->threads;
  if (!f->library->blas_threads) return;
  if (is_limited()) {
    const hk_count most = hk_memory_available() / SHARE / OF_A_THREAD;
    threads = most < 1 ? 1 : most < threads ? (int)most : threads;
  }
  f->library->blas_threads(threads);
}
