/* Smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996): the next coarser level of a matrix of blocks.
 *   aggregates of strongly coupled nodes;  P0: the near-null space B restricted to each, made orthonormal: B = P0 B_coarse
 *   P = (I - omega D^-1 F) P0,  omega = 4 / (3 lambda_max(D^-1 A));   A_coarse = P^T A P
 * Strong: w_ij^2 > strength^2 w_ii w_jj, w_ij = 1 / |x_i - x_j|^2, w_ii their sum: on stretched meshes entries of A tell less than distances.
 * F is A with weak blocks added to the diagonal block of their row.
 * on the host with OpenMP; bit-reproducible for any number of threads. */
#ifndef HK_SOLVER_AGGREGATE_H
#define HK_SOLVER_AGGREGATE_H
#include "solver/block_rows.h"

typedef struct hk_coarse {
  hk_block_matrix p, r, a; /* P, P^T, A_coarse */
  double *near_null;       /* B_coarse[nodes * modes][modes] */
  double *x;               /* x[nodes][dim]: middles of the aggregates */
} hk_coarse;
void hk_coarse_clear(hk_coarse *coarse);

typedef struct hk_coarse_desc {
  const hk_block_matrix
      *a; /* [n][n] blocks of c x c, rows and columns of unknowns that are held zero */
  const double *near_null; /* [n * c][modes] */
  const double *x;         /* x[n][dim] */
  int modes, dim;          /* 6 and 3, 3 and 2; 1 and dim of temperatures */
  double most;             /* lambda_max */
  double strength;
} hk_coarse_desc;
hk_status hk_coarse_create(const hk_coarse_desc *desc, hk_coarse *out);

/* Of nodes with so many components each: 6, 3, 1. */
int hk_near_null_modes(int components);
/* near_null[n * components][modes]: translations and rotations about the middle of the nodes x[n][components], over the largest extent;
 * of one component 1 (x is not looked at). */
void hk_near_null(int components, hk_index n, const double *x, double *near_null);
/* [n][c][c] of a matrix's diagonal blocks */
void hk_block_diagonal(const hk_block_matrix *a, double *diagonal);
#endif
