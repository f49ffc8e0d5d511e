/* Host variants of kernels/dense.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if defined(VARIANT)
#define NAME JOIN(DIM, PRECISION)
#define dense_clear JOIN(dense_clear, NAME)
#define dense_rows JOIN(dense_rows, NAME)
#define dense_fold JOIN(dense_fold, NAME)
#define dense_load JOIN(dense_load, NAME)
#define dense_hold JOIN(dense_hold, NAME)
#define dense_put JOIN(dense_put, NAME)
#define dense_count JOIN(dense_count, NAME)
#define dense_rows_of JOIN(dense_rows_of, NAME)
#include "dense.k.h"

static void JOIN(clear_run, NAME)(int group, void **v)
{
  dense_clear(group, *(real **)v[0], *(int *)v[1], *(int *)v[2]);
}

static void JOIN(rows_run, NAME)(int group, void **v)
{
  dense_rows(group, *(long **)v[0], *(int **)v[1], *(unsigned short **)v[2], *(int **)v[3],
             *(int **)v[4], *(int **)v[5], *(int **)v[6], *(real **)v[7], *(real **)v[8],
             *(real **)v[9], *(int *)v[10], *(int *)v[11], *(int *)v[12], *(int *)v[13],
             *(int *)v[14]);
}

static void JOIN(fold_run, NAME)(int group, void **v)
{
  dense_fold(group, *(int **)v[0], *(int **)v[1], *(int **)v[2], *(double **)v[3], *(real **)v[4],
             *(int *)v[5], *(int *)v[6], *(int *)v[7]);
}

static void JOIN(load_run, NAME)(int group, void **v)
{
  dense_load(group, *(int **)v[0], *(double **)v[1], *(real **)v[2], *(real **)v[3], *(int *)v[4],
             *(int *)v[5]);
}

static void JOIN(hold_run, NAME)(int group, void **v)
{
  dense_hold(group, *(int **)v[0], *(real **)v[1], *(int *)v[2], *(int *)v[3]);
}

static void JOIN(put_run, NAME)(int group, void **v)
{
  dense_put(group, *(int **)v[0], *(double **)v[1], *(real **)v[2], *(int *)v[3]);
}

static void JOIN(count_run, NAME)(int group, void **v)
{
  dense_count(group, *(real **)v[0], *(int **)v[1], *(int *)v[2]);
}

static void JOIN(rows_of_run, NAME)(int group, void **v)
{
  dense_rows_of(group, *(real **)v[0], *(long **)v[1], *(int **)v[2], *(real **)v[3], *(int *)v[4]);
}
#undef dense_clear
#undef dense_rows
#undef dense_fold
#undef dense_load
#undef dense_hold
#undef dense_put
#undef dense_count
#undef dense_rows_of
#undef NAME

#elif defined(LINE)
#define NAME JOIN(DIM, PRECISION)
#define KEY " " TEXT_OF(PRECISION) " CHUNK=256 DIM=" TEXT_OF(DIM) " ROWS=32"
{"dense_clear" KEY, JOIN(clear_run, NAME)}, {"dense_rows" KEY, JOIN(rows_run, NAME)},
    {"dense_fold" KEY, JOIN(fold_run, NAME)}, {"dense_load" KEY, JOIN(load_run, NAME)},
    {"dense_hold" KEY, JOIN(hold_run, NAME)}, {"dense_put" KEY, JOIN(put_run, NAME)},
    {"dense_count" KEY, JOIN(count_run, NAME)}, {"dense_rows_of" KEY, JOIN(rows_of_run, NAME)},
#undef KEY
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 256
#define ROWS 32
#define SELF "device/host/kernels/dense.c"

#define VARIANT
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_dense, HOST_ISA)[] = {
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
    {0}};
#endif
