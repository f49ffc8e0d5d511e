/* A device buffer that the host fills. It is written in place where the host can address the device's memory (the host itself, PoCL); otherwise it
 * is written into a copy, which hk_staged_send writes to the device and hk_staged_close frees. So lists are packed by the same code on every
 * device. */
#include "operator/staged.h"

static hk_status open_place(hk_buffer *buffer, hk_staged *staged)
{
  staged->buffer = buffer;
  staged->place = hk_buffer_host(buffer);
  if (staged->place) return HK_OK;
  HK_PASS(hk_memory_get(&staged->copy, hk_buffer_bytes(buffer), 1));
  staged->place = staged->copy;
  return HK_OK;
}

hk_status hk_staged_open(hk_device *device, hk_count bytes, hk_buffer **buffer, hk_staged *staged)
{
  const hk_status status = hk_buffer_create(device, bytes, buffer);
  return status == HK_OK ? open_place(*buffer, staged) : status;
}

hk_status hk_staged_keep(hk_pool *pool, hk_device *device, hk_count bytes, hk_buffer **buffer,
                         hk_staged *staged)
{
  const hk_status status = hk_buffer_get(pool, device, bytes, buffer);
  return status == HK_OK ? open_place(*buffer, staged) : status;
}

hk_status hk_staged_send(const hk_staged *s)
{
  return s->copy ? hk_buffer_write(s->buffer, 0, hk_buffer_bytes(s->buffer), s->copy) : HK_OK;
}

void hk_staged_close(hk_staged *staged)
{
  hk_memory_free(&staged->copy);
}
