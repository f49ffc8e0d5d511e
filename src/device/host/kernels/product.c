/* Host variants of kernels/product.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define finish JOIN(finish, NAME)
#define product_step JOIN(product_step, NAME)
#define product_diagonal JOIN(product_diagonal, NAME)
#define product_blocks JOIN(product_blocks, NAME)
#include "epilogue.k.h"
#include "product.k.h"

static void JOIN(product_run, NAME)(int group, void **v)
{
  product_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
               *(real **)v[4], *(double **)v[5], *(int *)v[6], *(int *)v[7], *(long **)v[8],
               *(int **)v[9], *(real **)v[10], *(int *)v[11]);
}

static void JOIN(diagonal_run, NAME)(int group, void **v)
{
  product_diagonal(group, *(long **)v[0], *(int **)v[1], *(real **)v[2], *(real **)v[3],
                   *(int *)v[4]);
}

static void JOIN(blocks_run, NAME)(int group, void **v)
{
  product_blocks(group, *(long **)v[0], *(int **)v[1], *(real **)v[2], *(int **)v[3],
                 *(real **)v[4], *(int *)v[5]);
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
#undef product_step
#undef product_diagonal
#undef product_blocks
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " DAMPED=" TEXT_OF(DAMPED) " DIFFERENCES=" TEXT_OF(                       \
      DIFFERENCES) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(FORM) " ROWS=32 RUN=" TEXT_OF(DIM) " "    \
                                                                                            "SPRE" \
                                                                                            "A"    \
                                                                                            "D=1"
{"product_step" KEY, JOIN(product_run, NAME)}, {"product_diagonal" KEY, JOIN(diagonal_run, NAME)},
    {"product_blocks" KEY, JOIN(blocks_run, NAME)},
#undef KEY
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define ROWS 32
#define SPREAD 1
#define RUN DIM
#define SELF "device/host/kernels/product.c"

#define VARIANT
#define DIFFERENCES 1
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#undef DIFFERENCES
#define DIFFERENCES 0
#define DIM 1
#include "device/host/for_forms.h"
#undef DIM
#undef DIFFERENCES
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_product, HOST_ISA)[] = {
#define DIFFERENCES 1
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#undef DIFFERENCES
#define DIFFERENCES 0
#define DIM 1
#include "device/host/for_forms.h"
#undef DIM
#undef DIFFERENCES
    {0}};
#endif
