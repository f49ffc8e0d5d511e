/* Buffers: create, write, read, copy with checked ranges, reals converted from and to double a part at a time.
 * Where a meter runs (hk_device_meter_start), allocations and copies wait for the device and are timed and counted, and the clock
 * hk_device_seconds stands still meanwhile. */
#include "device/held.h"
#include "device/compile.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 1 << 16 }; /* each costs a GPU some ten microseconds */

void hk_device_meter_start(hk_device *device)
{
  device->meter = (hk_device_meter){.runs = true};
}

void hk_device_meter_stop(hk_device *device)
{
  device->meter.runs = false;
}

const hk_device_meter *hk_device_metered(const hk_device *device)
{
  return &device->meter;
}

double hk_device_seconds(const hk_device *device)
{
  return hk_seconds() - device->meter.allocation - device->meter.transfer -
         hk_compile_waited(device);
}

static hk_status begin_metered(hk_device *device, double *start)
{
  if (!device->meter.runs) return HK_OK;
  const hk_status status = device->table->finish(device);
  *start = hk_seconds();
  return status;
}

/* A failure while waiting is told by the next call. */
static void end_metered(hk_device *device, double start, double *seconds)
{
  if (!device->meter.runs) return;
  (void)device->table->finish(device);
  *seconds += hk_seconds() - start;
}

static void count_held(hk_device *device, hk_count bytes)
{
  hk_device_meter *m = &device->meter;
  const hk_count now = atomic_fetch_add(&device->held, bytes) + bytes;
  hk_count top = device->peak;
  while (now > top && !atomic_compare_exchange_weak(&device->peak, &top, now)) {
  }
  if (!m->runs) return;
  m->held += bytes;
  if (bytes > 0) m->allocated += bytes;
  if (m->held > m->peak) m->peak = m->held;
}

hk_count hk_device_peak(const hk_device *device)
{
  return device->peak;
}

hk_count hk_device_held(const hk_device *device)
{
  return device->held;
}

void hk_device_renew_peak(hk_device *device)
{
  device->peak = device->held;
}

hk_count hk_device_compiler(const hk_device *device)
{
  const hk_compiler_table *compiler = device->table->compiler;
  return compiler && compiler->resident ? compiler->resident(device) : 0;
}

hk_status hk_buffer_create(hk_device *device, hk_count bytes, hk_buffer **out)
{
  hk_status status = HK_OK;
  hk_buffer *b = NULL;
  hk_device_meter *m = &device->meter;
  double start = 0;
  HK_TRY(hk_device_permit(device, "allocating"));
  HK_TRY(hk_new(&b));
  b->device = device, b->bytes = bytes;
  HK_TRY(begin_metered(device, &start));
  HK_TRY(device->table->buffer_create(b));
  end_metered(device, start, &m->allocation);
  count_held(device, bytes);
  *out = b, b = NULL;
cleanup:
  hk_free(&b);
  return status;
}

void hk_buffer_destroy(hk_buffer **buffer)
{
  if (!*buffer) return;
  count_held((*buffer)->device, -(*buffer)->bytes);
  (*buffer)->device->table->buffer_destroy(*buffer);
  hk_free(buffer);
}

static void drop(void *buffer)
{
  hk_buffer *b = buffer;
  hk_buffer_destroy(&b);
}

hk_status hk_buffer_get(hk_pool *pool, hk_device *device, hk_count bytes, hk_buffer **out)
{
  const hk_status status = hk_buffer_create(device, bytes, out);
  return status == HK_OK ? hk_pool_keep(pool, drop, (void **)out) : status;
}

hk_status hk_buffer_send(hk_pool *pool, hk_device *device, hk_count bytes, const void *from,
                         hk_buffer **out)
{
  const hk_status status = hk_buffer_get(pool, device, bytes, out);
  return status == HK_OK ? hk_buffer_write(*out, 0, bytes, from) : status;
}

hk_status hk_buffer_send_reals(hk_pool *pool, hk_device *device, bool double_precision,
                               hk_count count, const double *from, hk_buffer **out)
{
  const hk_status status = hk_buffer_get(pool, device, count * (double_precision ? 8 : 4), out);
  return status == HK_OK ? hk_buffer_write_reals(*out, double_precision, 0, count, from) : status;
}

hk_count hk_buffer_bytes(const hk_buffer *buffer)
{
  return buffer->bytes;
}

static hk_status check_range(const hk_buffer *b, hk_count offset, hk_count bytes)
{
  if (offset >= 0 && bytes >= 0 && offset + bytes <= b->bytes)
    return hk_device_permit(b->device, "copying");
  return hk_error_set(HK_INTERNAL, "bytes %lld to %lld lie outside a buffer of %lld bytes",
                      (long long)offset, (long long)(offset + bytes), (long long)b->bytes);
}

hk_status hk_buffer_write(hk_buffer *b, hk_count offset, hk_count bytes, const void *from)
{
  hk_device_meter *m = &b->device->meter;
  double start = 0;
  HK_PASS(check_range(b, offset, bytes));
  HK_PASS(begin_metered(b->device, &start));
  HK_PASS(b->device->table->buffer_write(b, offset, bytes, from));
  end_metered(b->device, start, &m->transfer);
  if (m->runs) m->sent += bytes;
  return HK_OK;
}

hk_status hk_buffer_read(const hk_buffer *b, hk_count offset, hk_count bytes, void *to)
{
  hk_device_meter *m = &b->device->meter;
  double start = 0;
  HK_PASS(check_range(b, offset, bytes));
  HK_PASS(begin_metered(b->device, &start));
  HK_PASS(b->device->table->buffer_read(b, offset, bytes, to));
  end_metered(b->device, start, &m->transfer);
  if (m->runs) m->read += bytes;
  return HK_OK;
}

hk_status hk_buffer_copy(hk_buffer *to, const hk_buffer *from)
{
  if (to->bytes != from->bytes)
    return hk_error_set(HK_INTERNAL, "a copy needs buffers of the same size");
  const hk_status status = hk_device_permit(to->device, "copying");
  return status == HK_OK ? to->device->table->buffer_copy(to, from) : status;
}

void *hk_buffer_host(hk_buffer *buffer)
{
  return buffer->device->info.own_memory ? NULL : buffer->memory;
}

hk_address hk_buffer_address(const hk_buffer *buffer)
{
  const hk_device *device = buffer->device;
  const char *number = strchr(device->info.backend, ':');
  return (hk_address){.kind = device->table->dlpack,
                      .number = number ? atoi(number + 1) : 0,
                      .memory = buffer->memory};
}

hk_status hk_buffer_write_reals(hk_buffer *b, bool double_precision, hk_count first, hk_count count,
                                const double *from)
{
  float part[PART];
  if (double_precision) return hk_buffer_write(b, first * 8, count * 8, from);
  for (hk_count i = 0; i < count; i += PART) {
    const hk_count n = count - i < PART ? count - i : PART;
    for (hk_count k = 0; k < n; k++) part[k] = (float)from[i + k];
    HK_PASS(hk_buffer_write(b, (first + i) * 4, n * 4, part));
  }
  return HK_OK;
}

hk_status hk_buffer_read_reals(const hk_buffer *b, bool double_precision, hk_count first,
                               hk_count count, double *to)
{
  float part[PART];
  if (double_precision) return hk_buffer_read(b, first * 8, count * 8, to);
  for (hk_count i = 0; i < count; i += PART) {
    const hk_count n = count - i < PART ? count - i : PART;
    HK_PASS(hk_buffer_read(b, (first + i) * 4, n * 4, part));
    for (hk_count k = 0; k < n; k++) to[i + k] = (double)part[k];
  }
  return HK_OK;
}
