/* Host variants of kernels/patch.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line, pass FORCES_ALONE
 * what the variants share. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(DIM, FORM), DAMPED)
#define ONCE JOIN(DIM, PRECISION)
#define add_point JOIN(add_point, ONCE)
#define to_points JOIN(to_points, ONCE)
#define from_points JOIN(from_points, ONCE)
#define simplex_force JOIN(simplex_force, ONCE)
#define cube_force JOIN(cube_force, ONCE)
#define batch_forces JOIN(batch_forces, ONCE)
#define element_forces JOIN(element_forces, ONCE)
#define load_nodes JOIN(load_nodes, ONCE)
#define sum_slots JOIN(sum_slots, ONCE)
#ifdef FORCES_ALONE
#include "patch.k.h"
#else
#define finish JOIN(finish, JOIN(NAME, PRECISION))
#define patch_step JOIN(patch_step, JOIN(NAME, PRECISION))
#define patch_step_run JOIN(patch_step_run, JOIN(NAME, PRECISION))
#include "epilogue.k.h"
#include "patch.k.h"

static void patch_step_run(int group, void **v)
{
  patch_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
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
#undef patch_step
#undef patch_step_run
#endif
#undef RECORD
#undef STRAINS
#undef STIFFNESS
#undef LAW
#undef CORNERS
#undef EDGES
#undef AT
#undef NEAR
#undef FAR
#undef add_point
#undef to_points
#undef from_points
#undef simplex_force
#undef cube_force
#undef batch_forces
#undef element_forces
#undef load_nodes
#undef sum_slots
#undef ONCE
#undef NAME

#elif defined(LINE)
{"patch_step " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(
     FORM) " MAX_LOCAL=" TEXT_OF(MAX_LOCAL) " MAX_SLOTS=" TEXT_OF(MAX_SLOTS),
 JOIN(patch_step_run, JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include "device/host/records.h"
#define MAX_LOCAL 4096
#define MAX_SLOTS 32768
#define KINDS 15
#define SELF "device/host/kernels/patch.c"

#define VARIANT
#define DIM 2
#define FORCES_ALONE
#include "device/host/for_reals.h"
#undef FORCES_ALONE
#define FORCES_MADE
#include "device/host/for_forms.h"
#undef FORCES_MADE
#undef DIM
#define DIM 3
#define FORCES_ALONE
#include "device/host/for_reals.h"
#undef FORCES_ALONE
#define FORCES_MADE
#include "device/host/for_forms.h"
#undef FORCES_MADE
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_patch, HOST_ISA)[] = {
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
    {0}};
#endif
