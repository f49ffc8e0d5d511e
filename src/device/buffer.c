#include "device/table.h"

enum { PART = 1 << 16 }; /* each costs a GPU some ten microseconds */

hk_status hk_buffer_create(hk_device *device, hk_count bytes, hk_buffer **out)
{
  hk_status status = HK_OK;
  hk_buffer *b = NULL;
  HK_TRY(hk_device_permit(device, "allocating"));
  HK_TRY(hk_new(&b));
  b->device = device, b->bytes = bytes;
  HK_TRY(device->table->buffer_create(b));
  *out = b, b = NULL;
cleanup:
  hk_free(&b);
  return status;
}

void hk_buffer_destroy(hk_buffer **buffer)
{
  if (!*buffer) return;
  (*buffer)->device->table->buffer_destroy(*buffer);
  hk_free(buffer);
}

hk_count hk_buffer_bytes(const hk_buffer *buffer)
{
  return buffer->bytes;
}

static hk_status check_range(const hk_buffer *b, hk_count offset, hk_count bytes)
{
  if (offset >= 0 && bytes >= 0 && offset + bytes <= b->bytes)
    return hk_device_permit(b->device, "copying");
  return hk_error_set(HK_INTERNAL, "bytes %lld to %lld of a buffer of %lld", (long long)offset,
                      (long long)(offset + bytes), (long long)b->bytes);
}

hk_status hk_buffer_write(hk_buffer *b, hk_count offset, hk_count bytes, const void *from)
{
  const hk_status status = check_range(b, offset, bytes);
  return status == HK_OK ? b->device->table->buffer_write(b, offset, bytes, from) : status;
}

hk_status hk_buffer_read(const hk_buffer *b, hk_count offset, hk_count bytes, void *to)
{
  const hk_status status = check_range(b, offset, bytes);
  return status == HK_OK ? b->device->table->buffer_read(b, offset, bytes, to) : status;
}

hk_status hk_buffer_copy(hk_buffer *to, const hk_buffer *from)
{
  if (to->bytes != from->bytes)
    return hk_error_set(HK_INTERNAL, "copy between buffers of different size");
  const hk_status status = hk_device_permit(to->device, "copying");
  return status == HK_OK ? to->device->table->buffer_copy(to, from) : status;
}

void *hk_buffer_host(hk_buffer *buffer)
{
  return buffer->device->table == &hk_device_host ? buffer->memory : NULL;
}

hk_status hk_buffer_write_reals(hk_buffer *b, bool double_precision, hk_count first, hk_count count,
                                const double *from)
{
  hk_status status = HK_OK;
  float part[PART];
  if (double_precision) return hk_buffer_write(b, first * 8, count * 8, from);
  for (hk_count i = 0; i < count; i += PART) {
    const hk_count n = count - i < PART ? count - i : PART;
    for (hk_count k = 0; k < n; k++) part[k] = (float)from[i + k];
    HK_TRY(hk_buffer_write(b, (first + i) * 4, n * 4, part));
  }
cleanup:
  return status;
}

hk_status hk_buffer_read_reals(const hk_buffer *b, bool double_precision, hk_count first,
                               hk_count count, double *to)
{
  hk_status status = HK_OK;
  float part[PART];
  if (double_precision) return hk_buffer_read(b, first * 8, count * 8, to);
  for (hk_count i = 0; i < count; i += PART) {
    const hk_count n = count - i < PART ? count - i : PART;
    HK_TRY(hk_buffer_read(b, (first + i) * 4, n * 4, part));
    for (hk_count k = 0; k < n; k++) to[i + k] = (double)part[k];
  }
cleanup:
  return status;
}
