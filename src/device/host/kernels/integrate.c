/* Host variants of kernels/integrate.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if defined(VARIANT)
#define NAME JOIN(JOIN(DIM, COMPONENTS), PRECISION)
#define law_apply JOIN(law_apply, NAME)
#define integrate_invert JOIN(integrate_invert, NAME)
#define integrate_store JOIN(integrate_store, NAME)
#define integrate_place JOIN(integrate_place, NAME)
#define integrate_point JOIN(integrate_point, NAME)
#define integrate_pairs JOIN(integrate_pairs, NAME)
#define integrate_low JOIN(integrate_low, NAME)
#define integrate_high JOIN(integrate_high, NAME)
#define integrate_react JOIN(integrate_react, NAME)
#define integrate_blocks JOIN(integrate_blocks, NAME)
#define integrate_elements JOIN(integrate_elements, NAME)
#include "law.k.h"
#include "integrate.k.h"

static void JOIN(integrate_run, NAME)(int group, void **v)
{
  integrate_elements(group, *(int **)v[0], *(int **)v[1], *(int **)v[2], *(int **)v[3],
                     *(double **)v[4], *(real **)v[5], *(real **)v[6], *(real **)v[7],
                     *(real **)v[8], *(real **)v[9], *(int **)v[10], *(int *)v[11], *(int *)v[12],
                     *(int *)v[13], *(int *)v[14], *(int *)v[15], *(int *)v[16], *(int *)v[17],
                     *(int *)v[18]);
}
#undef VOIGT
#undef VOIGTS
#undef PAIRS
#undef GRADIENT
#undef COORDINATE
#undef DENSITY
#undef LINE_OF
#undef law_apply
#undef integrate_invert
#undef integrate_store
#undef integrate_place
#undef integrate_point
#undef integrate_pairs
#undef integrate_low
#undef integrate_high
#undef integrate_react
#undef integrate_blocks
#undef HALF
#undef TILES
#undef GRADIENTS
#undef WHOLE
#undef integrate_elements
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(DIM, COMPONENTS), PRECISION)
{"integrate_elements " TEXT_OF(PRECISION) " COMPONENTS=" TEXT_OF(COMPONENTS) " DIM=" TEXT_OF(
     DIM) " ELEMENTS=1 EXACT=0 LAW=39 NODES=27 POINTS=27",
 JOIN(integrate_run, NAME)},
#undef NAME

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define ELEMENTS 1
#define EXACT 0
#define LAW 39
#define NODES 27
#define POINTS 27
#define SELF "device/host/kernels/integrate.c"

#define VARIANT
#define DIM 2
#define COMPONENTS 2
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
#define DIM 2
#define COMPONENTS 1
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
#define DIM 3
#define COMPONENTS 3
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
#define DIM 3
#define COMPONENTS 1
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_integrate, HOST_ISA)[] = {
#define DIM 2
#define COMPONENTS 2
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
#define DIM 2
#define COMPONENTS 1
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
#define DIM 3
#define COMPONENTS 3
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
#define DIM 3
#define COMPONENTS 1
#include "device/host/for_reals.h"
#undef COMPONENTS
#undef DIM
    {0}};
#endif
