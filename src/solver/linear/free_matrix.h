/* A = T^T K T of the free degrees of freedom as entries of its lower triangle, or of all of it, for libraries that factor. */
#pragma once
#include "load/constraints.h"
#include "operator/assembly/csr.h"

typedef struct hk_free_matrix {
  hk_index n;
  hk_index *dof; /* dof[n], ascending: free, and of nodes with rows */
  bool whole;    /* both triangles are there */
  hk_count entries;
  int32_t *row, *column; /* row >= column unless whole, from 1; entries of the same place add up */
  double *value;
} hk_free_matrix;

/* whole: both triangles, of a K that is not symmetric. HK_NOT_CONVERGED where a free degree of freedom of a symmetric K has no stiffness of its own;
 * HK_NO_RESOURCES. */
hk_status hk_free_matrix_create(const hk_csr *k, const hk_constraints *constraints, bool whole,
                                hk_free_matrix *out);
void hk_free_matrix_clear(hk_free_matrix *matrix);

/* Both triangles by rows, from 0. */
typedef struct hk_rows_of {
  hk_index n;
  hk_count *begin;  /* begin[n + 1] */
  hk_index *column; /* column[begin[n]], ascending in a row, each once */
  double *value;
} hk_rows_of;
/* *out is overwritten. HK_NO_RESOURCES. O(entries). */
hk_status hk_free_matrix_rows(const hk_free_matrix *matrix, hk_rows_of *out);
void hk_rows_of_clear(hk_rows_of *rows);
