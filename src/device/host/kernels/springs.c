/* Host variants of kernels/springs.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define finish JOIN(finish, NAME)
#define springs_step JOIN(springs_step, NAME)
#define springs_before JOIN(springs_before, NAME)
#define springs_step_run JOIN(springs_step_run, NAME)
#define springs_before_run JOIN(springs_before_run, NAME)
#include "epilogue.k.h"
#include "springs.k.h"

static void springs_step_run(int group, void **v)
{
  springs_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
               *(real **)v[4], *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8],
               *(int **)v[9], *(int **)v[10], *(real **)v[11], *(real **)v[12], *(int *)v[13],
               *(int *)v[14]);
}
#if FORM && DAMPED
static void springs_before_run(int group, void **v)
{
  springs_before(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                 *(real **)v[4], *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8],
                 *(real **)v[9], *(int *)v[10], *(int *)v[11]);
}
#endif
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
#undef springs_step
#undef springs_before
#undef springs_step_run
#undef springs_before_run
#undef NAME

#elif defined(LINE)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(         \
      FORM) " ROWS=" TEXT_OF(ROWS)
{"springs_step" KEY, JOIN(springs_step_run, JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION))},
#if FORM && DAMPED
    {"springs_before" KEY,
     JOIN(springs_before_run, JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION))},
#endif
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define ROWS 128
#define SELF "device/host/kernels/springs.c"

#define VARIANT
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_springs, HOST_ISA)[] = {
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
    {0}};
#endif
