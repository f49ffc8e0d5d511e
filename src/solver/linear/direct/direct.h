/* Static problems by factors: A = T^T K T = L L^T, and refinement with the operator's own residual.
 *
 *   sparse            A from K in rows (operator/assembly/csr.h)
 *   dense             A from K dense, on the device: element matrices added up, T's masters folded, what is held eliminated with its values
 *                     (operator/dense/dense_matrix.h; Keating, sections 2.4.3, 4.4.3)
 *   dense-to-sparse   the same, converted to rows on the device, then sparse factors */
#pragma once
#include "solver/linear/direct/factor.h"
#include "solver/linear/method.h"

typedef enum hk_direct_way { HK_DIRECT_SPARSE, HK_DIRECT_DENSE, HK_DIRECT_CONVERTED } hk_direct_way;

typedef struct hk_direct {
  const hk_reduced *a;         /* borrowed */
  hk_constraints *constraints; /* borrowed */
  hk_index n;                  /* of A; dense: all degrees of freedom */
  hk_index *dof;               /* dof[n] */
  hk_factor *factor;           /* NULL: nothing is free */
  hk_buffer *x, *q;
  double *r, *b;
  double *lift;     /* dense: lift[n], the right side of prescribed values alone; NULL: all are 0 */
  hk_index largest; /* of the constraints: that with the largest offset */
  double prescribed; /* its value in lift */
  hk_pool pool;      /* of these five arrays */
  hk_stages stages;
  char note[160]; /* where the factors were made, if that is not where the method says; "" */
} hk_direct;

typedef struct hk_direct_desc {
  const hk_reduced *a; /* borrowed, outlives, as do constraints */
  hk_constraints *constraints;
  hk_direct_way way;
  /* "auto" (also NULL, ""): METIS's nested dissection of the nodes where it is installed, else the library's own; "metis"; "rcm":
   * reverse Cuthill-McKee; "natural": none */
  const char *ordering;
  hk_factor_desc factor;
} hk_direct_desc;

/* *direct is zero; destroy also after a failure. Errors as hk_factor_create; HK_USAGE for an unknown ordering; HK_NO_RESOURCES where a dense
 * matrix does not fit, before it is made. */
hk_status hk_direct_create(const hk_direct_desc *desc, hk_direct *direct);
void hk_direct_destroy(hk_direct *direct);
/* As hk_rounds_solve: u satisfies the constraints before and after. HK_NOT_CONVERGED where neither corrections nor residuals
 * halve any more above the tolerance: u is then as good as they make it. */
hk_status hk_direct_solve(hk_direct *direct, double tolerance, const double *f, double *u,
                          hk_linear_report *report);
hk_count hk_direct_bytes(const hk_direct *direct);
const char *hk_direct_name(const hk_direct *direct);
