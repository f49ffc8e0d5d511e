/* Properties of NVIDIA's GPUs by architecture, so that kernels are compiled for GPUs that the machine does not have (kernels/). The driver tells the same
 * of a GPU that is there (tests/device/test_devices.c compares them).
 * Source: CUDA C++ Programming Guide 13.0, Technical Specifications per Compute Capability. */
#include "device/cuda/architectures.h"

enum { GROUP_THREADS = 128, WIDTH = 32, TEAM = 32, WARP = 32, MOST_THREADS = 1024 };
enum { REGISTERS = 64 << 10, RESERVED = 1 << 10 };

/* Local memory of a multiprocessor in kB, and its threads. A group may have all of that memory but 1 kB. */
static const struct {
  int arch, local, threads;
} known[] = {{80, 164, 2048}, {86, 100, 1536},  {87, 164, 1536},  {89, 100, 1536},
             {90, 228, 2048}, {100, 228, 2048}, {103, 228, 2048}, {120, 100, 1536}};

void hk_cuda_common(hk_device_info *info)
{
  info->compiles = info->obeys_hints = info->own_memory = info->overlaps = true;
  info->ordered = true;
  info->lanes = info->vector = 1, info->width = WIDTH;
  info->group_threads = GROUP_THREADS, info->team = TEAM;
}

bool hk_cuda_architecture(int arch, hk_device_info *info)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].arch == arch) {
      const hk_count local = (hk_count)known[i].local << 10;
      *info = (hk_device_info){.local_memory = local - RESERVED,
                               .multiprocessor = {REGISTERS, local, RESERVED, known[i].threads, 0},
                               .refills = arch >= HK_CUDA_REFILLS,
                               .lockstep = WARP,
                               .most_threads = MOST_THREADS};
      hk_cuda_common(info);
      return true;
    }
  return false;
}

bool hk_cuda_alike(const hk_device_info *a, const hk_device_info *b)
{
  const hk_multiprocessor *m = &a->multiprocessor, *n = &b->multiprocessor;
  return a->local_memory == b->local_memory && m->registers == n->registers &&
         m->local_memory == n->local_memory && m->reserved == n->reserved &&
         m->threads == n->threads && a->lockstep == b->lockstep &&
         a->most_threads == b->most_threads && a->lanes == b->lanes && a->width == b->width &&
         a->vector == b->vector && a->refills == b->refills &&
         a->group_threads == b->group_threads && a->team == b->team;
}
