/* Cholesky factors of a matrix, by mumps and lapack also L U of one that is not symmetric, sparse or dense, by a library that is opened at run time, and never linked:
 *
 *   library     of       where     licence, source
 *   mumps       sparse   host      sequential MUMPS 5.x, CeCILL-C; multifrontal
 *   cholmod     sparse   host      SuiteSparse; its supernodal module, which it takes for large matrices, is GPL: an option, asked for by name
 *   lapack      dense    host      LAPACK, as OpenBLAS has it: dpotrf of blocks, dtrsm, dsyrk; L U: dgetrf of blocks, dtrsm, dgemm
 *   cusolver    dense    CUDA      cusolverDnXpotrf, Xpotrs
 *   cusolver    sparse   CUDA      cusolverSpDcsrlsvchol, which NVIDIA calls deprecated: factors anew with each solution (Keating's)
 *   cudss       sparse   CUDA      cuDSS 1.x, which "auto" takes on CUDA where it is there
 *
 * A line of the list in factor.c each. All of them work in double precision. */
#pragma once
#include "operator/dense/dense_matrix.h"
#include "solver/linear/free_matrix.h"

typedef struct hk_factor hk_factor;

/* Taken over by create, whatever its end: cleared. */
typedef struct hk_factor_matrix {
  hk_free_matrix entries; /* sparse: n, entries, row, column, value */
  /* order[n]: the k-th unknown to be eliminated is order[k]; NULL: the library orders */
  hk_index *order;
  hk_dense_rows rows; /* or, in its place, rows on the device, both triangles */
  hk_dense *dense;    /* or dense, in double precision */
} hk_factor_matrix;
void hk_factor_matrix_clear(hk_factor_matrix *matrix);

typedef struct hk_factor_desc {
  hk_device *device;   /* borrowed: for libraries of its vendor, and its threads */
  const char *library; /* "auto" (also NULL, ""): the first that is there */
  /* "auto", ...: for libraries that cannot be given an order but order so themselves */
  const char *ordering;
  bool host;                /* auto: of the host's libraries alone */
  bool unsymmetric;         /* A = L U, entries of both triangles */
  bool (*stop)(void *user); /* looked at while the factors are made; may be NULL */
  void *user;
} hk_factor_desc;

/* Whether a library is there for such matrices; else *why (static text). */
bool hk_factor_available(const hk_factor_desc *desc, bool dense, const char **why);
/* HK_USAGE where none is: why, which libraries make such factors, and which of them are on this machine; HK_NO_RESOURCES where the process
 * may not have the memory to open one. */
hk_status hk_factor_check(const hk_factor_desc *desc, bool dense);
/* Whether the one that serves works on the device. */
bool hk_factor_on_device(const hk_factor_desc *desc, bool dense);

/* HK_NOT_CONVERGED where the matrix is singular or not positive definite, HK_NO_RESOURCES with what is needed and free, HK_USAGE where there
 * is no such library. HK_STOPPED within a second after desc->stop said so: a library that cannot be stopped is then left to a thread that ends
 * with it and frees what it holds (hk_factor_running); a process that does not want to wait ends by _exit. */
hk_status hk_factor_create(const hk_factor_desc *desc, hk_factor_matrix *matrix, hk_factor **out);
void hk_factor_destroy(hk_factor **factor);
/* x[n]: b in, A^-1 b out. */
hk_status hk_factor_solve(hk_factor *factor, double *x);
hk_count hk_factor_bytes(const hk_factor *factor);
const char *hk_factor_name(const hk_factor *factor); /* "MUMPS 5.5.1" */
int hk_factor_running(void); /* threads left behind that have not ended yet */
