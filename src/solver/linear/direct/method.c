/* The methods by factors as entries of solver/linear/list.h: direct and cholesky (sparse), dense, dense-to-sparse.
 * Each says which options it knows and whether a library is installed, and hands its way to hk_direct_create; solving is hk_direct_solve.
 * cholesky and the dense ones take a library of the host unless one is named. */
#include "solver/linear/direct/direct.h"
#include "solver/linear/list.h"
#include <stdio.h>

/* The matrix that the factors are made of, by the method's name. */
static hk_direct_way way_of(const hk_method *method)
{
  return !method->makes_dense                   ? HK_DIRECT_SPARSE
         : method->options & HK_OPTION_ORDERING ? HK_DIRECT_CONVERTED
                                                : HK_DIRECT_DENSE;
}

static hk_factor_desc factor_of(const hk_linear_desc *desc, const hk_method *method)
{
  return (hk_factor_desc){.device = desc->op->desc.device,
                          .library = desc->library,
                          .ordering = desc->ordering,
                          .host = method == &hk_method_direct,
                          .unsymmetric = desc->op->unsymmetric,
                          .stop = desc->stop,
                          .user = desc->user};
}

bool hk_direct_available(const hk_linear_desc *desc, const char **why)
{
  hk_factor_desc sought = factor_of(desc, &hk_method_direct);
  sought.ordering = NULL;
  return hk_factor_available(&sought, false, why);
}

static hk_status create(const hk_method_job *job, hk_solver *solver)
{
  const hk_linear_desc *desc = job->desc;
  hk_direct *d = NULL;
  HK_PASS(hk_new(&d));
  solver->data = d;
  HK_PASS(hk_direct_create(&(hk_direct_desc){.a = job->a,
                                             .constraints = job->constraints,
                                             .way = way_of(solver->method),
                                             .ordering = desc->ordering,
                                             .factor = factor_of(desc, solver->method)},
                           d));
  solver->bytes = hk_direct_bytes(d), solver->factors = true;
  snprintf(solver->title, sizeof solver->title, "%s (%.36s)", solver->method->name,
           hk_direct_name(d));
  return HK_OK;
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

#define METHOD(member, text, choices, dense, lu)                                                   \
  const hk_method hk_method_##member = {.name = text,                                              \
                                        .form = "assembled",                                       \
                                        .options = (choices),                                      \
                                        .makes_dense = dense,                                      \
                                        .unsymmetric = lu,                                         \
                                        .create = create,                                          \
                                        .solve = solve,                                            \
                                        .destroy = destroy};
enum { LIBRARY = HK_OPTION_LIBRARY, SPARSE = HK_OPTION_LIBRARY | HK_OPTION_ORDERING };
METHOD(direct, "direct", SPARSE, false, true)
METHOD(cholesky, "cholesky", SPARSE, false, false)
METHOD(dense, "dense", LIBRARY, true, true)
METHOD(dense_to_sparse, "dense-to-sparse", SPARSE, true, true)
