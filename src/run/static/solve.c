/* Solves one static step: T^T K (T w) = T^T (f - K offset) for w (A.2), u = T w + offset (methods with a
 * dense matrix: for u, with the offset eliminated from the matrix), then K u
 * once more for reactions and energies. The result is refused if it is not a number, zero under a
 * load, has an estimated error that leaves no digit, or if the model has a mechanism. The solver is
 * kept while the same degrees of freedom are held in the same way. */
#include "run/static/static.h"
#include "solver/linear/method.h"
#include "solver/linear/product.h"
#include "solver/linear/words.h"
#include <math.h>
#include <string.h>

/* The same degrees of freedom are held in the same way; offsets may differ. */
static bool same_form(const hk_constraints *a, const hk_constraints *b)
{
  if (a->count != b->count || !a->begin || !b->begin || a->dofs != b->dofs) return false;
  const size_t entries = (size_t)a->begin[a->count];
  return !memcmp(a->dof, b->dof, (size_t)a->count * sizeof *a->dof) &&
         !memcmp(a->begin, b->begin, ((size_t)a->count + 1) * sizeof *a->begin) &&
         !memcmp(a->master, b->master, entries * sizeof *a->master) &&
         !memcmp(a->weight, b->weight, entries * sizeof *a->weight);
}

/* *to = the constraints; offsets are 0 but for methods with a dense matrix, which eliminate prescribed values from it. */
static hk_status copy_form(const hk_constraints *from, const char *name, hk_constraints *to)
{
  const hk_method *method = hk_linear_method(name);
  HK_PASS(hk_constraints_copy(from, to));
  for (hk_index i = 0; !(method && method->makes_dense) && i < to->count; i++) to->offset[i] = 0;
  return HK_OK;
}

static void on_iteration(int iteration, double residual, void *user)
{
  const hk_static *s = user;
  hk_session_progress(s->session,
                      &(hk_progress){.stage = "solve",
                                     .step = s->step + 1,
                                     .steps = s->on.model->step_count,
                                     .iteration = iteration,
                                     .residual = residual,
                                     .time = s->total_time,
                                     .seconds_left = -1},
                      false);
}

bool hk_static_wants_to_stop(void *user)
{
  const hk_static *s = user;
  return s->on.share ? hk_session_stops_together(s->session) : hk_session_stops(s->session);
}

hk_linear_desc hk_static_solver(const hk_static *s, hk_operator *op,
                                const hk_constraints *constraints)
{
  const hk_static_how *how = &s->on.model->solve.how;
  return (hk_linear_desc){.op = op,
                          .constraints = constraints,
                          .method = how->method,
                          .preconditioner = how->preconditioner,
                          .relaxation = how->relaxation,
                          .single_sweeps = hk_sweeps_of(how->sweeps) == HK_SWEEPS_SINGLE,
                          .by_change = hk_stop_of(how->stop) == HK_STOP_CHANGE,
                          .library = how->library,
                          .ordering = how->ordering,
                          .options = how->options,
                          .tolerance = how->tolerance,
                          .aim = hk_static_linear_aim(s),
                          .iterations = how->iterations,
                          .progress = on_iteration,
                          .stop = hk_static_wants_to_stop,
                          .user = (void *)s};
}

static hk_status make_solver(hk_static *s)
{
  hk_status status = HK_OK;
  if (s->solver.linear && same_form(&s->held.own, &s->solver.made_for)) return HK_OK;
  const int before = hk_clock_begin_top("setup");
  hk_linear_destroy(&s->solver.linear);
  s->solver.probed = false;
  HK_TRY(copy_form(&s->held.own, s->on.model->solve.how.method, &s->solver.made_for));
  const hk_linear_desc desc = hk_static_solver(s, s->on.op, &s->solver.made_for);
  HK_TRY(hk_linear_create(&desc, &s->solver.linear));
cleanup:
  hk_clock_end(before);
  return status;
}

/* right = f - K (offset - that which the solver was made with) */
static hk_status make_right_side(hk_static *s)
{
  const hk_constraints *held = &s->held.own;
  hk_step_vectors *v = &s->vector;
  bool moved = false;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < v->dofs; i++) v->u[i] = 0, v->right[i] = v->f[i];
  for (hk_index i = 0; i < held->count; i++) {
    const double offset = held->offset[i] - s->solver.made_for.offset[i];
    v->u[held->dof[i]] = offset;
    moved = moved || offset != 0;
  }
  if (!moved) return HK_OK;
  HK_PASS(hk_product(s->on.op, s->on.in, s->on.out, v->u, v->ku));
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < v->dofs; i++) v->right[i] -= v->ku[i];
  return HK_OK;
}

/* Largest force on what is free. */
static hk_status measure_excitation(const hk_static *s, double *excitation)
{
  hk_status status = HK_OK;
  double *f = NULL;
  *excitation = 0;
  HK_TRY(hk_get(&f, s->vector.dofs));
  memcpy(f, s->vector.right, (size_t)s->vector.dofs * sizeof *f);
  hk_constraints_transpose(&s->solver.made_for, f);
  for (hk_count i = 0; i < s->vector.dofs; i++) *excitation = fmax(*excitation, fabs(f[i]));
cleanup:
  hk_free(&f);
  return status;
}

/* What is loaded or moved and stays zero everywhere is no result, and neither is what is no number. */
static hk_status check_result(const hk_static *s, const hk_static_result *r)
{
  double excitation, loaded = 0;
  HK_NEED(isfinite(r->most) && isfinite(r->most_force), HK_NOT_CONVERGED,
          "the %s are not numbers: the matrix is singular", hk_words_of(s->unknowns)->values);
  if (r->most > 0) return HK_OK;
  HK_PASS(measure_excitation(s, &excitation));
  HK_NEED(excitation == 0, HK_INTERNAL,
          "the result is zero everywhere although the model is loaded");
  for (hk_count i = 0; i < s->vector.dofs; i++) loaded = fmax(loaded, fabs(s->vector.f[i]));
  hk_messages_add(s->on.list, HK_WARNING, s->on.model->step[s->step].place.file,
                  s->on.model->step[s->step].place.line, 0, "this step's result is zero: %s",
                  loaded > 0 ? "its loads act only on held degrees of freedom" : "it has no load");
  return HK_OK;
}

/* Of an iteration that the change ended: it shrinks long before the error. */
static hk_status check_change(const hk_static *s, const hk_static_result *r)
{
  const hk_place place = s->on.model->step[s->step].place;
  const double few = s->on.double_precision ? 1e-6 : 1e-3;
  if (r->error > few)
    hk_messages_add(s->on.list, HK_WARNING, place.file, place.line, 0,
                    "the estimated relative error of the %s is %.2g: a small change of a step does "
                    "not mean a small error; give a smaller tolerance, or stop: residual",
                    hk_words_of(s->unknowns)->values, r->error);
  return HK_OK;
}

/* The step's error is told, and where it is too large is one. */
static hk_status check_error(hk_static *s, hk_static_result *r)
{
  const hk_place place = s->on.model->step[s->step].place;
  const hk_words *words = hk_words_of(s->unknowns);
  const double no_digit = 1e-2, few = s->on.double_precision ? 1e-6 : 1e-3;
  const char *advice = s->on.double_precision
                           ? "the method direct, or a smaller tolerance, may help"
                           : "give --precision=double";
  HK_PASS(hk_linear_error(s->solver.linear, s->vector.f, s->vector.u, &r->error));
  if (r->change > 0) return check_change(s, r);
  HK_NEED(r->error <= no_digit, HK_NOT_CONVERGED,
          "the estimated relative error of the %s is %.2g: rounding leaves almost no digit, "
          "because %s is nearly singular; %s; %s",
          words->values, r->error, words->matrix, advice, words->remedy);
  if (r->error > few)
    hk_messages_add(s->on.list, HK_WARNING, place.file, place.line, 0,
                    "the estimated relative error of the %s is %.2g: %s is ill-conditioned "
                    "(slender or weakly held parts, very different materials); %s",
                    words->values, r->error, words->matrix, advice);
  return HK_OK;
}

static hk_status verify(hk_static *s, hk_static_result *r)
{
  const int before = hk_clock_begin_top("verify");
  HK_PASS(check_result(s, r));
  hk_clock_begin("probe");
  HK_PASS(hk_static_probe(s));
  hk_clock_next("error");
  HK_PASS(check_error(s, r));
  hk_clock_end(before);
  return HK_OK;
}

/* Of an increment: the error is estimated once for a solver, of nonlinear steps for the first increment's, which a capacity makes regular. */
static hk_status verify_increment(hk_static *s, hk_static_result *r)
{
  const int before = hk_clock_begin_top("verify");
  if (!s->solver.probed && !(hk_static_depends(s) && s->time.increment > 1))
    HK_PASS(check_error(s, r));
  s->solver.probed = true;
  hk_clock_end(before);
  return HK_OK;
}

/* The solver's report goes into the frame's result, the residuals of its last solution onto the list of all. */
static hk_status keep_report(hk_step_solver *solver, hk_count frame, bool solved,
                             hk_static_result *r)
{
  hk_status status = HK_OK;
  const hk_linear_report *report = &solver->report;
  memcpy(r->method, report->method, sizeof r->method);
  r->iterations += report->iterations, r->residual = report->residual;
  r->damping = report->damping, r->change = report->change;
  solver->bytes = report->bytes;
  solver->residual.count = solver->begin[frame];
  for (int i = 0; solved && i < report->history_count; i++) {
    HK_TRY(hk_list_more(&solver->residual));
    solver->residual.at[solver->residual.count++] = report->history[i];
  }
cleanup:
  solver->begin[frame + 1] = solver->residual.count;
  return status;
}

/* What films take away beside their sinks' part, which is in f, and what reactions and moving materials do: into v->right. */
static void take_exchange(hk_static *s, hk_static_result *r)
{
  hk_step_vectors *v = &s->vector;
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < v->dofs; i++) v->right[i] = 0;
  hk_films_heat(&s->on, &s->in_k, v->u, v->right);
  hk_static_carried(s, v->u, v->right);
  hk_static_unload(s, v->right, r);
}

static hk_status settle(hk_static *s, hk_static_result *r)
{
  if (!(s->time.in_k > 0)) {
    hk_static_measure(s, r);
    return verify(s, r);
  }
  HK_PASS(verify_increment(s, r));
  HK_PASS(hk_transient_release(s));
  hk_static_measure(s, r);
  HK_NEED(isfinite(r->most) && isfinite(r->most_force), HK_NOT_CONVERGED,
          "the %s are not numbers: the matrix is singular", hk_words_of(s->unknowns)->values);
  return HK_OK;
}

/* u of the K that is there, from f with what is stored. */
static hk_status solve_linear(hk_static *s)
{
  hk_static_result *r = &s->result[s->frames.now];
  hk_step_vectors *v = &s->vector;
  hk_linear_report *report = &s->solver.report;
  HK_PASS(make_solver(s));
  HK_PASS(make_right_side(s));
  hk_linear_report_clear(report);
  const hk_status solved = hk_linear_solve(s->solver.linear, v->right, v->u, report);
  const hk_status kept = keep_report(&s->solver, s->frames.now, solved == HK_OK, r);
  if (report->note[0]) hk_messages_add(s->on.list, HK_NOTE, NULL, 0, 0, "%s", report->note);
  HK_PASS(solved);
  HK_PASS(kept);
  hk_constraints_apply(&s->held.own, v->u);
  return HK_OK;
}

static hk_status solve(hk_static *s)
{
  hk_static_result *r = &s->result[s->frames.now];
  hk_step_vectors *v = &s->vector;
  *r = (hk_static_result){.iterations = r->iterations, .error = r->error, .passes = r->passes};
  if (hk_static_depends(s)) {
    HK_PASS(hk_static_iterate(s, solve_linear));
    HK_PASS(make_solver(s)); /* of the last K, for its error, where the form was made anew */
  } else {
    HK_PASS(hk_transient_store(s));
    HK_PASS(solve_linear(s));
  }
  HK_PASS(hk_product(s->on.op, s->on.in, s->on.out, v->u, v->ku));
  HK_PASS(settle(s, r));
  r->done = true;
  if (hk_static_solid(s)) return HK_OK;
  take_exchange(s, r);
  hk_transient_advance(s);
  return HK_OK;
}

hk_status hk_static_solve(hk_static *s)
{
  return hk_static_name_mechanism(s, solve(s));
}
