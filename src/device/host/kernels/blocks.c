/* Host variants of kernels/blocks.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(blocks, JOIN(JOIN(FORM, DAMPED), PRECISION))
#define finish JOIN(finish, NAME)
#define linked_node JOIN(linked_node, NAME)
#define add_links JOIN(add_links, NAME)
#define blocks_step JOIN(blocks_step, NAME)
#define blocks_step_run JOIN(blocks_step_run, NAME)
#include "epilogue.k.h"
#include "blocks.k.h"

static void blocks_step_run(int group, void **v)
{
  blocks_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
              *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8], *(int **)v[9],
              *(unsigned short **)v[10], *(real **)v[11], *(int *)v[12], *(int *)v[13],
              *(int *)v[14], *(int *)v[15], *(int *)v[16]);
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
#undef ROW
#undef RECORD
#undef finish
#undef linked_node
#undef add_links
#undef blocks_step
#undef blocks_step_run
#undef NAME

#elif defined(LINE)
{"blocks_step " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(
     FORM) " MAX_LOCAL=" TEXT_OF(MAX_LOCAL),
 JOIN(blocks_step_run, JOIN(blocks, JOIN(JOIN(FORM, DAMPED), PRECISION)))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include "device/host/records.h"
#define DIM 2
#define MAX_LOCAL 5120
#define SELF "device/host/kernels/blocks.c"

#define VARIANT
#include "device/host/for_forms.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_blocks, HOST_ISA)[] = {
#include "device/host/for_forms.h"
    {0}};
#endif
