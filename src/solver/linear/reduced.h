/* A = T^T K T on a device, on vectors of all degrees of freedom:
 *   fill      x[dependent] = sum weight x[master]      x = T w
 *   collect   y[master] += sum weight y[dependent], y[dependent] = 0      y := T^T y
 * Vectors that are sums of filled ones stay filled. Only the short list of dependent ones is touched.
 * Where ranks share the rows (hk_operator_desc.share), own values alone are right after both: what is read of others comes from them before. */
#pragma once
#include "load/constraints.h"
#include "operator/operator.h"
#include "physics/words.h"

typedef struct hk_reduced {
  hk_operator *op; /* borrowed */
  bool double_precision;
  hk_count dofs, bytes;
  hk_index count, masters;                  /* dependent; masters of any of them */
  bool plain;                               /* no masters: x is zero there by itself */
  hk_buffer *dof, *begin, *master, *weight; /* dependent -> masters */
  hk_buffer *master_dof, *master_begin, *dependent, *master_weight; /* the transpose */
  hk_kernel *fill, *collect, *zero;
  hk_halo *halo
      [3]; /* of rows that are shared: what K's own rows, fill and collect read of others; else NULL */
  hk_pool pool; /* of buffers and kernels */
} hk_reduced;

/* Binds op to HK_FORM_STORE. Destroy also after a failure; *reduced is zero before. */
hk_status hk_reduced_create(hk_operator *op, const hk_constraints *constraints,
                            hk_reduced *reduced);
void hk_reduced_destroy(hk_reduced *reduced);
hk_status hk_reduced_fill(const hk_reduced *reduced, hk_buffer *x);
hk_status hk_reduced_collect(const hk_reduced *reduced, hk_buffer *y);
/* y = K x, x filled. Of ranks that share rows, own ones of both; what is read of others comes from them. */
hk_status hk_reduced_product(const hk_reduced *reduced, hk_buffer *x, hk_buffer *y);
/* y = T^T K x, x filled */
hk_status hk_reduced_apply(const hk_reduced *reduced, hk_buffer *x, hk_buffer *y);
/* u[dofs] of the host: rows of all ranks, which share them. */
hk_status hk_reduced_gather(const hk_reduced *reduced, double *u);
/* What messages call its unknowns. */
const hk_words *hk_reduced_words(const hk_reduced *reduced);
