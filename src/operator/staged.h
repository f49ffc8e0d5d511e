/* A buffer while the host fills it: in place where the host can address it, else through a copy. */
#pragma once
#include "device/device.h"

typedef struct hk_staged {
  hk_buffer *buffer; /* borrowed */
  void *place;       /* zeroed; to be written */
  void *copy;        /* private */
} hk_staged;

/* Creates *buffer (the caller's) and its place; HK_NO_RESOURCES. */
hk_status hk_staged_open(hk_device *device, hk_count bytes, hk_buffer **buffer, hk_staged *staged);
/* The same of a buffer that the pool keeps. */
hk_status hk_staged_keep(hk_pool *pool, hk_device *device, hk_count bytes, hk_buffer **buffer,
                         hk_staged *staged);
hk_status hk_staged_send(const hk_staged *staged);
void hk_staged_close(hk_staged *staged);
