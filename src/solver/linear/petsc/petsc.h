/* Linear systems by PETSc: A x = b with A in rows of blocks of one node, solved by the plug-in (plugin.h) on this process, or on all ranks of MPI
 * (link/ranks.h). Each rank then has consecutive rows, and all have about as many entries.
 *
 *   HK_TRY(hk_petsc_create(&a, places, &(hk_petsc_how){.symmetric = true, .options = "-pc_type hypre"}, &system));
 *   HK_TRY(hk_petsc_solve(system, &run, b, x, &result));
 *   hk_petsc_destroy(&system);
 *
 * Of several ranks rank 0 calls these functions, which command the others (serve.c); those call hk_petsc_serve. */
#pragma once
#include "link/ranks.h"
#include "solver/linear/petsc/plugin.h"
#include "solver/linear/sparse/block_rows.h"

enum { HK_PETSC_CREATE = 16, HK_PETSC_SOLVE, HK_PETSC_DESTROY }; /* hk_command.what */
enum { HK_PETSC_OPTIONS = 1024 };                                /* bytes of options */

/* open.c. The table of the plug-in, which is opened and begun for this process, or for all ranks. HK_USAGE where it is not there or is of another MPI than the
 * ranks; HK_NO_RESOURCES. */
hk_status hk_petsc_open(const hk_petsc **out);
/* The same; the table aside. */
hk_status hk_petsc_ready(void);
/* What is there, "PETSc 3.18.5 (Open MPI)"; or, false, why nothing is. */
bool hk_petsc_find(char *text, size_t size);
/* What PETSc says of a failure, as a failure of hooke. */
hk_status hk_petsc_fail(const hk_petsc *petsc, int kind, const char *options);

/* Rows of A on one process: the matrix or a part of it. */
typedef struct hk_petsc_part {
  const hk_petsc *petsc;
  void *solver;
  hk_count rows; /* of nodes */
  int components;
  double *right, *x; /* [rows][components] */
  hk_pool pool;      /* of them */
} hk_petsc_part;
/* *part is zero; destroy also after a failure. how->several is set by the function. */
hk_status hk_petsc_part_create(const hk_petsc_rows *rows, hk_petsc_how how, hk_petsc_part *part);
hk_status hk_petsc_part_solve(hk_petsc_part *part, const hk_petsc_run *run,
                              hk_petsc_result *result);
void hk_petsc_part_destroy(hk_petsc_part *part);

typedef struct hk_petsc_system hk_petsc_system;
/* x: of hk_petsc_rows, of all nodes. HK_BAD_INPUT names an option that is unknown or has a wrong value, HK_NO_RESOURCES, HK_NOT_CONVERGED where PETSc cannot make the
 * preconditioner. */
hk_status hk_petsc_create(const hk_block_matrix *a, const double *x, const hk_petsc_how *how,
                          hk_petsc_system **out);
hk_status hk_petsc_solve(hk_petsc_system *system, const hk_petsc_run *run, const double *right,
                         double *x, hk_petsc_result *result);
/* "cg, gamg" */
void hk_petsc_describe(const hk_petsc_system *system, char *text, size_t size);
void hk_petsc_destroy(hk_petsc_system **system);

/* On ranks but the first: does the command. *part is zero before the first, and of no further use after HK_PETSC_DESTROY or a failure of the run. */
hk_status hk_petsc_serve(const hk_command *command, int (*stop)(void *user), void *user,
                         hk_petsc_part *part);
