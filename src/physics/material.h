/* Linear elastic materials, fluids, and how they conduct heat.
 *   stress = C : strain, Voigt order xx yy zz yz xz xy with engineering shear strains;
 *   isotropic: C = lambda 1 (x) 1 + 2 mu I;   c_p^2 = (lambda + 2 mu) / rho,  c_s^2 = mu / rho;
 *   fluids: p = -K div u, of sound speed sqrt(K / rho);
 *   heat flux = -k grad T, k symmetric and positive definite;   rho c dT/dt - div(k grad T) + beta T = s, beta >= 0 the reaction, c the specific heat;
 *   of a material that moves with velocity v (advection.h) rho c v . grad T is added on the left. */
#pragma once
#include "base/base.h"
#include "base/formula.h"
#include "base/kinds.h"
#include "physics/advection.h"
#include "physics/coupled.h"

/* What a 2D mesh stands for: a slab with its thickness that moves in its plane, or (axisymmetric) the body that the mesh sweeps about the axis x = 0, with
 * r = x and the axis along y; a strain u_x / x is then added, around the axis, as zz, and all integrals are over the whole ring, dV = 2 pi x dx dy.
 * Or (antiplane) a slab that moves only across its plane: rho d2u_z/dt2 = div (mu grad u_z), one unknown per node. Or (spatial) a slab that moves in its plane and
 * across it, u_x, u_y, u_z of x and y, which its stiffness may couple. */
typedef enum hk_plane {
  HK_PLANE_STRAIN,
  HK_PLANE_STRESS,
  HK_AXISYMMETRIC,
  HK_ANTIPLANE,
  HK_SPATIAL
} hk_plane;
enum { HK_PLANES = HK_SPATIAL + 1 };

typedef struct hk_table { /* a factor by temperature: linear between rows, constant outside */
  int rows;
  /* row[rows]: temperature, ascending, and factor, above 0; of two equal ones a jump */
  double (*row)[2];
} hk_table;
/* The factor at a temperature; 1 where table is NULL. */
double hk_table_at(const hk_table *table, double temperature);
/* Its derivative, between rows; 0 outside, and where table is NULL. */
double hk_table_slope(const hk_table *table, double temperature);
/* *out, of the pool: the table (NULL: 1) with `height` more between two temperatures, `from` below `to`: latent heat that is released evenly there. */
hk_status hk_table_add_peak(hk_pool *pool, const hk_table *table, double from, double to,
                            double height, const hk_table **out);
/* Its mean between two temperatures, exactly; their factor where they are equal. */
double hk_table_mean(const hk_table *table, double from, double to);

enum { HK_AT_CONDUCTIVITY, HK_AT_SPECIFIC_HEAT, HK_TABLES }; /* of hk_material.at */
enum {
  HK_BY_CONDUCTIVITY = HK_AT_CONDUCTIVITY,
  HK_BY_SPECIFIC_HEAT = HK_AT_SPECIFIC_HEAT,
  HK_BY_REACTION,
  HK_FORMULAS
}; /* of hk_material.by */

typedef struct hk_material {
  const char *name; /* borrowed */
  double density;   /* < 0: not given */
  bool elastic;     /* c[][] was given */
  bool isotropic;
  double c[6][6];
  bool fluid; /* of bulk modulus K; c[][] is 0 */
  double bulk;
  bool conducts; /* conductivity[][] was given */
  double conductivity[3][3];
  double reaction; /* beta: heat per volume, time and temperature */
  /* of transient steps: added to beta with the consistent matrix, or with a diagonal one (E.12), */
  double stored, lumped;
  double specific_heat; /* c: heat per mass and temperature; 0: not given */
  /* of the conductivity, and of specific_heat, stored and lumped; borrowed; or NULL */
  const hk_table *at[HK_TABLES];
  hk_advection advection;
  /* of coupled equations; `stored` multiplies its capacity; borrowed; or NULL */
  const hk_coupled *coupled;
  /* of the place and the temperature: isotropic k instead of conductivity[][], a factor of specific_heat, stored and lumped, a value to
   * be added to reaction; borrowed; or NULL */
  const hk_formula *by[HK_FORMULAS];
  /* of the list (law.h) that the material asks for; NULL: the first that serves; borrowed */
  const char *law;
  /* that this law alone has; of fluids with attenuation rates and b of hk_relaxation_creep, K_U / K; of all with attenuation their
   * quality factors behind HK_QUALITY_AT, or the time of Kelvin-Voigt at HK_DELAY_AT (viscoelastic/fit.h) */
  double constant[15];
  double mass_damping; /* d of C = d M, 1/s */
} hk_material;

typedef enum hk_axes_kind { HK_AXES_GLOBAL, HK_AXES_RECTANGULAR, HK_AXES_CYLINDRICAL } hk_axes_kind;

/* local axes, the same everywhere or (cylindrical) radial, tangential, axial */
typedef struct hk_axes {
  hk_axes_kind kind;
  double origin[3]; /* cylindrical: a point of the axis */
  double row[3][3]; /* rectangular: local axes; cylindrical: row[2] is the axis, row[0] the radial
                       direction on it, where there is none */
  int turn_about;   /* then turned by turn_by (radians) about local axis 0, 1, 2 */
  double turn_by;
} hk_axes;

/* Local axes at x, as rows in global coordinates. */
void hk_axes_at(const hk_axes *axes, const double x[3], double row[3][3]);

/* What the elements of one section are made of. */
typedef struct hk_region {
  const char *name;      /* of its set or section; borrowed */
  hk_material material;  /* its own copy; in global axes where those of `axes` do not vary */
  hk_axes axes;          /* in which the material was given; prints may follow them */
  const char *axes_name; /* of a deck's *ORIENTATION, borrowed; else NULL */
  /* with formulas, cylindrical axes and a material that feels them (material.c is then in local axes), or axisymmetric: to be taken at each
   * point (hk_region_at) */
  bool varies;
  hk_plane plane;
  double thickness; /* 2D; 1 if not given; axisymmetric: 1, of hk_region_at 2 pi x */
  hk_integration integration;
  /* regions whose constants follow one field (a formula, a grid): 1 + the first of them; 0: the constants are its own */
  hk_index spread;
} hk_region;

/* The region as it is at x[3]: its law in global axes, varies = false; at temperature 0 where formulas depend on it. Borrows the name
 * and the material's name. */
void hk_region_at(const hk_region *region, const double x[3], hk_region *out);
/* The same at the temperature t. Tables stay. */
void hk_region_at_warm(const hk_region *region, const double x[3], double t, hk_region *out);

/* A region whose explicit steps have one unknown q per node:  inertia d2q/dt2 = div (stiffness grad q). Of a fluid q is the potential, the stiffness 1 / density
 * and the inertia 1 / K (S.6); of an isotropic solid that moves across its plane q is u_z, with mu and the density (W.23). */
typedef struct hk_scalar_wave {
  double stiffness, inertia;
} hk_scalar_wave;
static inline bool hk_region_is_scalar(const hk_region *region)
{
  return region->material.fluid || region->plane == HK_ANTIPLANE;
}
/* Whether a region of a mesh with dim dimensions moves in its plane and across it; how many components the displacement of its law has: 2 or 3. */
static inline bool hk_region_is_spatial(const hk_region *region, int dim)
{
  return dim == 2 && region->plane == HK_SPATIAL;
}
static inline int hk_region_vector(const hk_region *region, int dim)
{
  return hk_region_is_spatial(region, dim) ? 3 : dim;
}
/* Per volume; the region is scalar. */
hk_scalar_wave hk_region_scalar_wave(const hk_region *region);

/* The depth normal to the plane of a 2D mesh at a point: the thickness, axisymmetric 2 pi x[0]; 1 in 3D. */
double hk_region_depth(const hk_region *region, int dim, const double *x);

/* c[][] of an isotropic material; HK_BAD_INPUT unless E > 0 and -1 < nu < 0.5. */
hk_status hk_material_isotropic(double young, double poisson, hk_material *material);
/* From the constants of Lame. */
hk_status hk_material_lame(double lambda, double mu, hk_material *material);
/* From speeds: c_p > c_s * 2 / sqrt(3) and c_s > 0; the density must be set first. */
hk_status hk_material_from_speeds(double p_speed, double s_speed, hk_material *material);
/* vp0 vs0 epsilon delta gamma (Thomsen 1986) of a medium that is isotropic across its axis 0 to 2; the density must be set first. */
hk_status hk_material_thomsen(const double constant[5], int axis, hk_material *material);
/* E1 E2 E3 nu12 nu13 nu23 G12 G13 G23 */
hk_status hk_material_engineering(const double constant[9], hk_material *material);
/* A fluid of bulk modulus K; HK_BAD_INPUT unless K > 0. */
hk_status hk_material_fluid(double bulk, hk_material *material);
/* HK_BAD_INPUT unless c is symmetric and positive definite. */
hk_status hk_material_validate(const hk_material *material);
/* conductivity[][] from 1 value (isotropic), 3 (along the axes) or 6 (xx yy zz xy xz yz); HK_BAD_INPUT unless positive definite. */
hk_status hk_material_conduct(int count, const double *value, hk_material *material);
/* Whether the material has a reaction anywhere. */
bool hk_material_reacts(const hk_material *material);
/* Factor of specific_heat at x[3] in a step between two temperatures, (H(to) - H(from)) / (to - from) of the enthalpy H = integral of the factor:
 * exact of tables, of formulas by five points of Gauss. Where they are equal: the factor there. */
double hk_material_capacity(const hk_material *material, const double x[3], double from, double to);
/* Whether constants depend on temperature. */
bool hk_material_by_temperature(const hk_material *material);
/* Whether formulas give conductivity, specific heat, reaction or velocity at each place. */
bool hk_material_by_formula(const hk_material *material);
/* Whether heat flows alike in all directions. */
bool hk_material_conducts_evenly(const hk_material *material);
/* c' = c and k' = k turned by the rotation whose rows are the local axes in global coordinates. */
void hk_material_rotate(hk_material *material, const double axes[3][3]);

/* Stiffness for the dimension at hand, Voigt, row-major, tight: 3D d[6][6] (xx yy zz yz xz xy);
 * 2D d[3][3] (xx yy xy) TIMES THE THICKNESS, by plane strain (zz = yz = xz = 0 strain: rows taken
 * from c) or plane stress (zz = yz = xz = 0 stress: those rows eliminated from c). Spatial regions: rows taken from c; all of it is theirs
 * (hk_region_vector). */
void hk_region_stiffness(const hk_region *region, int dim, double *d);
/* d[5][5] of a spatial region of a plane mesh (xx yy yz xz xy), symmetric, of hk_region_at where it varies: times the thickness. */
enum { HK_SPATIAL_STRAINS = 5 };
void hk_region_spatial_stiffness(const hk_region *region, double *d);
/* d[4][4] of an axisymmetric region (xx yy xy zz, zz around the axis), of hk_region_at: times 2 pi x. */
void hk_region_ring_stiffness(const hk_region *region, double *d);
/* Lame's constants of the isotropic body nearest to d of hk_region_stiffness: its means over all directions (Voigt), in 2D over those of the plane. */
void hk_stiffness_means(int dim, const double *d, double *lambda, double *mu);
/* k[dim][dim], in 2D times the thickness; mu of antiplane regions. */
void hk_region_conductivity(const hk_region *region, int dim, double *k);
/* Whether a 2D model of this region would have to move, or carry heat, across its plane, and the constants that are the reason in `words`
 * ("c14 = 5e+09, c56 = 3e+09"), as they are in global axes. Plane strain: c14 c15 c24 c25 c46 c56 couple u_x and u_y to u_z; c34 c35 c36 c45
 * do not, but in axisymmetry they do. Plane stress: the stresses across are 0 and all constants are eliminated exactly. Heat: k_xz k_yz. Up to 1e-6 of
 * sqrt(c_ii c_jj), which turned axes leave by rounding, is none: it acts on the plane by 1e-12. The region must not vary (hk_region_at). */
enum { HK_COUPLING_TEXT = 160 };
bool hk_region_leaves_plane(const hk_region *region, bool heat, char words[HK_COUPLING_TEXT]);
/* lambda and mu when the law is isotropic for this dimension to 1e-12 of mu and the rounding of its largest entry. 2D: of
 * the plane law without the thickness, d = [l + 2m, l, 0; l, l + 2m, 0; 0, 0, m]; spatial regions: of all of C. */
bool hk_region_lame(const hk_region *region, int dim, double *lambda, double *mu);

/* Largest and smallest wave speed over all directions n and polarisations p (unit vectors; 2D: both
 * in the plane, but p of spatial regions, stiffness of the plane law): rho v^2 = p_i n_j C_ijkl n_l p_k, the eigenvalues of
 * Christoffel's matrix G_ik = n_j C_ijkl n_l (Auld, Acoustic Fields and Waves in Solids I, 7.D).
 * Over a set of directions, the best of them refined. Fluids: their sound speed. The density must be above 0. */
double hk_region_fastest(const hk_region *region, int dim);
double hk_region_slowest(const hk_region *region, int dim);

/* The largest of -s_c V_c, c an axis, over all directions n and their waves: s = n / v is the slowness, V the velocity of energy,
 * v V_c = n_j C_ijkc p_i p_k / rho, s . V = 1. Above 0 where the phase of some wave goes against its energy along an axis; 0 of isotropic
 * bodies and fluids. Over a set of directions: a thousandth low at most. */
double hk_region_backward(const hk_region *region, int dim);

/* z[vector][vector] (hk_region_vector) = rho G^(1/2) with G the matrix above over rho, n a unit vector, in 2D times the thickness: the traction on a plane by the
 * waves that go along its normal n is -z v of the velocity v. Isotropic: rho c_p n n + rho c_s (1 - n n). */
void hk_region_impedance(const hk_region *region, int dim, const double n[3], double *z);
