/* The eigenvalue (K_e, M_e) of one element: its lumped mass M_e, a norm of A = M_e^-1/2 K_e M_e^-1/2, and bounds of the largest
 * eigenvalue of A. */
#pragma once
#include "operator/element/stiffness.h"

typedef struct hk_region_law { /* of one region; 2D: times the thickness */
  double d[36], inverse[36];   /* Voigt */
  double lambda, mu;           /* where isotropic */
  double density;              /* mass per volume, in 2D per area */
  bool isotropic;
  const hk_region *ring; /* borrowed: of an axisymmetric region itself; NULL: of others */
} hk_region_law;

void hk_region_law_find(const hk_region *region, int dim, hk_region_law *law);

/* The element's own lumped masses[nodes]; false when it is folded. */
bool hk_eigenvalue_mass(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                        double *mass);

/* Those masses, and the Frobenius norm of A with them; negative when it is folded. */
double hk_eigenvalue_norm(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                          double *mass);

/* True only if lambda exceeds every eigenvalue of A with the given mass[nodes], but for rounding of 1e-10; it may be false
 * where lambda exceeds them by less than 1e-7. The element is not folded. */
bool hk_eigenvalue_exceeded(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                            const double *mass, double lambda);

/* A number that exceeds every eigenvalue of A by at most 0.5 %. */
double hk_eigenvalue_bound(const hk_slopes *slopes, const hk_region_law *law, const double *x,
                           const double *mass);
