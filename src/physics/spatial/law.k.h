/* Hooke's law at a point of a plane body that moves in its plane and across it (W.30): two directions, three components.
 *   stress = C strain,   p: the upper triangle by rows of C's rows and columns xx yy yz xz xy
 * Strain and stress are in this order; of three dimensions the law is none. */
#ifdef EACH_LAW
EACH_LAW(spatial, 5 - DIM)
#elif !defined EACH_CONSTANT
#define spatial_PARAMETERS 15
#define spatial_STATES 0

DEVICE void spatial_flux(LAW_AT_POINT)
{
  matrix_flux(5, p, factor, strain, state, flux);
}
#endif
