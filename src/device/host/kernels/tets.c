/* Host variants of kernels/tets.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define finish JOIN(finish, PRECISION)
#define tets_fan JOIN(tets_fan, PRECISION)
#define tets_step JOIN(tets_step, PRECISION)
#include "epilogue.k.h"
#include "tets.k.h"

static void JOIN(tets_step_run, PRECISION)(int group, void **v)
{
  tets_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
            *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8], *(int **)v[9],
            *(int **)v[10], *(unsigned short **)v[11], *(real **)v[12], *(real **)v[13]);
}
#undef STATE_PARAMS
#undef SHOT_BEGIN
#undef STATE_BEGIN
#undef LOSS_OF
#undef LOSS_END
#undef STATE_ALIGNED
#undef LAST
#undef FACTOR
#undef STATE_AWAIT
#undef DAMPING
#undef STAGE_DAMPING
#undef FETCH_DAMPING
#undef STAGED_DAMPING
#undef STAGE_FACTORS
#undef STAGE_LAST
#undef FETCH_STATE
#undef STAGED_LAST
#undef STAGED_FACTOR
#undef LOSS_GROUPS
#undef finish
#undef tets_fan
#undef tets_step

#elif defined(LINE)
{"tets_step " TEXT_OF(PRECISION) " DAMPED=0 FORM=0 MAX_LOCAL=" TEXT_OF(MAX_LOCAL),
 JOIN(tets_step_run, PRECISION)},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include "device/host/records.h"
#define MAX_LOCAL 2048
#define FORM 0
#define DAMPED 0
#define SELF "device/host/kernels/tets.c"

#define VARIANT
#include "device/host/for_reals.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_tets, HOST_ISA)[] = {
#include "device/host/for_reals.h"
    {0}};
#endif
