/* Exclusive sums on a device (operator/assembly/scan.k.h), by which lists are laid out: counts have 32 bits, sums 64. */
#pragma once
#include "device/device.h"

typedef struct hk_scan hk_scan;

/* For up to `items` counts. HK_NO_RESOURCES. */
hk_status hk_scan_create(hk_device *device, hk_count items, hk_scan **out);
void hk_scan_destroy(hk_scan **scan);
hk_count hk_scan_bytes(const hk_scan *scan);                    /* on the device */
hk_count hk_scan_plan(const hk_device *device, hk_count items); /* what that will be */

/* begin[items + 1] (64 bits): begin[i] = sum of count[k], k < i. *total = begin[items], *largest = the largest count; both may be NULL,
 * and are waited for otherwise. */
hk_status hk_scan_run(hk_scan *scan, const hk_buffer *count, hk_buffer *begin, hk_count items,
                      hk_count *total, hk_index *largest);
