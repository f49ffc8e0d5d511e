/* Host variants of kernels/gather.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, HEAVY), VALUES), PRECISION)
#define gather_find JOIN(gather_find, NAME)
#define gather_first JOIN(gather_first, NAME)
#define gather_all JOIN(gather_all, NAME)
#define gather_rows JOIN(gather_rows, NAME)
#include "gather.k.h"

static void JOIN(gather_run, NAME)(int group, void **v)
{
  gather_rows(group, *(long **)v[0], *(int **)v[1], *(unsigned short **)v[2], *(int **)v[3],
              *(unsigned short **)v[4], *(long **)v[5], *(int **)v[6], *(int **)v[7],
              *(real **)v[8], *(real **)v[9], *(real **)v[10], *(int **)v[11], *(int *)v[12],
              *(int *)v[13], *(int *)v[14], *(int *)v[15], *(int *)v[16]);
}
#undef SPREAD
#undef SUM_ARRAY
#undef SUM_BARRIER
#undef SUM_PLACE
#undef gather_find
#undef gather_first
#undef gather_all
#undef gather_rows
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, HEAVY), VALUES), PRECISION)
{"gather_rows " TEXT_OF(PRECISION) " DIM=" TEXT_OF(DIM) " HEAVY=" TEXT_OF(
     HEAVY) " ROUND=8 ROWS=1 SPAN=" TEXT_OF(SPAN) " VALUES=" TEXT_OF(VALUES),
 JOIN(gather_run, NAME)},
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define ROUND 8
#define ROWS 1
#define SELF "device/host/kernels/gather.c"

#define VARIANT
#define HEAVY 0
#define SPAN 1024
#define VALUES 0
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef HEAVY
#undef SPAN
#undef VALUES
#define HEAVY 0
#define SPAN 1024
#define VALUES 3
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef HEAVY
#undef SPAN
#undef VALUES
#define HEAVY 1
#define SPAN 1
#define VALUES 0
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef HEAVY
#undef SPAN
#undef VALUES
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_gather, HOST_ISA)[] = {
#define HEAVY 0
#define SPAN 1024
#define VALUES 0
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef HEAVY
#undef SPAN
#undef VALUES
#define HEAVY 0
#define SPAN 1024
#define VALUES 3
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef HEAVY
#undef SPAN
#undef VALUES
#define HEAVY 1
#define SPAN 1
#define VALUES 0
#define DIM 1
#include "device/host/for_reals.h"
#undef DIM
#define DIM 2
#include "device/host/for_reals.h"
#undef DIM
#define DIM 3
#include "device/host/for_reals.h"
#undef DIM
#undef HEAVY
#undef SPAN
#undef VALUES
    {0}};
#endif
