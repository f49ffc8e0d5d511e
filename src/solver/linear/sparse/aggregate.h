/* Smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996) on a device (solver/linear/sparse/aggregate.k.h): the next coarser level of a matrix of
 * blocks.
 *   aggregates of strongly coupled nodes;  P0: the near-null space B restricted to each, made orthonormal: B = P0 B_coarse
 *   P = (I - omega D^-1 F) P0,  omega = 4 / (3 lambda_max(D^-1 A));   A_coarse = P^T A P   (A.11)
 * Strong (A.10): w_ij^2 > strength^2 w_ii w_jj, w_ij = 1 / |x_i - x_j|^2, w_ii the largest of them: on stretched meshes entries of A tell less than
 * distances, and sums of w depend on how many neighbours there are. F is A with weak blocks added to the diagonal block of their row. Roots of
 * aggregates are a maximal set no two of which are within two strong
 * links of each other, found in rounds, by keys that follow from the numbers of nodes; strong neighbours belong to their root, others to the
 * neighbour that they are coupled with most. Bit-reproducible.
 *
 * Where ranks share the rows of A each has its own of A, P and A P, and computes the keys, weights and aggregates of its nodes; those that its rows read come from
 * their owners before each round. An aggregate belongs to the owner of its root, which gets its nodes from others, makes its part of P0 and sends the rows back.
 * A rank makes the rows of A_coarse of its aggregates, from the rows of P and A P that others send: sums run in the same order, so that all bits are those of one process. */
#pragma once
#include "link/sharing.h"
#include "solver/linear/sparse/galerkin.h"

typedef struct hk_coarse {
  hk_galerkin_matrix p, r, a; /* P, P^T, A_coarse */
  hk_buffer *near_null;       /* B_coarse[nodes * modes][modes] doubles */
  hk_buffer *x;               /* x[nodes][dim] doubles: middles of the aggregates */
  hk_sharing *share;          /* of its nodes, where ranks share A's rows; else NULL */
} hk_coarse;
void hk_coarse_clear(hk_coarse *coarse);

typedef struct hk_coarse_desc {
  /* [n][n] blocks of c x c, rows and columns of unknowns that are held zero */
  const hk_galerkin_matrix *a;
  hk_buffer *near_null; /* [n * c][modes] */
  hk_buffer *x;         /* x[n][dim] */
  int modes, dim;       /* 6 and 3, 3 and 2 of solids; else c and dim */
  double most;          /* lambda_max */
  double strength;
  /* Where ranks of MPI share the rows of A, borrowed: how, and the nodes that own rows read; else NULL. a, near_null and x, and what comes out, are then own rows; near_null and x get rows of others. */
  const hk_sharing *share;
  const hk_halo *halo;
} hk_coarse_desc;
/* out->p.columns 0: there are no unknowns, and nothing else is filled. *out is zero before; hk_coarse_clear also after a failure. */
hk_status hk_coarse_create(hk_galerkin_tools *tools, const hk_coarse_desc *desc, hk_coarse *out);

/* Of solids with so many components at a node 6, 3; else each component by itself, as of temperatures and coupled equations. */
int hk_near_null_modes(int components, bool solid);
/* *near_null[n * components][modes]: of solids translations and rotations about the middle of the nodes x[n][components] of the host, over the
 * largest extent; else 1 for each component. device_x: the same x on the device. share: own rows alone; NULL: all. */
hk_status hk_near_null_create(hk_galerkin_tools *tools, int components, bool solid, hk_index n,
                              const double *x, const hk_buffer *device_x, const hk_sharing *share,
                              hk_buffer **near_null);
