/* Jacobi's and Chebyshev's iterations x += d, d = c1 d + c2 D^-1 (f - A x) (A.18), on a device with the kernels of relax.k.h.
 * A step is recorded as a graph; the device sums residual and change, moves Chebyshev's recurrence on, and ends by itself. After EVERY steps
 * the host looks: where residuals fall more slowly than the interval [least, most] promises, find_least() estimates the eigenvalue below it
 * and adapt() begins anew on the wider interval. Rounds repeat from the residual that the host computes. */
#include "solver/linear/femses/relax.h"
#include "operator/elements/elements.h"
#include "solver/linear/krylov.h"
#include "solver/linear/multigrid/level.h"
#include <math.h>
#include <stdio.h>

enum { EVERY = 32 };
/* solver/linear/femses/relax.k.h */
enum { C1, C2, RR, DD, RHO, SIGMA, HALF, LIMIT, DONE, STEP, MOST, STILL, SCALARS };
static const double first_ratio = 100; /* most / least, to begin with */

static hk_status create_buffers(hk_relax *s)
{
  hk_buffer **const vector[] = {&s->f, &s->x, &s->q, &s->d, &s->inverse};
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
    HK_PASS(hk_iteration_vector(&s->on, s->on.double_precision, vector[k]));
  return HK_OK;
}

static hk_status kernel_of(hk_relax *s, const char *function, hk_kernel **out)
{
  return hk_krylov_kernel(&s->on.pool, s->on.device, "relax", function, s->on.double_precision,
                          out);
}

/* 1 / D_ii of each degree of freedom, from the blocks of a level; most, where elements do not tell it. */
static hk_status find_inverse(hk_relax *s, const hk_constraints *constraints)
{
  hk_status status = HK_OK;
  const hk_space *space = s->a->op->desc.space;
  const int block = space->components, size = block * block,
            width = hk_device_describe(s->on.device)->width;
  hk_pool pool = {0};
  double *sliced, *own;
  hk_level v = hk_level_of(s->a, 2, 1);
  HK_TRY(hk_level_create(&v, false));
  HK_TRY(hk_level_find_diagonal(&v, constraints, true));
  HK_TRY(hk_pool_get(&pool, &sliced, (hk_count)space->padded * size));
  HK_TRY(hk_pool_get(&pool, &own, s->on.n));
  HK_TRY(hk_buffer_read_reals(v.inverse, s->on.double_precision, 0, (hk_count)space->padded * size,
                              sliced));
  for (hk_count i = 0; i < s->on.n; i++) {
    const hk_count node = i / block, c = i % block;
    own[i] = sliced[(node / width * size + c * (block + 1)) * width + node % width];
  }
  HK_TRY(hk_buffer_write_reals(s->inverse, s->on.double_precision, 0, s->on.n, own));
  if (s->a->plain)
    HK_TRY(hk_elements_bound(&s->a->op->desc, &s->most));
  else {
    HK_TRY(hk_level_measure(&v));
    s->most = v.most;
  }
cleanup:
  hk_level_destroy(&v);
  hk_pool_clear(&pool);
  return status;
}

static hk_status sweep(const hk_relax *s)
{
  const hk_iteration *on = &s->on;
  HK_PASS(hk_elements_jacobi(s->a->op, s->x, s->f, s->inverse, s->q));
  return hk_kernel_launch(
      s->step, 0, on->groups,
      HK_ARGUMENTS(on->scalar, s->q, s->inverse, s->x, on->part, on->n, on->groups));
}

static hk_status step(const hk_relax *s)
{
  const hk_iteration *on = &s->on;
  if (!s->a->plain) HK_PASS(hk_reduced_fill(s->a, s->x));
  HK_PASS(hk_reduced_apply(s->a, s->x, s->q));
  return hk_kernel_launch(
      s->step, 0, on->groups,
      HK_ARGUMENTS(on->scalar, s->f, s->q, s->inverse, s->d, s->x, on->part, on->n, on->groups));
}

static hk_status iterate(const hk_relax *s)
{
  const hk_iteration *on = &s->on;
  HK_PASS(s->sweeps ? sweep(s) : step(s));
  return hk_kernel_launch(s->fold, 0, 1,
                          HK_ARGUMENTS(on->part, on->scalar, on->history, on->groups));
}

static hk_status record(void *user)
{
  for (int k = 0; k < EVERY; k++) HK_PASS(iterate(user));
  return HK_OK;
}

hk_status hk_relax_create(const hk_reduced *a, const hk_constraints *constraints,
                          hk_relaxation kind, int iterations, hk_relax *s)
{
  s->a = a, s->kind = kind;
  s->on = (hk_iteration){.device = a->op->desc.device,
                         .double_precision = a->double_precision,
                         .sums = 2,
                         .scalars = SCALARS,
                         .steps = iterations};
  s->sweeps = kind == HK_RELAX_JACOBI && a->plain && hk_operator_has_elements(a->op);
  HK_PASS(hk_iteration_create(&s->on, a->dofs, 2LL * iterations));
  HK_PASS(create_buffers(s));
  HK_PASS(kernel_of(s, s->sweeps ? "relax_take" : "relax_step", &s->step));
  HK_PASS(kernel_of(s, "relax_fold", &s->fold));
  HK_PASS(find_inverse(s, constraints));
  s->least = s->most / first_ratio;
  s->omega = s->most < 2 ? 1 : 1.9 / s->most;
  if (s->sweeps) HK_PASS(hk_elements_prepare(a->op));
  return hk_graph_record(s->on.device, record, s, &s->on.graph);
}

void hk_relax_destroy(hk_relax *s)
{
  hk_iteration_clear(&s->on);
  *s = (hk_relax){0};
}

/* Chebyshev's recurrence begins anew on [least, most]; c1 = 0: the last step is not looked at. */
static void begin(const hk_relax *s, double *scalar)
{
  const double centre = (s->most + s->least) / 2, half = (s->most - s->least) / 2;
  scalar[C1] = 0;
  if (s->kind == HK_RELAX_JACOBI) {
    scalar[C2] = s->omega;
    return;
  }
  scalar[C2] = 1 / centre;
  scalar[SIGMA] = centre / half, scalar[HALF] = half, scalar[RHO] = half / centre;
}

/* log of Chebyshev's polynomial T_k(y), y > 1 */
static double log_polynomial(int k, double y)
{
  const double all = k * acosh(y);
  return all + log1p(exp(-2 * all)) - log(2);
}

/* Residuals fell by `ratio` in k steps on [least, most]. Where that is less than 1 / T_k(sigma), the part that fell least has
 * T_k(y) / T_k(sigma) = ratio, the eigenvalue centre - y half: *least. False where it is not below. */
static bool find_least(const hk_relax *s, int k, double ratio, double *least)
{
  const double centre = (s->most + s->least) / 2, half = (s->most - s->least) / 2;
  const double excess = log(ratio) + log_polynomial(k, centre / half);
  if (!(excess > 1)) return false;
  const double y = cosh((excess + log(2)) / k), found = centre - y * half;
  if (!(found < 0.8 * s->least)) return false;
  *least = hk_larger(0.9 * found, s->least / 16);
  return true;
}

typedef struct progress {
  double norm, start; /* of the first residual; of that with which the recurrence began */
  int begun;          /* steps before it */
  bool done;          /* the device found what it was to stop by */
} progress;

/* Chebyshev: another interval, where residuals fall too slowly. */
static hk_status adapt(hk_relax *s, double *scalar, progress *p)
{
  const int k = (int)scalar[STEP] - 1 - p->begun;
  if (s->kind != HK_RELAX_CHEBYSHEV || k < EVERY - 1 ||
      !find_least(s, k, sqrt(scalar[RR]) / p->start, &s->least))
    return HK_OK;
  begin(s, scalar);
  p->begun = (int)scalar[STEP], p->start = sqrt(scalar[RR]);
  return hk_buffer_write(s->on.scalar, 0, SCALARS * 8, scalar);
}

/* Of a matrix that is not symmetric: eigenvalues of D^-1 K far from the real axis, where advection outweighs diffusion, let steps diverge. */
static const char *advice(const hk_relax *s)
{
  return s->a->op->unsymmetric
             ? "relaxation by elements converges where diffusion outweighs advection: give method: "
               "idr or direct"
             : "give more iterations, or relaxation: multigrid";
}

static hk_status run_until_done(hk_relax *s, const hk_solve_run *run, double *scalar, progress *p)
{
  const hk_words *words = hk_reduced_words(s->a);
  while (scalar[DONE] == 0) {
    HK_PASS(hk_iteration_launch(&s->on, 0));
    HK_PASS(hk_iteration_look(&s->on, 0, scalar));
    const double residual = sqrt(scalar[RR]);
    if (run->progress) run->progress((int)scalar[STEP], residual / p->norm, run->user);
    HK_NEED(!run->stop || !run->stop(run->user), HK_STOPPED,
            "stopped after %d iterations, residual %.3g", (int)scalar[STEP], residual / p->norm);
    HK_NEED(!s->a->op->unsymmetric || residual <= 1e6 * p->norm, HK_NOT_CONVERGED,
            "the residuals grow to %.3g after %d iterations; %s", residual / p->norm,
            (int)scalar[STEP], advice(s));
    HK_NEED(residual <= 1e6 * p->norm, HK_NOT_CONVERGED,
            "the residuals grow to %.3g after %d iterations: %s is not positive definite; %s",
            residual / p->norm, (int)scalar[STEP], words->matrix, words->remedy);
    if (scalar[DONE] == 0) HK_PASS(adapt(s, scalar, p));
  }
  return HK_OK;
}

/* |T^T (f - K x)|, by the host. */
static hk_status find_residual(hk_relax *s, const double *f, double *r, double *norm)
{
  double sum = 0;
  if (!s->a->plain) HK_PASS(hk_reduced_fill(s->a, s->x));
  HK_PASS(hk_reduced_apply(s->a, s->x, s->q));
  HK_PASS(hk_buffer_read_reals(s->q, s->on.double_precision, 0, s->on.n, r));
  for (hk_count i = 0; i < s->on.n; i++) r[i] = f[i] - r[i];
  for (hk_count i = 0; i < s->on.n; i++) sum += r[i] * r[i];
  *norm = sqrt(sum);
  return HK_OK;
}

static hk_status keep_history(hk_relax *s, double norm, int steps, hk_linear_report *report)
{
  hk_status status = HK_OK;
  double *pair = NULL;
  HK_TRY(hk_get(&pair, 2 * (hk_count)steps));
  HK_TRY(hk_resize(&report->history, report->history_count + steps + 1));
  HK_TRY(hk_buffer_read(s->on.history, 0, steps * 16LL, pair));
  for (int k = 0; k < steps; k++)
    report->history[report->history_count++] = sqrt(pair[2 * k]) / norm;
  report->iterations += steps;
cleanup:
  hk_free(&pair);
  return status;
}

/* f := T^T f as the device's precision has it, in `load`. */
static hk_status send(hk_relax *s, const double *f, const double *u, double *load)
{
  HK_PASS(hk_buffer_write_reals(s->f, s->on.double_precision, 0, s->on.n, f));
  HK_PASS(hk_reduced_collect(s->a, s->f));
  HK_PASS(hk_buffer_read_reals(s->f, s->on.double_precision, 0, s->on.n, load));
  return hk_buffer_write_reals(s->x, s->on.double_precision, 0, s->on.n, u);
}

/* Steps until the device says that it is done; then what is left, computed anew. */
static hk_status solve_round(hk_relax *s, const hk_solve_run *run, const double *load, double *r,
                             progress *p, hk_linear_report *report, hk_status *ended)
{
  double scalar[SCALARS] = {0}, left, first = 0;
  const int room = run->iterations - report->iterations;
  scalar[MOST] = room < s->on.steps ? room : s->on.steps;
  scalar[LIMIT] = run->by_change ? -1 : pow(0.95 * run->tolerance * p->norm, 2);
  scalar[STILL] = run->by_change ? pow(run->tolerance, 2) : -1;
  p->start = report->residual * p->norm, p->begun = 0;
  begin(s, scalar);
  HK_PASS(hk_buffer_write(s->on.scalar, 0, sizeof scalar, scalar));
  *ended = run_until_done(s, run, scalar, p);
  if (*ended != HK_OK && *ended != HK_STOPPED && *ended != HK_NOT_CONVERGED) HK_PASS(*ended);
  HK_PASS(keep_history(s, p->norm, (int)scalar[STEP], report));
  HK_PASS(hk_buffer_read(s->on.history, 8, 8, &first));
  report->change = run->by_change && first > 0 ? sqrt(scalar[DD] / first) : 0;
  p->done = scalar[DONE] == 1;
  HK_PASS(find_residual(s, load, r, &left));
  report->residual = left / p->norm;
  return HK_OK;
}

static bool is_solved(const hk_solve_run *run, const progress *p, const hk_linear_report *report)
{
  return run->by_change ? p->done : report->residual <= run->tolerance;
}

/* Rounds, as the step that follows the last residual may have enlarged it; by the change: one. */
static hk_status solve_rounds(hk_relax *s, const hk_solve_run *run, const double *load, double *r,
                              hk_linear_report *report)
{
  enum { MOST_ROUNDS = 12 };
  hk_status status = HK_OK, ended = HK_OK;
  progress p = {0};
  HK_TRY(find_residual(s, load, r, &p.norm));
  HK_CHECK(isfinite(p.norm), HK_NOT_CONVERGED,
           "the load or the prescribed %s is not a finite number", hk_reduced_words(s->a)->value);
  report->residual = p.norm > 0, p.done = p.norm == 0;
  for (int round = 0; !is_solved(run, &p, report); round++) {
    const double before = report->residual;
    HK_TRY(solve_round(s, run, load, r, &p, report, &ended));
    if (ended != HK_OK || is_solved(run, &p, report)) break;
    HK_CHECK(!run->by_change, HK_NOT_CONVERGED,
             "not converged after %d iterations: change %.3g of the first, tolerance %.3g; %s",
             report->iterations, report->change, run->tolerance, advice(s));
    HK_CHECK(report->iterations < run->iterations && round < MOST_ROUNDS &&
                 report->residual < 0.9 * before,
             HK_NOT_CONVERGED,
             "not converged after %d iterations: residual %.3g, tolerance %.3g; %s",
             report->iterations, report->residual, run->tolerance, advice(s));
  }
  status = ended;
cleanup:
  return status;
}

void hk_relax_tell(const hk_relax *s, const hk_solve_run *run, hk_linear_report *report)
{
  int at = 0;
  if (run->by_change)
    at = snprintf(report->note, sizeof report->note,
                  "stopped by the change of a step, %.3g of the first: the residual is %.3g",
                  report->change, report->residual);
  if (s->kind != HK_RELAX_JACOBI) return;
  report->damping = s->omega;
  if (s->omega < 1)
    snprintf(report->note + at, sizeof report->note - (size_t)at,
             "%sjacobi: %d steps, each times %.3g: eigenvalues of D^-1 K reach %.3g, and undamped "
             "steps diverge from 2 on",
             at ? "; " : "", report->iterations, s->omega, s->most);
}

hk_status hk_relax_solve(hk_relax *s, const hk_solve_run *run, const double *f, double *u,
                         hk_linear_report *report)
{
  hk_status status = HK_OK;
  double *load = NULL, *r = NULL;
  HK_TRY(hk_get(&load, s->on.n));
  HK_TRY(hk_get(&r, s->on.n));
  HK_TRY(send(s, f, u, load));
  const hk_status solved = solve_rounds(s, run, load, r, report);
  if (solved != HK_OK && solved != HK_NOT_CONVERGED && solved != HK_STOPPED) HK_TRY(solved);
  HK_TRY(hk_resize(&report->history, report->history_count + 1));
  report->history[report->history_count++] = report->residual;
  HK_TRY(hk_buffer_read_reals(s->x, s->on.double_precision, 0, s->on.n, u));
  status = solved;
cleanup:
  hk_free(&load);
  hk_free(&r);
  return status;
}
