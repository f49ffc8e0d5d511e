/* The method idr of solver/linear/list.h: IDR(4) with D^-1, D the diagonal of A or its blocks, as preconditioner. Those of multigrid.h that are
 * polynomials or cycles need a symmetric A. */
#include "solver/linear/idr/idr.h"
#include "solver/linear/list.h"
#include "solver/linear/multigrid/multigrid.h"
#include <stdio.h>

enum { ITERATIONS = 20000 };

typedef struct method_idr {
  hk_preconditioner m;
  hk_idr idr;
} method_idr;

static hk_status create(const hk_method_job *job, hk_solver *solver)
{
  static const char *const words[] = {HK_PRECONDITIONER_WORDS};
  const int asked = hk_preconditioner_of(job->desc->preconditioner),
            word = asked == HK_PRECONDITIONER_AUTO ? HK_PRECONDITIONER_JACOBI : asked;
  method_idr *s = NULL;
  HK_PASS(hk_new(&s));
  solver->data = s;
  HK_NEED(word == HK_PRECONDITIONER_JACOBI || word == HK_PRECONDITIONER_BLOCK_JACOBI, HK_USAGE,
          "method idr has no preconditioner %s: give auto, jacobi or block-jacobi",
          job->desc->preconditioner);
  HK_PASS(hk_preconditioner_create(job, job->a, (hk_preconditioner_word)word, &s->m));
  solver->iterations = ITERATIONS;
  HK_PASS(hk_idr_create(job->a, &s->m, job->desc->iterations ? job->desc->iterations : ITERATIONS,
                        &s->idr));
  solver->bytes = s->m.bytes + s->idr.rounds.on.bytes;
  snprintf(solver->title, sizeof solver->title, "idr, %s", words[word]);
  return HK_OK;
}

static hk_status solve(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  method_idr *s = solver->data;
  return hk_rounds_solve(&s->idr.rounds, run, f, u, report);
}

static void destroy(hk_solver *solver)
{
  method_idr *s = solver->data;
  if (!s) return;
  hk_idr_destroy(&s->idr);
  hk_preconditioner_destroy(&s->m);
  hk_memory_free(&solver->data);
}

const hk_method hk_method_idr = {.name = "idr",
                                 .unsymmetric = true,
                                 .options = HK_OPTION_PRECONDITIONER | HK_OPTION_ITERATIONS,
                                 .create = create,
                                 .solve = solve,
                                 .destroy = destroy};
