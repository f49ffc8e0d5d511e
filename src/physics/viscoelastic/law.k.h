/* A viscoelastic solid at a point, isotropic or anisotropic, of MECHANISMS standard linear solids (docs/attenuation.md):
 *   stress = C strain - sum over l of C_l z_l,   dz_l/dt = w_l (strain - z_l),   C_l = lambda_l 1 (x) 1 + 2 mu_l I   (V.1)
 * C is the stiffness for a sudden strain. The kernel keeps h = z_l half a step before, and e_l = (2 - w_l dt) / (2 + w_l dt):
 *   h after = e_l h + (1 - e_l) strain,   z_l = (h + h after) / 2   (V.3)
 *   p: isotropic lambda, mu, or anisotropic the upper triangle of C by rows; then lambda_l, mu_l, e_l of each mechanism
 *   state: h of each mechanism */
#ifdef EACH_LAW
EACH_LAW(viscoelastic, DIM)
EACH_LAW(viscoelastic_anisotropic, DIM)
#elif !defined EACH_CONSTANT
#define MECHANISMS 3
#define viscoelastic_PARAMETERS (isotropic_PARAMETERS + 3 * MECHANISMS)
#define viscoelastic_STATES (MECHANISMS * VOIGTS)
#define viscoelastic_anisotropic_PARAMETERS (anisotropic_PARAMETERS + 3 * MECHANISMS)
#define viscoelastic_anisotropic_STATES viscoelastic_STATES

/* stress = lambda tr(strain) 1 + 2 mu strain */
DEVICE void isotropic_stress(const real lambda, const real mu, PRIVATE const real *strain,
                             PRIVATE real *stress)
{
  real trace = strain[0];
  UNROLL
  for (int a = 1; a < DIM; a++) trace += strain[a];
  UNROLL
  for (int a = 0; a < VOIGTS; a++)
    stress[a] = (a < DIM ? lambda * trace + mu * strain[a] : 0) + mu * strain[a];
}

/* One mechanism, whose strain h lags behind the strain by d = strain - h. Adds its mean stress over the step, (1 + e_l) / 2 C_l d, to the flux, and
 * moves h to the end of the step. p: lambda_l, mu_l, e_l. Adds to energy (V.4). */
DEVICE void relax(PARAMETER_PLACE const real *p, const real factor, PRIVATE const real *strain,
                  PRIVATE real *h, PRIVATE real *flux, PRIVATE real *energy)
{
  const real mean = REAL(0.5) + REAL(0.5) * PARAMETER(2), rest = 1 - PARAMETER(2);
  real d[VOIGTS], stress[VOIGTS], work = 0;
  UNROLL
  for (int a = 0; a < VOIGTS; a++) d[a] = strain[a] - h[a];
  isotropic_stress(factor * mean * PARAMETER(0), factor * mean * PARAMETER(1), d, stress);
  UNROLL
  for (int a = 0; a < VOIGTS; a++) {
    work += stress[a] * d[a];
    flux[a] += stress[a];
    h[a] += rest * d[a];
  }
  energy[0] += rest * work;
  energy[1] += REAL(0.5) * mean * work;
}

/* All mechanisms: flux -= sum of C_l strain, then relax. p: of the first one. */
DEVICE void relax_all(LAW_AT_POINT)
{
  PRIVATE real *energy = state + MECHANISMS * VOIGTS;
  real sum[4] = {0, 0, 0, 0}, sudden[VOIGTS], held[VOIGTS];
  UNROLL
  for (int l = 0; l < MECHANISMS; l++) {
    const real lambda = PARAMETER(3 * l), mu = PARAMETER(3 * l + 1),
               part = REAL(0.25) + REAL(0.25) * PARAMETER(3 * l + 2);
    sum[0] += lambda, sum[1] += mu, sum[2] += part * lambda, sum[3] += part * mu;
  }
  isotropic_stress(factor * sum[0], factor * sum[1], strain, sudden);
  isotropic_stress(factor * sum[2], factor * sum[3], strain, held);
  UNROLL
  for (int a = 0; a < VOIGTS; a++) {
    flux[a] -= sudden[a];
    energy[1] -= held[a] * strain[a];
  }
  UNROLL
  for (int l = 0; l < MECHANISMS; l++)
    relax(p + 3 * l * PARAMETER_STRIDE, factor, strain, state + l * VOIGTS, flux, energy);
}

DEVICE void viscoelastic_flux(LAW_AT_POINT)
{
  isotropic_flux(p, factor, strain, state, flux);
  relax_all(p + isotropic_PARAMETERS * PARAMETER_STRIDE, factor, strain, state, flux);
}

DEVICE void viscoelastic_anisotropic_flux(LAW_AT_POINT)
{
  anisotropic_flux(p, factor, strain, state, flux);
  relax_all(p + anisotropic_PARAMETERS * PARAMETER_STRIDE, factor, strain, state, flux);
}
#endif
