/* Kernels that are compiled for GPUs before hooke is installed. */
#pragma once
#include "device/device.h"

/* Kernels that were asked for, each source once. */
typedef struct hk_wanted {
  char *function, *source;
} hk_wanted;

typedef struct hk_wanted_list {
  hk_device_info like; /* the GPU that they were asked of */
  HK_LIST(hk_wanted) all;
  hk_failure failure; /* the first of the list */
} hk_wanted_list;

/* Runs the models that `path` lists (models.txt), those whose line contains `only` (NULL: all), on OpenCL as on a GPU of this architecture (90: sm_90),
 * and collects what they ask for. *lines: how many there were. */
hk_status hk_wanted_collect(const char *path, const char *only, int arch, hk_wanted_list *list,
                            int *lines);
void hk_wanted_clear(hk_wanted_list *list);

/* Compiles them by NVRTC, found in `toolkit` (may be NULL) or elsewhere, for a target ("sm_90", "compute_90") into the folder of that name in `folder`,
 * as devices look for them there (device/cuda/code.c). *bytes: of the files. */
hk_status hk_wanted_compile(const hk_wanted_list *list, const char *toolkit, const char *target,
                            const char *folder, hk_count *bytes);
