/* Static problems: u with  T^T (K u - f) = 0,  u = T w + offset   (A.1), (A.2),
 * T and offset the constraints (load/constraints.h), K an operator of any form (operator/operator.h).
 *
 *   A = T^T K T is symmetric and positive definite where every rigid-body mode of every part is held.
 *   cg       conjugate gradients on the operator's device, one of the preconditioners
 *              jacobi, block-jacobi   D^-1, D the diagonal of A or its blocks per node
 *              chebyshev              a polynomial in D^-1 A
 *              multigrid              V-cycles: elements of order p -> (p + 1) / 2 -> ... -> their vertices -> smoothed aggregation
 *   idr      IDR(4), also for an A that is not symmetric (solver/linear/idr/idr.h); jacobi or block-jacobi
 *   femses   K by elements alone, with one of several relaxations (solver/linear/femses/method.c)
 *   direct   factors of K in rows by a library that is opened at run time (solver/linear/direct/factor.h); cholesky: of the host's alone
 *   petsc    by the library PETSc, with its options (solver/linear/petsc/method.c)
 *   dense, dense-to-sparse   factors of K made dense on the device, as it is or converted to rows (solver/linear/direct/direct.h)
 *   auto     direct where the problem is small, else cg with multigrid, and direct after all where that does not converge
 * Where K is not symmetric (hk_operator.unsymmetric): idr, petsc, femses with jacobi, or direct, dense, dense-to-sparse, whose factors are then L U;
 * auto: direct or idr.
 *
 *   HK_TRY(hk_linear_create(&(hk_linear_desc){.op = op, .constraints = &constraints}, &linear));
 *   HK_TRY(hk_linear_solve(linear, f, u, &report));
 *   hk_linear_report_clear(&report);
 *   hk_linear_destroy(&linear); */
#pragma once
#include "load/constraints.h"
#include "operator/operator.h"

/* Options of hk_linear_desc that not every method looks at. */
enum {
  HK_OPTION_PRECONDITIONER = 1,
  HK_OPTION_RELAXATION = 2, /* and single_sweeps */
  HK_OPTION_LIBRARY = 4,
  HK_OPTION_ORDERING = 8,
  HK_OPTION_TEXT = 16,
  HK_OPTION_ITERATIONS = 32
};

typedef struct hk_linear_desc {
  hk_operator *op;                   /* borrowed; bound to HK_FORM_STORE by create */
  const hk_constraints *constraints; /* borrowed for create; of dofs = padded * components */
  /* "auto" (also NULL, ""), or of solver/linear/list.h: "cg", "direct", "cholesky", ... */
  const char *method;
  /* "auto" (also NULL, ""), "jacobi", "block-jacobi", "chebyshev", "multigrid" */
  const char *preconditioner;
  /* of factors: "auto" (also NULL, ""), or of solver/linear/direct/factor.h: "mumps", "cholmod", "lapack", ... */
  const char *library;
  /* of sparse factors: "auto" (also NULL, ""), "metis", "rcm", "natural" (solver/linear/direct/direct.h) */
  const char *ordering;
  /* of "femses": "auto" (also NULL, "": multigrid), "jacobi", "chebyshev", "conjugate", "multigrid" */
  const char *relaxation;
  const char
      *options; /* of "petsc": text as on PETSc's command line, borrowed for create; NULL: none */
  bool single_sweeps; /* of "femses": in single precision, with residuals in op's double */
  /* of "femses" with jacobi or chebyshev: tolerance is of hk_linear_report.change */
  bool by_change;
  bool double_levels; /* multigrid in op's precision on the host too, where it is single else */
  double tolerance;   /* of hk_linear_report.residual; 0: 1e-8, in single precision 1e-5 */
  double aim;     /* what iterations go on to, if they can: below the tolerance; 0: the tolerance */
  int iterations; /* at most; 0: 1000 with multigrid, else 20 000 */
  void (*progress)(int iteration, double residual, void *user); /* may be NULL, so may stop */
  bool (*stop)(void *user);
  void *user;
} hk_linear_desc;

/* Seconds of the stages of a solution by factors, of create: what of it a method has not stays 0. Elements and assembly are told apart where
 * a matrix is made for the method alone (dense); else K was there, and assembly is what reading it, T and conversion take. */
typedef struct hk_stages {
  double transfer, elements, assembly, conversion, ordering, factors;
} hk_stages;

typedef struct hk_linear_report {
  char method[64]; /* "cg, multigrid", "direct (MUMPS 5.5.1)", ... */
  char note[384];  /* another method or precision taken, damping, rounding; "" */
  int iterations;
  /* estimate of max |u - exact| / max |u| where rounding allows no more; else 0, and hk_linear_error finds it */
  double error;
  /* |T^T (f - K u)| / |T^T (f - K offset)|, computed anew from u with the operator */
  double residual;
  double seconds_setup, seconds_solve;
  /* by_change: |u_k - u_k-1| / |u_1 - u_0| of the last step, 2-norms (Keating, section 4.4.4); else 0 */
  double change;
  double damping;   /* of "femses, jacobi": each step is times this; 0: none of that kind */
  hk_stages stages; /* of seconds_setup */
  hk_count bytes;   /* of the solver's own, on device and host */
  int history_count;
  /* history[history_count]: the iteration's own residual after 0, 1, ... iterations */
  double *history;
} hk_linear_report;
void hk_linear_report_clear(hk_linear_report *report);

/* HK_OPTION_... that the method looks at; of "auto", those of the methods that it chooses from. */
unsigned hk_linear_options(const char *method);
/* Whether hk_linear_desc.by_change serves the method with the relaxation. */
bool hk_linear_has_change(const char *method, const char *relaxation, bool single_sweeps);
/* HK_BAD_INPUT: text that is not one of options (hk_linear_desc.options). */
hk_status hk_linear_check_options(const char *options);
/* HK_USAGE with words where the method needs what is not installed, or ranks of MPI do not share its work and there are some. */
hk_status hk_linear_ready(const char *method, bool ranks);
/* Whether ranks of MPI that share the rows of K solve together by the method; auto is then cg. */
bool hk_linear_shares_rows(const char *method);
/* The form of K, by name, that the method is made for; NULL: none alone. */
const char *hk_linear_own_form(const char *method);
/* HK_BAD_INPUT with words: the form of K that suits the method does not serve elements of order p. */
hk_status hk_linear_refuse_order(const char *method);
/* The form of K, by name, that suits what `method` and `preconditioner` (as in hk_linear_desc) will do on the device with so many components
 * per node: "assembled" (K in rows) for factors, for multigrid's levels where all elements are of first order, for heat, and on GPUs; else
 * "edges", which multiplies several times as fast (docs/solvers.md). */
const char *hk_linear_form(const char *method, const char *preconditioner, const hk_mesh *mesh,
                           int components, const hk_device *device);

/* Whether an iterate u[dofs] serves who asked for the solution, though its residual is above the tolerance. Called after each iteration. */
typedef struct hk_enough {
  bool (*is)(void *data, const double *u, double residual);
  void *data;
} hk_enough;

typedef struct hk_linear hk_linear;

/* HK_BAD_INPUT, with those that do, where the method (as in hk_linear_desc) does not solve with a K that is not symmetric. */
hk_status hk_linear_check_unsymmetric(const char *method, const char *relaxation);

/* All memory of the iteration is obtained, kernels are compiled and factors made here. HK_USAGE for unknown names and for by_change
 * where hk_linear_has_change says no, HK_NOT_CONVERGED where a
 * factor is singular, HK_STOPPED where it was asked for while levels or factors were made, HK_NO_RESOURCES. */
hk_status hk_linear_create(const hk_linear_desc *desc, hk_linear **out);
void hk_linear_destroy(hk_linear **linear);
/* f[dofs], u[dofs] of the host in internal order; u need not be set before. May be called again for other f. A residual above the tolerance is
 * accepted where it is all that rounding allows (hk_accuracy.backward of some eps) and u has two right digits or more (forward).
 * HK_NOT_CONVERGED, with the best residual in words, and HK_STOPPED leave u as it was best and fill the report. *report is overwritten; may be NULL. Bit-reproducible. */
hk_status hk_linear_solve(hk_linear *linear, const double *f, double *u, hk_linear_report *report);

/* max |u - exact| / max |u| of a solution of f, estimated (solver/linear/accuracy.h). Costs a solution to a few digits. HK_STOPPED, HK_NO_RESOURCES. */
hk_status hk_linear_error(hk_linear *linear, const double *f, const double *u, double *error);

/* Whether factors are what the method, or auto, takes first: they are made in double precision, and K is best kept so too. As hk_linear_form. */
bool hk_linear_factors(const char *method, const char *preconditioner, const hk_mesh *mesh,
                       int components, const hk_device *device);

typedef struct hk_null_modes { /* motions that nothing resists; zero: none */
  int count;
  bool more; /* there are more than `count` */
  hk_count dofs;
  /* mode[count][dofs], internal order: 1 where it is largest, 0 where another one is */
  double *mode;
} hk_null_modes;
void hk_null_modes_clear(hk_null_modes *modes);

/* The null vectors of A, whether or not a load excites them (solver/linear/probe.h). *out is overwritten. Costs two solutions where A is regular.
 * HK_NOT_CONVERGED where the solver's answer is no number: A is singular, and another solver finds how. HK_STOPPED, HK_NO_RESOURCES. */
hk_status hk_linear_probe(hk_linear *linear, hk_null_modes *out);
