/* Fourier's law at a point. As all fluxes of kernels it is the one that works on the gradient, minus the heat flux -k grad T:
 *   conduction          flux = k grad T,   p: k
 *   tensor_conduction   flux = k grad T,   p: the upper triangle of k by rows */
#ifdef EACH_LAW
EACH_LAW(conduction, 1)
EACH_LAW(tensor_conduction, 1)
#elif !defined EACH_CONSTANT
#define conduction_PARAMETERS 1
#define conduction_STATES 0
#define tensor_conduction_PARAMETERS (DIM * (DIM + 1) / 2)
#define tensor_conduction_STATES 0

DEVICE void conduction_flux(LAW_AT_POINT)
{
  (void)state;
  UNROLL
  for (int d = 0; d < DIM; d++) flux[d] = factor * PARAMETER(0) * strain[d];
}

DEVICE void tensor_conduction_flux(LAW_AT_POINT)
{
  matrix_flux(DIM, p, factor, strain, state, flux);
}
#endif
