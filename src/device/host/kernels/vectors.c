/* Host variants of kernels/vectors.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if (defined(VARIANT) || defined(LINE)) && FORM == 0
#elif defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define vectors_energy JOIN(vectors_energy, NAME)
#include "vectors.k.h"

static void JOIN(energy_run, NAME)(int group, void **v)
{
  vectors_energy(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                 *(real **)v[4], *(double **)v[5], *(int *)v[6]);
}
#undef vectors_energy
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " CHUNK=" TEXT_OF(CHUNK) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(      \
      DIM) " FORM=" TEXT_OF(FORM)
{"vectors_energy" KEY, JOIN(energy_run, NAME)},
#undef NAME
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 1024
#define SELF "device/host/kernels/vectors.c"

#define VARIANT
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_vectors, HOST_ISA)[] = {
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
    {0}};
#endif
