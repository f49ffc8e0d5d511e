/* A viscoelastic solid at a point, isotropic or anisotropic, of MECHANISMS standard linear solids (docs/attenuation.md):
 *   stress = C strain - sum over l of C_l z_l,   dz_l/dt = w_l (strain - z_l),   C_l = lambda_l 1 (x) 1 + 2 mu_l I   (V.1)
 * C is the stiffness for a sudden strain. The kernel keeps h = z_l half a step before, and e_l = (2 - w_l dt) / (2 + w_l dt):
 *   h after = e_l h + (1 - e_l) strain,   z_l = (h + h after) / 2   (V.3)
 *   p: isotropic lambda, mu, or anisotropic the upper triangle of C by rows; then lambda_l, mu_l, e_l of each mechanism
 *   state: energy lost (physics/law.h), energy turned into heat, energy held by mechanisms in the last step; then h of each mechanism */
#ifdef EACH_LAW
EACH_LAW(viscoelastic, DIM)
EACH_LAW(viscoelastic_anisotropic, DIM)
#elif !defined EACH_CONSTANT
#define MECHANISMS 3
#define viscoelastic_PARAMETERS (isotropic_PARAMETERS + 3 * MECHANISMS)
#define viscoelastic_STATES (3 + MECHANISMS * VOIGTS)
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

/* Takes from the flux what one mechanism has relaxed, and brings its h to the end of the step. p: lambda_l, mu_l, e_l. Adds its heat and the
 * energy that it holds (V.4). */
DEVICE void relax(PARAMETER_PLACE const real *p, const real factor, PRIVATE const real *strain,
                  PRIVATE real *h, PRIVATE real *flux, PRIVATE real *heat, PRIVATE real *held)
{
  const real e = PARAMETER(2), mean = REAL(0.5);
  real z[VOIGTS], sudden[VOIGTS], relaxed[VOIGTS];
  UNROLL
  for (int a = 0; a < VOIGTS; a++) z[a] = mean * ((1 + e) * h[a] + (1 - e) * strain[a]);
  isotropic_stress(factor * PARAMETER(0), factor * PARAMETER(1), strain, sudden);
  isotropic_stress(factor * PARAMETER(0), factor * PARAMETER(1), z, relaxed);
  UNROLL
  for (int a = 0; a < VOIGTS; a++) {
    const real change = (1 - e) * (strain[a] - h[a]);
    flux[a] -= relaxed[a];
    *heat += (sudden[a] - relaxed[a]) * change;
    *held += relaxed[a] * (mean * z[a] - strain[a]) + mean * mean * (1 - e) * sudden[a] * strain[a];
    h[a] += change;
  }
}

/* All mechanisms. p: of the first one. */
DEVICE void relax_all(LAW_AT_POINT)
{
  real held = 0, heat = state[1];
  UNROLL
  for (int l = 0; l < MECHANISMS; l++)
    relax(p + 3 * l * PARAMETER_STRIDE, factor, strain, state + 3 + l * VOIGTS, flux, &heat, &held);
  state[0] = heat + held + REAL(0.5) * (held - state[2]);
  state[1] = heat, state[2] = held;
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
