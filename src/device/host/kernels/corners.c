/* Host variants of kernels/corners.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define finish JOIN(finish, NAME)
#define corners_gather JOIN(corners_gather, NAME)
#define corners_step JOIN(corners_step, NAME)
#define corners_sum JOIN(corners_sum, NAME)
#define corners_weigh JOIN(corners_weigh, NAME)
#include "epilogue.k.h"
#include "corners.k.h"

static void JOIN(step_run, NAME)(int group, void **v)
{
  corners_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
               *(real **)v[4], *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8],
               *(int **)v[9], *(real **)v[10], *(int *)v[11], *(int *)v[12]);
}

static void JOIN(sum_run, NAME)(int group, void **v)
{
  corners_sum(group, *(int **)v[0], *(int **)v[1], *(real **)v[2], *(real **)v[3], *(int *)v[4],
              *(int *)v[5], *(int *)v[6]);
}

static void JOIN(weigh_run, NAME)(int group, void **v)
{
  corners_weigh(group, *(int **)v[0], *(int **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
                *(real **)v[5], *(int *)v[6]);
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
#undef CORNERS_AHEAD
#undef corners_gather
#undef corners_step
#undef corners_sum
#undef corners_weigh
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(         \
      FORM) " NODES=64"
{"corners_step" KEY, JOIN(step_run, NAME)}, {"corners_sum" KEY, JOIN(sum_run, NAME)},
    {"corners_weigh" KEY, JOIN(weigh_run, NAME)},
#undef NAME
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define NODES 64
#define SELF "device/host/kernels/corners.c"

#define VARIANT
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#define DIM 1
#define FORM 0
#define DAMPED 0
#include "device/host/for_reals.h"
#undef FORM
#undef DAMPED
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_corners, HOST_ISA)[] = {
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#define DIM 1
#define FORM 0
#define DAMPED 0
#include "device/host/for_reals.h"
#undef FORM
#undef DAMPED
#undef DIM
    {0}};
#endif
