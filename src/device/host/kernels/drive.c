/* Host variants of kernels/drive.k.h. The file includes itself: pass VARIANT defines one variant, pass LINE its table line. */
#if (defined(VARIANT) || defined(LINE)) && FORM == 0
#elif defined(VARIANT)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define push_force JOIN(push_force, NAME)
#define hold_motion JOIN(hold_motion, NAME)
#define quotient JOIN(quotient, NAME)
#define sample_place JOIN(sample_place, NAME)
#define force_of JOIN(force_of, NAME)
#define row_of JOIN(row_of, NAME)
#define completed_place JOIN(completed_place, NAME)
#define begun_place JOIN(begun_place, NAME)
#define watched JOIN(watched, NAME)
#define receive JOIN(receive, NAME)
#define begun JOIN(begun, NAME)
#define drive_step JOIN(drive_step, NAME)
#define dashpots_step JOIN(dashpots_step, NAME)
#include "increments.k.h"
#include "drive.k.h"

static void JOIN(drive_run, NAME)(int group, void **v)
{
  drive_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3], *(real **)v[4],
             *(long **)v[5], *(double **)v[6], *(int **)v[7], *(int **)v[8], *(int **)v[9],
             *(double **)v[10], *(double **)v[11], *(double **)v[12], *(double **)v[13],
             *(double **)v[14], *(int **)v[15], *(int **)v[16], *(double **)v[17], *(int **)v[18],
             *(int **)v[19], *(double **)v[20], *(double **)v[21], *(double **)v[22],
             *(double **)v[23], *(double **)v[24], *(double **)v[25], *(double **)v[26],
             *(int **)v[27], *(int **)v[28], *(double **)v[29], *(int **)v[30], *(long **)v[31],
             *(double **)v[32], *(double **)v[33], *(double **)v[34], *(int *)v[35], *(int *)v[36],
             *(int *)v[37], *(int *)v[38], *(int *)v[39], *(int *)v[40], *(int *)v[41],
             *(int *)v[42], *(double *)v[43]);
}

static void JOIN(dashpots_run, NAME)(int group, void **v)
{
  dashpots_step(group, *(real **)v[0], *(real **)v[1], *(real **)v[2], *(real **)v[3],
                *(real **)v[4], *(int **)v[5], *(real **)v[6], *(int **)v[7], *(double **)v[8],
                *(double **)v[9], *(double **)v[10], *(double **)v[11], *(double **)v[12],
                *(int *)v[13], *(int *)v[14], *(int *)v[15]);
}
#undef push_force
#undef hold_motion
#undef quotient
#undef sample_place
#undef force_of
#undef row_of
#undef completed_place
#undef begun_place
#undef watched
#undef receive
#undef begun
#undef drive_step
#undef dashpots_step
#undef INCREMENT
#undef FADING
#undef MENDED
#undef NAME

#elif defined(LINE)
#define NAME JOIN(JOIN(JOIN(DIM, FORM), DAMPED), PRECISION)
#define KEY                                                                                        \
  " " TEXT_OF(PRECISION) " CHUNK=" TEXT_OF(CHUNK) " DAMPED=" TEXT_OF(DAMPED) " DIM=" TEXT_OF(      \
      DIM) " FORM=" TEXT_OF(FORM) " STEPS=" TEXT_OF(STEPS)
{"drive_step" KEY, JOIN(drive_run, NAME)}, {"dashpots_step" KEY, JOIN(dashpots_run, NAME)},
#undef NAME
#undef KEY

#else
#include "device/host/dialect.h"
#include "device/host/kernels.h"
#define CHUNK 1024
#define STEPS 256
#define SELF "device/host/kernels/drive.c"

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
const hk_host_kernel JOIN(hk_host_drive, HOST_ISA)[] = {
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
