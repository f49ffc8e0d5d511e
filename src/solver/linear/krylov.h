/* Kernels of solver/linear/krylov.k.h, and its names. */
#ifndef HK_SOLVER_LINEAR_KRYLOV_H
#define HK_SOLVER_LINEAR_KRYLOV_H
#include "device/device.h"

enum { HK_KRYLOV_CHUNK = 4096, HK_KRYLOV_LIST = 256 };

/* hk_cg.scalar */
enum {
  HK_SCALAR_RHO,
  HK_SCALAR_ALPHA,
  HK_SCALAR_BETA,
  HK_SCALAR_RR,
  HK_SCALAR_LIMIT,
  HK_SCALAR_DONE,
  HK_SCALAR_STEP,
  HK_SCALAR_MOST,
  HK_SCALARS
};
/* HK_SCALAR_DONE */
enum { HK_CG_CONVERGED = 1, HK_CG_INDEFINITE, HK_CG_EXHAUSTED };

hk_status hk_krylov_kernel(hk_device *device, const char *function, bool double_precision,
                           hk_kernel **out);
/* Groups that treat n numbers. */
static inline hk_count hk_krylov_groups(hk_count n)
{
  return (n + HK_KRYLOV_CHUNK - 1) / HK_KRYLOV_CHUNK;
}
#endif
