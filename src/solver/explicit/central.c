/* Central differences, equations (2)-(4) of Huthwaite (2014): K~ = K, so that the kernel of K takes the step in its epilogue,
 * (W.5) on positions and (W.6) on increments. The scheme is stable for w dt < 2 (W.10). It computes a mode of frequency w at the
 * frequency asin(x) / x w with x = w dt / 2, which is too high (D.2). The first step is of second order (W.7). */
#include "solver/explicit/integrator.h"
#include "solver/explicit/parts.h"
#include <math.h>

static double frequency(double x)
{
  const double half = x / 2;
  return half < 1 ? asin(half) / half : INFINITY;
}

/* u_1 = u_0 + dt v_0 + dt^2/2 a_0 */
static double first(double dt, double v0, double bf, double a)
{
  return (2 * dt * v0 - bf) / (1 + a);
}

static hk_status multiply(const hk_explicit *s, int shots, hk_buffer *u, hk_buffer *out)
{
  return hk_operator_apply(
      s->op, &(hk_epilogue){.form = HK_FORM_STORE, .shots = shots, .u = u, .out = out});
}

static hk_status step(const hk_explicit *s, int from, unsigned phases)
{
  return hk_operator_apply_phases(s->op,
                                  &(hk_epilogue){.form = s->scheme.form,
                                                 .damped = s->scheme.damping,
                                                 .shots = s->shots,
                                                 .dt = s->scheme.dt,
                                                 .u = s->vector.x[from],
                                                 .out = s->vector.x[1 - from],
                                                 .v = s->vector.v,
                                                 .b = s->vector.b,
                                                 .a = s->vector.a,
                                                 .state = s->vector.law,
                                                 .loss = s->vector.loss},
                                  phases);
}

const hk_integrator hk_integrator_central = {.name = "central",
                                             .form = {HK_FORM_INCREMENTS, HK_FORM_POSITIONS},
                                             .limit = 2,
                                             .parts = true,
                                             .filtered = true,
                                             .frequency = frequency,
                                             .first = first,
                                             .multiply = multiply,
                                             .step = step};
