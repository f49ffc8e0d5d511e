/* Host variants of kernels/pml.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if (defined(VARIANT) || defined(LINE)) && (FORM == 0 || !DAMPED)
#elif defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), JOIN(COMPONENTS, STATE)), PRECISION)
#define slopes_at JOIN(slopes_at, NAME)
#define turn JOIN(turn, NAME)
#define stretch_at JOIN(stretch_at, NAME)
#define fluxes JOIN(fluxes, NAME)
#define pml_forces JOIN(pml_forces, NAME)
#define pml_nodes JOIN(pml_nodes, NAME)
#define pml_wet JOIN(pml_wet, NAME)
#define convolve JOIN(convolve, NAME)
#define weigh JOIN(weigh, NAME)
#define layer_force JOIN(layer_force, NAME)
#define layer_rate JOIN(layer_rate, NAME)
#include "increments.k.h"
#include "pml.k.h"

static void JOIN(forces_run, NAME)(int group, void **v)
{
  pml_forces(group, *(real **)v[0], *(int **)v[1], *(int **)v[2], *(real **)v[3], *(real **)v[4],
             *(real **)v[5], *(real **)v[6], *(real **)v[7], *(real **)v[8], *(real **)v[9],
             *(int *)v[10], *(int *)v[11], *(int *)v[12], *(int *)v[13], *(int *)v[14],
             *(int *)v[15], *(int *)v[16], *(real *)v[17]);
}

#if STATE == COMPONENTS
static void JOIN(nodes_run, NAME)(int group, void **v)
{
  pml_nodes(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
            *(int **)v[5], *(int **)v[6], *(int **)v[7], *(real **)v[8], *(int **)v[9],
            *(real **)v[10], *(real **)v[11], *(double **)v[12], *(double **)v[13], *(int **)v[14],
            *(double **)v[15], *(double **)v[16], *(double **)v[17], *(int *)v[18], *(int *)v[19],
            *(int *)v[20], *(int *)v[21], *(int *)v[22], *(real *)v[23], *(real *)v[24]);
}
#endif

#if STATE == COMPONENTS && STATE > 1
static void JOIN(wet_run, NAME)(int group, void **v)
{
  pml_wet(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(int **)v[4],
          *(int **)v[5], *(int **)v[6], *(real **)v[7], *(real **)v[8], *(real **)v[9],
          *(double **)v[10], *(double **)v[11], *(int **)v[12], *(int **)v[13], *(int **)v[14],
          *(real **)v[15], *(real **)v[16], *(int *)v[17], *(int *)v[18], *(int *)v[19],
          *(int *)v[20], *(int *)v[21], *(int *)v[22], *(real *)v[23], *(real *)v[24]);
}
#endif
#undef slopes_at
#undef turn
#undef stretch_at
#undef fluxes
#undef pml_forces
#undef pml_nodes
#undef pml_wet
#undef convolve
#undef weigh
#undef layer_force
#undef layer_rate
#undef BEFORE
#undef WET_SLOT
#undef INCREMENT
#undef FADING
#undef MENDED
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), JOIN(COMPONENTS, STATE)), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " CHUNK=" TEXT_OF(CHUNK) " COMPONENTS=" TEXT_OF(                          \
      COMPONENTS) " DAMPED=1 DIM=" TEXT_OF(DIM) " FORM=" TEXT_OF(FORM) " STATE=" TEXT_OF(STATE)
{"pml_forces" KEY, JOIN(forces_run, NAME)},
#if STATE == COMPONENTS
    {"pml_nodes" KEY, JOIN(nodes_run, NAME)},
#endif
#if STATE == COMPONENTS && STATE > 1
    {"pml_wet" KEY, JOIN(wet_run, NAME)},
#endif
#undef NAME
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 1024
#define SELF "device/host/kernels/pml.c"

#define VARIANT
#define DIM 2
#define MOST 121
#define COMPONENTS 2
#define STATE 2
#include "device/host/for_forms.h"
#undef COMPONENTS
#define COMPONENTS 1
#include "device/host/for_forms.h"
#undef STATE
#define STATE 1
#include "device/host/for_forms.h"
#undef STATE
#undef COMPONENTS
#undef DIM
#undef MOST
#define DIM 3
#define MOST 1331
#define COMPONENTS 3
#define STATE 3
#include "device/host/for_forms.h"
#undef COMPONENTS
#define COMPONENTS 1
#include "device/host/for_forms.h"
#undef STATE
#define STATE 1
#include "device/host/for_forms.h"
#undef STATE
#undef COMPONENTS
#undef DIM
#undef MOST
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_pml, HOST_ISA)[] = {
#define DIM 2
#define COMPONENTS 2
#define STATE 2
#include "device/host/for_forms.h"
#undef COMPONENTS
#define COMPONENTS 1
#include "device/host/for_forms.h"
#undef STATE
#define STATE 1
#include "device/host/for_forms.h"
#undef STATE
#undef COMPONENTS
#undef DIM
#define DIM 3
#define COMPONENTS 3
#define STATE 3
#include "device/host/for_forms.h"
#undef COMPONENTS
#define COMPONENTS 1
#include "device/host/for_forms.h"
#undef STATE
#define STATE 1
#include "device/host/for_forms.h"
#undef STATE
#undef COMPONENTS
#undef DIM
    {0}};
#endif
