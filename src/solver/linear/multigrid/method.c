/* The method cg of solver/linear/list.h: conjugate gradients with a preconditioner by its name.
 * create makes the preconditioner (multigrid.h) and the iteration of cg.h; solve is hk_rounds_solve with a limit
 * of iterations that is lower for multigrid, whose iterations are expensive and few. */
#include "solver/linear/list.h"
#include "solver/linear/multigrid/multigrid.h"
#include "solver/linear/words.h"
#include <stdio.h>

enum { ITERATIONS = 20000, ITERATIONS_MULTIGRID = 1000 };

typedef struct method_cg {
  hk_preconditioner m;
  hk_cg cg;
} method_cg;

static hk_status create(const hk_method_job *job, hk_solver *solver)
{
  static const char *const words[] = {HK_PRECONDITIONER_WORDS};
  const char *wanted = job->desc->preconditioner;
  const bool levels = hk_has_levels(wanted);
  const int word = levels ? HK_PRECONDITIONER_MULTIGRID : hk_preconditioner_of(wanted),
            most = job->desc->iterations;
  method_cg *s = NULL;
  HK_PASS(hk_new(&s));
  solver->data = s;
  HK_NEED(word >= 0, HK_USAGE,
          "unknown preconditioner %s: give auto, jacobi, block-jacobi, chebyshev or multigrid",
          wanted);
  HK_PASS(hk_preconditioner_create(job, job->a, (hk_preconditioner_word)word, &s->m));
  solver->iterations = levels ? ITERATIONS_MULTIGRID : ITERATIONS;
  HK_PASS(hk_cg_create(job->a, &s->m, most ? most : solver->iterations, &s->cg));
  solver->bytes = s->m.bytes + s->cg.rounds.on.bytes;
  solver->single_levels = job->a->double_precision && !s->m.double_precision;
  solver->levels = levels && !job->a->op->desc.share;
  snprintf(solver->title, sizeof solver->title, "cg, %s", words[word]);
  return HK_OK;
}

static hk_status solve(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  method_cg *s = solver->data;
  return hk_rounds_solve(&s->cg.rounds, run, f, u, report);
}

static void destroy(hk_solver *solver)
{
  method_cg *s = solver->data;
  if (!s) return;
  hk_cg_destroy(&s->cg);
  hk_preconditioner_destroy(&s->m);
  hk_memory_free(&solver->data);
}

const hk_method hk_method_cg = {.name = "cg",
                                .options = HK_OPTION_PRECONDITIONER | HK_OPTION_ITERATIONS,
                                .rows = true,
                                .create = create,
                                .solve = solve,
                                .destroy = destroy};
