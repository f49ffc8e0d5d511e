/* Host variants of kernels/fans.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(DIM, VALUES), PRECISION)
#define law_apply JOIN(law_apply, NAME)
#define fans_cofactors JOIN(fans_cofactors, NAME)
#define fans_row JOIN(fans_row, NAME)
#define fans_find JOIN(fans_find, NAME)
#define fans_add JOIN(fans_add, NAME)
#define fans_rows JOIN(fans_rows, NAME)
#include "law.k.h"
#include "fans.k.h"

static void JOIN(fans_run, NAME)(int group, void **v)
{
  fans_rows(group, *(long **)v[0], *(int **)v[1], *(unsigned short **)v[2],
            *(unsigned short **)v[3], *(long **)v[4], *(int **)v[5], *(int **)v[6],
            *(double **)v[7], *(real **)v[8], *(real **)v[9], *(int **)v[10], *(int *)v[11]);
}
#undef VOIGT
#undef VOIGTS
#undef CORNERS
#undef law_apply
#undef fans_cofactors
#undef fans_row
#undef fans_find
#undef fans_add
#undef fans_rows
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(DIM, VALUES), PRECISION)
{"fans_rows " TEXT_OF(PRECISION) " DIM=" TEXT_OF(
     DIM) " LAW=39 ROWS=8 SPAN=128 STEP=4 VALUES=" TEXT_OF(VALUES),
 JOIN(fans_run, NAME)},
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#pragma GCC diagnostic ignored "-Wunused-function" /* law_apply */
#define LAW 39
#define ROWS 8
#define SPAN 128
#define STEP 4
#define SELF "device/host/kernels/fans.c"

#define VARIANT
#define VALUES 0
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef VALUES
#define VALUES 3
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef VALUES
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_fans, HOST_ISA)[] = {
#define VALUES 0
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef VALUES
#define VALUES 3
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef VALUES
    {0}};
#endif
