/* The method direct: factors on the host. */
#include "solver/direct.h"
#include "solver/method_list.h"
#include <stdio.h>

static hk_status create(const hk_method_job *job, hk_solver *solver)
{
  hk_status status = HK_OK;
  hk_direct *d = NULL;
  HK_TRY(hk_new(&d));
  solver->data = d;
  HK_TRY(hk_direct_create(job->a, job->constraints, d));
  HK_CHECK(!job->desc->stop || !job->desc->stop(job->desc->user), HK_STOPPED,
           "stopped when the factors were made");
  solver->bytes = hk_direct_bytes(d);
  snprintf(solver->title, sizeof solver->title, "direct (%.20s)", hk_direct_name(d));
cleanup:
  return status;
}

static hk_status solve(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  return hk_direct_solve(solver->data, run->tolerance, f, u, report);
}

static void destroy(hk_solver *solver)
{
  hk_direct *d = solver->data;
  if (d) hk_direct_destroy(d);
  hk_memory_free(&solver->data);
}

const hk_method hk_method_direct = {
    .name = "direct", .form = "assembled", .create = create, .solve = solve, .destroy = destroy};
