/* Host variants of kernels/aggregate.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define NAME JOIN(HEIGHT, MODES)
#define aggregate_near JOIN(aggregate_near, NAME)
#define aggregate_link JOIN(aggregate_link, NAME)
#define aggregate_nearest JOIN(aggregate_nearest, NAME)
#define aggregate_weigh JOIN(aggregate_weigh, NAME)
#define aggregate_begin JOIN(aggregate_begin, NAME)
#define aggregate_reach JOIN(aggregate_reach, NAME)
#define aggregate_decide JOIN(aggregate_decide, NAME)
#define aggregate_roots JOIN(aggregate_roots, NAME)
#define aggregate_found JOIN(aggregate_found, NAME)
#define aggregate_join JOIN(aggregate_join, NAME)
#define aggregate_list JOIN(aggregate_list, NAME)
#define aggregate_middle JOIN(aggregate_middle, NAME)
#define aggregate_modes JOIN(aggregate_modes, NAME)
#define aggregate_orthonormalise JOIN(aggregate_orthonormalise, NAME)
#define aggregate_smooth JOIN(aggregate_smooth, NAME)
#include "aggregate.k.h"

static void JOIN(nearest_run, NAME)(int group, void **v)
{
  aggregate_nearest(group, *(long **)v[0], *(int **)v[1], *(double **)v[2], *(double **)v[3],
                    *(double **)v[4], *(double **)v[5], *(int *)v[6], *(int *)v[7]);
}

static void JOIN(weigh_run, NAME)(int group, void **v)
{
  aggregate_weigh(group, *(long **)v[0], *(int **)v[1], *(double **)v[2], *(double **)v[3],
                  *(double **)v[4], *(double **)v[5], *(float **)v[6], *(double *)v[7],
                  *(int *)v[8], *(int *)v[9]);
}

static void JOIN(begin_run, NAME)(int group, void **v)
{
  aggregate_begin(group, *(double **)v[0], *(long **)v[1], *(int *)v[2], *(int *)v[3]);
}

static void JOIN(reach_run, NAME)(int group, void **v)
{
  aggregate_reach(group, *(long **)v[0], *(int **)v[1], *(float **)v[2], *(long **)v[3],
                  *(long **)v[4], *(int *)v[5]);
}

static void JOIN(decide_run, NAME)(int group, void **v)
{
  aggregate_decide(group, *(long **)v[0], *(long **)v[1], *(int **)v[2], *(int *)v[3]);
}

static void JOIN(roots_run, NAME)(int group, void **v)
{
  aggregate_roots(group, *(long **)v[0], *(int **)v[1], *(int *)v[2]);
}

static void JOIN(found_run, NAME)(int group, void **v)
{
  aggregate_found(group, *(long **)v[0], *(int **)v[1], *(float **)v[2], *(long **)v[3],
                  *(long **)v[4], *(int **)v[5], *(int *)v[6]);
}

static void JOIN(join_run, NAME)(int group, void **v)
{
  aggregate_join(group, *(long **)v[0], *(int **)v[1], *(float **)v[2], *(long **)v[3],
                 *(int **)v[4], *(int **)v[5], *(int **)v[6], *(int *)v[7]);
}

static void JOIN(list_run, NAME)(int group, void **v)
{
  aggregate_list(group, *(long **)v[0], *(int **)v[1], *(int **)v[2], *(int *)v[3]);
}

static void JOIN(middle_run, NAME)(int group, void **v)
{
  aggregate_middle(group, *(long **)v[0], *(int **)v[1], *(double **)v[2], *(double **)v[3],
                   *(int *)v[4], *(int *)v[5]);
}

static void JOIN(modes_run, NAME)(int group, void **v)
{
  aggregate_modes(group, *(double **)v[0], *(double **)v[1], *(double *)v[2], *(double *)v[3],
                  *(double *)v[4], *(double *)v[5], *(int *)v[6]);
}

static void JOIN(orthonormalise_run, NAME)(int group, void **v)
{
  aggregate_orthonormalise(group, *(long **)v[0], *(int **)v[1], *(long **)v[2], *(double **)v[3],
                           *(double **)v[4], *(double **)v[5], *(double **)v[6], *(int *)v[7]);
}

static void JOIN(smooth_run, NAME)(int group, void **v)
{
  aggregate_smooth(group, *(long **)v[0], *(double **)v[1], *(float **)v[2], *(long **)v[3],
                   *(int **)v[4], *(double **)v[5], *(double **)v[6], *(long **)v[7], *(int **)v[8],
                   *(double **)v[9], *(double *)v[10], *(int *)v[11]);
}
#undef aggregate_near
#undef aggregate_link
#undef aggregate_nearest
#undef aggregate_weigh
#undef aggregate_begin
#undef aggregate_reach
#undef aggregate_decide
#undef aggregate_roots
#undef aggregate_found
#undef aggregate_join
#undef aggregate_list
#undef aggregate_middle
#undef aggregate_modes
#undef aggregate_orthonormalise
#undef aggregate_smooth
#undef FREE_KEY
#undef ROOT_KEY
#undef ROW_AT
#undef NAME

#elif defined(LINE)
#define NAME JOIN(HEIGHT, MODES)
#define KEY " f CHUNK=128 HEIGHT=" TEXT_OF(HEIGHT) " MODES=" TEXT_OF(MODES)
{"aggregate_nearest" KEY, JOIN(nearest_run, NAME)}, {"aggregate_weigh" KEY, JOIN(weigh_run, NAME)},
    {"aggregate_begin" KEY, JOIN(begin_run, NAME)}, {"aggregate_reach" KEY, JOIN(reach_run, NAME)},
    {"aggregate_decide" KEY, JOIN(decide_run, NAME)},
    {"aggregate_roots" KEY, JOIN(roots_run, NAME)}, {"aggregate_found" KEY, JOIN(found_run, NAME)},
    {"aggregate_join" KEY, JOIN(join_run, NAME)}, {"aggregate_list" KEY, JOIN(list_run, NAME)},
    {"aggregate_middle" KEY, JOIN(middle_run, NAME)},
    {"aggregate_modes" KEY, JOIN(modes_run, NAME)},
    {"aggregate_orthonormalise" KEY, JOIN(orthonormalise_run, NAME)},
    {"aggregate_smooth" KEY, JOIN(smooth_run, NAME)},
#undef KEY
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#include <math.h>
#define CHUNK 128
#define SELF "device/host/kernels/aggregate.c"

#define VARIANT
#include "device/host/for_modes.h"
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_aggregate, HOST_ISA)[] = {
#include "device/host/for_modes.h"
    {0}};
#endif
