/* A viscoelastic solid that moves across its plane (SH waves, docs/antiplane.md), at a point, of MECHANISMS standard linear solids (viscoelastic/law.k.h):
 *   flux = mu grad u_z - sum over l of mu_l z_l,   dz_l/dt = w_l (grad u_z - z_l)   (V.1)
 *   p: mu, then mu_l, e_l of each mechanism;   state: h (V.3) of each mechanism
 * The flux is the stress xz, yz, and the gradient twice the strain. */
#ifdef EACH_LAW
EACH_LAW(viscoelastic_shear, 1)
#elif !defined EACH_CONSTANT
#define viscoelastic_shear_PARAMETERS (1 + 2 * MECHANISMS)
#define viscoelastic_shear_STATES (MECHANISMS * DIM)

DEVICE void viscoelastic_shear_flux(LAW_AT_POINT)
{
  PRIVATE real *energy = state + viscoelastic_shear_STATES;
  UNROLL
  for (int a = 0; a < DIM; a++) {
    real sum = PARAMETER(0) * strain[a];
    UNROLL
    for (int l = 0; l < MECHANISMS; l++) {
      PRIVATE real *h = state + l * DIM + a;
      const real mu = PARAMETER(2 * l + 1), e = PARAMETER(2 * l + 2), d = strain[a] - *h,
                 mean = REAL(0.5) + REAL(0.5) * e, stress = mean * mu * d;
      sum += stress - mu * strain[a];
      *h += (1 - e) * d;
      energy[0] += factor * (1 - e) * stress * d;
      energy[1] += factor * REAL(0.5) * mean * (stress * d - mu * strain[a] * strain[a]);
    }
    flux[a] = factor * sum;
  }
}
#endif
