/* The stretch of a perfectly matched layer (kernels/pml.k.h) inside the sides of a box, x_c = const at the ends of the mesh:
 *   d_c = d_max ((L - distance) / L)^3 from each side across c that has a layer,  d_max = 2 c ln(1 / R_0) / L, R_0 = 1/400 (S.13),
 * then d_c += P (d of the other directions), without which late growth is possible (Meza-Fajardo and Papageorgiou 2008). A layer across x
 * alone damps a wave of slowness s and velocity V of energy by d_x s_x V_x + P d_x (1 - s_x V_x), as s . V = 1. Where s_x V_x >= -m that is
 * not below 0 for P >= m / (1 + m) (Becache, Fauqueux and Joly 2003 for P = 0): P = 0.02 + 1.2 m / (1 + m), at most 1, m of hk_absorb_wave.backward. */
#ifndef HK_LOAD_PML_H
#define HK_LOAD_PML_H
#include "load/absorb.h"

typedef struct hk_pml_layer {
  hk_count count; /* faces */
  const hk_index *item;
  const uint8_t *face;
  double thickness; /* L; <= 0: chosen, and set */
  const char *file; /* for messages; may be NULL */
  hk_count line;
} hk_pml_layer;

/* stretch[mesh node][dim] and held[mesh node] (nodes of the sides), both zeroed by the caller. L when not given: one wavelength (frequency not
 * known: all that the cap allows), at most a quarter of the smallest extent of the mesh. HK_BAD_INPUT: a face that is not on a side of
 * the box, a side of which not all boundary faces are in layers, a layer thicker than the mesh or without nodes but those of its faces. A warning to `list` (may be NULL) for a layer below half a wavelength. */
hk_status hk_pml_profile(const hk_mesh *mesh, const hk_absorb_wave *wave, int layer_count,
                         hk_pml_layer *layer, hk_messages *list, double *stretch, bool *held);
#endif
