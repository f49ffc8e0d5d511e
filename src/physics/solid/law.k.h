/* Hooke's law at a point, of isotropic bodies and of any. Strain and stress are those of physics/law.k.h:
 *   isotropic     stress = lambda tr(strain) 1 + 2 mu strain,   p: lambda, mu
 *   anisotropic   stress = C strain,   p: the upper triangle of C by rows */
#ifdef EACH_LAW
EACH_LAW(isotropic, DIM)
EACH_LAW(anisotropic, DIM)
#elif !defined EACH_CONSTANT
#define isotropic_PARAMETERS 2
#define isotropic_STATES 0
#define anisotropic_PARAMETERS (VOIGTS * (VOIGTS + 1) / 2)
#define anisotropic_STATES 0

DEVICE void isotropic_flux(LAW_AT_POINT)
{
  (void)state;
  const real mu = factor * PARAMETER(1);
  real trace = strain[0];
  UNROLL
  for (int a = 1; a < DIM; a++) trace += strain[a];
  trace *= factor * PARAMETER(0);
  UNROLL
  for (int a = 0; a < VOIGTS; a++) flux[a] = a < DIM ? trace + 2 * mu * strain[a] : mu * strain[a];
}

DEVICE void anisotropic_flux(LAW_AT_POINT)
{
  matrix_flux(VOIGTS, p, factor, strain, state, flux);
}
#endif
