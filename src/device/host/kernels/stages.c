/* Host variants of kernels/stages.k.h: single, by order, 1 to 7, way and lanes at once (2 and 4 of orders 2 to 5, way 2), none for
 * processors before AVX2. The file includes itself: pass VARIANT defines one variant, pass LINE its table line; LEVEL 3 goes over
 * lanes, LEVEL 2 over ways, for_orders.h over orders. */
#if LEVEL == 3
#undef LEVEL
#define LEVEL 2
#if ORDER <= 7
#define SIMD 1
#include SELF
#undef SIMD
#define SIMD 8
#include SELF
#undef SIMD
#endif
#if ORDER >= 2 && ORDER <= 5
#define SIMD 2
#include SELF
#undef SIMD
#define SIMD 4
#include SELF
#undef SIMD
#endif
#undef LEVEL
#define LEVEL 3

#elif LEVEL == 2
#undef LEVEL
#define LEVEL 1
#define WAY 2
#include SELF
#undef WAY
#if SIMD == 1 || SIMD == 8
#define WAY 0
#include SELF
#undef WAY
#define WAY 1
#include SELF
#undef WAY
#endif
#undef LEVEL
#define LEVEL 2

#elif defined(VARIANT)
#undef LANES
#define LANES SIMD
#define NAME JOIN(JOIN(ORDER, WAY), SIMD)
#define treat_batch JOIN(treat_batch, NAME)
#define multiply_lines JOIN(multiply_lines, NAME)
#define stages_product JOIN(stages_product, NAME)
#define stages_product_run JOIN(stages_product_run, NAME)
#define GLL_X JOIN(GLL_X, NAME)
#define GLL_W JOIN(GLL_W, NAME)
#define GLL_D JOIN(GLL_D, NAME)
#include "gll.k.h"
#include "stages.k.h"

static void stages_product_run(int group, void **v)
{
  stages_product(group, *(real **)v[0], *(real **)v[1], *(int **)v[2], *(real **)v[3],
                 *(int **)v[4], *(real **)v[5], *(real *)v[6], *(int *)v[7], *(int *)v[8]);
}
#undef N
#undef POINTS
#undef treat_batch
#undef multiply_lines
#undef stages_product
#undef stages_product_run
#undef GLL_X
#undef GLL_W
#undef GLL_D
#undef NAME

#elif defined(LINE)
{"stages_product f BATCHES=64 ORDER=" TEXT_OF(ORDER) " SIMD=" TEXT_OF(SIMD) " WAY=" TEXT_OF(WAY),
 JOIN(stages_product_run, JOIN(JOIN(ORDER, WAY), SIMD))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#pragma GCC diagnostic ignored "-Wunused-variable" /* GLL_X */
#define BATCHES 64
#define PRECISION f
#define real float
#define SELF "device/host/kernels/stages.c"
#define OVER SELF
#define LEVEL 3

#ifdef HOST_OLD
const hk_host_kernel JOIN(hk_host_stages, HOST_ISA)[] = {{0}};
#else
#define VARIANT
#include "device/host/for_orders.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_stages, HOST_ISA)[] = {
#include "device/host/for_orders.h"
    {0}};
#endif
#endif
