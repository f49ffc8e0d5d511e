/* Host variants of kernels/vectors.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table lines. */
#if (defined(VARIANT) || defined(LINE)) && FORM == 0
#elif defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define vectors_energy JOIN(vectors_energy, NAME)
#define vectors_force JOIN(vectors_force, NAME)
#define vectors_motion JOIN(vectors_motion, NAME)
#define vectors_sample JOIN(vectors_sample, NAME)
#include "vectors.k.h"

static void JOIN(energy_run, NAME)(int group, void **v)
{
  vectors_energy(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                 *(real **)v[4], *(double **)v[5], *(int *)v[6]);
}

static void JOIN(force_run, NAME)(int group, void **v)
{
  vectors_force(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                *(int **)v[4], *(int **)v[5], *(int **)v[6], *(double **)v[7], *(double **)v[8],
                *(real **)v[9], *(double **)v[10], *(double **)v[11], *(double **)v[12],
                *(double **)v[13], *(int *)v[14], *(int *)v[15], *(int *)v[16]);
}

static void JOIN(motion_run, NAME)(int group, void **v)
{
  vectors_motion(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                 *(int **)v[4], *(int **)v[5], *(double **)v[6], *(int **)v[7], *(double **)v[8],
                 *(double **)v[9], *(double **)v[10], *(double **)v[11], *(real **)v[12],
                 *(double **)v[13], *(double **)v[14], *(double **)v[15], *(double **)v[16],
                 *(int **)v[17], *(double **)v[18], *(double **)v[19], *(int *)v[20], *(int *)v[21],
                 *(int *)v[22], *(double *)v[23]);
}

static void JOIN(sample_run, NAME)(int group, void **v)
{
  vectors_sample(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(int **)v[3],
                 *(int **)v[4], *(double **)v[5], *(double **)v[6], *(int *)v[7], *(int *)v[8],
                 *(int *)v[9], *(int *)v[10], *(int *)v[11], *(double *)v[12]);
}
#undef vectors_energy
#undef vectors_force
#undef vectors_motion
#undef vectors_sample
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " CHUNK=" TEXT_OF(CHUNK) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(      \
      DIM) " FORM=" TEXT_OF(FORM)
{"vectors_energy" KEY, JOIN(energy_run, NAME)}, {"vectors_force" KEY, JOIN(force_run, NAME)},
    {"vectors_motion" KEY, JOIN(motion_run, NAME)}, {"vectors_sample" KEY, JOIN(sample_run, NAME)},
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
