/* What hooke needs of PETSc: the table that the plug-in (plugins/petsc.c) exports as `hk_petsc_plugin`. PETSc is compiled for one implementation of MPI, and
 * so is the plug-in; libhooke opens it at run time and links neither.
 *
 *   A x = b,  A in rows of blocks of one node, rows [first, first + rows) of all on this process
 *
 * All processes of `several` make the same calls in the same order. Functions return HK_PETSC_OK or another kind, and `words` then says what is wrong. Calls come from
 * one thread at a time. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { HK_PETSC_VERSION = 1, HK_PETSC_COMPONENTS = 6 }; /* of this table; of a node at most */

enum { HK_PETSC_OK, HK_PETSC_BAD_OPTIONS, HK_PETSC_NO_MEMORY, HK_PETSC_UNSOLVED, HK_PETSC_FAILED };

typedef struct hk_petsc_rows { /* of this process; borrowed */
  int64_t all, first, rows;    /* in nodes */
  int components;              /* of a node */
  const int64_t *begin;        /* begin[rows + 1], begin[0] = 0 */
  const int32_t *column;       /* column[begin[rows]]: nodes of all, ascending in a row */
  const double *block;         /* block[begin[rows]][components][components], row-major */
  /* x[rows][components]: places of the nodes, whose rigid-body modes are nearly null vectors; NULL: constants are */
  const double *x;
} hk_petsc_rows;

typedef struct hk_petsc_how {
  int several;         /* all processes of MPI take part; 0: this one alone */
  int symmetric;       /* and positive definite */
  const char *options; /* of PETSc, as on its command line */
} hk_petsc_how;

typedef struct hk_petsc_run {
  double tolerance; /* of |b - A x| / |b|, unless the options name one; as do iterations */
  int iterations;
  void (*progress)(int iteration, double residual, void *user); /* |b - A x|; may be NULL */
  int (*stop)(void *user); /* any process may ask for it; may be NULL */
  void *user;
} hk_petsc_run;

typedef struct hk_petsc_result {
  int iterations, stopped;
  char reason[64]; /* of PETSc for the end of the iteration: "KSP_CONVERGED_RTOL" */
} hk_petsc_result;

typedef struct hk_petsc {
  int version;
  const char *mpi;              /* that PETSc is compiled with: "Open MPI", "MPICH" */
  void (*name)(char *, size_t); /* "PETSc 3.18.5" */
  int (*open)(int several);     /* before all others; again: nothing */
  void (*close)(void);          /* before MPI ends */
  int (*create)(const hk_petsc_rows *rows, const hk_petsc_how *how, void **solver);
  void (*describe)(void *solver, char *text, size_t size); /* "cg, gamg" */
  /* right[rows][components], x[rows][components], which is 0 before */
  int (*solve)(void *solver, const hk_petsc_run *run, const double *right, double *x,
               hk_petsc_result *result);
  void (*destroy)(void **solver);
  const char *(*words)(void); /* of the last failure */
} hk_petsc;
