/* The laws at a point, for kernels that work at points: flux = factor times the law of the strain. `law`, a constant, counts those of the
 * list (physics/list.k.h) that have COMPONENTS; p: the law's parameters (physics/law.h) of one lane, PARAMETER_STRIDE apart; state: what
 * the law keeps of the point's past, brought to the end of the step, and behind it LAW_ENERGIES to which a law with state adds: the energy
 * that it turns into heat in this step, and the one that it holds and would give back.
 *   gradient [COMPONENTS][DIM]   du_c / dx_d; of it a law has the STRAINS values
 *   strain   one component: the gradient; solids, Voigt's: 2D xx yy xy, 3D xx yy zz yz xz xy, shear strains twice the tensor's; three components in 2D: xx yy yz xz xy
 *   flux     in the order of the strain: of solids the stress */
#ifndef PARAMETER_PLACE
#define PARAMETER_PLACE GLOBAL
#define PARAMETER_STRIDE LANES
#endif
#define LAW_AT_POINT                                                                               \
  PARAMETER_PLACE const real *p, const real factor, PRIVATE const real *strain,                    \
      PRIVATE real *state, PRIVATE real *flux
#define MOST_STATES 32
#define LAW_ENERGIES 2
/* Of n values of state, a constant: in parts that are short enough for compilers to unroll. */
#define EACH_STATE(m, n)                                                                           \
  UNROLL                                                                                           \
  for (int part_ = 0; part_ < MOST_STATES; part_ += 8) UNROLL                                      \
  for (int m = part_; m < part_ + 8; m++)                                                          \
    if (m < (n))
#define PARAMETER(m) p[(m)*PARAMETER_STRIDE]
#define VOIGTS (3 * DIM - 3)
#define VOIGT(a, b) ((a) == (b) ? (a) : DIM == 2 ? 2 : 6 - (a) - (b))
#define STRAINS (COMPONENTS == 1 ? DIM : COMPONENTS > DIM ? 5 : VOIGTS)
/* Place of entry r, c of a symmetric n x n matrix in its upper triangle by rows. */
#define TRIANGLE(r, c, n)                                                                          \
  ((r) < (c) ? (r) * (2 * (n)-1 - (r)) / 2 + (c) : (c) * (2 * (n)-1 - (c)) / 2 + (r))

/* flux = factor times the symmetric n x n matrix times the strain; p: its upper triangle by rows. n: a constant. */
DEVICE void matrix_flux(const int n, LAW_AT_POINT)
{
  (void)state;
  UNROLL
  for (int a = 0; a < n; a++) {
    real sum = PARAMETER(a) * strain[0];
    UNROLL
    for (int b = 1; b < n; b++) sum += PARAMETER(TRIANGLE(a, b, n)) * strain[b];
    flux[a] = factor * sum;
  }
}
#include "physics/list.k.h"

DEVICE void strain_of(PRIVATE const real *gradient, PRIVATE real *strain)
{
#if COMPONENTS == 1
  UNROLL
  for (int d = 0; d < DIM; d++) strain[d] = gradient[d];
#elif COMPONENTS > DIM
  strain[0] = gradient[0], strain[1] = gradient[3], strain[2] = gradient[5];
  strain[3] = gradient[4], strain[4] = gradient[1] + gradient[2];
#else
  UNROLL
  for (int a = 0; a < DIM; a++) UNROLL
  for (int b = 0; b < DIM; b++)
    strain[VOIGT(a, b)] =
        a == b ? gradient[a * DIM + a] : gradient[a * DIM + b] + gradient[b * DIM + a];
#endif
}

/* tensor[COMPONENTS][DIM] of a flux. */
DEVICE void tensor_of(PRIVATE const real *flux, PRIVATE real *tensor)
{
#if COMPONENTS > DIM
  tensor[0] = flux[0], tensor[3] = flux[1], tensor[5] = flux[2], tensor[4] = flux[3];
  tensor[1] = tensor[2] = flux[4];
#else
  UNROLL
  for (int a = 0; a < COMPONENTS; a++) UNROLL
  for (int b = 0; b < DIM; b++) tensor[a * DIM + b] = flux[COMPONENTS == 1 ? b : VOIGT(a, b)];
#endif
}

/* How many parameters the law has. */
DEVICE int law_parameters(const int law)
{
  int k = 0, count = 0;
#define EACH_LAW(name, components)                                                                 \
  if (COMPONENTS == (components) && law == k++) count = name##_PARAMETERS;
#include "physics/list.k.h"
#undef EACH_LAW
  return count;
}

/* Values of state at a point, of the law that has most. */
DEVICE int law_most_states(void)
{
  int most = 0;
#define EACH_LAW(name, components)                                                                 \
  if (name##_STATES > most) most = name##_STATES;
#include "physics/list.k.h"
#undef EACH_LAW
  return most;
}

/* How many values of state the law has. */
DEVICE int law_states(const int law)
{
  int k = 0, count = 0;
#define EACH_LAW(name, components)                                                                 \
  if (COMPONENTS == (components) && law == k++) count = name##_STATES;
#include "physics/list.k.h"
#undef EACH_LAW
  return count;
}

DEVICE void law_flux(const int law, LAW_AT_POINT)
{
  int k = 0;
#define EACH_LAW(name, components)                                                                 \
  if (COMPONENTS == (components) && law == k++) name##_flux(p, factor, strain, state, flux);
#include "physics/list.k.h"
#undef EACH_LAW
}
