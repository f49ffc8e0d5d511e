/* Hooke's law at a point, of isotropic bodies and of any. Strain and stress are Voigt's, 2D xx yy xy, 3D xx yy zz yz xz xy, shear strains
 * twice the tensor's:
 *   isotropic     stress = lambda tr(strain) 1 + 2 mu strain,   p: lambda, mu
 *   anisotropic   stress = C strain,   p: the upper triangle of C by rows */
#ifdef EACH_LAW
EACH_LAW(isotropic, DIM)
EACH_LAW(anisotropic, DIM)
#else
#define VOIGTS (3 * DIM - 3)
#define VOIGT(a, b) ((a) == (b) ? (a) : DIM == 2 ? 2 : 6 - (a) - (b))
#define TRIANGLE(r, c) /* place of C_rc in its upper triangle by rows */                           \
  ((r) < (c) ? (r) * (2 * VOIGTS - 1 - (r)) / 2 + (c) : (c) * (2 * VOIGTS - 1 - (c)) / 2 + (r))
#define isotropic_PARAMETERS 2
#define isotropic_STATES 0
#define anisotropic_PARAMETERS (VOIGTS * (VOIGTS + 1) / 2)
#define anisotropic_STATES 0

/* Strain of gradient[c][d] = du_c / dx_d. */
DEVICE void solid_strain(PRIVATE const real *gradient, PRIVATE real *strain)
{
  UNROLL
  for (int a = 0; a < DIM; a++) UNROLL
  for (int b = 0; b < DIM; b++)
    strain[VOIGT(a, b)] =
        a == b ? gradient[a * DIM + a] : gradient[a * DIM + b] + gradient[b * DIM + a];
}

/* The stress as a matrix. */
DEVICE void solid_flux(PRIVATE const real *stress, PRIVATE real *flux)
{
  UNROLL
  for (int a = 0; a < DIM; a++) UNROLL
  for (int b = 0; b < DIM; b++) flux[a * DIM + b] = stress[VOIGT(a, b)];
}

DEVICE void isotropic_flux(LAW_AT_POINT)
{
  (void)state;
  const real mu = factor * PARAMETER(1);
  real strain[VOIGTS], stress[VOIGTS];
  solid_strain(gradient, strain);
  real trace = strain[0];
  UNROLL
  for (int a = 1; a < DIM; a++) trace += strain[a];
  trace *= factor * PARAMETER(0);
  UNROLL
  for (int a = 0; a < VOIGTS; a++)
    stress[a] = a < DIM ? trace + 2 * mu * strain[a] : mu * strain[a];
  solid_flux(stress, flux);
}

DEVICE void anisotropic_flux(LAW_AT_POINT)
{
  (void)state;
  real strain[VOIGTS], stress[VOIGTS];
  solid_strain(gradient, strain);
  UNROLL
  for (int a = 0; a < VOIGTS; a++) {
    real sum = PARAMETER(a) * strain[0];
    UNROLL
    for (int b = 1; b < VOIGTS; b++) sum += PARAMETER(TRIANGLE(a, b)) * strain[b];
    stress[a] = factor * sum;
  }
  solid_flux(stress, flux);
}
#endif
