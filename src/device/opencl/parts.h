/* What the files of this folder share: an open device (opencl.c) and its fetches (fetch.c). */
#pragma once
#include "device/opencl/cl.h"
#include "device/table.h"

typedef struct hk_opencl {
  const hk_opencl_api *cl;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  hk_count held, most_in_buffer;
  int queued;
} hk_opencl;

static inline hk_opencl *hk_opencl_of(const hk_device *device)
{
  return device->data;
}

/* HK_NO_RESOURCES with the code's words. */
hk_status hk_opencl_failed(const hk_device *device, const char *doing, cl_int code);

#define HK_OPENCL_CALL(device, doing, call)                                                        \
  do {                                                                                             \
    const cl_int code_ = (call);                                                                   \
    if (code_) return hk_opencl_failed(device, doing, code_);                                      \
  } while (0)

/* The table's slots. */
hk_status hk_opencl_fetch_create(hk_fetch *fetch);
void hk_opencl_fetch_destroy(hk_fetch *fetch);
hk_status hk_opencl_fetch_begin(hk_fetch *fetch, hk_count at, const hk_buffer *buffer,
                                hk_count offset, hk_count bytes);
hk_status hk_opencl_fetch_ready(const hk_fetch *fetch, bool *ready);
hk_status hk_opencl_fetch_wait(hk_fetch *fetch);
