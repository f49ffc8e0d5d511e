/* Strain and stress of displacements, on the host.
 *
 *   strain_ij = (du_i/dx_j + du_j/dx_i) / 2,   stress = C : strain   at the points of the region's rule   (E.10)
 *
 * n = 6 components in 3D (xx yy zz xy xz yz), 4 in 2D (xx yy zz xy: zz by the plane law, stress_zz of plane strain, strain_zz of
 * plane stress; axisymmetric: zz is around the axis); strain is tensorial, tension positive. One-point elements: of the mean gradients, without the hourglass stiffness;
 * incompatible ones: with their modes (integrand.h). */
#pragma once
#include "element/element.h"
#include "mesh/mesh.h"
#include "physics/material.h"

enum { HK_MOST_STRESSES = 6 };

/* 6 in 3D, 4 in 2D. */
int hk_stress_components(int dim);

/* strain[n] and stress[n] (each may be NULL) of the displacement's gradient grad[i][j] = du_i/dx_j, in a region that does not vary (hk_region_at). */
void hk_stress_find(const hk_region *region, int dim, const double grad[3][3], double *strain,
                    double *stress);

/* strain[points][n], stress[points][n], coordinates[points][dim] (each may be NULL) of one element, x[nodes][dim], u[nodes][dim], at
 * the points of hk_element_rule(element, region->integration) in their order. HK_BAD_INPUT: folded. */
hk_status hk_stress_points(const hk_region *region, const hk_element *element, const double *x,
                           const double *u, double *strain, double *stress, double *coordinates);

/* flux[points][dim] = -k grad T and coordinates[points][dim] of one element, t[nodes], at the points of hk_element_rule of
 * hk_conduction_integration. HK_BAD_INPUT: folded. */
hk_status hk_flux_points(const hk_region *region, const hk_element *element, const double *x,
                         const double *t, double *flux, double *coordinates);

/* to[nodes][points]: values at the nodes of the polynomial that fits those at the rule's points best (least squares). Its functions
 * are those of the element, or of its vertices where there are fewer points than nodes; with fewer points still, as constant as
 * they allow. As in CalculiX's .frd, whose coefficients are rounded to 4e-5; its C3D6 takes the two points for those at
 * +-sqrt(3/5). */
hk_status hk_stress_extrapolation(const hk_element *element, hk_integration integration,
                                  double *to);

/* stress[mesh node][n] and strain[mesh node][n] (may be NULL) of u[mesh node][dim]: extrapolated in each element, averaged over
 * the elements of each material around the node, then over its materials; 0 where no element with a region (element_region < 0: none) is. Regions
 * of equal constants, axes and plane law are one material. Bit-reproducible for any number of threads. HK_BAD_INPUT names a folded
 * element; HK_NO_RESOURCES. */
hk_status hk_stress_nodes(const hk_mesh *mesh, const hk_region *region, int region_count,
                          const hk_index *element_region, const double *u, double *stress,
                          double *strain);

/* flux[mesh node][dim] of t[mesh node], in the same way. */
hk_status hk_flux_nodes(const hk_mesh *mesh, const hk_region *region, int region_count,
                        const hk_index *element_region, const double *t, double *flux);

/* Von Mises: sqrt(3/2 s:s), s the deviator (E.11); n = 6 or 4. */
double hk_stress_mises(int n, const double *stress);
