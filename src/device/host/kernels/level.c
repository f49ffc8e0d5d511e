/* Host variants of kernels/level.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(BLOCK, COLUMNS), PRECISION)
#define level_smooth JOIN(level_smooth, NAME)
#define level_patches JOIN(level_patches, NAME)
#define level_multiply JOIN(level_multiply, NAME)
#define level_transfer JOIN(level_transfer, NAME)
#define level_dense JOIN(level_dense, NAME)
#define level_hold JOIN(level_hold, NAME)
#define level_invert JOIN(level_invert, NAME)
#include "level.k.h"

static void JOIN(smooth_run, NAME)(int group, void **v)
{
  level_smooth(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
               *(real **)v[4], *(real **)v[5], *(real *)v[6], *(real *)v[7], *(int *)v[8],
               *(int *)v[9]);
}

static void JOIN(patches_run, NAME)(int group, void **v)
{
  level_patches(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(int **)v[3],
                *(real **)v[4], *(real *)v[5], *(real *)v[6], *(int *)v[7], *(int *)v[8]);
}

static void JOIN(multiply_run, NAME)(int group, void **v)
{
  level_multiply(group, *(int **)v[0], *(int **)v[1], *(real **)v[2], *(real **)v[3],
                 *(real **)v[4], *(real **)v[5], *(real *)v[6], *(int *)v[7]);
}

static void JOIN(transfer_run, NAME)(int group, void **v)
{
  level_transfer(group, *(int **)v[0], *(int **)v[1], *(real **)v[2], *(real **)v[3],
                 *(real **)v[4], *(int *)v[5], *(int *)v[6]);
}

static void JOIN(dense_run, NAME)(int group, void **v)
{
  level_dense(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(int *)v[3]);
}

static void JOIN(hold_run, NAME)(int group, void **v)
{
  level_hold(group, *(int **)v[0], *(real **)v[1], *(int *)v[2]);
}

static void JOIN(invert_run, NAME)(int group, void **v)
{
  level_invert(group, *(real **)v[0], *(real **)v[1], *(int *)v[2], *(int *)v[3]);
}
#undef level_smooth
#undef level_patches
#undef level_multiply
#undef level_transfer
#undef level_dense
#undef level_hold
#undef level_invert
#undef TINY
#undef PATCH
#undef PATCH_ROWS
#undef WITH_PRODUCT
#undef ADD_TO_X
#undef RESIDUAL_ONLY
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(BLOCK, COLUMNS), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " BLOCK=" TEXT_OF(BLOCK) " COLUMNS=" TEXT_OF(COLUMNS) " NODES=" TEXT_OF(  \
      NODES) " ROWS=" TEXT_OF(BLOCK)
{"level_smooth" KEY, JOIN(smooth_run, NAME)}, {"level_multiply" KEY, JOIN(multiply_run, NAME)},
    {"level_transfer" KEY, JOIN(transfer_run, NAME)}, {"level_dense" KEY, JOIN(dense_run, NAME)},
    {"level_patches" KEY, JOIN(patches_run, NAME)}, {"level_hold" KEY, JOIN(hold_run, NAME)},
    {"level_invert" KEY, JOIN(invert_run, NAME)},
#undef NAME
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include "device/host/records.h"
#define NODES 64
#define ROWS BLOCK
#define SELF "device/host/kernels/level.c"

#define VARIANT
#include "device/host/for_blocks.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_level, HOST_ISA)[] = {
#include "device/host/for_blocks.h"
    {0}};
#endif
