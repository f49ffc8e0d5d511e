/* Absorbing layers by mass-proportional damping, C = d M:
 *
 *   rho u'' + d rho u' = div stress,   d(x) = d_max (x / L)^3,   x = L - distance to the layer's
 * faces,
 *
 * 0 at the depth L below the faces, d_max on them; where layers overlap the largest d holds.
 *
 * A plane wave of speed c, u'' + d u' = c^2 u_xx, decays as exp(-int d dx / (2 c)) where d changes
 * little over a wavelength. Into the layer, back from its outer face: int d dx = 2 d_max L / 4, so
 * the attenuation leaves  R_0 = exp(-d_max L / (4 c)), and
 *   d_max = 4 c ln(1 / R_0) / L,  R_0 = 1e-3, c of the fastest wave, when d_max is not given (W.19).
 * Reflection by the gradient of d comes on top. It falls with L over the wavelength c / f (d_max
 * chosen, normal incidence, hk_absorb_reflection; slower waves reflect less):
 *   L f / c   0.5    0.75   1      1.25   1.5    2      3
 *   R         0.26   0.106  0.039  0.014  0.007  0.002  0.002 */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_absorb_layer {
  hk_count count;       /* faces, or nodes where face == NULL */
  const hk_index *item; /* item[count] */
  const uint8_t *face;  /* face[count] */
  double thickness;     /* L; <= 0: chosen, and set */
  double d_max;         /* 1 / time; <= 0: chosen, and set */
  const char *file;     /* where the layer was asked for, for messages; may be NULL */
  hk_count line;
  /* matched layers, set: sides of the mesh's box they lie at, 2 axis + (0 low, 1 high) */
  bool side[6];
  double reflection; /* set: R of the fastest wave at normal incidence and `frequency`; 0 without */
} hk_absorb_layer;

typedef struct hk_absorb_wave {
  double speed;     /* of the fastest wave of the model */
  double frequency; /* at the centre of the sources' spectrum; 0: not known */
  const char *unit; /* of lengths, behind a number: " mm"; NULL: none */
  double backward;  /* matched layers: the largest hk_region_backward of the model */
  /* matched layers: of the fastest and the slowest wave of one solid in them; 0: not known */
  double ratio;
} hk_absorb_wave;

/* The box around the mesh: its low and its high ends, and its smallest extent. */
typedef struct hk_absorb_box {
  double end[2][3], least;
} hk_absorb_box;
hk_absorb_box hk_absorb_box_of(const hk_mesh *mesh);

/* damping[mesh node] = max(damping, d of each layer); the caller zeroes it or sets the
 * background's. L when not given: 1.5 speed / frequency (frequency not known: all that the cap
 * allows), at most a quarter of the smallest extent of the mesh. A warning goes to `list` (may be
 * NULL) for a layer that is too steep: R above 5 % (with the d_max chosen, L below 0.95
 * wavelengths), for one that reaches no nodes but those of its faces, and for one that holds all
 * nodes. HK_BAD_INPUT: an empty layer. O(nodes log faces). */
hk_status hk_absorb_profile(const hk_mesh *mesh, const hk_absorb_wave *wave, int layer_count,
                            hk_absorb_layer *layer, hk_messages *list, double *damping);

/* |reflected / incident| of a plane wave at normal incidence on a layer that ends in a free face,
 * by integrating c^2 u_xx + (w^2 - i w d(x)) u = 0 (W.20) from the face (Runge-Kutta 4). */
double hk_absorb_reflection(double speed, double frequency, double thickness, double d_max);
