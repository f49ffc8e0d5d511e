/* Host variants of kernels/spectral.k.h for DIM, and for COMPONENTS in a state of STATE where those are given. The file includes itself: pass VARIANT defines one variant, pass LINE its table line, pass
 * FORCES_ALONE what the variants of an order share. */
#if defined(VARIANT)
#define ONCE JOIN(JOIN(DIM, ORDER), PRECISION)
#define NAME JOIN(ONCE, JOIN(FORM, DAMPED))
#define column_at JOIN(column_at, ONCE)
#define row_at JOIN(row_at, ONCE)
#define ring_of JOIN(ring_of, ONCE)
#define inner_of JOIN(inner_of, ONCE)
#define differentiate JOIN(differentiate, ONCE)
#define add_transposed JOIN(add_transposed, ONCE)
#define sum_column JOIN(sum_column, ONCE)
#define row_slopes JOIN(row_slopes, ONCE)
#define row_forces JOIN(row_forces, ONCE)
#define axes_of_row JOIN(axes_of_row, ONCE)
#define row_fluxes JOIN(row_fluxes, ONCE)
#define load_elements JOIN(load_elements, ONCE)
#define treat_row JOIN(treat_row, ONCE)
#define element_forces JOIN(element_forces, ONCE)
#define store_force JOIN(store_force, ONCE)
#define store_sum JOIN(store_sum, ONCE)
#define add_earlier JOIN(add_earlier, ONCE)
#define scatter_column JOIN(scatter_column, ONCE)
#define GLL_X JOIN(GLL_X, ONCE)
#define GLL_W JOIN(GLL_W, ONCE)
#define GLL_D JOIN(GLL_D, ONCE)
#ifdef FORCES_ALONE
#include "gll.k.h"
#include "spectral.k.h"
#else
#define finish JOIN(finish, NAME)
#define spectral_step JOIN(spectral_step, NAME)
#define spectral_step_run JOIN(spectral_step_run, NAME)
#include "epilogue.k.h"
#include "spectral.k.h"

static void spectral_step_run(int group, void **v)
{
  spectral_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                *(real **)v[4], *(double **)v[5], *(int *)v[6], *(int *)v[7], *(int **)v[8],
                *(int **)v[9], *(real **)v[10], *(real **)v[11], *(int *)v[12], *(int *)v[13],
                *(int *)v[14]);
}
#undef STATE_PARAMS
#undef SHOT_BEGIN
#undef STATE_BEGIN
#undef LOSS_OF
#undef LOSS_END
#undef STATE_ALIGNED
#undef LAST
#undef FACTOR
#undef STATE_AWAIT
#undef DAMPING
#undef STAGE_DAMPING
#undef FETCH_DAMPING
#undef STAGED_DAMPING
#undef STAGE_FACTORS
#undef STAGE_LAST
#undef FETCH_STATE
#undef STAGED_LAST
#undef STAGED_FACTOR
#undef LOSS_GROUPS
#undef finish
#undef spectral_step
#undef spectral_step_run
#endif
#undef N
#undef M
#undef COLUMNS
#undef INNER_COLUMNS
#undef RING
#undef SURFACE
#undef ROW
#undef PLANE
#undef LAYER
#undef ALL
#undef PLANES
#undef SOME
#undef SHAPE
#undef LINES
#undef LAW_LINES
#undef CURVED
#undef AT
#undef column_at
#undef row_at
#undef ring_of
#undef inner_of
#undef differentiate
#undef add_transposed
#undef sum_column
#undef row_slopes
#undef row_forces
#undef axes_of_row
#undef row_fluxes
#undef load_elements
#undef treat_row
#undef element_forces
#undef store_force
#undef store_sum
#undef add_earlier
#undef scatter_column
#undef PLACE_OF
#undef COLOURS
#undef NODE_OF
#undef GLL_X
#undef GLL_W
#undef GLL_D
#undef ONCE
#undef NAME

#elif defined(LINE)
{"spectral_step " TEXT_OF(PRECISION) " COMPONENTS=" TEXT_OF(COMPONENTS) " DAMPED=" TEXT_OF(
     DAMPED) " DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(FORM) " ORDER=" TEXT_OF(ORDER) " PARTS=1 "
                                                                                  "STATE"
                                                                                  "=" TEXT_OF(
                                                                                      STATE),
 JOIN(spectral_step_run, JOIN(JOIN(JOIN(DIM, ORDER), PRECISION), JOIN(FORM, DAMPED)))},

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define ELEMS 1
#if defined(COMPONENTS) /* fluids know no general law */
#define KINDS 7
#else
#define KINDS 63
#endif
#define PARTS 1
#define SELF "device/host/kernels/spectral2.c"

#ifndef DIM
#define DIM 2
#define TABLE_NAME hk_host_spectral2
#endif
#ifndef COMPONENTS
#define COMPONENTS DIM
#define STATE DIM
#endif
#define VARIANT
#define FORCES_ALONE
#define OVER "device/host/for_reals.h"
#include "device/host/for_orders.h"
#undef OVER
#undef FORCES_ALONE
#define FORCES_MADE
#define OVER "device/host/for_forms.h"
#include "device/host/for_orders.h"
#undef FORCES_MADE
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(TABLE_NAME, HOST_ISA)[] = {
#include "device/host/for_orders.h"
    {0}};
#endif
