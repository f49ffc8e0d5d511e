/* Host variants of kernels/wet.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(DIM, FORM), JOIN(DAMPED, PRECISION))
#define finish JOIN(finish, NAME)
#define wet_slot JOIN(wet_slot, NAME)
#define slots_sum JOIN(slots_sum, NAME)
#define wet_step JOIN(wet_step, NAME)
#define wet_step_run JOIN(wet_step_run, NAME)
#include "epilogue.k.h"
#include "wet.k.h"

static void wet_step_run(int group, void **v)
{
  wet_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
           *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8], *(int **)v[9],
           *(int **)v[10], *(real **)v[11], *(int **)v[12], *(int **)v[13], *(real **)v[14],
           *(int *)v[15], *(int *)v[16], *(real *)v[17], *(int *)v[18], *(int *)v[19]);
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
#undef INCREMENT
#undef FREE_INCREMENTS
#undef COLOURS
#undef finish
#undef wet_slot
#undef slots_sum
#undef wet_step
#undef wet_step_run
#undef NAME

#elif defined(LINE)
{"wet_step " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(
     FORM) " PARTS=1 SPAN=" TEXT_OF(SPAN),
 JOIN(wet_step_run, JOIN(JOIN(DIM, FORM), JOIN(DAMPED, PRECISION)))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define PARTS 1
#define SPAN 256
#define SELF "device/host/kernels/wet.c"

#define VARIANT
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_wet, HOST_ISA)[] = {
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
    {0}};
#endif
