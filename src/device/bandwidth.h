/* Speed of a device's memory, measured by kernels like those of a time step. */
#pragma once
#include "device/device.h"

typedef struct hk_bandwidth {
  double copy_gb_per_s; /* one array copied to another: bytes read and written */
  double step_gb_per_s; /* four arrays read, one of them written in place: five times its bytes */
} hk_bandwidth;

/* On arrays of `bytes` each, far larger than the caches; best of the passes that fit into 0.2 s each, at least 3. */
hk_status hk_bandwidth_measure(hk_device *device, hk_count bytes, hk_bandwidth *out);

/* A pass over memory that pushes out what the caches held. */
typedef struct hk_sweep {
  hk_buffer *array[4];
  hk_kernel *kernel;
  hk_count groups;
} hk_sweep;

/* Over `bytes` in all, written beforehand. *sweep is zero; destroy it also after a failure. HK_NO_RESOURCES. */
hk_status hk_sweep_create(hk_device *device, hk_count bytes, hk_sweep *sweep);
hk_status hk_sweep_run(hk_device *device, const hk_sweep *sweep); /* returns when it is done */
void hk_sweep_destroy(hk_sweep *sweep);
