/* Static problems (A.1), (A.2): a method by its name or, with "auto", a choice.
 * choose() takes factors for small problems or elements of high order on the host, else conjugate gradients with multigrid. hk_linear_solve
 * scales f and offsets by a power of two, starts from the constraints' offset and solves; if iterations fail, fall_back() tries the next method, widen()
 * makes levels in double. judge() passes a residual above the tolerance where rounding allows no smaller one, by the errors of accuracy.h. */
#include "solver/linear/linear.h"
#include "element/element.h"
#include "operator/list.h"
#include "operator/coarse/vertices.h"
#include "solver/linear/accuracy.h"
#include "solver/linear/list.h"
#include "solver/linear/probe.h"
#include "solver/linear/scale.h"
#include "solver/linear/words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Degrees of freedom up to which factors are made sooner than iterations end; HIGH times as many of elements of order 3 and more. */
enum { MOST_FLAT = 200000, MOST_SOLID = 20000, HIGH = 6 };

/* Tolerances of solutions that serve to judge others. What hardly holds a body shows in residuals of rounding alone when they are small. */
static const double ROUGH = 1e-4, FINE = 1e-10;
/* Part of ROUGH that ends iterations which are asked whether they are enough. */
static const double ASKED = 1e-4;

static const hk_method *const methods[] = {HK_METHOD_LIST};
enum { METHODS = sizeof methods / sizeof *methods };

struct hk_linear {
  hk_linear_desc desc; /* of what was borrowed for create alone, nothing is kept */
  hk_constraints constraints;
  hk_reduced a;
  hk_solver solver;
  bool may_factor; /* auto: factors are taken where iterations fail */
  double tolerance, seconds;
  double digits; /* tolerance of solve_roughly */
  int iterations;
  double *scaled; /* scaled[dofs + count]: f near 1, then the offsets as they were */
  char note[192];
};

void hk_linear_report_clear(hk_linear_report *report)
{
  hk_free(&report->history);
  *report = (hk_linear_report){0};
}

const hk_method *hk_linear_method(const char *name)
{
  for (int k = 0; k < METHODS; k++)
    if (name && hk_same_text(name, methods[k]->name)) return methods[k];
  return NULL;
}

const char *hk_linear_method_word(int k)
{
  return k == 0 ? HK_AUTO : k <= METHODS ? methods[k - 1]->name : NULL;
}

static hk_status refuse_method(const char *name)
{
  char list[256] = "";
  size_t at = 0;
  for (int k = 0; k < METHODS; k++)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s %s",
                           k == METHODS - 1 ? " or"
                           : k              ? ","
                                            : "",
                           methods[k]->name);
  return hk_error_set(HK_USAGE, "unknown method %s: give auto,%s", name, list);
}

hk_status hk_linear_check_unsymmetric(const char *method, const char *relaxation)
{
  const hk_method *own = hk_linear_method(method);
  const int word = hk_relaxation_of(relaxation);
  HK_NEED(
      !own || own->unsymmetric, HK_BAD_INPUT,
      "method %s needs a symmetric matrix, and that of a material with a velocity, or of "
      "Newton's method, is not: give auto, idr, direct, dense, dense-to-sparse, petsc or femses",
      method);
  HK_NEED(!own || !(own->options & HK_OPTION_RELAXATION) || word == HK_RELAXATION_AUTO ||
              word == HK_RELAXATION_JACOBI,
          HK_BAD_INPUT,
          "relaxation %s needs a symmetric matrix, and that of a material with a velocity, or of "
          "Newton's method, is not: give jacobi, or method: idr",
          relaxation);
  return HK_OK;
}

static hk_status create_solver(hk_linear *s, const hk_method *method)
{
  const hk_method_job job = {.a = &s->a, .constraints = &s->constraints, .desc = &s->desc};
  hk_solver_destroy(&s->solver);
  HK_PASS(hk_solver_create(method, &job, &s->solver));
  s->iterations = s->desc.iterations ? s->desc.iterations : s->solver.iterations;
  return HK_OK;
}

/* Whether iterations run on a device beside the processor that makes factors. */
static bool iterates_beside(const hk_device *device)
{
  return hk_device_describe(device)->overlaps;
}

/* Factors where the processor makes them sooner than iterations end: few degrees of freedom. */
static bool is_small(hk_count nodes, int components, int dim, const hk_device *device)
{
  return nodes * components <= (dim == 2 && !iterates_beside(device) ? MOST_FLAT : MOST_SOLID);
}

static bool small(const hk_space *space, const hk_device *device)
{
  return is_small(space->nodes, space->components, space->dim, device);
}

bool hk_linear_factors(const char *method, const char *preconditioner, const hk_mesh *mesh,
                       int components, const hk_device *device)
{
  const hk_method *own = hk_linear_method(method);
  if (own) return own->options & HK_OPTION_LIBRARY;
  return hk_is_auto(method) && hk_is_auto(preconditioner) &&
         is_small(mesh->node_count, components, mesh->dim, device);
}

unsigned hk_linear_options(const char *method)
{
  const hk_method *own = hk_linear_method(method);
  return own ? own->options : hk_method_cg.options | hk_method_direct.options;
}

bool hk_linear_has_change(const char *method, const char *relaxation, bool single_sweeps)
{
  const int word = hk_relaxation_of(relaxation);
  const hk_method *own = hk_linear_method(method);
  return own && own->options & HK_OPTION_RELAXATION && !single_sweeps &&
         (word == HK_RELAXATION_JACOBI || word == HK_RELAXATION_CHEBYSHEV);
}

hk_status hk_linear_check_options(const char *options)
{
  return hk_petsc_check_options(options);
}

hk_status hk_linear_ready(const char *method, bool ranks)
{
  const hk_method *own = hk_linear_method(method);
  HK_NEED(!ranks || (own && own->ranks) || hk_linear_shares_rows(method), HK_USAGE,
          "method %s: ranks of MPI share static solutions by the methods cg and petsc: start one "
          "process, or give one of these",
          own ? own->name : HK_AUTO);
  return own && own->ready ? own->ready() : HK_OK;
}

bool hk_linear_shares_rows(const char *method)
{
  const hk_method *own = hk_linear_method(method);
  return own ? own->rows : hk_is_auto(method);
}

const char *hk_linear_own_form(const char *method)
{
  const hk_method *own = hk_linear_method(method);
  return own ? own->form : NULL;
}

hk_status hk_linear_refuse_order(const char *method)
{
  return hk_error_set(HK_BAD_INPUT,
                      "method %s stores K by elements of first or second order, and this model has "
                      "element: {order: p}: give auto, cg, cholesky, dense or dense-to-sparse",
                      method);
}

const char *hk_linear_form(const char *method, const char *preconditioner, const hk_mesh *mesh,
                           int components, const hk_device *device)
{
  const bool factors = hk_linear_factors(method, preconditioner, mesh, components, device),
             levels = hk_has_levels(preconditioner) && !hk_vertices_exist(mesh);
  const hk_method *own = hk_linear_method(method);
  const hk_operator_kind *edges;
  if (own && own->form) return own->form;
  if (hk_operator_choose(hk_operator_edges.name, mesh, NULL, &edges) != HK_OK)
    return hk_operator_assembled.name;
  return factors || levels || components < mesh->dim ||
                 hk_device_has_groups(hk_device_describe(device))
             ? "assembled"
             : "edges";
}

/* Factors that may take minutes, but no hours and no hundreds of gigabytes. */
static bool factors_fit(const hk_space *space)
{
  return (hk_count)space->nodes * space->components <=
         15LL * (space->dim == 2 ? MOST_FLAT : MOST_SOLID);
}

/* Rows of elements of order 3 and more are long: a product with them on the processor takes a good part of what factors take. */
static bool is_high(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++)
    if (hk_element_of(mesh->block[b].shape)->order > 2) return true;
  return false;
}

static bool factors_are_sooner(const hk_space *space, const hk_device *device)
{
  return small(space, device) ||
         (!iterates_beside(device) && is_high(space->mesh) &&
          is_small(space->nodes / HIGH, space->components, space->dim, device));
}

static const char *words_of(const hk_method *iterative)
{
  return iterative == &hk_method_cg ? "conjugate gradients are" : "method idr is";
}

/* A factor that finds no memory or no library is no reason to give up. */
static hk_status choose(hk_linear *s)
{
  hk_status status = HK_OK;
  const char *why = NULL;
  const hk_space *space = s->desc.op->desc.space;
  const bool shared = s->desc.op->desc.share, may = !shared && hk_direct_available(&s->desc, &why);
  const hk_method *iterative = s->desc.op->unsymmetric ? &hk_method_idr : &hk_method_cg;
  if (!hk_is_auto(s->desc.method)) return create_solver(s, hk_linear_method(s->desc.method));
  if (hk_is_auto(s->desc.preconditioner) && may &&
      factors_are_sooner(space, s->desc.op->desc.device)) {
    status = create_solver(s, &hk_method_direct);
    if (status != HK_NO_RESOURCES) return status;
    snprintf(s->note, sizeof s->note, "no memory for factors: %s used", words_of(iterative));
  } else if (small(space, s->desc.op->desc.device) && !may && !shared)
    snprintf(s->note, sizeof s->note, "%s: %s used", why, words_of(iterative));
  s->may_factor = factors_fit(space) && may;
  HK_TRY(create_solver(s, iterative));
cleanup:
  return status;
}

hk_status hk_linear_create(const hk_linear_desc *desc, hk_linear **out)
{
  hk_status status = HK_OK;
  hk_linear *s = NULL;
  const double start = hk_seconds();
  const hk_space *space = desc->op->desc.space;
  if (!hk_is_auto(desc->method) && !hk_linear_method(desc->method))
    return refuse_method(desc->method);
  if (desc->op->unsymmetric) HK_TRY(hk_linear_check_unsymmetric(desc->method, desc->relaxation));
  HK_CHECK(
      !desc->op->desc.share || !desc->op->unsymmetric, HK_BAD_INPUT,
      "ranks of MPI share solutions by conjugate gradients, and the matrix of a material with "
      "a velocity, or of Newton's method, is not symmetric: start one process, or give method: "
      "petsc");
  HK_CHECK(desc->constraints->dofs == (hk_count)space->padded * space->components, HK_INTERNAL,
           "the constraints are for %lld degrees of freedom, and the operator has %lld",
           (long long)desc->constraints->dofs, (long long)space->padded * space->components);
  HK_CHECK(
      !desc->by_change || hk_linear_has_change(desc->method, desc->relaxation, desc->single_sweeps),
      HK_USAGE,
      "only the method femses with relaxation: jacobi or chebyshev, and without sweeps: single, "
      "can stop by the change: give these, or stop: residual");
  HK_TRY(hk_new(&s));
  s->desc = *desc;
  s->tolerance = desc->tolerance > 0               ? desc->tolerance
                 : desc->op->desc.double_precision ? 1e-8
                                                   : 1e-5;
  HK_TRY(hk_constraints_copy(desc->constraints, &s->constraints));
  HK_TRY(hk_reduced_create(desc->op, &s->constraints, &s->a));
  HK_TRY(hk_sharing_agree(desc->op->desc.share, choose(s)));
  /* behind the most that the solver takes while it is made */
  HK_TRY(hk_get(&s->scaled, s->constraints.dofs + s->constraints.count));
  s->desc.constraints = NULL;
  s->desc.method = s->desc.preconditioner = s->desc.library = s->desc.ordering = NULL;
  s->desc.relaxation = s->desc.options = NULL;
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
  hk_solver_destroy(&s->solver);
  hk_reduced_destroy(&s->a);
  hk_constraints_clear(&s->constraints);
  hk_free(&s->scaled);
  hk_free(linear);
}

static void fill_report(const hk_linear *s, double start, hk_linear_report *report)
{
  snprintf(report->method, sizeof report->method, "%s", s->solver.title);
  if (s->note[0]) {
    char own[sizeof s->note - 2];
    snprintf(own, sizeof own, "%.189s", report->note);
    snprintf(report->note, sizeof report->note, "%s%s%s", s->note, own[0] ? "; " : "", own);
  }
  report->seconds_setup = s->seconds;
  report->seconds_solve = hk_seconds() - start;
  report->bytes = s->a.bytes + s->solver.bytes;
}

static void start_from_offset(const hk_linear *s, double *u)
{
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < s->constraints.dofs; i++) u[i] = 0;
  hk_constraints_apply(&s->constraints, u);
}

/* u = S f to a few digits, or until it is enough, where iterations are good and few. What did not converge serves all the same: who asks sees how far u
 * has come. */
static hk_status solve_until(void *user, const double *f, double *u, const hk_enough *enough)
{
  hk_linear *s = user;
  hk_linear_report own = {0};
  const bool asks = enough && s->solver.levels;
  const hk_solve_run run = {.tolerance = asks ? ASKED * s->digits : s->digits,
                            .enough = asks ? enough : NULL,
                            .iterations = s->iterations,
                            .stop = s->desc.stop,
                            .user = s->desc.user};
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < s->constraints.dofs; i++) u[i] = 0;
  const hk_status status = s->solver.method->solve(&s->solver, &run, f, u, &own);
  hk_linear_report_clear(&own);
  return status == HK_NOT_CONVERGED ? HK_OK : status;
}

static hk_status solve_roughly(void *user, const double *f, double *u)
{
  return solve_until(user, f, u, NULL);
}

/* Solvers borrow the constraints: for what follows all that is held is held at 0. */
static hk_status hold_at_zero(hk_linear *s, double **offset)
{
  double *none = NULL;
  const hk_status status = hk_get(&none, s->constraints.count);
  *offset = s->constraints.offset;
  if (status == HK_OK) s->constraints.offset = none;
  return status;
}

static void hold_again(hk_linear *s, double *offset)
{
  if (s->constraints.offset != offset) hk_free(&s->constraints.offset);
  s->constraints.offset = offset;
}

static hk_status find_accuracy(hk_linear *s, double digits, const double *f, const double *u,
                               hk_accuracy *found)
{
  hk_status status = HK_OK;
  double *offset = NULL;
  s->digits = digits;
  HK_TRY(hold_at_zero(s, &offset));
  status = hk_accuracy_find(
      &(hk_accuracy_desc){
          .op = s->desc.op, .held = &s->constraints, .solve = solve_roughly, .user = s},
      f, u, found);
cleanup:
  hold_again(s, offset);
  return status;
}

/* A residual above the tolerance is no error where rounding allows no more: f is small beside the parts that K u is the sum of, as of slender
 * bodies and of what is hardly held. Iterations find the error of u no better than u: with a large residual it is not known. */
static hk_status judge(hk_linear *s, const double *f, const double *u, hk_linear_report *report)
{
  const double many = 16, digits = 1e-2, known = 0.1, unit = hk_accuracy_unit(s->desc.op);
  const char *precision = s->desc.op->desc.double_precision ? "double" : "single";
  hk_accuracy found = {0};
  char words[512];
  snprintf(words, sizeof words, "%s", hk_error());
  const hk_status status = find_accuracy(s, FINE, f, u, &found);
  if (status != HK_OK) return status;
  if (!(found.backward <= many * unit) || (!s->solver.factors && report->residual > known))
    return hk_error_set(HK_NOT_CONVERGED, "%s", words);
  if (!(found.forward <= digits))
    return hk_error_set(
        HK_NOT_CONVERGED,
        "rounding in %s precision leaves no correct digit of the %s: estimated relative error "
        "%.2g%s; %s",
        precision, hk_reduced_words(&s->a)->values, found.forward,
        s->desc.op->desc.double_precision ? "" : ": give double precision, or factors", words);
  report->error = found.forward;
  snprintf(report->note, sizeof report->note,
           "residual %.2g: rounding in %s precision allows no less here", report->residual,
           precision);
  return HK_OK;
}

/* Iterations that end between what they aim at and the tolerance have converged. */
static hk_status solve_once(hk_linear *s, const hk_solve_run *run, const double *f, double *u,
                            hk_linear_report *report)
{
  const bool aims =
      s->desc.aim > 0 && s->desc.aim < run->tolerance && !s->solver.factors && !run->by_change;
  hk_solve_run own = *run;
  if (aims) own.tolerance = s->desc.aim;
  const hk_status status = s->solver.method->solve(&s->solver, &own, f, u, report);
  if (aims && status == HK_NOT_CONVERGED && report->residual <= run->tolerance) return HK_OK;
  return status == HK_NOT_CONVERGED && isfinite(report->residual) ? judge(s, f, u, report) : status;
}

/* Iterations did not converge: another method, or levels in double, for this right side and those that follow. What that cannot mend stays
 * as it was; a stop is a stop. */
static hk_status fall_back(hk_linear *s, const hk_method *method, const hk_solve_run *run,
                           const double *f, double *u, hk_linear_report *report)
{
  hk_status status = HK_OK;
  hk_linear_report own = {0};
  hk_solver iterative = s->solver;
  double *better = NULL;
  char words[sizeof report->note], note[sizeof s->note];
  snprintf(words, sizeof words, "%.180s", hk_error());
  memcpy(note, s->note, sizeof note);
  s->solver = (hk_solver){0};
  HK_TRY(hk_get(&better, s->constraints.dofs));
  start_from_offset(s, better);
  HK_TRY(create_solver(s, method));
  snprintf(s->note, sizeof s->note, "%s ended after %d iterations with the residual %.2g: %s",
           iterative.method == &hk_method_cg ? "conjugate gradients" : "method idr",
           report->iterations, report->residual,
           method == &hk_method_direct ? "factors taken"
                                       : "multigrid levels rebuilt in double precision");
  HK_TRY(solve_once(s, run, f, better, &own));
  memcpy(u, better, (size_t)s->constraints.dofs * sizeof *u);
  hk_linear_report_clear(report);
  *report = own, own = (hk_linear_report){0};
cleanup:
  hk_linear_report_clear(&own);
  hk_free(&better);
  if (status == HK_OK) {
    hk_solver_destroy(&iterative);
    s->may_factor = s->may_factor && method != &hk_method_direct;
    return HK_OK;
  }
  memcpy(s->note, note, sizeof note);
  hk_solver_destroy(&s->solver);
  s->solver = iterative;
  return status == HK_STOPPED ? status : hk_error_set(HK_NOT_CONVERGED, "%s", words);
}

/* Levels in single precision: what holds a body hardly at all, a film or springs, is lost in them. */
static hk_status widen(hk_linear *s, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  s->desc.double_levels = true;
  const hk_status status = fall_back(s, s->solver.method, run, f, u, report);
  s->desc.double_levels = status == HK_OK;
  return status;
}

/* Divides f, in `scaled`, and the offsets by a power of two, the exponent: u is divided too. */
static int scale_down(hk_linear *s, const double *f)
{
  const hk_constraints *c = &s->constraints;
  memcpy(s->scaled, f, (size_t)c->dofs * sizeof *f);
  memcpy(s->scaled + c->dofs, c->offset, (size_t)c->count * sizeof *c->offset);
  const int scale = hk_scale_find(s->scaled, c->dofs + c->count);
  hk_scale_by(-scale, f, c->dofs, s->scaled);
  hk_scale_by(-scale, c->offset, c->count, c->offset);
  return scale;
}

static void scale_up(hk_linear *s, int scale, double *u)
{
  const hk_constraints *c = &s->constraints;
  memcpy(c->offset, s->scaled + c->dofs, (size_t)c->count * sizeof *c->offset);
  hk_scale_by(scale, u, c->dofs, u);
}

hk_status hk_linear_solve(hk_linear *s, const double *f, double *u, hk_linear_report *report)
{
  hk_linear_report own = {0};
  const double start = hk_seconds();
  const hk_solve_run run = {.tolerance = s->tolerance,
                            .iterations = s->iterations,
                            .by_change = s->desc.by_change,
                            .progress = s->desc.progress,
                            .stop = s->desc.stop,
                            .user = s->desc.user};
  const int scale = scale_down(s, f);
  start_from_offset(s, u);
  hk_status status = solve_once(s, &run, s->scaled, u, &own);
  if (status == HK_NOT_CONVERGED && s->solver.single_levels && own.iterations < run.iterations)
    status = widen(s, &run, s->scaled, u, &own);
  if (status == HK_NOT_CONVERGED && s->may_factor)
    status = fall_back(s, &hk_method_direct, &run, s->scaled, u, &own);
  scale_up(s, scale, u);
  fill_report(s, start, &own);
  if (report)
    *report = own;
  else
    hk_linear_report_clear(&own);
  return status;
}

hk_status hk_linear_error(hk_linear *s, const double *f, const double *u, double *error)
{
  hk_accuracy found = {0};
  const hk_status status = find_accuracy(s, ROUGH, f, u, &found);
  *error = found.forward;
  return status;
}

hk_status hk_linear_probe(hk_linear *s, hk_null_modes *out)
{
  hk_status status = HK_OK;
  double *offset = NULL;
  *out = (hk_null_modes){0};
  s->digits = ROUGH;
  HK_TRY(hold_at_zero(s, &offset));
  status = hk_probe_find(
      &(hk_probe_desc){.op = s->desc.op, .held = &s->constraints, .solve = solve_until, .user = s},
      out);
cleanup:
  hold_again(s, offset);
  return status;
}
