/* The methods by factors as entries of solver/linear/list.h: direct and cholesky (sparse), dense, dense-to-sparse.
 * Each says which options it knows and whether a library is installed, and hands its way to hk_direct_create; solving is hk_direct_solve.
 * cholesky and the dense ones take a library of the host unless one is named. */
#include "solver/linear/direct/direct.h"
#include "solver/linear/list.h"
#include <stdio.h>

/* host: of the host's libraries alone, unless one is named. */
static hk_status create(const hk_method_job *job, hk_direct_way way, bool host, hk_solver *solver)
{
  hk_status status = HK_OK;
  const hk_linear_desc *desc = job->desc;
  hk_direct *d = NULL;
  HK_TRY(hk_new(&d));
  solver->data = d;
  HK_TRY(hk_direct_create(&(hk_direct_desc){.a = job->a,
                                            .constraints = job->constraints,
                                            .way = way,
                                            .ordering = desc->ordering,
                                            .factor = {.device = desc->op->desc.device,
                                                       .library = desc->library,
                                                       .ordering = desc->ordering,
                                                       .host = host,
                                                       .stop = desc->stop,
                                                       .user = desc->user}},
                          d));
  solver->bytes = hk_direct_bytes(d), solver->factors = true;
  snprintf(solver->title, sizeof solver->title, "%s (%.36s)", solver->method->name,
           hk_direct_name(d));
cleanup:
  return status;
}

static hk_status create_direct(const hk_method_job *job, hk_solver *solver)
{
  return create(job, HK_DIRECT_SPARSE, true, solver);
}

static hk_status create_cholesky(const hk_method_job *job, hk_solver *solver)
{
  return create(job, HK_DIRECT_SPARSE, false, solver);
}

static hk_status create_dense(const hk_method_job *job, hk_solver *solver)
{
  return create(job, HK_DIRECT_DENSE, false, solver);
}

static hk_status create_converted(const hk_method_job *job, hk_solver *solver)
{
  return create(job, HK_DIRECT_CONVERTED, false, solver);
}

static hk_status solve(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  hk_direct *d = solver->data;
  report->stages = d->stages;
  snprintf(report->note, sizeof report->note, "%s", d->note);
  return hk_direct_solve(d, run->tolerance, f, u, report);
}

static void destroy(hk_solver *solver)
{
  hk_direct *d = solver->data;
  if (d) hk_direct_destroy(d);
  hk_memory_free(&solver->data);
}

static bool find_library(const hk_linear_desc *desc, bool dense, bool host, const char **why)
{
  const hk_factor_desc sought = {
      .device = desc->op->desc.device, .library = desc->library, .host = host};
  return hk_factor_available(&sought, dense, why);
}

static bool find_host(const hk_linear_desc *desc, const char **why)
{
  return find_library(desc, false, true, why);
}

static bool find_sparse(const hk_linear_desc *desc, const char **why)
{
  return find_library(desc, false, false, why);
}

static bool find_dense(const hk_linear_desc *desc, const char **why)
{
  return find_library(desc, true, false, why);
}

#define METHOD(member, text, choices, dense, maker, finder)                                        \
  const hk_method hk_method_##member = {.name = text,                                              \
                                        .form = "assembled",                                       \
                                        .options = (choices),                                      \
                                        .makes_dense = dense,                                      \
                                        .available = finder,                                       \
                                        .create = maker,                                           \
                                        .solve = solve,                                            \
                                        .destroy = destroy};
enum { LIBRARY = HK_OPTION_LIBRARY, SPARSE = HK_OPTION_LIBRARY | HK_OPTION_ORDERING };
METHOD(direct, "direct", SPARSE, false, create_direct, find_host)
METHOD(cholesky, "cholesky", SPARSE, false, create_cholesky, find_sparse)
METHOD(dense, "dense", LIBRARY, true, create_dense, find_dense)
METHOD(dense_to_sparse, "dense-to-sparse", SPARSE, true, create_converted, find_sparse)
