/* A fluid at a point, with q the integral of its pressure over time:
 *   flux = grad q / density,   p: 1 / density */
#ifdef EACH_LAW
EACH_LAW(fluid, 1)
#else
#define fluid_PARAMETERS 1
#define fluid_STATES 0

DEVICE void fluid_flux(LAW_AT_POINT)
{
  (void)state;
  UNROLL
  for (int d = 0; d < DIM; d++) flux[d] = factor * PARAMETER(0) * gradient[d];
}
#endif
