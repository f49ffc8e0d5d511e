/* Bytes of buffers that a device holds, for plans that a trial tells. */
#pragma once
#include "device/device.h"

hk_count hk_device_held(const hk_device *device);
/* hk_device_peak is what is held now, and counts anew from there. */
void hk_device_renew_peak(hk_device *device);
/* Bytes of the host that code of the device's compiler takes since the device was opened: not of a run whose kernels are in the cache. */
hk_count hk_device_compiler(const hk_device *device);
