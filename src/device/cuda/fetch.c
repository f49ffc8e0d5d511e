/* Fetches of results into page-locked memory while later launches run. A small one is a copy to the host in the stream of launches. A large one is
 * copied aside on the device in that stream, which is fast, and from there to the host in a second stream, so that the slow copy over the bus does
 * not hold up the launches. Events tell when each copy is done. */
#include "device/cuda/parts.h"

enum { SMALL = 64 << 10 };

typedef struct fetch {
  hk_buffer *aside; /* NULL: small */
  cu_event taken, done;
} fetch;

static hk_status make(hk_fetch *f, fetch *own)
{
  hk_device *device = f->device;
  const hk_cuda *c = hk_cuda_enter(device);
  const size_t size = f->bytes > 0 ? (size_t)f->bytes : 16;
  HK_CUDA_CALL(device, "allocating for a copy", c->cu->host_get(&f->memory, size, 0));
  HK_CUDA_CALL(device, "creating an event", c->cu->event_create(&own->done, CU_EVENT_UNTIMED));
  if (f->bytes <= SMALL) return HK_OK;
  HK_CUDA_CALL(device, "creating an event", c->cu->event_create(&own->taken, CU_EVENT_UNTIMED));
  return hk_buffer_create(device, f->bytes, &own->aside);
}

hk_status hk_cuda_fetch_create(hk_fetch *f)
{
  fetch *own = NULL;
  const hk_status status = hk_new(&own);
  if (status != HK_OK) return status;
  f->data = own;
  return make(f, own);
}

void hk_cuda_fetch_destroy(hk_fetch *f)
{
  const hk_cuda *c = hk_cuda_enter(f->device);
  fetch *own = f->data;
  if (!own) return;
  if (own->done) {
    c->cu->event_wait(own->done); /* the copy may be under way */
    c->cu->event_destroy(own->done);
  }
  if (own->taken) c->cu->event_destroy(own->taken);
  hk_buffer_destroy(&own->aside);
  if (f->memory) c->cu->host_free(f->memory);
  hk_memory_free(&f->data);
}

hk_status hk_cuda_fetch_begin(hk_fetch *f, hk_count at, const hk_buffer *buffer, hk_count offset,
                              hk_count bytes)
{
  hk_device *device = f->device;
  const hk_cuda *c = hk_cuda_enter(device);
  const fetch *own = f->data;
  const cu_pointer from = hk_cuda_place(buffer, offset);
  char *to = (char *)f->memory + at;
  if (!own->aside) {
    HK_CUDA_CALL(device, "reading", c->cu->to_host(to, from, (size_t)bytes, c->stream));
    HK_CUDA_CALL(device, "reading", c->cu->event_record(own->done, c->stream));
    return HK_OK;
  }
  const cu_pointer aside = hk_cuda_place(own->aside, at);
  HK_CUDA_CALL(device, "copying", c->cu->copy(aside, from, (size_t)bytes, c->stream));
  HK_CUDA_CALL(device, "copying", c->cu->event_record(own->taken, c->stream));
  HK_CUDA_CALL(device, "copying", c->cu->stream_after(c->side, own->taken, 0));
  HK_CUDA_CALL(device, "reading", c->cu->to_host(to, aside, (size_t)bytes, c->side));
  HK_CUDA_CALL(device, "reading", c->cu->event_record(own->done, c->side));
  return HK_OK;
}

hk_status hk_cuda_fetch_ready(const hk_fetch *f, bool *ready)
{
  const hk_cuda *c = hk_cuda_enter(f->device);
  const fetch *own = f->data;
  const int code = c->cu->event_query(own->done);
  *ready = code != CU_NOT_READY;
  return code && *ready ? hk_cuda_failed(f->device, "asking for a copy", code) : HK_OK;
}

hk_status hk_cuda_fetch_wait(hk_fetch *f)
{
  const hk_cuda *c = hk_cuda_enter(f->device);
  const fetch *own = f->data;
  HK_CUDA_CALL(f->device, "waiting for a copy", c->cu->event_wait(own->done));
  return HK_OK;
}
