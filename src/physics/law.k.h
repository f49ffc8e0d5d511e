/* The laws at a point, for kernels that work at points: flux = factor times the law of the gradient. `law`, a constant, counts those of the
 * list (physics/list.k.h) that have COMPONENTS; p: the law's parameters (physics/law.h) of one lane, PARAMETER_STRIDE apart; state: what
 * the law keeps of the point's past, brought to the end of the step.
 *   gradient, flux [COMPONENTS][DIM]: of solids du_c / dx_d and the stress */
#ifndef PARAMETER_PLACE
#define PARAMETER_PLACE GLOBAL
#define PARAMETER_STRIDE LANES
#endif
#define LAW_AT_POINT                                                                               \
  PARAMETER_PLACE const real *p, const real factor, PRIVATE const real *gradient,                  \
      PRIVATE real *state, PRIVATE real *flux
#define MOST_STATES 32
#define PARAMETER(m) p[(m)*PARAMETER_STRIDE]
#include "physics/list.k.h"

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
  if (COMPONENTS == (components) && law == k++) name##_flux(p, factor, gradient, state, flux);
#include "physics/list.k.h"
#undef EACH_LAW
}
