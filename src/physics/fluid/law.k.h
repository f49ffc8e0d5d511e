/* The law of a fluid at a point, equation (S.6) of docs/theory/spectral.md, for kernels. The unknown is the potential q with p = -dq/dt:
 *   flux = grad q / density,   p: 1 / density
 * The flux is the velocity of the fluid. Of solids that move across their plane the unknown is u_z, the parameter mu and the flux their stress (W.23).
 * The law has no state. */
#ifdef EACH_LAW
EACH_LAW(fluid, 1)
#elif !defined EACH_CONSTANT
#define fluid_PARAMETERS 1
#define fluid_STATES 0

DEVICE void fluid_flux(LAW_AT_POINT)
{
  (void)state;
  UNROLL
  for (int d = 0; d < DIM; d++) flux[d] = factor * PARAMETER(0) * strain[d];
}
#endif
