/* Host variants of kernels/krylov.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define sum_group JOIN(sum_group, PRECISION)
#define krylov_dots JOIN(krylov_dots, PRECISION)
#define krylov_dot JOIN(krylov_dot, PRECISION)
#define krylov_advance JOIN(krylov_advance, PRECISION)
#define krylov_direct JOIN(krylov_direct, PRECISION)
#define krylov_residual JOIN(krylov_residual, PRECISION)
#define krylov_narrow JOIN(krylov_narrow, PRECISION)
#define krylov_widen JOIN(krylov_widen, PRECISION)
#define krylov_scatter JOIN(krylov_scatter, PRECISION)
#define krylov_fold JOIN(krylov_fold, PRECISION)
#define krylov_fill JOIN(krylov_fill, PRECISION)
#define krylov_collect JOIN(krylov_collect, PRECISION)
#define krylov_zero JOIN(krylov_zero, PRECISION)
#include "krylov.k.h"

static void JOIN(dots_run, PRECISION)(int group, void **v)
{
  krylov_dots(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(double **)v[3], *(int *)v[4],
              *(int *)v[5]);
}

static void JOIN(dot_run, PRECISION)(int group, void **v)
{
  krylov_dot(group, *(real **)v[0], *(real **)v[1], *(double **)v[2], *(int *)v[3]);
}

static void JOIN(advance_run, PRECISION)(int group, void **v)
{
  krylov_advance(group, *(double **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                 *(real **)v[4], *(double **)v[5], *(int *)v[6]);
}

static void JOIN(direct_run, PRECISION)(int group, void **v)
{
  krylov_direct(group, *(double **)v[0], *(real **)v[1], *(real **)v[2], *(int *)v[3]);
}

static void JOIN(residual_run, PRECISION)(int group, void **v)
{
  krylov_residual(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(double **)v[3],
                  *(int *)v[4]);
}

static void JOIN(narrow_run, PRECISION)(int group, void **v)
{
  krylov_narrow(group, *(double **)v[0], *(real **)v[1], *(float **)v[2], *(int *)v[3]);
}

static void JOIN(widen_run, PRECISION)(int group, void **v)
{
  krylov_widen(group, *(double **)v[0], *(float **)v[1], *(real **)v[2], *(int *)v[3]);
}

static void JOIN(scatter_run, PRECISION)(int group, void **v)
{
  krylov_scatter(group, *(real **)v[0], *(int *)v[1]);
}

static void JOIN(fold_run, PRECISION)(int group, void **v)
{
  krylov_fold(group, *(double **)v[0], *(double **)v[1], *(double **)v[2], *(int *)v[3],
              *(int *)v[4]);
}

static void JOIN(fill_run, PRECISION)(int group, void **v)
{
  krylov_fill(group, *(int **)v[0], *(int **)v[1], *(int **)v[2], *(double **)v[3], *(real **)v[4],
              *(int *)v[5]);
}

static void JOIN(collect_run, PRECISION)(int group, void **v)
{
  krylov_collect(group, *(int **)v[0], *(int **)v[1], *(int **)v[2], *(double **)v[3],
                 *(real **)v[4], *(int *)v[5]);
}

static void JOIN(zero_run, PRECISION)(int group, void **v)
{
  krylov_zero(group, *(int **)v[0], *(real **)v[1], *(int *)v[2]);
}
#undef sum_group
#undef krylov_dots
#undef krylov_dot
#undef krylov_advance
#undef krylov_direct
#undef krylov_residual
#undef krylov_narrow
#undef krylov_widen
#undef krylov_scatter
#undef krylov_fold
#undef krylov_fill
#undef krylov_collect
#undef krylov_zero
#undef RHO
#undef ALPHA
#undef BETA
#undef RR
#undef LIMIT
#undef DONE
#undef STEP
#undef MOST
#undef CONVERGED
#undef INDEFINITE
#undef EXHAUSTED

#elif defined(LINE)
#define KEY " " TEXT_OF(PRECISION) " CHUNK=" TEXT_OF(CHUNK) " LIST=" TEXT_OF(LIST)
{"krylov_dots" KEY, JOIN(dots_run, PRECISION)}, {"krylov_dot" KEY, JOIN(dot_run, PRECISION)},
    {"krylov_advance" KEY, JOIN(advance_run, PRECISION)},
    {"krylov_direct" KEY, JOIN(direct_run, PRECISION)},
    {"krylov_residual" KEY, JOIN(residual_run, PRECISION)},
    {"krylov_narrow" KEY, JOIN(narrow_run, PRECISION)},
    {"krylov_widen" KEY, JOIN(widen_run, PRECISION)},
    {"krylov_scatter" KEY, JOIN(scatter_run, PRECISION)},
    {"krylov_fold" KEY, JOIN(fold_run, PRECISION)}, {"krylov_fill" KEY, JOIN(fill_run, PRECISION)},
    {"krylov_collect" KEY, JOIN(collect_run, PRECISION)},
    {"krylov_zero" KEY, JOIN(zero_run, PRECISION)},
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include <math.h>
#define CHUNK 4096
#define LIST 256
#define SELF "device/host/kernels/krylov.c"

#define VARIANT
#include "device/host/for_reals.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_krylov, HOST_ISA)[] = {
#include "device/host/for_reals.h"
    {0}};
#endif
