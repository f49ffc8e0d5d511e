/* How near a solution of  A w = T^T f,  A = T^T K T, u = T w,  is to the exact one in floating point of unit roundoff eps.
 *
 *   backward   max over free i of |r_i| / (|T|^T (G max |u| + |f|))_i,   r = T^T (f - K u),   G_i >= sum over j of |K_ij|
 *              (Arioli, Demmel, Duff, SIAM J. Matrix Anal. Appl. 10, 1989: their bound where u_i may be small)
 *              G_i = sum over elements with i, their nodes m and components of sqrt(D_i D_m),   |K_im| <= sqrt(K_ii K_mm)
 *              Some eps: u is the solution of a matrix whose rows differ from those of K by rounding.
 *   forward    max |e| / max |u|,   A e = r + T^T rho   (A.20)
 *              rho: what rounding of K's entries makes of u. Products multiply differences of u, so that element by element
 *              rho_n = eps D_n chi_n max over m |u_n - u_m|, chi random in [-1, 1], and rho sums to nothing over the element. Of heat
 *              products multiply u itself: |u_n| takes the difference's place, and the sum stays.
 *
 * D_n: the mean of K_nn's diagonal over the components and over the elements of the node. */
#pragma once
#include "load/constraints.h"
#include "operator/operator.h"

/* weight[padded] = D_n, overwritten; nodes of no element: 0. HK_NO_RESOURCES. */
hk_status hk_accuracy_weights(hk_operator *op, double *weight);

typedef struct hk_accuracy_desc {
  hk_operator *op;            /* borrowed; bound to HK_FORM_STORE; eps is of its precision */
  const hk_constraints *held; /* of offset 0; borrowed */
  /* e[dofs] = S b, S near A^-1 to some digits; both fulfil the constraints */
  hk_status (*solve)(void *user, const double *b, double *e);
  void *user;
} hk_accuracy_desc;

typedef struct hk_accuracy {
  double backward;
  double forward; /* an estimate, right to a factor of ten or so; 0 where u is 0 */
} hk_accuracy;

/* The unit roundoff of products with op. */
double hk_accuracy_unit(const hk_operator *op);
/* f[dofs], u[dofs] in internal order. Costs a product and one solution with S. Bit-reproducible. HK_NO_RESOURCES, and errors of solve. */
hk_status hk_accuracy_find(const hk_accuracy_desc *desc, const double *f, const double *u,
                           hk_accuracy *out);
