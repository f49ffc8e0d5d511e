/* Host variants of kernels/indices.k.h. The file includes itself: pass VARIANT defines one variant of indices_format. */
#if defined(VARIANT)
#define NAME JOIN(DIM, FORMAT)
#define indices_where JOIN(indices_where, NAME)
#define indices_spans JOIN(indices_spans, NAME)
#define indices_mark JOIN(indices_mark, NAME)
#define indices_list JOIN(indices_list, NAME)
#define indices_slots JOIN(indices_slots, NAME)
#define indices_clear JOIN(indices_clear, NAME)
#define indices_format JOIN(indices_format, NAME)
#include "indices.k.h"

static void JOIN(format_run, NAME)(int group, void **v)
{
  indices_format(group, *(long **)v[0], *(int **)v[1], *(long **)v[2], *(int **)v[3], *(int **)v[4],
                 *(int *)v[5], *(int *)v[6]);
}

#if DIM == 3 && FORMAT == 3
static void where_run(int group, void **v)
{
  indices_where(group, *(int **)v[0], *(long **)v[1], *(int **)v[2], *(long **)v[3], *(int **)v[4],
                *(unsigned short **)v[5], *(int *)v[6], *(int *)v[7]);
}

static void spans_run(int group, void **v)
{
  indices_spans(group, *(long **)v[0], *(int **)v[1], *(int *)v[2], *(int *)v[3]);
}

static void mark_run(int group, void **v)
{
  indices_mark(group, *(long **)v[0], *(int **)v[1], *(int **)v[2], *(int **)v[3], *(int *)v[4],
               *(int *)v[5]);
}

static void list_run(int group, void **v)
{
  indices_list(group, *(int **)v[0], *(long **)v[1], *(int **)v[2], *(int *)v[3], *(int *)v[4]);
}

static void clear_run(int group, void **v)
{
  indices_clear(group, *(int **)v[0], *(int *)v[1], *(int *)v[2]);
}

static void slots_run(int group, void **v)
{
  indices_slots(group, *(long **)v[0], *(int **)v[1], *(int **)v[2], *(long **)v[3], *(int **)v[4],
                *(int *)v[5], *(int *)v[6]);
}
#endif
#undef SPREAD
#undef indices_where
#undef indices_spans
#undef indices_mark
#undef indices_list
#undef indices_slots
#undef indices_clear
#undef indices_format
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#pragma GCC diagnostic ignored "-Wunused-function" /* each variant has all functions of the text */
#define CHUNK 128
#define ROWS 1
#define SELF "device/host/kernels/indices.c"

#define VARIANT
#define DIM 2
#define FORMAT 1
#include SELF
#undef FORMAT
#define FORMAT 2
#include SELF
#undef FORMAT
#define FORMAT 3
#include SELF
#undef FORMAT
#undef DIM
#define DIM 3
#define FORMAT 1
#include SELF
#undef FORMAT
#define FORMAT 2
#include SELF
#undef FORMAT
#define FORMAT 3
#include SELF
#undef FORMAT
#undef DIM
#undef VARIANT

const hk_host_kernel JOIN(hk_host_indices, HOST_ISA)[] = {
    {"indices_where f CHUNK=128 DIM=3 FORMAT=0 ROWS=1", where_run},
    {"indices_spans f CHUNK=128 DIM=3 FORMAT=0 ROWS=1", spans_run},
    {"indices_mark f CHUNK=128 DIM=3 FORMAT=0 ROWS=1", mark_run},
    {"indices_list f CHUNK=128 DIM=3 FORMAT=0 ROWS=1", list_run},
    {"indices_clear f CHUNK=128 DIM=3 FORMAT=0 ROWS=1", clear_run},
    {"indices_slots f CHUNK=128 DIM=3 FORMAT=0 ROWS=1", slots_run},
    {"indices_format f CHUNK=128 DIM=2 FORMAT=1 ROWS=1", format_run_2_1},
    {"indices_format f CHUNK=128 DIM=2 FORMAT=2 ROWS=1", format_run_2_2},
    {"indices_format f CHUNK=128 DIM=2 FORMAT=3 ROWS=1", format_run_2_3},
    {"indices_format f CHUNK=128 DIM=3 FORMAT=1 ROWS=1", format_run_3_1},
    {"indices_format f CHUNK=128 DIM=3 FORMAT=2 ROWS=1", format_run_3_2},
    {"indices_format f CHUNK=128 DIM=3 FORMAT=3 ROWS=1", format_run_3_3},
    {0}};
#endif
