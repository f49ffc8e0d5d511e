/* Host variants of kernels/neighbour.k.h. The file includes itself: pass VARIANT defines one variant of neighbour_unite. */
#if defined(VARIANT)
#define NAME JOIN(FILL, HEAVY)
#define neighbour_count JOIN(neighbour_count, NAME)
#define neighbour_fill JOIN(neighbour_fill, NAME)
#define neighbour_sort JOIN(neighbour_sort, NAME)
#define neighbour_unite JOIN(neighbour_unite, NAME)
#include "device/host/lists.h"
#include "neighbour.k.h"

static void JOIN(unite_run, NAME)(int group, void **v)
{
  neighbour_unite(group, *(int **)v[0], *(long **)v[1], *(int **)v[2], *(long **)v[3],
                  *(int **)v[4], *(int **)v[5], *(int **)v[6], *(int *)v[7], *(int *)v[8],
                  *(int *)v[9], *(int *)v[10]);
}

#if FILL && HEAVY
static void count_run(int group, void **v)
{
  neighbour_count(group, *(int **)v[0], *(int **)v[1], *(int *)v[2], *(int *)v[3]);
}

static void fill_run(int group, void **v)
{
  neighbour_fill(group, *(int **)v[0], *(long **)v[1], *(int **)v[2], *(int **)v[3], *(int *)v[4],
                 *(int *)v[5]);
}

static void sort_run(int group, void **v)
{
  neighbour_sort(group, *(int **)v[0], *(long **)v[1], *(int **)v[2], *(unsigned short **)v[3],
                 *(int **)v[4], *(int *)v[5], *(int *)v[6]);
}
#endif
#undef SPREAD
#undef neighbour_count
#undef neighbour_fill
#undef neighbour_sort
#undef neighbour_unite
#include "device/host/lists_end.h"
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#pragma GCC diagnostic ignored "-Wunused-function" /* each variant has all functions of the text */
#define CHUNK 128
#define ROWS 1
#define SELF "device/host/kernels/neighbour.c"

#define VARIANT
#define SLOTS 1024
#define HEAVY 0
#define FILL 0
#include SELF
#undef FILL
#define FILL 1
#include SELF
#undef HEAVY
#undef SLOTS
#define SLOTS 1
#define HEAVY 1
#include SELF
#undef FILL
#define FILL 0
#include SELF
#undef VARIANT

const hk_host_kernel JOIN(hk_host_neighbour, HOST_ISA)[] = {
    {"neighbour_count f CHUNK=128 ROWS=1 SLOTS=1", count_run},
    {"neighbour_fill f CHUNK=128 ROWS=1 SLOTS=1", fill_run},
    {"neighbour_sort f CHUNK=128 ROWS=1 SLOTS=1", sort_run},
    {"neighbour_unite f CHUNK=128 FILL=0 HEAVY=0 ROWS=1 SLOTS=1024", unite_run_0_0},
    {"neighbour_unite f CHUNK=128 FILL=1 HEAVY=0 ROWS=1 SLOTS=1024", unite_run_1_0},
    {"neighbour_unite f CHUNK=128 FILL=0 HEAVY=1 ROWS=1 SLOTS=1", unite_run_0_1},
    {"neighbour_unite f CHUNK=128 FILL=1 HEAVY=1 ROWS=1 SLOTS=1", unite_run_1_1},
    {0}};
#endif
