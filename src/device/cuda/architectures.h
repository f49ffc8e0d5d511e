/* What is known of NVIDIA's GPUs without one. */
#pragma once
#include "device/device.h"

enum { HK_CUDA_REFILLS = 90 }; /* the least architecture with hk_device_info.refills */

/* What hooke does on all of them: lanes, width, threads of a group, ... The rest is left. */
void hk_cuda_common(hk_device_info *info);
/* All that kernels depend on, of the GPUs of an architecture (90: sm_90). False for one that is not known. */
bool hk_cuda_architecture(int arch, hk_device_info *info);
/* Whether runs ask the two for the same kernels. */
bool hk_cuda_alike(const hk_device_info *a, const hk_device_info *b);
