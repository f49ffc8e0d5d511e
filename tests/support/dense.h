/* Matrices written out in full, and what is computed with them. */
#pragma once
#include "operator/assembly/csr.h"
#include "support/body.h"

/* 2 or 3 cells along each direction, in elements of one shape: the nodes inside have many of them. Nodes are moved by noise, so that sides
 * are curved, and numbered at random. */
void body_of_shape(body *b, hk_shape shape, materials which);

/* k[nodes * dim][nodes * dim] of mesh nodes, added up element by element; hk_free */
double *dense_of(const body *b);

/* The same of a matrix by rows, in mesh nodes, or, space NULL, in its own; fails where a column is out of order or belongs to no node. */
double *dense_of_csr(const hk_csr *k, const hk_space *space);

/* y[rows * components] = K x */
void csr_multiply(const hk_csr *k, const double *x, double *y);

/* The diagonal of the symmetric a[size][size] becomes its eigenvalues, ascending, to 1e-14 of the largest: Householder's reflections make a
 * tridiagonal, where they are found by bisection (Golub and Van Loan, Matrix Computations, 8.3 and 8.4). */
void eigenvalues(int size, double *a);
