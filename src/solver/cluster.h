/* The first level below a matrix of one unknown per node that exists element by element alone: smoothed aggregation
 * (solver/aggregate.h) without its rows.
 *   aggregates   SIZE nodes that follow each other in a bisection, which the numbering of "elements" is, so that they lie together; those that
 *                no chain of elements links within it fall apart
 *   P0           1 in the column of a node's aggregate;  B = 1 on both levels
 *   P = (I - omega D^-1 K) P0,  omega = 4 / (3 lambda_max(D^-1 K)),   A_coarse = P^T (K P)
 * Rows of K are made a few at a time from the matrices of the elements around their nodes, twice, and forgotten: each element is
 * integrated once per pass and part of 256 nodes that it touches. On the host with OpenMP; bit-reproducible for any number of threads. */
#ifndef HK_SOLVER_CLUSTER_H
#define HK_SOLVER_CLUSTER_H
#include "load/constraints.h"
#include "operator/operator.h"
#include "solver/aggregate.h"

typedef struct hk_cluster_desc {
  const hk_operator_desc *on;        /* one component */
  const hk_constraints *constraints; /* without masters: what is held */
  const double *x;                   /* x[padded][dim] */
  double most;                       /* lambda_max(D^-1 K) */
  bool ordered; /* the numbering is that of a bisection down to 8 nodes; else one is made */
} hk_cluster_desc;

/* HK_BAD_INPUT names a folded element; HK_NO_RESOURCES. *out is zero before; hk_coarse_clear. */
hk_status hk_cluster_create(const hk_cluster_desc *desc, hk_coarse *out);
#endif
