/* Host variants of kernels/ring.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line, pass FORCES_ALONE
 * what the variants share. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(LAWS, EACH_OF), FORM), DAMPED)
#define ONCE JOIN(JOIN(LAWS, EACH_OF), PRECISION)
#define ring_force JOIN(ring_force, ONCE)
#define ring_forces JOIN(ring_forces, ONCE)
#ifdef FORCES_ALONE
#include "ring.k.h"
#else
#define finish JOIN(finish, JOIN(NAME, PRECISION))
#define ring_step JOIN(ring_step, JOIN(NAME, PRECISION))
#define ring_step_run JOIN(ring_step_run, JOIN(NAME, PRECISION))
#include "epilogue.k.h"
#include "ring.k.h"

static void ring_step_run(int group, void **v)
{
  ring_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
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
#undef ring_step
#undef ring_step_run
#endif
#undef PLANE_LAW
#undef EACH
#undef LAW_PLACE
#undef ring_force
#undef ring_forces
#undef ONCE
#undef NAME

#elif defined(LINE)
{"ring_step " TEXT_OF(PRECISION) COMPONENTS_KEY " DAMPED=" TEXT_OF(DAMPED) " FORM=" TEXT_OF(
     FORM) " LAWS=" TEXT_OF(LAWS) " MAX_LOCAL=" TEXT_OF(MAX_LOCAL),
 JOIN(ring_step_run, JOIN(JOIN(JOIN(JOIN(LAWS, EACH_OF), FORM), DAMPED), PRECISION))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include "device/host/records.h"
#define MAX_LOCAL 2048
#define PATCH 512
#define SELF "device/host/kernels/ring.c"
#define EACH_OF 2

#define VARIANT
#define LAWS 0
#define FORCES_ALONE
#include "device/host/for_reals.h"
#undef FORCES_ALONE
#define FORCES_MADE
#include "device/host/for_forms.h"
#undef FORCES_MADE
#undef LAWS
#define LAWS 1
#define FORCES_ALONE
#include "device/host/for_reals.h"
#undef FORCES_ALONE
#define FORCES_MADE
#include "device/host/for_forms.h"
#undef FORCES_MADE
#undef LAWS
#undef EACH_OF
#define COMPONENTS 1
#define EACH_OF 1
#define LAWS 0
#define FORCES_ALONE
#include "device/host/for_reals.h"
#undef FORCES_ALONE
#define FORCES_MADE
#define FORM 0
#define DAMPED 0
#include "device/host/for_reals.h"
#undef FORM
#undef DAMPED
#undef FORCES_MADE
#undef LAWS
#define LAWS 1
#define FORCES_ALONE
#include "device/host/for_reals.h"
#undef FORCES_ALONE
#define FORCES_MADE
#define FORM 0
#define DAMPED 0
#include "device/host/for_reals.h"
#undef FORM
#undef DAMPED
#undef FORCES_MADE
#undef LAWS
#undef COMPONENTS
#undef EACH_OF
#define EACH_OF 2
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_ring, HOST_ISA)[] = {
#define COMPONENTS_KEY ""
#define LAWS 0
#include "device/host/for_forms.h"
#undef LAWS
#define LAWS 1
#include "device/host/for_forms.h"
#undef LAWS
#undef COMPONENTS_KEY
#define COMPONENTS_KEY " COMPONENTS=1"
#undef EACH_OF
#define EACH_OF 1
#define LAWS 0
#define FORM 0
#define DAMPED 0
#include "device/host/for_reals.h"
#undef FORM
#undef DAMPED
#undef LAWS
#define LAWS 1
#define FORM 0
#define DAMPED 0
#include "device/host/for_reals.h"
#undef FORM
#undef DAMPED
#undef LAWS
#undef COMPONENTS_KEY
#undef EACH_OF
    {0}};
#endif
