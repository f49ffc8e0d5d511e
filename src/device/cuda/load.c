/* The functions of the NVIDIA driver, from libcuda.so.1, found at run time once per process, so that one binary works with and without a GPU. The
 * later functions may be missing: the features that need them are then not used. Where the driver is missing or older than 470, or finds no GPU,
 * the caller gets a sentence that says so. */
#include "device/cuda/driver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

static hk_cuda_api functions;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  bool found = library != NULL;
  missing = "libcuda.so.1 was not found: install the NVIDIA driver";
  if (!library) return;
#define FIND(member, symbol, parameters)                                                           \
  *(void **)&functions.member = dlsym(library, #symbol);                                           \
  found = found && functions.member;
  CU_FUNCTIONS(FIND)
#undef FIND
#define FIND(member, symbol, parameters) *(void **)&functions.member = dlsym(library, #symbol);
  CU_LATER_FUNCTIONS(FIND)
#undef FIND
  missing = "the NVIDIA driver is too old: 470 or newer is needed";
  if (!found) return;
  missing = functions.init(0) ? "the NVIDIA driver finds no GPU" : NULL;
}

const hk_cuda_api *hk_cuda_load(const char **why)
{
  pthread_once(&once, load);
  *why = missing;
  return missing ? NULL : &functions;
}
