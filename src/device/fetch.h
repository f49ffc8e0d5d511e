/* Fetches: what buffers hold now, for the host to read later, while launches go on.
 *
 *   HK_TRY(hk_fetch_create(device, bytes, &fetch));
 *   HK_TRY(hk_fetch_begin(fetch, 0, buffer, offset, bytes));
 *   ... launches that change the buffer ...
 *   HK_TRY(hk_fetch_wait(fetch, &data)); */
#pragma once
#include "device/device.h"

typedef struct hk_fetch hk_fetch;

hk_status hk_fetch_create(hk_device *device, hk_count bytes, hk_fetch **out);
/* Bytes of buffers that a fetch of so many holds on the device. */
hk_count hk_fetch_plan(const hk_device *device, hk_count bytes);
void hk_fetch_destroy(hk_fetch **fetch);
/* data[at, at + bytes) = buffer[offset, offset + bytes) as launches so far leave it. Several may be begun, of ranges that do
 * not overlap; the next one after hk_fetch_wait has returned. */
hk_status hk_fetch_begin(hk_fetch *fetch, hk_count at, const hk_buffer *buffer, hk_count offset,
                         hk_count bytes);
/* *ready: whether hk_fetch_wait would not wait. */
hk_status hk_fetch_ready(hk_fetch *fetch, bool *ready);
/* Waits for what was begun, not for launches behind it; any thread. *data: data[bytes], until the next begin. */
hk_status hk_fetch_wait(hk_fetch *fetch, const void **data);
