/* The method cg of solver/linear/list.h: conjugate gradients with a preconditioner by its name.
 * create makes the preconditioner (multigrid.h or simple.h) and the iteration of cg.h; solve is hk_cg_solve with a limit
 * of iterations that is lower for multigrid, whose iterations are expensive and few. */
#include "solver/linear/list.h"
#include "solver/linear/multigrid/multigrid.h"
#include "solver/linear/multigrid/simple.h"
#include "solver/linear/words.h"
#include <stdio.h>

enum { ITERATIONS = 20000, ITERATIONS_MULTIGRID = 1000 };

typedef struct method_cg {
  hk_preconditioner m;
  hk_cg cg;
} method_cg;

static hk_status create_preconditioner(const hk_method_job *job, const char **name,
                                       hk_preconditioner *m)
{
  static const char *const words[] = {HK_PRECONDITIONER_WORDS};
  const char *wanted = job->desc->preconditioner;
  const int word = hk_preconditioner_of(wanted);
  const hk_stop stop = {job->desc->stop, job->desc->user};
  if (hk_has_levels(wanted)) {
    *name = words[HK_PRECONDITIONER_MULTIGRID];
    return hk_multigrid_create(job->a, job->constraints, job->x, job->desc->double_levels, &stop,
                               m);
  }
  if (word > 0) {
    *name = words[word];
    return hk_simple_create(job->a, job->constraints, (hk_simple)(word - HK_PRECONDITIONER_JACOBI),
                            m);
  }
  return hk_error_set(
      HK_USAGE,
      "unknown preconditioner %s: give auto, jacobi, block-jacobi, chebyshev or multigrid", wanted);
}

static hk_status create(const hk_method_job *job, hk_solver *solver)
{
  hk_status status = HK_OK;
  const char *name = NULL;
  method_cg *s = NULL;
  HK_TRY(hk_new(&s));
  solver->data = s;
  HK_TRY(create_preconditioner(job, &name, &s->m));
  solver->iterations = hk_has_levels(job->desc->preconditioner) ? ITERATIONS_MULTIGRID : ITERATIONS;
  const int wanted = job->desc->iterations;
  HK_TRY(hk_cg_create(job->a, &s->m, wanted ? wanted : solver->iterations, &s->cg));
  solver->bytes = s->m.bytes + s->cg.bytes;
  solver->single_levels = job->a->double_precision && !s->m.double_precision;
  snprintf(solver->title, sizeof solver->title, "cg, %s", name);
cleanup:
  return status;
}

static hk_status solve(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  method_cg *s = solver->data;
  return hk_cg_solve(&s->cg, run, f, u, report);
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
                                .options = HK_OPTION_PRECONDITIONER,
                                .create = create,
                                .solve = solve,
                                .destroy = destroy};
