/* Stiffness and lumped mass of elements, and the bound of the time step that follows from them.
 *   K_e[(n,i)][(m,k)] = int  dN_n/dx_j C_ijkl dN_m/dx_l  dV      (2D: times the thickness)
 *   m_e[n] = int rho N_n dV for linear shapes; for others in proportion to int N_n^2 dV, with the
 *   element's mass as their sum (Hinton, Rock, Zienkiewicz 1976): positive for every shape (W.4).
 *   Element theorem (Fried 1972): the largest eigenvalue of K v = w^2 M v is at most the largest of
 *   K_e v = w^2 M_e v over the elements (W.11); so 2 / w_max is a stable step of central differences (W.10). */
#pragma once
#include "element/element.h"
#include "mesh/mesh.h"
#include "physics/material.h"
#include "physics/warmth.h"

/* k[nodes * dim][nodes * dim], row-major, exactly symmetric, for node coordinates x[nodes][dim] and
 * the stiffness d of hk_region_stiffness (2D [3][3] xx yy xy, 3D [6][6] xx yy zz yz xz xy,
 * symmetric), by its full rule. Dof (n, c) is n * dim + c. Returns the element's
 * area or volume; a value <= 0 or not-a-number: the element is folded and k is of no use. */
double hk_element_stiffness(const hk_element *element, const double *x, const double *d, double *k);

/* The same of a region in statics: by its integration, with its hourglass stiffness or incompatible
 * modes (integrand.h) and its law at each point. Spatial regions: k[nodes * 3][nodes * 3], fully integrated (strains.h). */
double hk_element_integrate(const hk_region *region, const hk_element *element, const double *x,
                            double *k);

/* k[nodes][nodes], row-major, exactly symmetric but of a material that moves (advection.h) and of a tangent (warm->tangent): int g_n . k g_m + beta N_n N_m (E.5) (2D: times the thickness), g the gradients, k and beta
 * conductivity and reaction of the region at each point, and on the diagonal its lumped reaction (E.12), each times
 * what its table or formula says at the temperature of the point, of warm->t[nodes] (NULL: tables as 1, formulas at 0), by hk_element_rule of
 * hk_conduction_integration. The specific heat is the chord of the enthalpy between warm->before and the end of the step. Returns the volume; not above 0 where it is folded. */
double hk_element_conduct(const hk_region *region, const hk_element *element, const double *x,
                          const hk_warmth *warm, double *k);
/* heat[nodes] += sum_m int beta N_n N_m t[m], by the same rule, beta at the temperature of t; nothing without a reaction. */
void hk_element_react(const hk_region *region, const hk_element *element, const double *x,
                      const double *t, double *heat);
/* Linear quads and hexahedra are integrated in full: one point leaves waves of temperature without resistance. With a reaction:
 * exactly for products of shape functions. */
hk_integration hk_conduction_integration(const hk_element *element, const hk_region *region);

/* Whether that is nothing but sum_q w |J| B^T D B over hk_element_rule with the one D of
 * hk_region_stiffness: no hourglass stiffness, no modes, no law that varies. */
bool hk_element_plain(const hk_region *region, const hk_element *element);

/* HK_BAD_INPUT names the first element that is not plain, which `method` does not compute. */
hk_status hk_element_plain_check(const hk_mesh *mesh, const hk_region *region,
                                 const hk_index *element_region, const char *method);

/* mass[node]: lumped mass of each node, the sum over its elements (2D: times the thickness); 0
 * where no element is. region[]: the regions that element_region[element] counts. HK_BAD_INPUT: an
 * element without region, density or volume. Bit-reproducible for any number of threads.
 * HK_NO_RESOURCES. */
hk_status hk_mass_lumped(const hk_mesh *mesh, const hk_region *region,
                         const hk_index *element_region, double *mass);

/* omega_max: never below the largest w of K v = w^2 M v with that lumped mass and hk_element_stiffness: the element theorem with
 * the mass of each node shared out so that stiff elements get more of it (bound.c). On one element within 0.3 %; on jittered meshes
 * some tens of per cent above the assembled one. *element: the stiffest for its mass. HK_BAD_INPUT and
 * HK_NO_RESOURCES as above. Bit-reproducible for any number of threads. */
hk_status hk_element_bound(const hk_mesh *mesh, const hk_region *region,
                           const hk_index *element_region, double *omega_max, hk_index *element);

/* The element of order p (hk_shape_quad_family) with the nodes that lie closest for the fastest wave of its region: it sets the time step. */
hk_index hk_element_tightest(const hk_mesh *mesh, const hk_region *region,
                             const hk_index *element_region);

/* Both in one pass over the elements, and another over those few that may set the bound. */
hk_status hk_mass_and_bound(const hk_mesh *mesh, const hk_region *region,
                            const hk_index *element_region, double *mass, double *omega_max,
                            hk_index *element);
