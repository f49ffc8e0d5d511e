/* Host variants of kernels/vectors.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if (defined(VARIANT) || defined(LINE)) && FORM == 0
#elif defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define vectors_energy JOIN(vectors_energy, NAME)
#define vectors_integrate JOIN(vectors_integrate, NAME)
#define vectors_part JOIN(vectors_part, NAME)
#define vectors_total JOIN(vectors_total, NAME)
#define sum_from JOIN(sum_from, NAME)
#define sum_runs JOIN(sum_runs, NAME)
#include "vectors.k.h"

static void JOIN(energy_run, NAME)(int group, void **v)
{
  vectors_energy(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                 *(real **)v[4], *(double **)v[5], *(double **)v[6], *(int *)v[7]);
}

static void JOIN(integrate_run, NAME)(int group, void **v)
{
  vectors_integrate(group, *(real **)v[0], *(real **)v[1], *(double **)v[2], *(int *)v[3],
                    *(double *)v[4]);
}

static void JOIN(part_run, NAME)(int group, void **v)
{
  vectors_part(group, *(double **)v[0], *(double **)v[1], *(double **)v[2], *(double **)v[3],
               *(double **)v[4], *(double **)v[5], *(double **)v[6], *(double **)v[7],
               *(double **)v[8], *(int **)v[9], *(double **)v[10], *(int *)v[11], *(int *)v[12],
               *(int *)v[13]);
}

static void JOIN(total_run, NAME)(int group, void **v)
{
  vectors_total(group, *(double **)v[0], *(int **)v[1], *(double **)v[2], *(int *)v[3]);
}
#undef vectors_energy
#undef vectors_integrate
#undef vectors_part
#undef vectors_total
#undef sum_from
#undef sum_runs
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " CHUNK=" TEXT_OF(CHUNK) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(      \
      DIM) " FORM=" TEXT_OF(FORM)
{"vectors_energy" KEY, JOIN(energy_run, NAME)}, {"vectors_part" KEY, JOIN(part_run, NAME)},
    {"vectors_total" KEY, JOIN(total_run, NAME)},
    {"vectors_integrate" KEY, JOIN(integrate_run, NAME)},
#undef NAME
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 1024
#define SELF "device/host/kernels/vectors.c"

#define VARIANT
#define DIM 1
#include "device/host/for_forms.h"
#undef DIM
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
#undef VARIANT

#define LINE
const hk_host_kernel JOIN(hk_host_vectors, HOST_ISA)[] = {
#define DIM 1
#include "device/host/for_forms.h"
#undef DIM
#define DIM 2
#include "device/host/for_forms.h"
#undef DIM
#define DIM 3
#include "device/host/for_forms.h"
#undef DIM
    {0}};
#endif
