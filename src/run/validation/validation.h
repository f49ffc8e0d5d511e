/* Small runs on a device: with a known answer, or beside the host's. */
#pragma once
#include "operator/operator.h"

typedef struct hk_small_run {
  const char *method; /* as hk_operator_choose takes it */
  hk_shape shape;
  hk_count cells; /* along each edge of the unit square or cube */
  bool double_precision;
  bool loaded; /* with damping, and a force on a node */
} hk_small_run;

/* Lame's mode of a free square or cube, u = (cos kx sin ky, -sin kx cos ky) cos wt, k = pi / L, w = sqrt(2) k c_s: after a
 * period it has come back. *error: mass-weighted L2 difference over the norm (of no meaning if driven). u: may be NULL, or
 * (*u)[*count] = [mesh node][component] at the end, the caller's (hk_free). */
hk_status hk_run_small(hk_device *device, const hk_small_run *small, double *error, double **u,
                       hk_count *count);

/* A form of hk_device_desc.validate: the device's kernels for `user`, a hk_validation, give what the host's give; HK_NO_RESOURCES where they do
 * not. Once per device, compiler and form where there is a cache folder, which remembers it. */
typedef struct hk_validation {
  const char *method;
  const hk_mesh *mesh;            /* each of its shapes is tried */
  const hk_index *element_region; /* as in hk_operator_desc */
  int shots;                      /* to be stepped at once at most: auto depends on it */
  bool double_precision;
  const char *cache; /* folder; may be NULL */
  hk_messages *list; /* for hk_validation_passed_over */
} hk_validation;
hk_status hk_validation_device(hk_device *device, void *user);
/* What both validations judge by: the largest difference of theirs[count] from the host's mine[count] is rounding. HK_NO_RESOURCES: the device does not
 * compute what the host computes, `what` ("method stored, hex8, single"). */
hk_status hk_validation_judge(const hk_device *device, const char *what, bool double_precision,
                              hk_count count, const double *mine, const double *theirs);
/* A form of hk_device_desc.passed_over: a warning. */
void hk_validation_passed_over(const char *name, const char *why, void *user);
