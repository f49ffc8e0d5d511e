/* A = T^T K T as PETSc gets it: in rows of blocks, one for each node with elements. Rows and columns of dependent degrees of freedom are 0 but for the diagonal,
 * which is K's, so that each node keeps all its unknowns: preconditioners coarsen by nodes. */
#pragma once
#include "load/constraints.h"
#include "operator/operator.h"
#include "solver/linear/sparse/block_rows.h"

typedef struct hk_petsc_matrix {
  hk_block_matrix a; /* square, of nodes with elements, in internal order */
  hk_index *node;    /* node[a.rows]: internal number */
  double *x;         /* x[a.rows][components]: their places, of solids; else NULL */
} hk_petsc_matrix;

/* *out is overwritten. HK_NO_RESOURCES, HK_STOPPED. */
hk_status hk_petsc_matrix_create(hk_operator *op, const hk_constraints *constraints,
                                 const hk_stop *stop, hk_petsc_matrix *out);
void hk_petsc_matrix_clear(hk_petsc_matrix *matrix);
