/* A libcuda.so.1 without a GPU: memory is the host's, and nothing is computed. It has two GPUs with the figures of an H100, of any
 * architecture. A module is loaded if it is code for the GPU, as tests/fake/nvrtc.c writes it; fake_cuda_refuses makes it refuse modules that contain a
 * word, as a driver that is older than the compiler. */
#include "device/cuda/driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { INVALID = 1, INVALID_IMAGE = 200, NOT_SUPPORTED = 801, GPUS = 2 };

static const char *refused;
static int arch = 90;

/* Functions that no driver has. */
API void fake_cuda_refuses(const char *word);
API void fake_cuda_refuses(const char *word)
{
  refused = word;
}

API void fake_cuda_is(int of);
API void fake_cuda_is(int of)
{
  arch = of;
}

/* What does nothing and succeeds. */
#define NOTHING(name, parameters)                                                                  \
  API int name parameters;                                                                         \
  API int name parameters                                                                          \
  {                                                                                                \
    return 0;                                                                                      \
  }
NOTHING(cuInit, (unsigned flags __attribute__((unused))))
NOTHING(cuDevicePrimaryCtxRelease_v2, (cu_device d __attribute__((unused))))
NOTHING(cuCtxSetCurrent, (cu_context c __attribute__((unused))))
NOTHING(cuStreamDestroy_v2, (cu_stream s __attribute__((unused))))
NOTHING(cuStreamSynchronize, (cu_stream s __attribute__((unused))))
NOTHING(cuStreamWaitEvent, (cu_stream s __attribute__((unused)), cu_event e __attribute__((unused)),
                            unsigned f __attribute__((unused))))
NOTHING(cuEventDestroy_v2, (cu_event e __attribute__((unused))))
NOTHING(cuEventRecord, (cu_event e __attribute__((unused)), cu_stream s __attribute__((unused))))
NOTHING(cuEventQuery, (cu_event e __attribute__((unused))))
NOTHING(cuEventSynchronize, (cu_event e __attribute__((unused))))
NOTHING(cuModuleUnload, (cu_module m __attribute__((unused))))
NOTHING(cuFuncSetAttribute, (cu_function f __attribute__((unused)),
                             int what __attribute__((unused)), int value __attribute__((unused))))
NOTHING(cuLaunchKernel,
        (cu_function f __attribute__((unused)), unsigned gx __attribute__((unused)),
         unsigned gy __attribute__((unused)), unsigned gz __attribute__((unused)),
         unsigned x __attribute__((unused)), unsigned y __attribute__((unused)),
         unsigned z __attribute__((unused)), unsigned shared __attribute__((unused)),
         cu_stream s __attribute__((unused)), void **p __attribute__((unused)),
         void **extra __attribute__((unused))))
NOTHING(cuGraphLaunch,
        (cu_graph_exec g __attribute__((unused)), cu_stream s __attribute__((unused))))
NOTHING(cuGraphExecDestroy, (cu_graph_exec g __attribute__((unused))))
NOTHING(cuGraphDestroy, (cu_graph g __attribute__((unused))))

/* What gives a thing that is only looked at. */
#define THING(name, type, parameters)                                                              \
  API int name parameters;                                                                         \
  API int name parameters                                                                          \
  {                                                                                                \
    *out = (type)(void *)&refused;                                                                 \
    return 0;                                                                                      \
  }
THING(cuDevicePrimaryCtxRetain, cu_context, (cu_context * out, cu_device d __attribute__((unused))))
THING(cuStreamCreate, cu_stream, (cu_stream * out, unsigned f __attribute__((unused))))
THING(cuStreamCreateWithPriority, cu_stream,
      (cu_stream * out, unsigned f __attribute__((unused)), int p __attribute__((unused))))
THING(cuEventCreate, cu_event, (cu_event * out, unsigned f __attribute__((unused))))
THING(cuModuleGetFunction, cu_function,
      (cu_function * out, cu_module m __attribute__((unused)),
       const char *name __attribute__((unused))))

/* What is refused: nothing is recorded here. */
#define NEVER(name, parameters)                                                                    \
  API int name parameters;                                                                         \
  API int name parameters                                                                          \
  {                                                                                                \
    return NOT_SUPPORTED;                                                                          \
  }
NEVER(cuStreamBeginCapture_v2, (cu_stream s __attribute__((unused)), int m __attribute__((unused))))
NEVER(cuStreamEndCapture,
      (cu_stream s __attribute__((unused)), cu_graph *g __attribute__((unused))))
NEVER(cuGraphInstantiateWithFlags,
      (cu_graph_exec * e __attribute__((unused)), cu_graph g __attribute__((unused)),
       unsigned long long f __attribute__((unused))))

#define FUNCTION(name, parameters)                                                                 \
  API int name parameters;                                                                         \
  API int name parameters

FUNCTION(cuDriverGetVersion, (int *version))
{
  *version = 13000;
  return 0;
}

FUNCTION(cuGetErrorString, (int code, const char **words))
{
  *words = code == INVALID_IMAGE ? "device kernel image is invalid" : "no such thing here";
  return 0;
}

FUNCTION(cuDeviceGetCount, (int *count))
{
  *count = GPUS;
  return 0;
}

FUNCTION(cuDeviceGet, (cu_device * out, int number))
{
  *out = number;
  return 0;
}

FUNCTION(cuDeviceGetName, (char *name, int size, cu_device device))
{
  (void)device;
  strncpy(name, "no GPU", (size_t)size);
  return 0;
}

FUNCTION(cuDeviceTotalMem_v2, (size_t * bytes, cu_device device))
{
  (void)device;
  *bytes = (size_t)1 << 30;
  return 0;
}

FUNCTION(cuDeviceGetAttribute, (int *value, int what, cu_device device))
{
  (void)device;
  switch (what) {
  case CU_ATTRIBUTE_MAJOR: *value = arch / 10; break;
  case CU_ATTRIBUTE_MINOR: *value = arch % 10; break;
  case CU_ATTRIBUTE_MOST_THREADS: *value = 1024; break;
  case CU_ATTRIBUTE_WARP: *value = 32; break;
  case CU_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
  case CU_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR: *value = 228 << 10; break;
  case CU_ATTRIBUTE_REGISTERS_PER_MULTIPROCESSOR: *value = 64 << 10; break;
  case CU_ATTRIBUTE_SHARED_OPTIN: *value = 227 << 10; break;
  case CU_ATTRIBUTE_SHARED_RESERVED: *value = 1 << 10; break;
  default: return INVALID;
  }
  return 0;
}

FUNCTION(cuCtxGetStreamPriorityRange, (int *lowest, int *highest))
{
  *lowest = *highest = 0;
  return 0;
}

FUNCTION(cuMemGetInfo_v2, (size_t * available, size_t *total))
{
  *available = *total = (size_t)1 << 30;
  return 0;
}

FUNCTION(cuMemAlloc_v2, (cu_pointer * out, size_t size))
{
  *out = (cu_pointer)(size_t)malloc(size);
  return *out ? 0 : CU_OUT_OF_MEMORY;
}

FUNCTION(cuMemFree_v2, (cu_pointer memory))
{
  free((void *)(size_t)memory);
  return 0;
}

FUNCTION(cuMemsetD8Async, (cu_pointer memory, unsigned char value, size_t size, cu_stream s))
{
  (void)s;
  memset((void *)(size_t)memory, value, size);
  return 0;
}

FUNCTION(cuMemcpyHtoDAsync_v2, (cu_pointer to, const void *from, size_t size, cu_stream s))
{
  (void)s;
  memcpy((void *)(size_t)to, from, size);
  return 0;
}

FUNCTION(cuMemcpyDtoHAsync_v2, (void *to, cu_pointer from, size_t size, cu_stream s))
{
  (void)s;
  memcpy(to, (const void *)(size_t)from, size);
  return 0;
}

FUNCTION(cuMemcpyDtoDAsync_v2, (cu_pointer to, cu_pointer from, size_t size, cu_stream s))
{
  (void)s;
  memcpy((void *)(size_t)to, (const void *)(size_t)from, size);
  return 0;
}

FUNCTION(cuMemHostAlloc, (void **out, size_t size, unsigned flags))
{
  (void)flags;
  *out = malloc(size);
  return *out ? 0 : CU_OUT_OF_MEMORY;
}

FUNCTION(cuMemFreeHost, (void *memory))
{
  free(memory);
  return 0;
}

/* "code of sm_90 by ...", "code of compute_80 by ..." */
FUNCTION(cuModuleLoadData, (cu_module * out, const void *image))
{
  const char *words = image;
  int of = 0;
  const int right = (sscanf(words, "code of sm_%d by", &of) == 1 && of / 10 == arch / 10) ||
                    (sscanf(words, "code of compute_%d by", &of) == 1 && of <= arch);
  if (!right || (refused && strstr(words, refused))) return INVALID_IMAGE;
  *out = (cu_module)(void *)&refused;
  return 0;
}
