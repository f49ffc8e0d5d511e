/* The libraries cuSOLVER, cuSPARSE and cuDSS, found at run time once per process. They are looked for beside NVRTC first, so that versions match,
 * then in the system's list and in the folders of toolkits and of Python's nvidia packages; newest names first. The result says which groups of
 * functions are complete: dense factors, sparse factors, the sparse product, cuDSS (version 1 only). */
#include "device/cuda/solvers.h"
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static hk_cuda_solvers solvers;
static char beside[256]; /* folder of NVRTC */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_in(const char *folder, const char *name)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_matching(const char *pattern, const char *name)
{
  glob_t list;
  void *library = NULL;
  if (glob(pattern, 0, NULL, &list)) return NULL;
  for (size_t i = list.gl_pathc; i-- > 0 && !library;) library = open_in(list.gl_pathv[i], name);
  globfree(&list);
  return library;
}

static void know_folder(const char *nvrtc)
{
  const char *slash = nvrtc ? strrchr(nvrtc, '/') : NULL;
  if (slash && !beside[0]) snprintf(beside, sizeof beside, "%.*s", (int)(slash - nvrtc), nvrtc);
}

/* NVRTC's folder first, so that versions match. */
static void *open_first(const char *const *names)
{
  static const char *const places[] = {"/usr/local/cuda/lib64",
                                       "/usr/local/cuda/lib",
                                       "/usr/local/cuda/targets/*-linux/lib",
                                       "/usr/lib/python3*/*-packages/nvidia/*/lib",
                                       "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
                                       "/opt/*/lib/python3*/site-packages/nvidia/*/lib"};
  char others[sizeof beside + 16];
  void *library = NULL;
  snprintf(others, sizeof others, "%s/../../*/lib", beside);
  for (int k = 0; names[k] && !library; k++) {
    if (beside[0]) library = open_in(beside, names[k]);
    if (!library && beside[0]) library = open_matching(others, names[k]);
    if (!library) library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    for (size_t p = 0; p < sizeof places / sizeof *places && !library; p++)
      library = open_matching(places[p], names[k]);
  }
  return library;
}

#define FIND(name, parameters)                                                                     \
  *(void **)&solvers.name = dlsym(library, #name);                                                 \
  there = there && solvers.name;

static bool find_dense(void *library)
{
  bool there = true;
  CUSOLVER_DENSE_FUNCTIONS(FIND)
  return there;
}

static bool find_sparse(void *library)
{
  bool there = true;
  CUSOLVER_SPARSE_FUNCTIONS(FIND)
  return there;
}

static bool find_descriptions(void *library)
{
  bool there = true;
  CUSPARSE_FUNCTIONS(FIND)
  return there;
}

static bool find_product(void *library)
{
  bool there = true;
  CUSPARSE_LATER_FUNCTIONS(FIND)
  there = true;
  CUSPARSE_PRODUCT_FUNCTIONS(FIND)
  return there;
}

static bool find_cudss(void *library)
{
  bool there = true;
  int major = 0;
  CUDSS_FUNCTIONS(FIND)
  return there && solvers.cudssGetProperty(0, &major) == 0 && major == 1;
}
#undef FIND

static void load(void)
{
  static const char *const cusolver[] = {"libcusolver.so.12", "libcusolver.so.11", NULL},
                           *const cusparse[] = {"libcusparse.so.12", "libcusparse.so.11", NULL},
                           *const cudss[] = {"libcudss.so.1", NULL};
  void *library = open_first(cusolver);
  void *descriptions = open_first(cusparse);
  solvers.dense = library && find_dense(library);
  solvers.product = descriptions && find_product(descriptions);
  solvers.sparse =
      library && descriptions && find_sparse(library) && find_descriptions(descriptions);
  library = open_first(cudss);
  solvers.cudss = library && find_cudss(library);
}

const hk_cuda_solvers *hk_cuda_solvers_load(const char *nvrtc)
{
  know_folder(nvrtc);
  pthread_once(&once, load);
  return &solvers;
}

void *hk_cuda_find_library(const char *nvrtc, const char *const *names)
{
  know_folder(nvrtc);
  return open_first(names);
}
