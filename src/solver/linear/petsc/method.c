/* The method petsc of solver/linear/list.h. PETSc solves A d = r for corrections of u, from residuals r = T^T (f - K u) computed with the operator, until |r| is
 * small enough: one is enough unless the options ask PETSc for less than the tolerance. A correction that does not halve the residual is the last. */
#include "solver/linear/list.h"
#include "solver/linear/petsc/matrix.h"
#include "solver/linear/petsc/petsc.h"
#include "solver/linear/product.h"
#include <math.h>
#include <stdio.h>

enum { ITERATIONS = 10000, ROUNDS = 20 };

typedef struct method_petsc {
  const hk_reduced *a;         /* borrowed */
  hk_constraints *constraints; /* borrowed */
  hk_petsc_system *system;     /* NULL: there is no node */
  hk_index rows, *node;        /* node[rows]: internal number */
  int components;
  hk_buffer *in, *out;
  double *r, *right, *x; /* r[dofs]; [rows][components] */
  hk_pool pool;          /* of buffers and vectors */
} method_petsc;

typedef struct watch { /* of a solution */
  const hk_solve_run *run;
  hk_linear_report *report;
  double scale;   /* of its residuals: 1 / the first */
  int before;     /* iterations of the corrections before */
  hk_status kept; /* of the list of residuals */
} watch;

static void on_iteration(int iteration, double residual, void *user)
{
  watch *w = user;
  hk_linear_report *report = w->report;
  const double relative = residual * w->scale;
  if (iteration == 0) return;
  if (w->run->progress) w->run->progress(w->before + iteration, relative, w->run->user);
  if (w->kept != HK_OK) return;
  w->kept = hk_resize(&report->history, report->history_count + 1);
  if (w->kept == HK_OK) report->history[report->history_count++] = relative;
}

static int on_stop(void *user)
{
  const watch *w = user;
  return w->run->stop && w->run->stop(w->run->user);
}

static hk_status get_room(const hk_reduced *a, hk_petsc_matrix *m, method_petsc *s)
{
  const hk_count real = a->double_precision ? 8 : 4, numbers = (hk_count)m->a.rows * m->a.height;
  s->rows = m->a.rows, s->components = m->a.height;
  s->node = m->node, m->node = NULL;
  HK_PASS(hk_buffer_get(&s->pool, a->op->desc.device, a->dofs * real, &s->in));
  HK_PASS(hk_buffer_get(&s->pool, a->op->desc.device, a->dofs * real, &s->out));
  HK_PASS(hk_pool_get(&s->pool, &s->r, a->dofs));
  HK_PASS(hk_pool_get(&s->pool, &s->right, numbers));
  return hk_pool_get(&s->pool, &s->x, numbers);
}

static hk_status create(const hk_method_job *job, hk_solver *solver)
{
  hk_status status = HK_OK;
  const hk_linear_desc *desc = job->desc;
  const hk_stop stop = {desc->stop, desc->user};
  hk_petsc_matrix m = {0};
  method_petsc *s = NULL;
  char words[48] = "";
  HK_TRY(hk_new(&s));
  solver->data = s, s->a = job->a, s->constraints = job->constraints;
  HK_TRY(hk_petsc_check_options(desc->options ? desc->options : ""));
  HK_TRY(hk_petsc_ready());
  HK_TRY(hk_petsc_matrix_create(desc->op, job->constraints, &stop, &m));
  HK_TRY(hk_stop_look(&stop, "the matrix was made"));
  HK_TRY(get_room(job->a, &m, s));
  if (s->rows)
    HK_TRY(hk_petsc_create(&m.a, m.x,
                           &(hk_petsc_how){.symmetric = !desc->op->unsymmetric,
                                           .options = desc->options ? desc->options : ""},
                           &s->system));
  if (s->system) hk_petsc_describe(s->system, words, sizeof words);
  solver->iterations = ITERATIONS;
  solver->bytes = m.a.rows ? m.a.begin[m.a.rows] * (8LL * m.a.height * m.a.width + 4) : 0;
  snprintf(solver->title, sizeof solver->title, "petsc (%s)", words);
cleanup:
  hk_petsc_matrix_clear(&m);
  return status;
}

static hk_status find_residual(method_petsc *s, const double *f, const double *u, double *norm)
{
  return hk_residual(s->a->op, s->constraints, s->in, s->out, f, u, s->r, norm);
}

/* u += A^-1 r */
static hk_status correct(method_petsc *s, watch *w, double tolerance, double *u,
                         hk_petsc_result *result)
{
  const int c = s->components;
  const hk_petsc_run run = {.tolerance = tolerance,
                            .iterations = w->run->iterations - w->before,
                            .progress = on_iteration,
                            .stop = on_stop,
                            .user = w};
  for (hk_count i = 0; i < s->rows; i++)
    for (int k = 0; k < c; k++) s->right[i * c + k] = s->r[(hk_count)s->node[i] * c + k];
  HK_PASS(hk_petsc_solve(s->system, &run, s->right, s->x, result));
  for (hk_count i = 0; i < s->rows; i++)
    for (int k = 0; k < c; k++) u[(hk_count)s->node[i] * c + k] += s->x[i * c + k];
  hk_constraints_apply(s->constraints, u);
  w->before += result->iterations;
  return w->kept;
}

static hk_status refuse(const method_petsc *s, const hk_solve_run *run,
                        const hk_linear_report *report, const hk_petsc_result *result)
{
  (void)s;
  return hk_error_set(
      HK_NOT_CONVERGED,
      "not converged after %d iterations: residual %.3g, tolerance %.3g; PETSc ended "
      "with %s: give more iterations, other options, or the method direct",
      report->iterations, report->residual, run->tolerance, result->reason);
}

static hk_status iterate(method_petsc *s, const hk_solve_run *run, const double *f, double *u,
                         hk_linear_report *report)
{
  double first, norm;
  HK_PASS(find_residual(s, f, u, &first));
  HK_NEED(isfinite(first), HK_NOT_CONVERGED, "the load or the prescribed %s is not a finite number",
          hk_reduced_words(s->a)->value);
  HK_PASS(hk_get(&report->history, 1));
  report->residual = report->history[0] = first > 0, report->history_count = 1;
  watch w = {.run = run, .report = report, .scale = first > 0 ? 1 / first : 0};
  for (int round = 0; !(report->residual <= run->tolerance); round++) {
    const double before = report->residual;
    hk_petsc_result result = {0};
    HK_PASS(correct(s, &w, 0.95 * run->tolerance / before, u, &result));
    report->iterations = w.before;
    HK_PASS(find_residual(s, f, u, &norm));
    report->residual = norm / first;
    HK_NEED(!result.stopped, HK_STOPPED, "stopped after %d iterations, residual %.3g",
            report->iterations, report->residual);
    if (report->residual <= run->tolerance) break;
    if (w.before >= run->iterations || round == ROUNDS || !(report->residual < 0.5 * before))
      return refuse(s, run, report, &result);
  }
  return HK_OK;
}

static hk_status solve(const hk_solver *solver, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  return iterate(solver->data, run, f, u, report);
}

static void destroy(hk_solver *solver)
{
  method_petsc *s = solver->data;
  if (!s) return;
  hk_petsc_destroy(&s->system);
  hk_free(&s->node);
  hk_pool_clear(&s->pool);
  hk_memory_free(&solver->data);
}

const hk_method hk_method_petsc = {.name = "petsc",
                                   .form = "assembled",
                                   .options = HK_OPTION_TEXT | HK_OPTION_ITERATIONS,
                                   .unsymmetric = true,
                                   .ranks = true,
                                   .ready = hk_petsc_ready,
                                   .create = create,
                                   .solve = solve,
                                   .destroy = destroy};
