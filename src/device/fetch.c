/* Fetches: results of the device copied to the host while later launches run. A fetch owns host memory; a caller begins copies into it and waits
 * for them later. A device without fetches of its own (the host) copies at once: begin is then a read, and wait does nothing. The bytes of each
 * copy are checked against the fetch and the buffer. */
#include "device/table.h"

hk_status hk_fetch_create(hk_device *device, hk_count bytes, hk_fetch **out)
{
  hk_status status = HK_OK;
  hk_fetch *f = NULL;
  HK_TRY(hk_device_permit(device, "allocating"));
  HK_TRY(hk_new(&f));
  f->device = device, f->bytes = bytes;
  if (device->table->fetch_create)
    HK_TRY(device->table->fetch_create(f));
  else
    HK_TRY(hk_memory_get(&f->memory, bytes, 1));
  *out = f, f = NULL;
cleanup:
  hk_fetch_destroy(&f);
  return status;
}

hk_count hk_fetch_plan(const hk_device *device, hk_count bytes)
{
  return device->table->fetches_aside ? bytes : 0;
}

void hk_fetch_destroy(hk_fetch **fetch)
{
  hk_fetch *f = *fetch;
  if (!f) return;
  if (f->device->table->fetch_destroy)
    f->device->table->fetch_destroy(f);
  else
    hk_memory_free(&f->memory);
  hk_free(fetch);
}

hk_status hk_fetch_begin(hk_fetch *f, hk_count at, const hk_buffer *buffer, hk_count offset,
                         hk_count bytes)
{
  if (at < 0 || offset < 0 || bytes < 0 || at + bytes > f->bytes || offset + bytes > buffer->bytes)
    return hk_error_set(
        HK_INTERNAL,
        "a fetch of %lld bytes to %lld of %lld, from %lld of a buffer of %lld, is out of bounds",
        (long long)bytes, (long long)at, (long long)f->bytes, (long long)offset,
        (long long)buffer->bytes);
  const hk_status status = hk_device_permit(f->device, "copying");
  if (status != HK_OK || !bytes) return status;
  const hk_device_table *table = f->device->table;
  return table->fetch_begin ? table->fetch_begin(f, at, buffer, offset, bytes)
                            : table->buffer_read(buffer, offset, bytes, (char *)f->memory + at);
}

hk_status hk_fetch_ready(hk_fetch *f, bool *ready)
{
  *ready = true;
  const hk_status status = hk_device_permit(f->device, "asking for a copy");
  return status == HK_OK && f->device->table->fetch_ready ? f->device->table->fetch_ready(f, ready)
                                                          : status;
}

hk_status hk_fetch_wait(hk_fetch *f, const void **data)
{
  const hk_status status = hk_device_permit(f->device, "waiting");
  *data = f->memory;
  return status == HK_OK && f->device->table->fetch_wait ? f->device->table->fetch_wait(f) : status;
}
