/* The method femses (Keating 2019, section 4.3): K by elements and never as a global matrix, relaxed by hk_linear_desc.relaxation:
 *   jacobi, chebyshev   solver/linear/femses/relax.h
 *   conjugate           conjugate gradients with the sweep's D^-1
 *   multigrid           conjugate gradients with V-cycles, whose finest level is smoothed by sweeps and whose next is made element by element
 * Mixed precision, where sweeps are asked for in single or a single K for a tolerance that it cannot reach: residuals in double and corrections
 * in single, e from K e = r / |r|, u += |r| e, until the residual is small enough. */
#include "operator/elements/elements.h"
#include "operator/list.h"
#include "solver/linear/list.h"
#include "solver/linear/multigrid/multigrid.h"
#include "solver/linear/femses/relax.h"
#include "solver/linear/product.h"
#include "solver/linear/words.h"
#include <math.h>
#include <stdio.h>

enum { ITERATIONS = 100000, ITERATIONS_CONJUGATE = 20000, ITERATIONS_MULTIGRID = 1000 };
/* What single precision is trusted with: a relative residual of a whole solution, and of one correction. */
static const double single_reaches = 1e-6, correction = 1e-4;

typedef struct femses {
  hk_operator *twin;              /* K in the other precision; NULL: there is one alone */
  hk_reduced other;               /* of it */
  const hk_reduced *work, *exact; /* what is relaxed, and what residuals are of */
  const hk_constraints *constraints;
  hk_preconditioner m;
  hk_cg cg;
  hk_relax relax;
  hk_buffer *x, *q; /* of residuals */
  hk_pool pool;     /* of both */
} femses;

static hk_status create_relaxation(const hk_method_job *job, femses *s, hk_solver *solver)
{
  static const char *const words[] = {HK_RELAXATION_WORDS};
  const int asked = hk_relaxation_of(job->desc->relaxation),
            word = asked == HK_RELAXATION_AUTO && job->a->op->unsymmetric ? HK_RELAXATION_JACOBI
                                                                          : asked;
  const bool many = word == HK_RELAXATION_AUTO || word == HK_RELAXATION_MULTIGRID,
             cg = word == HK_RELAXATION_CONJUGATE;
  const hk_relaxation kind = word == HK_RELAXATION_JACOBI ? HK_RELAX_JACOBI : HK_RELAX_CHEBYSHEV;
  HK_NEED(word >= 0, HK_USAGE,
          "unknown relaxation %s: give auto, jacobi, chebyshev, conjugate or multigrid",
          job->desc->relaxation);
  solver->iterations = many ? ITERATIONS_MULTIGRID : cg ? ITERATIONS_CONJUGATE : ITERATIONS;
  const int most = job->desc->iterations ? job->desc->iterations : solver->iterations;
  snprintf(solver->title, sizeof solver->title, "femses, %s%s%s",
           words[many ? HK_RELAXATION_MULTIGRID : word], s->twin ? ", mixed" : "",
           job->desc->by_change ? ", stop: change" : "");
  if (many || cg) {
    HK_PASS(hk_preconditioner_create(
        job, s->work, many ? HK_PRECONDITIONER_MULTIGRID : HK_PRECONDITIONER_JACOBI, &s->m));
    HK_PASS(hk_cg_create(s->work, &s->m, most, &s->cg));
  } else
    HK_PASS(hk_relax_create(s->work, job->constraints, kind, most, &s->relax));
  return HK_OK;
}

/* K in the other precision, where sweeps and residuals are not of the same. */
static hk_status create_twin(const hk_method_job *job, femses *s)
{
  const hk_reduced *a = job->a;
  hk_operator_desc desc = a->op->desc;
  const bool wide = desc.double_precision, asked = wide && job->desc->single_sweeps,
             needed = !wide && !job->desc->by_change && job->desc->tolerance > 0 &&
                      job->desc->tolerance < single_reaches;
  s->work = s->exact = a, s->constraints = job->constraints;
  if (!asked && !needed) return HK_OK;
  desc.double_precision = !wide;
  HK_PASS(hk_operator_create(a->op->kind, &desc, &s->twin));
  HK_PASS(hk_reduced_create(s->twin, job->constraints, &s->other));
  if (wide)
    s->work = &s->other;
  else
    s->exact = &s->other;
  HK_PASS(hk_buffer_get(&s->pool, desc.device, a->dofs * 8, &s->x));
  return hk_buffer_get(&s->pool, desc.device, a->dofs * 8, &s->q);
}

static hk_count bytes_of(const femses *s)
{
  return s->m.bytes + s->cg.rounds.on.bytes + s->relax.on.bytes +
         (s->twin ? s->twin->memory + s->other.bytes + 2 * hk_buffer_bytes(s->x) : 0);
}

static hk_status create(const hk_method_job *job, hk_solver *solver)
{
  femses *s = NULL;
  HK_NEED(job->a->op->desc.space->unknowns != HK_UNKNOWNS_COUPLED, HK_BAD_INPUT,
          "method femses does not support coupled equations, whose K is kept in rows: give auto, "
          "direct, idr, cg, dense, dense-to-sparse or petsc");
  HK_NEED(hk_operator_has_elements(job->a->op) || job->a->op->kind == &hk_operator_matrix_free,
          HK_BAD_INPUT,
          "method femses stores K by elements or matrix-free, not %s: give form: elements",
          job->a->op->kind->name);
  HK_PASS(hk_new(&s));
  solver->data = s;
  HK_PASS(create_twin(job, s));
  HK_PASS(create_relaxation(job, s, solver));
  solver->bytes = bytes_of(s);
  solver->single_levels = s->m.data && s->work->double_precision && !s->m.double_precision;
  return HK_OK;
}

static hk_status relax(femses *s, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  return s->relax.a ? hk_relax_solve(&s->relax, run, f, u, report)
                    : hk_rounds_solve(&s->cg.rounds, run, f, u, report);
}

/* r = T^T (f - K u) in double; its norm */
static hk_status find_residual(const femses *s, const double *f, const double *u, double *r,
                               double *norm)
{
  return hk_residual(s->exact->op, s->constraints, s->x, s->q, f, u, r, norm);
}

/* Appends the history of a correction, `scale` times, but for its first. */
static hk_status keep_history(const hk_linear_report *own, double scale, hk_linear_report *report)
{
  const int count = own->history_count - 1;
  if (count < 1) return HK_OK;
  HK_PASS(hk_resize(&report->history, report->history_count + count));
  for (int k = 0; k < count; k++)
    report->history[report->history_count++] = scale * own->history[k + 1];
  report->iterations += own->iterations;
  return HK_OK;
}

/* u += |r| e,  K e = r / |r| */
static hk_status correct(femses *s, const hk_solve_run *run, double *r, double *e, double *u,
                         double norm, double scale, hk_linear_report *report)
{
  hk_status status = HK_OK;
  const hk_count n = s->exact->dofs;
  hk_linear_report own = {0};
  hk_solve_run inner = *run;
  inner.tolerance = hk_larger(correction, 0.5 * run->tolerance / scale);
  inner.iterations = run->iterations - report->iterations;
  for (hk_count i = 0; i < n; i++) r[i] /= norm, e[i] = 0;
  const hk_status ended = relax(s, &inner, r, e, &own);
  HK_TRY(keep_history(&own, scale, report));
  if (ended != HK_OK && ended != HK_STOPPED && ended != HK_NOT_CONVERGED) HK_TRY(ended);
  for (hk_count i = 0; i < n; i++) u[i] += norm * e[i];
  status = ended == HK_NOT_CONVERGED ? HK_OK : ended; /* the residual in double decides */
cleanup:
  hk_linear_report_clear(&own);
  return status;
}

static hk_status solve_mixed(femses *s, const hk_solve_run *run, const double *f, double *u,
                             hk_linear_report *report)
{
  hk_status status = HK_OK;
  const hk_count n = s->exact->dofs;
  hk_pool pool = {0};
  double *r, *e, first, norm;
  HK_TRY(hk_pool_get(&pool, &r, n));
  HK_TRY(hk_pool_get(&pool, &e, n));
  HK_TRY(hk_get(&report->history, 1));
  HK_TRY(find_residual(s, f, u, r, &first));
  HK_CHECK(isfinite(first), HK_NOT_CONVERGED,
           "the load or the prescribed %s is not a finite number",
           hk_reduced_words(s->exact)->value);
  norm = first;
  report->residual = report->history[0] = first > 0, report->history_count = 1;
  while (!(report->residual <= run->tolerance)) {
    const double before = report->residual;
    const hk_status ended = correct(s, run, r, e, u, norm, before, report);
    if (ended != HK_OK && ended != HK_STOPPED) HK_TRY(ended);
    HK_TRY(find_residual(s, f, u, r, &norm));
    report->residual = norm / first;
    HK_TRY(ended);
    HK_CHECK(report->residual <= run->tolerance ||
                 (report->residual < 0.5 * before && report->iterations < run->iterations),
             HK_NOT_CONVERGED,
             "not converged after %d iterations: residual %.3g, tolerance %.3g; give more "
             "iterations, or relaxation: multigrid",
             report->iterations, report->residual, run->tolerance);
  }
cleanup:
  hk_pool_clear(&pool);
  return status;
}

static hk_status solve(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  femses *s = solver->data;
  const hk_status status =
      s->twin ? solve_mixed(s, run, f, u, report) : relax(s, run, f, u, report);
  if (s->relax.a) hk_relax_tell(&s->relax, run, report);
  return status;
}

static void destroy(hk_solver *solver)
{
  femses *s = solver->data;
  if (!s) return;
  hk_relax_destroy(&s->relax);
  hk_cg_destroy(&s->cg);
  hk_preconditioner_destroy(&s->m);
  hk_reduced_destroy(&s->other);
  hk_operator_destroy(&s->twin);
  hk_pool_clear(&s->pool);
  hk_memory_free(&solver->data);
}

const hk_method hk_method_femses = {.name = "femses",
                                    .form = "elements",
                                    .options = HK_OPTION_RELAXATION | HK_OPTION_ITERATIONS,
                                    .unsymmetric = true,
                                    .create = create,
                                    .solve = solve,
                                    .destroy = destroy};
