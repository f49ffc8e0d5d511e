/* The kernels of krylov.k.h, made by their names. Every kernel of conjugate gradients (A.8) and of relaxations shares the same
 * defines: CHUNK numbers per group, LIST entries of a short list per group, and local memory for two double sums per thread and
 * lane. */
#include "solver/linear/krylov.h"

hk_status hk_krylov_kernel(hk_device *device, const char *function, bool double_precision,
                           hk_kernel **out)
{
  const hk_device_info *info = hk_device_describe(device);
  const hk_count sums = (hk_count)info->group_threads * info->lanes;
  return hk_kernel_create(
      device,
      &(hk_kernel_desc){.text = "krylov",
                        .function = function,
                        .double_precision = double_precision,
                        .define = {{"CHUNK", HK_KRYLOV_CHUNK}, {"LIST", HK_KRYLOV_LIST}},
                        .local = 2 * hk_local_bytes(sums, 8)},
      out);
}
