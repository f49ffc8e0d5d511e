/* A libcuda.so.1 without a GPU: memory is the host's, and nothing is computed but what moves rows (link_pack, link_unpack, halo_pack, halo_unpack). It has two GPUs with the figures of an H100, of any
 * architecture. A module is loaded if it is code for the GPU, as tests/fake/nvrtc.c writes it; fake_cuda_refuses makes it refuse modules that contain a
 * word, as a driver that is older than the compiler. */
#include "device/cuda/driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { INVALID = 1, INVALID_IMAGE = 200, NOT_SUPPORTED = 801, GPUS = 2 };

static const char *refused;
static int arch = 90, doubles; /* &doubles: a module in double precision */

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

/* A function: what it is, and the bytes of a real. */
typedef struct function {
  enum { OTHER, PACK, UNPACK, HALO_PACK, HALO_UNPACK } what;
  size_t real;
} function;
static function functions[5][2] = {{{OTHER, 4}, {OTHER, 8}},
                                   {{PACK, 4}, {PACK, 8}},
                                   {{UNPACK, 4}, {UNPACK, 8}},
                                   {{HALO_PACK, 4}},
                                   {{HALO_UNPACK, 4}}};

/* Rows of the vector at `list`, or where ghosts lie, to or from those that follow one another (src/link/pack.k.h). */
static void move_rows(const function *f, void **value)
{
  const int pack = f->what == PACK;
  char *vector = *(char **)value[1], *rows = *(char **)value[pack ? 3 : 2];
  const int *list = pack ? *(const int **)value[2] : NULL;
  const int *number[7]; /* count, components, shots, padded; ghost, split, more */
  for (int k = 0; k < (pack ? 4 : 7); k++) number[k] = value[(pack ? 4 : 3) + k];
  const int count = *number[0];
  const size_t node = (size_t)*number[1] * f->real;
  for (int shot = 0; shot < *number[2]; shot++)
    for (int i = 0; i < count; i++) {
      const int at = pack ? list[i] : i < *number[5] ? *number[4] + i : *number[6] + i - *number[5];
      char *own = vector + ((size_t)shot * (size_t)*number[3] + (size_t)at) * node;
      char *row = rows + ((size_t)shot * (size_t)count + (size_t)i) * node;
      memcpy(pack ? row : own, pack ? own : row, node);
    }
}

/* Words of nodes (src/link/halo.k.h). */
static void move_nodes(const function *f, void **value)
{
  const int pack = f->what == HALO_PACK, *list = *(const int **)value[2];
  char *vector = *(char **)value[1], *rows = *(char **)value[3];
  const size_t node = (size_t) * (const int *)value[5] * f->real;
  for (size_t i = 0; i < (size_t) * (const int *)value[4]; i++) {
    char *own = vector + (size_t)list[i] * node, *row = rows + i * node;
    memcpy(pack ? row : own, pack ? own : row, node);
  }
}

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

/* All groups at once, with the first of them. */
FUNCTION(cuLaunchKernel,
         (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
          unsigned shared, cu_stream s, void **value, void **extra))
{
  const function *own = (const function *)(void *)f;
  (void)gx, (void)gy, (void)gz, (void)x, (void)y, (void)z, (void)shared, (void)s, (void)extra;
  if (own->what == OTHER || *(int *)value[0] != 0) return 0;
  if (own->what < HALO_PACK) move_rows(own, value);
  if (own->what >= HALO_PACK) move_nodes(own, value);
  return 0;
}

FUNCTION(cuModuleGetFunction, (cu_function * out, cu_module module, const char *name))
{
  static const char *const names[] = {"", "link_pack", "link_unpack", "halo_pack", "halo_unpack"};
  int what = HALO_UNPACK;
  while (what > OTHER && !strstr(name, names[what])) what--;
  *out = (cu_function)(void *)&functions[what][module == (cu_module)(void *)&doubles];
  return 0;
}

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
  *out = (cu_module)(strstr(words, "#define DOUBLE\n") ? (void *)&doubles : (void *)&refused);
  return 0;
}
