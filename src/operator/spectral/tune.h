/* How groups of operator/spectral/spectral.k.h are launched where kernels are compiled, as hk_operator_kind.tune finds it. Private to the form. */
#pragma once
#include "mesh/mesh.h"
#include "operator/operator.h"

enum {
  HK_SPECTRAL_PATCHES,
  HK_SPECTRAL_ELEMENTS,
  HK_SPECTRAL_REGISTERS,
  HK_SPECTRAL_AHEAD,
  HK_SPECTRAL_COLOURS,
  HK_SPECTRAL_FIELDS
};

typedef struct hk_spectral_choice {
  int threads;   /* of a group, about: as many elements as have so many columns, one at least */
  int registers; /* of a thread, at most; 0: as the compiler likes */
  bool ahead;    /* a group asks for what a later one reads */
  bool colours;  /* forces are added colour by colour; else slots are summed */
  int patches; /* option of hk_spectral_patch_shape, where patches serve; 0: none. They go before colours */
} hk_spectral_choice;

/* Options of each field. */
extern const int hk_spectral_options[HK_SPECTRAL_FIELDS];
/* option[HK_SPECTRAL_FIELDS]; NULL: as remembered for the device, else the first ones. */
hk_spectral_choice hk_spectral_chosen(const hk_mesh *mesh, const hk_device *device,
                                      bool double_precision, const int *option);
hk_status hk_spectral_tune(const hk_mesh *mesh, hk_device *device, bool double_precision);

/* How the elements' kernel of a bound form runs, in spectral.c. */
typedef struct hk_spectral_launch {
  int elements, threads, groups; /* of a group; groups: asked for per multiprocessor, 1: none */
  bool ahead;
  hk_count local; /* bytes */
  hk_kernel_cost cost;
} hk_spectral_launch;
hk_spectral_launch hk_spectral_describe(const hk_operator *op, hk_form form, int damped);

/* The numbering of a choice, in spectral.c. */
hk_space_desc hk_spectral_space(const hk_mesh *mesh, const hk_device *device, bool double_precision,
                                const int *option);
