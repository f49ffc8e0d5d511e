/* Host variants of kernels/relax.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define relax_sum JOIN(relax_sum, PRECISION)
#define relax_step JOIN(relax_step, PRECISION)
#define relax_take JOIN(relax_take, PRECISION)
#define relax_fold JOIN(relax_fold, PRECISION)
#include "relax.k.h"

static void JOIN(step_run, PRECISION)(int group, void **v)
{
  relax_step(group, *(double **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
             *(real **)v[4], *(real **)v[5], *(double **)v[6], *(int *)v[7], *(int *)v[8]);
}

static void JOIN(take_run, PRECISION)(int group, void **v)
{
  relax_take(group, *(double **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
             *(double **)v[4], *(int *)v[5], *(int *)v[6]);
}

static void JOIN(fold_run, PRECISION)(int group, void **v)
{
  relax_fold(group, *(double **)v[0], *(double **)v[1], *(double **)v[2], *(int *)v[3]);
}
#undef relax_sum
#undef relax_step
#undef relax_take
#undef relax_fold
#undef C1
#undef C2
#undef RR
#undef DD
#undef RHO
#undef SIGMA
#undef HALF
#undef LIMIT
#undef DONE
#undef STEP
#undef MOST

#elif defined(LINE)
#define KEY " " TEXT_OF(PRECISION) " CHUNK=" TEXT_OF(CHUNK)
{"relax_step" KEY, JOIN(step_run, PRECISION)}, {"relax_take" KEY, JOIN(take_run, PRECISION)},
    {"relax_fold" KEY, JOIN(fold_run, PRECISION)},
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 4096
#define SELF "device/host/kernels/relax.c"

#define VARIANT
#include "device/host/for_reals.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_relax, HOST_ISA)[] = {
#include "device/host/for_reals.h"
    {0}};
#endif
