/* Fetches on OpenCL: reads in the queue of launches that the host does not wait for. The queue is in order, so the event of the last read stands
 * for all of them; only that event is kept, and waiting for it waits for all. Each read is followed by a flush, because a driver may otherwise not
 * begin it. */
#include "device/opencl/parts.h"

hk_status hk_opencl_fetch_create(hk_fetch *f)
{
  return hk_memory_get(&f->memory, f->bytes, 1);
}

static hk_status wait_and_forget(hk_fetch *f)
{
  const hk_opencl *o = hk_opencl_of(f->device);
  cl_event event = f->data;
  if (!event) return HK_OK;
  f->data = NULL;
  const cl_int code = o->cl->clWaitForEvents(1, &event);
  o->cl->clReleaseEvent(event);
  return code ? hk_opencl_failed(f->device, "waiting for a copy", code) : HK_OK;
}

void hk_opencl_fetch_destroy(hk_fetch *f)
{
  wait_and_forget(f); /* the copy may be under way */
  hk_memory_free(&f->memory);
}

/* The queue is in order: the last event stands for all. */
hk_status hk_opencl_fetch_begin(hk_fetch *f, hk_count at, const hk_buffer *buffer, hk_count offset,
                                hk_count bytes)
{
  const hk_opencl *o = hk_opencl_of(f->device);
  cl_event event = NULL;
  HK_OPENCL_CALL(f->device, "reading",
                 o->cl->clEnqueueReadBuffer(o->queue, buffer->memory, CL_FALSE, (size_t)offset,
                                            (size_t)bytes, (char *)f->memory + at, 0, NULL,
                                            &event));
  if (f->data) o->cl->clReleaseEvent(f->data);
  f->data = event;
  HK_OPENCL_CALL(f->device, "reading", o->cl->clFlush(o->queue));
  return HK_OK;
}

/* An event that failed is ready: who waits for it is told. */
hk_status hk_opencl_fetch_ready(const hk_fetch *f, bool *ready)
{
  const hk_opencl *o = hk_opencl_of(f->device);
  cl_int state = CL_COMPLETE;
  if (f->data)
    HK_OPENCL_CALL(f->device, "asking for a copy",
                   o->cl->clGetEventInfo(f->data, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                         &state, NULL));
  *ready = state <= CL_COMPLETE;
  return HK_OK;
}

hk_status hk_opencl_fetch_wait(hk_fetch *f)
{
  return wait_and_forget(f);
}
