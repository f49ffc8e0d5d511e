#include "solver/linear.h"
#include "operator/vertices.h"
#include "solver/direct.h"
#include "solver/multigrid.h"
#include "solver/simple.h"
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 20000, ITERATIONS_MULTIGRID = 1000, MOST_FLAT = 200000, MOST_SOLID = 20000 };

struct hk_linear {
  hk_linear_desc desc; /* of what was borrowed for create alone, nothing is kept */
  hk_constraints constraints;
  hk_reduced a;
  hk_preconditioner m;
  hk_cg cg;
  hk_direct direct;
  bool factored;   /* direct, else cg */
  bool may_factor; /* auto: factors are taken where iterations fail */
  double tolerance, seconds;
  int iterations;
  char method[32], note[192];
};

void hk_linear_report_clear(hk_linear_report *report)
{
  hk_free(&report->history);
  *report = (hk_linear_report){0};
}

static bool is(const char *name, const char *wanted)
{
  return hk_same_text(name && name[0] ? name : "auto", wanted);
}

static hk_status create_multigrid(hk_linear *s)
{
  hk_status status = HK_OK;
  const hk_space *space = s->desc.op->desc.space;
  const double *x = s->desc.near_null;
  double *own = NULL;
  if (!x) {
    HK_TRY(hk_get(&own, (hk_count)space->padded * space->dim));
    hk_space_to_internal(space, space->dim, space->mesh->x, own);
    x = own;
  }
  HK_TRY(hk_multigrid_create(&s->a, &s->constraints, x, &s->m));
cleanup:
  hk_free(&own);
  return status;
}

static hk_status create_preconditioner(hk_linear *s, const char **name)
{
  static const char *const simple[] = {"jacobi", "block-jacobi", "chebyshev"};
  const char *wanted = s->desc.preconditioner;
  if (is(wanted, "auto")) wanted = "multigrid";
  if (is(wanted, "multigrid")) {
    *name = "multigrid";
    return create_multigrid(s);
  }
  for (int k = 0; k < 3; k++)
    if (hk_same_text(wanted, simple[k])) {
      *name = simple[k];
      return hk_simple_create(&s->a, &s->constraints, (hk_simple)k, &s->m);
    }
  return hk_error_set(
      HK_USAGE,
      "preconditioner %s: not known; give auto, jacobi, block-jacobi, chebyshev or multigrid",
      wanted);
}

static hk_status create_cg(hk_linear *s)
{
  hk_status status = HK_OK;
  const char *name = NULL;
  HK_TRY(create_preconditioner(s, &name));
  if (!s->iterations)
    s->iterations = !strcmp(name, "multigrid") ? ITERATIONS_MULTIGRID : ITERATIONS;
  HK_TRY(hk_cg_create(&s->a, &s->m, s->iterations, &s->cg));
  snprintf(s->method, sizeof s->method, "cg, %s", name);
cleanup:
  return status;
}

static hk_status create_direct(hk_linear *s)
{
  hk_status status = HK_OK;
  HK_TRY(hk_direct_create(&s->a, &s->constraints, &s->direct));
  s->factored = true;
  snprintf(s->method, sizeof s->method, "direct (%.20s)", hk_direct_name(&s->direct));
cleanup:
  return status;
}

/* Factors where they are made sooner than iterations end: few degrees of freedom. */
static bool is_small(hk_count nodes, int dim)
{
  return nodes * dim <= (dim == 2 ? MOST_FLAT : MOST_SOLID);
}

static bool small(const hk_space *space)
{
  return is_small(space->nodes, space->components);
}

bool hk_linear_wants_rows(const char *method, const char *preconditioner, const hk_mesh *mesh,
                          const hk_device *device)
{
  const bool any = is(preconditioner, "auto"),
             factors = is(method, "direct") ||
                       (is(method, "auto") && any && is_small(mesh->node_count, mesh->dim)),
             levels = (any || is(preconditioner, "multigrid")) && !hk_vertices_exist(mesh);
  return factors || levels || hk_device_describe(device)->compiles;
}

/* Factors that may take minutes, but no hours and no hundreds of gigabytes. */
static bool factors_fit(const hk_space *space)
{
  return (hk_count)space->nodes * space->components <=
         15LL * (space->dim == 2 ? MOST_FLAT : MOST_SOLID);
}

/* A factor that finds no memory or no library is no reason to give up. */
static hk_status choose(hk_linear *s)
{
  hk_status status = HK_OK;
  const char *why;
  const bool wanted = is(s->desc.method, "direct");
  if (wanted || (is(s->desc.method, "auto") && is(s->desc.preconditioner, "auto") &&
                 small(s->desc.op->desc.space) && hk_factor_available(&why))) {
    status = create_direct(s);
    if (wanted || status != HK_NO_RESOURCES) return status;
    hk_direct_destroy(&s->direct);
    snprintf(s->note, sizeof s->note, "no memory for factors: conjugate gradients taken");
  } else if (is(s->desc.method, "auto") && small(s->desc.op->desc.space) &&
             !hk_factor_available(&why))
    snprintf(s->note, sizeof s->note, "%s: conjugate gradients taken", why);
  s->may_factor = is(s->desc.method, "auto") && factors_fit(s->desc.op->desc.space) &&
                  hk_factor_available(&why);
  HK_TRY(create_cg(s));
cleanup:
  return status;
}

hk_status hk_linear_create(const hk_linear_desc *desc, hk_linear **out)
{
  hk_status status = HK_OK;
  hk_linear *s = NULL;
  const double start = hk_seconds();
  const hk_space *space = desc->op->desc.space;
  HK_CHECK(is(desc->method, "auto") || is(desc->method, "cg") || is(desc->method, "direct"),
           HK_USAGE, "method %s: not known; give auto, cg or direct", desc->method);
  HK_CHECK(desc->constraints->dofs == (hk_count)space->padded * space->components, HK_INTERNAL,
           "constraints of %lld degrees of freedom, where there are %lld",
           (long long)desc->constraints->dofs, (long long)space->padded * space->components);
  HK_TRY(hk_new(&s));
  s->desc = *desc;
  s->tolerance = desc->tolerance > 0               ? desc->tolerance
                 : desc->op->desc.double_precision ? 1e-8
                                                   : 1e-5;
  s->iterations = desc->iterations;
  HK_TRY(hk_constraints_copy(desc->constraints, &s->constraints));
  HK_TRY(hk_reduced_create(desc->op, &s->constraints, &s->a));
  HK_TRY(choose(s));
  HK_CHECK(!(s->factored && desc->stop && desc->stop(desc->user)), HK_STOPPED,
           "stopped when the factors were made");
  s->desc.constraints = NULL, s->desc.near_null = NULL;
  s->desc.method = s->desc.preconditioner = NULL;
  s->seconds = hk_seconds() - start;
  *out = s, s = NULL;
cleanup:
  hk_linear_destroy(&s);
  return status;
}

void hk_linear_destroy(hk_linear **linear)
{
  hk_linear *s = *linear;
  if (!s) return;
  hk_direct_destroy(&s->direct);
  hk_cg_destroy(&s->cg);
  hk_preconditioner_destroy(&s->m);
  hk_reduced_destroy(&s->a);
  hk_constraints_clear(&s->constraints);
  hk_free(linear);
}

static void fill_report(const hk_linear *s, double start, hk_linear_report *report)
{
  snprintf(report->method, sizeof report->method, "%s", s->method);
  if (s->note[0]) snprintf(report->note, sizeof report->note, "%s", s->note);
  report->seconds_setup = s->seconds;
  report->seconds_solve = hk_seconds() - start;
  report->bytes = s->a.bytes + s->m.bytes + s->cg.bytes + hk_direct_bytes(&s->direct);
}

static void start_from_offset(const hk_linear *s, double *u)
{
  for (hk_count i = 0; i < s->constraints.dofs; i++) u[i] = 0;
  hk_constraints_apply(&s->constraints, u);
}

/* Iterations did not converge: factors instead, for this right side and those that follow. What they cannot mend stays as it was. */
static hk_status fall_back(hk_linear *s, const double *f, double *u, hk_linear_report *report,
                           hk_status before)
{
  hk_status status = HK_OK;
  hk_linear_report own = {0};
  double *better = NULL;
  char words[sizeof report->note];
  snprintf(words, sizeof words, "%.180s", hk_error());
  HK_TRY(hk_get(&better, s->constraints.dofs));
  start_from_offset(s, better);
  HK_TRY(create_direct(s));
  snprintf(s->note, sizeof s->note,
           "conjugate gradients ended after %d iterations with the residual %.2g: factors taken",
           report->iterations, report->residual);
  HK_TRY(hk_direct_solve(&s->direct, s->tolerance, f, better, &own));
  memcpy(u, better, (size_t)s->constraints.dofs * sizeof *u);
  hk_linear_report_clear(report);
  *report = own, own = (hk_linear_report){0};
cleanup:
  if (!s->factored) hk_direct_destroy(&s->direct);
  hk_linear_report_clear(&own);
  hk_free(&better);
  return status == HK_OK ? status : hk_error_set(before, "%s", words);
}

hk_status hk_linear_solve(hk_linear *s, const double *f, double *u, hk_linear_report *report)
{
  hk_linear_report own = {0};
  const double start = hk_seconds();
  const hk_cg_run run = {s->tolerance, s->iterations, s->desc.progress, s->desc.stop, s->desc.user};
  start_from_offset(s, u);
  hk_status status = s->factored ? hk_direct_solve(&s->direct, s->tolerance, f, u, &own)
                                 : hk_cg_solve(&s->cg, &run, f, u, &own);
  if (status == HK_NOT_CONVERGED && s->may_factor && !s->factored)
    status = fall_back(s, f, u, &own, status);
  fill_report(s, start, &own);
  if (report)
    *report = own;
  else
    hk_linear_report_clear(&own);
  return status;
}
