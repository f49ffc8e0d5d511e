/* Patches of spectral elements (operator/spectral/spectral_patch.k.h): how many elements they have, whether an operator takes them, their lists. Private to
 * the form. */
#pragma once
#include "operator/spectral/pack.h"

typedef struct hk_spectral_patch {
  int elements;  /* of a patch; 0: no patches */
  bool rows;     /* a thread per row of nodes; else per element */
  int threads;   /* of a group */
  int groups;    /* per multiprocessor, at least */
  int most;      /* groups of a launch: each takes patch after patch */
  bool straight; /* elements have their vertices; else they are affine */
  hk_index patches;
  int outer, own, sums, runs; /* of a patch, at most */
  hk_count local;             /* bytes */
} hk_spectral_patch;

/* Options 1 ... are sizes of groups. */
enum { HK_SPECTRAL_PATCH_SHAPES = 6 };

/* elements, rows and threads by an option, 0: none; all zero where there are no such patches of the dimension and order. */
hk_spectral_patch hk_spectral_patch_shape(int dim, int order, bool double_precision, int option);
/* The option that is taken where none was timed; 0: none. */
int hk_spectral_patch_default(const hk_device *device, int dim, int order, bool double_precision);
/* Bytes of an operator with such patches, which are taken as squares of elements. */
hk_count hk_spectral_patch_plan(const hk_mesh *mesh, const hk_spectral_patch *patch,
                                bool double_precision);
/* Whether the numbering has patches and they serve the operator: isotropic solids with straight elements, no forces of terms, the whole model. Else
 * patch->elements becomes 0. */
hk_status hk_spectral_patch_serves(const hk_operator_desc *desc, hk_spectral_patch *patch);
/* The lists, in the places of those of spectral.k.h (GROUP: head, SURFACE: list), and the rest of `patch`; the same of parameters alone, for steps of
 * dt. Elements of 0 where a list does not fit into 16 bits: then no buffer is made. */
hk_status hk_spectral_patch_pack(const hk_operator_desc *desc, int option, hk_spectral_patch *patch,
                                 hk_buffer **buffer);
hk_status hk_spectral_patch_parameters(const hk_operator_desc *desc, const hk_spectral_patch *patch,
                                       double dt, hk_buffer **buffer);
