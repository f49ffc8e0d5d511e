/* What the files of this folder share: an open device (cuda.c), its kernels' code (code.c), its graphs (graph.c) and fetches (fetch.c). */
#pragma once
#include "device/cuda/driver.h"
#include "device/cuda/nvrtc.h"
#include "device/table.h"

typedef struct hk_cuda_branch { /* launches that run beside those of the stream (branch.c) */
  cu_stream stream, side;
  cu_event forked, joined, parted;
  bool taken;  /* launches go there */
  bool aside;  /* and to the side */
  bool marked; /* joined is recorded since the fork */
  /* the next launch follows an event and no launch alone, so that it must not begin early */
  bool begins;
} hk_cuda_branch;

/* What code.c takes kernels from. */
typedef struct hk_cuda_code {
  hk_nvrtc nvrtc;
  hk_failure missing; /* why there is no NVRTC; HK_OK: there is */
  char *cache;        /* folder; may be NULL */
  char what[160];     /* all that code of NVRTC depends on beside its source */
  char own[16];       /* "sm_90": the GPU's own architecture */
  char *installed;    /* folder of kernels that were installed */
  char machine[16];   /* there: of machine code that the GPU runs; "": none */
  char ptx[16];       /* and of PTX that its driver compiles */
  hk_count opened;    /* bytes of NVRTC in the machine's memory once it was opened */
} hk_cuda_code;

typedef struct hk_cuda {
  const hk_cuda_api *cu;
  hk_cuda_code code;
  cu_device device;
  cu_context context;
  cu_stream stream, side; /* of everything; of copies to the host beside it */
  hk_cuda_branch branch;
  void *staging;   /* of the host, page-locked: what small writes take */
  hk_count staged; /* bytes of it in use since the last wait */
  int local_share; /* hk_device_desc.local_share */
  int arch;        /* 90: sm_90 */
  /* launches of a graph may begin while the one before ends; alone they cost the host more than they gain */
  bool early;
  bool recording;
} hk_cuda;

static inline hk_cuda *hk_cuda_of(const hk_device *device)
{
  return device->data;
}

static inline cu_pointer hk_cuda_place(const hk_buffer *buffer, hk_count offset)
{
  return (cu_pointer)(uintptr_t)buffer->memory + (cu_pointer)offset;
}

/* The stream that launches go to now. */
static inline cu_stream hk_cuda_current(const hk_device *device)
{
  const hk_cuda *c = hk_cuda_of(device);
  const hk_cuda_branch *b = &c->branch;
  return b->aside ? b->side : b->taken ? b->stream : c->stream;
}

/* Threads of the host share the device: each call names its context. */
const hk_cuda *hk_cuda_enter(const hk_device *device);
/* HK_NO_RESOURCES with the driver's words. */
hk_status hk_cuda_failed(const hk_device *device, const char *doing, int code);

#define HK_CUDA_CALL(device, doing, call)                                                          \
  do {                                                                                             \
    const int code_ = (call);                                                                      \
    if (code_) return hk_cuda_failed(device, doing, code_);                                        \
  } while (0)

/* For the architecture and the driver's version; fills device->info.software. */
hk_status hk_cuda_code_open(hk_device *device, const hk_device_desc *desc, int driver);
void hk_cuda_code_close(hk_device *device);
/* hk_compiler_table.make, resident */
hk_status hk_cuda_make(hk_program *program);
hk_count hk_cuda_code_resident(const hk_device *device);

hk_status hk_cuda_branch_create(hk_device *device);
void hk_cuda_branch_destroy(hk_device *device);

/* The table's slots. */
hk_status hk_cuda_fork(hk_device *device);
hk_status hk_cuda_mark(hk_device *device);
hk_status hk_cuda_back(hk_device *device);
hk_status hk_cuda_join(hk_device *device);
hk_status hk_cuda_record(hk_device *device);
hk_status hk_cuda_recorded(hk_device *device, void **graph);
hk_status hk_cuda_graph_launch(hk_device *device, void *graph);
void hk_cuda_graph_destroy(hk_device *device, void *graph);
hk_status hk_cuda_fetch_create(hk_fetch *fetch);
void hk_cuda_fetch_destroy(hk_fetch *fetch);
hk_status hk_cuda_fetch_begin(hk_fetch *fetch, hk_count at, const hk_buffer *buffer,
                              hk_count offset, hk_count bytes);
hk_status hk_cuda_fetch_ready(const hk_fetch *fetch, bool *ready);
hk_status hk_cuda_fetch_wait(hk_fetch *fetch);
extern const hk_library_table hk_cuda_library;
extern const hk_product_table hk_cuda_product;
extern const hk_wire_table hk_cuda_wire;
