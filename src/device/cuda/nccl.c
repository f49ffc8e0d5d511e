/* Messages between GPUs of several processes by NCCL 2.7 and newer (libnccl.so.2), found at run time once per process. Each exchange is one group of
 * ncclSend and ncclRecv in the stream of launches, so that it may run beside others and be recorded in graphs. Bytes are sent: nothing is added up, and results do
 * not depend on NCCL. A process links itself to the others once for each GPU and keeps that link until it ends: ncclCommDestroy waits for all ranks, which do not come to
 * the end of a solver at the same time. Source: NCCL's user guide, Point-to-point communication; nccl.h. */
#include "device/cuda/parts.h"
#include "device/cuda/solvers.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 0, LEAST = 2700, GPUS = 16, INVALID_USAGE = 5 }; /* ncclInt8; 2.7 */

typedef struct key { /* ncclUniqueId */
  char bytes[HK_WIRE_KEY];
} key;

/* X(name, result, parameters) */
#define NCCL_FUNCTIONS(X)                                                                          \
  X(ncclGetVersion, int, (int *))                                                                  \
  X(ncclGetUniqueId, int, (key *))                                                                 \
  X(ncclCommInitRank, int, (void **, int, key, int))                                               \
  X(ncclCommAbort, int, (void *))                                                                  \
  X(ncclGetErrorString, const char *, (int))                                                       \
  X(ncclGroupStart, int, (void))                                                                   \
  X(ncclGroupEnd, int, (void))                                                                     \
  X(ncclSend, int, (const void *, size_t, int, int, void *, cu_stream))                            \
  X(ncclRecv, int, (void *, size_t, int, int, void *, cu_stream))

static struct {
#define MEMBER(name, result, parameters) result(*name) parameters;
  NCCL_FUNCTIONS(MEMBER)
#undef MEMBER
} nccl;
static char nvrtc[256]; /* path, beside which it is looked for */
static const char *missing;
static int version;
static struct { /* all ranks have made the same, in the same order */
  cu_device device;
  void *comm;
} kept[GPUS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  static const char *const names[] = {"libnccl.so.2", NULL};
  void *library = hk_cuda_find_library(nvrtc, names);
  bool found = library != NULL;
  missing = "libnccl.so.2 was not found: install NCCL, or name its folder by LD_LIBRARY_PATH";
  if (!library) return;
#define FIND(name, result, parameters)                                                             \
  *(void **)&nccl.name = dlsym(library, #name);                                                    \
  found = found && nccl.name;
  NCCL_FUNCTIONS(FIND)
#undef FIND
  missing = "libnccl.so.2 is too old: 2.7 or newer is needed";
  if (!found || nccl.ncclGetVersion(&version) || version < LEAST) return;
  missing = NULL;
}

static bool there(const hk_device *device, const char **why)
{
  const char *path = hk_cuda_of(device)->code.nvrtc.path;
  if (path && !nvrtc[0]) snprintf(nvrtc, sizeof nvrtc, "%s", path);
  pthread_once(&once, load);
  *why = missing;
  return !missing;
}

static hk_status failed(const hk_device *device, const char *doing, int code)
{
  return hk_error_set(HK_NO_RESOURCES, "device %s (%s): NCCL failed %s: %s", device->info.backend,
                      device->info.name, doing, nccl.ncclGetErrorString(code));
}
#define CALL(device, doing, call)                                                                  \
  do {                                                                                             \
    const int code_ = (call);                                                                      \
    if (code_) return failed(device, doing, code_);                                                \
  } while (0)

/* The place of the link of this GPU, else an empty one; NULL: there is none left. */
static void **kept_of(const hk_device *device)
{
  const cu_device own = hk_cuda_of(device)->device;
  for (int k = 0; k < GPUS; k++)
    if (kept[k].comm && kept[k].device == own) return &kept[k].comm;
  for (int k = 0; k < GPUS; k++) {
    if (kept[k].comm) continue;
    kept[k].device = own;
    return &kept[k].comm;
  }
  return NULL;
}

static hk_status make_key(hk_device *device, char out[HK_WIRE_KEY])
{
  key own;
  void **known = kept_of(device);
  if (known && *known) return HK_OK; /* nobody uses it */
  hk_cuda_enter(device);
  CALL(device, "making a key", nccl.ncclGetUniqueId(&own));
  memcpy(out, own.bytes, sizeof own.bytes);
  return HK_OK;
}

/* "NCCL 2.28.3" of 22803; up to 2.8 one digit less */
static void tell_version(char *name, size_t size)
{
  const int major = version >= 10000 ? version / 10000 : version / 1000;
  const int minor = version >= 10000 ? version / 100 % 100 : version / 100 % 10;
  snprintf(name, size, "NCCL %d.%d.%d", major, minor, version % 100);
}

static hk_status create(hk_wire *w, const char of[HK_WIRE_KEY], int rank, int ranks)
{
  key own;
  void **known = kept_of(w->device);
  HK_NEED(known, HK_NO_RESOURCES, "NCCL: more than %d GPUs of a process", GPUS);
  tell_version(w->name, sizeof w->name);
  w->data = *known;
  if (w->data) return HK_OK;
  memcpy(own.bytes, of, sizeof own.bytes);
  hk_cuda_enter(w->device);
  const int code = nccl.ncclCommInitRank(&w->data, ranks, own, rank);
  HK_NEED(code != INVALID_USAGE, HK_NO_RESOURCES,
          "NCCL failed linking the ranks: %s: two ranks may not share a GPU",
          nccl.ncclGetErrorString(code));
  CALL(w->device, "linking the ranks", code);
  *known = w->data;
  return HK_OK;
}

static void destroy(hk_wire *w, bool torn)
{
  if (!w->data) return;
  hk_cuda_enter(w->device);
  if (torn) {
    nccl.ncclCommAbort(w->data);
    *kept_of(w->device) = NULL;
  } else {
    hk_device_finish(w->device);
  }
}

static void *place(const hk_wire_piece *p)
{
  return (void *)(uintptr_t)hk_cuda_place(p->buffer, p->offset);
}

static hk_status list(const hk_wire *w, const hk_wire_piece *send, int sends,
                      const hk_wire_piece *take, int takes)
{
  cu_stream stream = hk_cuda_current(w->device);
  for (int k = 0; k < sends; k++)
    if (send[k].bytes)
      CALL(w->device, "sending rows",
           nccl.ncclSend(place(&send[k]), (size_t)send[k].bytes, BYTES, send[k].rank, w->data,
                         stream));
  for (int k = 0; k < takes; k++)
    if (take[k].bytes)
      CALL(w->device, "receiving rows",
           nccl.ncclRecv(place(&take[k]), (size_t)take[k].bytes, BYTES, take[k].rank, w->data,
                         stream));
  return HK_OK;
}

/* The group is ended also where a piece of it fails. */
static hk_status exchange(hk_wire *w, const hk_wire_piece *send, int sends,
                          const hk_wire_piece *take, int takes)
{
  hk_cuda_enter(w->device);
  hk_cuda_of(w->device)->branch.begins = true; /* what follows is not after a launch of ours */
  CALL(w->device, "beginning an exchange", nccl.ncclGroupStart());
  const hk_status status = list(w, send, sends, take, takes);
  const int code = nccl.ncclGroupEnd();
  if (status != HK_OK) return status;
  CALL(w->device, "exchanging rows", code);
  return HK_OK;
}

const hk_wire_table hk_cuda_wire = {there, make_key, create, destroy, exchange};
