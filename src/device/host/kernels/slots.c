/* Host variants of kernels/slots.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define finish JOIN(finish, NAME)
#define slots_step JOIN(slots_step, NAME)
#define slots_step_run JOIN(slots_step_run, NAME)
#include "epilogue.k.h"
#include "slots.k.h"

static void slots_step_run(int group, void **v)
{
  slots_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
             *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8], *(int **)v[9],
             *(real **)v[10], *(int *)v[11], *(int *)v[12], *(int *)v[13]);
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
#undef slots_step
#undef slots_step_run
#undef COLOURS
#undef NAME

#elif defined(LINE)
{"slots_step " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(
     FORM) " PARTS=1 SPAN=" TEXT_OF(SPAN),
 JOIN(slots_step_run, JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define PARTS 1
#define SPAN 256
#define SELF "device/host/kernels/slots.c"

#define VARIANT
#define DIM 1
#include "device/host/for_forms.h"
#undef DIM
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_slots, HOST_ISA)[] = {
#define DIM 1
#include "device/host/for_forms.h"
#undef DIM
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
    {0}};
#endif
