/* The stretch of a perfectly matched layer (solver/explicit/matched/pml.k.h) inside the sides of a box, x_c = const at the ends of the mesh:
 *   d_c = d_max ((L - distance) / L)^3 from each side across c that has a layer,  d_max = 2 min(c / L, 7 c_s / L, 4 f) ln(1 / R_0),
 * R_0 = 1/400 (S.13), c of the fastest wave, c_s = c / ratio, f the centre of the sources' spectrum: a layer thinner than a quarter of that wavelength does not absorb it by being
 * steeper. Where P waves are much faster than S waves (Poisson's ratio near 0.5) layers are that thin in wavelengths of P, and the steep
 * profile made modes of S waves at its inner end grow (nu 0.4999, L = 0.009 wavelengths: e-fold in 7 ms at 400 Hz);
 * then d_c += P (d of the other directions), without which late growth is possible (Meza-Fajardo and Papageorgiou 2008). A layer across x
 * alone damps a wave of slowness s and velocity V of energy by d_x s_x V_x + P d_x (1 - s_x V_x), as s . V = 1. Where s_x V_x >= -m that is
 * not below 0 for P >= m / (1 + m) (Becache, Fauqueux and Joly 2003 for P = 0): P = 0.02 + 1.2 m / (1 + m), at most 1, m of hk_absorb_wave.backward. */
#pragma once
#include "load/absorb/absorb.h"

#define HK_PML_MOST_RATIO 25.0 /* of the speeds of one solid's waves: shown to be stable to that */
/* From this ratio on waves grow in a layer of one element of this order or more (seen at orders 6, 8 and 10 from 7.1 on); in two they fall. */
#define HK_PML_SINGLE_RATIO 6.0
#define HK_PML_SINGLE_ORDER 5

/* d_max of a layer of that depth. */
double hk_pml_most(const hk_absorb_wave *wave, double depth);

/* Part of the amplitude of a line force that comes back from a layer so many wavelengths of the fastest wave deep, c_p / c_s 2, two of them
 * away, in elements of order 4 a quarter of it long: measured from 0.25 to 1.5, interpolated in its logarithm, extrapolated below. */
double hk_pml_reflection(double waves);

/* stretch[mesh node][dim] and held[mesh node] (nodes of the sides), both zeroed by the caller. L when not given: one wavelength (frequency not
 * known: all that the cap allows), at most a quarter of the smallest extent of the mesh. HK_BAD_INPUT: a face that is not on a side of
 * the box, a side of which not all boundary faces are in layers, a layer thicker than the mesh or without nodes but those of its faces, one
 * of a single element that would be unstable. A warning to `list` (may be NULL) for a layer below half a wavelength. */
hk_status hk_pml_profile(const hk_mesh *mesh, const hk_absorb_wave *wave, int layer_count,
                         hk_absorb_layer *layer, hk_messages *list, double *stretch, bool *held);

/* After it: the ends of the mesh, and of what the layers leave of it. */
void hk_pml_ends(const hk_mesh *mesh, int layer_count, const hk_absorb_layer *layer,
                 double outer[2][3], double inner[2][3]);

/* Of an axisymmetric model, after it: around[mesh node], d around the axis. With r~ = r + integral of d_r / (alpha + i w) from the axis on, u_r / r becomes
 * u_r / r~ and the circumference is stretched by r~ / r, so that d = 1/r integral of d_r dr (S.18): d_r on the axis. */
void hk_pml_around(const hk_mesh *mesh, const hk_absorb_wave *wave, int layer_count,
                   const hk_absorb_layer *layer, const double *stretch, double *around);
