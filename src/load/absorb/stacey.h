/* Faces that absorb, to first order (Lysmer and Kuhlemeyer 1969; Stacey 1988): the traction on them is
 *   t = -Z v,   isotropic  t = -rho c_p v_n n - rho c_s v_t,   in general Z = hk_region_impedance of the normal n,
 * which is what lies beyond for waves along n: none of them comes back. Integrated by the quadrature of hk_face_rule it is a dashpot
 * on each node,  F_n = -C_n v_n,  C_n = sum over faces of Z area_n (W.17). Of fluids the unknown is a potential, p = -dq/dt, and the flow out
 * of the face p / (rho c): C_n = area_n / (rho c), in the first component. */
#pragma once
#include "load/excitation.h"
#include "load/rows.h"
#include "space/space.h"

/* Of the faces of all domains, each once; nothing on nodes that `without` marks (without[mesh node], or NULL). HK_BAD_INPUT for faces of shapes without positive weights. O(faces log faces). */
hk_status hk_stacey_create(const hk_space *space, int domains, const hk_load_domain *domain,
                           const bool *without, hk_dashpots *out);

typedef enum hk_stacey_wave { HK_STACEY_P, HK_STACEY_S } hk_stacey_wave;

/* Of a plane wave that comes upon such a face of an isotropic body, `angle` (radians, below pi / 2) from its normal: the part of its
 * energy that comes back as P and S waves. No energy flows along the normal in a P wave beyond the critical angle of S. */
double hk_stacey_reflection(double p_speed, double s_speed, hk_stacey_wave wave, double angle);
/* The same of a fluid: ((1 - cos angle) / (1 + cos angle))^2. */
double hk_stacey_fluid_reflection(double angle);
