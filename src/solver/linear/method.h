/* Ways of solving T^T (K u - f) = 0: each a line in the list (solver/linear/list.h), chosen by its name in hk_linear_desc.method.
 *
 *   create   all memory is obtained, kernels are compiled, factors made; solver->data, title, bytes, iterations are filled
 *   solve    u satisfies the constraints before and after; fills iterations, residual, history, note of the report, which is empty
 *   destroy  takes what create left, also where that failed midway
 * Errors of create and solve are those of hk_linear_create and hk_linear_solve. */
#pragma once
#include "solver/linear/linear.h"
#include "solver/linear/reduced.h"
#include "solver/linear/words.h"

typedef struct hk_solve_run {
  double tolerance;
  int iterations;
  bool by_change; /* tolerance is of the change, for methods that have it */
  const hk_enough
      *enough; /* ends iterations; of solvers with `levels` alone; NULL: the tolerance does */
  void (*progress)(int iteration, double residual, void *user);
  bool (*stop)(void *user);
  void *user;
} hk_solve_run;

typedef struct hk_method_job { /* all of it borrowed */
  const hk_reduced *a;         /* outlives the solver, as do constraints */
  hk_constraints *constraints;
  const hk_linear_desc *desc; /* for create alone */
} hk_method_job;

typedef struct hk_solver hk_solver;

typedef struct hk_method {
  const char *name;
  const char *form; /* of K that it is made from, a name of hk_operator's list; NULL: any */
  unsigned options; /* HK_OPTION_... that it looks at */
  bool unsymmetric; /* solves where K is not symmetric (hk_operator.unsymmetric) */
  bool makes_dense; /* K becomes a dense matrix before it has factors */
  bool ranks;       /* ranks of MPI share its work (hk_command of solver/linear/petsc/petsc.h) */
  bool
      rows; /* ranks of MPI share K's rows (hk_operator_desc.share): all call it, with the same vectors */
  hk_status (*ready)(
      void); /* HK_USAGE where what it needs is not installed; NULL: it needs nothing */
  hk_status (*create)(const hk_method_job *job, hk_solver *solver);
  hk_status (*solve)(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                     hk_linear_report *report);
  void (*destroy)(hk_solver *solver);
} hk_method;

/* The method of that name; NULL: none, as of "auto". */
const hk_method *hk_linear_method(const char *name);

struct hk_solver {
  const hk_method *method; /* NULL: none was made */
  char title[64];          /* of hk_linear_report.method */
  int iterations;          /* at most, where the caller names no number */
  hk_count bytes;          /* own ones, on device and host */
  bool factors;            /* of A */
  bool single_levels;      /* multigrid in single precision below iterations in double */
  bool levels;             /* conjugate gradients with multigrid, of one process */
  void *data;
};

/* *solver is zero before; destroy also after a failure. */
static inline hk_status hk_solver_create(const hk_method *method, const hk_method_job *job,
                                         hk_solver *solver)
{
  solver->method = method;
  return method->create(job, solver);
}

static inline void hk_solver_destroy(hk_solver *solver)
{
  if (solver->method) solver->method->destroy(solver);
  *solver = (hk_solver){0};
}
