/* Host variants of kernels/elementwise.k.h: in double, of the shapes that are measured. The file includes itself: pass VARIANT defines one
 * variant, pass LINE its table line; LEVEL 1 goes over ways, LEVEL 2 over shapes. */
#if LEVEL == 2
#undef LEVEL
#define LEVEL 1
#define NODES 4
#include SELF
#undef NODES
#define NODES 10
#include SELF
#undef NODES
#define NODES 20
#include SELF
#undef NODES
#undef LEVEL
#define LEVEL 2

#elif LEVEL == 1
#undef LEVEL
#define LEVEL 0
#define VALUES 0
#define WAY 0
#include SELF
#undef WAY
#define WAY 1
#include SELF
#undef WAY
#define WAY 2
#include SELF
#undef WAY
#define WAY 3
#include SELF
#undef WAY
#undef VALUES
#define VALUES 3
#define WAY 0
#include SELF
#undef WAY
#define WAY 2
#include SELF
#undef WAY
#define WAY 1
#include SELF
#undef WAY
#undef VALUES
#undef LEVEL
#define LEVEL 1

#elif defined(VARIANT)
#define NAME JOIN(JOIN(NODES, VALUES), WAY)
#define law_apply JOIN(law_apply, NAME)
#define elementwise_gradients JOIN(elementwise_gradients, NAME)
#define elementwise_matrix JOIN(elementwise_matrix, NAME)
#define elementwise_add JOIN(elementwise_add, NAME)
#define elementwise_step JOIN(elementwise_step, NAME)
#define elementwise_shared JOIN(elementwise_shared, NAME)
#include "law.k.h"
#include "elementwise.k.h"

#if WAY == 3
static void JOIN(run, NAME)(int group, void **v)
{
  elementwise_shared(group, *(long **)v[0], *(int **)v[1], *(int **)v[2], *(int **)v[3],
                     *(double **)v[4], *(real **)v[5], *(real **)v[6], *(real **)v[7],
                     *(long **)v[8], *(int **)v[9], *(real **)v[10], *(int *)v[11], *(int *)v[12]);
}
#else
static void JOIN(run, NAME)(int group, void **v)
{
  elementwise_step(group, *(int **)v[0], *(int **)v[1], *(double **)v[2], *(real **)v[3],
                   *(real **)v[4], *(real **)v[5], *(long **)v[6], *(int **)v[7], *(real **)v[8],
                   *(real **)v[9], *(int *)v[10], *(int *)v[11], *(int *)v[12]);
}
#endif
#undef VOIGT
#undef VOIGTS
#undef SIZE
#undef law_apply
#undef elementwise_gradients
#undef elementwise_matrix
#undef elementwise_add
#undef elementwise_step
#undef elementwise_shared
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(NODES, VALUES), WAY)
#if WAY == 3
{"elementwise_shared d BATCH=4 CHUNK=64 DIM=3 LAW=39 LIST=4096 NODES=" TEXT_OF(
     NODES) " ROWS=8 VALUES=0 WAY=3",
 JOIN(run, NAME)},
#else
{"elementwise_step d CHUNK=64 DIM=3 LAW=39 NODES=" TEXT_OF(NODES) " VALUES=" TEXT_OF(
     VALUES) " WAY=" TEXT_OF(WAY),
 JOIN(run, NAME)},
#endif
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#pragma GCC diagnostic ignored "-Wunused-function" /* each variant has all functions of the text */
#define BATCH 4
#define CHUNK 64
#define DIM 3
#define LAW 39
#define LIST 4096
#define ROWS 8
#define DOUBLE
#define PRECISION d
#define real double
#define SELF "device/host/kernels/elementwise.c"

#define VARIANT
#define LEVEL 2
#include SELF
#undef LEVEL
#undef VARIANT

#define LINE
#define LEVEL 2
const hk_host_kernel JOIN(hk_host_elementwise, HOST_ISA)[] = {
#include SELF
    {0}};
#endif
