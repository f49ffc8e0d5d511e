/* Rounds of recorded iterations. The host looks at the numbers that an iteration leaves, by way of two fetches: with a device that computes beside
 * it one graph is under way while the one before is looked at. A round ends below 0.95 of the tolerance, so that the residual computed anew
 * is below it too; rounds end where one does not halve the residual. */
#include "solver/linear/rounds.h"
#include <math.h>

void hk_preconditioner_destroy(hk_preconditioner *m)
{
  if (m->destroy) m->destroy(m->data);
  *m = (hk_preconditioner){0};
}

hk_status hk_rounds_create(hk_rounds *s, int iterations)
{
  hk_buffer **const vector[] = {&s->f, &s->x, &s->r, &s->z, &s->q};
  const struct {
    const char *name;
    hk_kernel **kernel;
  } list[] = {{"krylov_dots", &s->dots},
              {"krylov_dot", &s->dot},
              {"krylov_advance", &s->advance},
              {"krylov_residual", &s->residual}};
  s->on = (hk_iteration){.device = s->a->op->desc.device,
                         .double_precision = s->a->double_precision,
                         .share = s->a->op->desc.share,
                         .sums = s->kind->sums,
                         .scalars = s->kind->scalars,
                         .steps = iterations};
  HK_PASS(hk_iteration_create(&s->on, s->a->dofs, iterations + 1LL));
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
    HK_PASS(hk_iteration_vector(&s->on, s->on.double_precision, vector[k]));
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    HK_PASS(hk_krylov_kernel(&s->on.pool, s->on.device, "krylov", list[k].name,
                             s->on.double_precision, list[k].kernel));
  return HK_OK;
}

/* r = T^T (f - K x) */
static hk_status find_residual(hk_rounds *s)
{
  const hk_iteration *on = &s->on;
  HK_PASS(hk_reduced_product(s->a, s->x, s->q));
  HK_PASS(hk_kernel_launch(s->residual, on->own.first, on->own.count,
                           HK_ARGUMENTS(s->f, s->q, s->r, on->part, on->n)));
  return hk_reduced_collect(s->a, s->r);
}

/* *rr = r . r; the device's scalars and the recurrences begin anew. */
static hk_status begin(hk_rounds *s, double limit, int iterations, double *rr)
{
  const hk_iteration *on = &s->on;
  const double scalar[HK_MOST_SCALARS] = {[HK_SCALAR_LIMIT] = limit, [HK_SCALAR_MOST] = iterations};
  HK_PASS(hk_buffer_write(on->scalar, 0, on->scalars * 8LL, scalar));
  if (s->kind->restart) HK_PASS(s->kind->restart(s));
  HK_PASS(hk_kernel_launch(s->dot, on->own.first, on->own.count,
                           HK_ARGUMENTS(s->r, s->r, on->part, on->n)));
  HK_PASS(s->kind->fold(s));
  return hk_buffer_read(on->scalar, HK_SCALAR_RR * 8, 8, rr);
}

/* Whether x is enough; it is read into u. */
static hk_status ask(const hk_rounds *s, const hk_solve_run *run, double residual, double *u,
                     bool *enough)
{
  if (!run->enough) return HK_OK;
  HK_PASS(hk_buffer_read_reals(s->x, s->on.double_precision, 0, s->on.n, u));
  *enough = run->enough->is(run->enough->data, u, residual);
  return HK_OK;
}

/* Iterations until the device says that it is done, or x is *enough. Where it computes beside the host, a graph is under way while the one before is
 * looked at. */
static hk_status run_until_done(hk_rounds *s, const hk_solve_run *run, int before, double norm,
                                double *u, bool *enough)
{
  hk_status status = HK_OK;
  const bool ahead = s->kind->ahead && hk_device_describe(s->on.device)->overlaps;
  double scalar[HK_MOST_SCALARS] = {0};
  int flying = 0;
  if (ahead) HK_TRY(hk_iteration_launch(&s->on, flying));
  while (scalar[HK_SCALAR_DONE] == 0 && !*enough) {
    HK_TRY(hk_iteration_launch(&s->on, ahead ? 1 - flying : flying));
    HK_TRY(hk_iteration_look(&s->on, flying, scalar));
    if (ahead) flying = 1 - flying;
    const int step = before + (int)scalar[HK_SCALAR_STEP];
    const double residual = sqrt(scalar[HK_SCALAR_RR]) / norm;
    if (run->progress) run->progress(step, residual, run->user);
    HK_CHECK(!run->stop || !run->stop(run->user), HK_STOPPED,
             "stopped after %d iterations, residual %.3g", step, residual);
    HK_TRY(ask(s, run, residual, u, enough));
  }
cleanup:
  if (ahead && status == HK_OK) status = hk_iteration_look(&s->on, flying, scalar);
  return status;
}

/* Appends what the device wrote, once the first residual, to the report. */
static hk_status keep_history(const hk_rounds *s, double norm, hk_linear_report *report,
                              double *scalar)
{
  HK_PASS(hk_buffer_read(s->on.scalar, 0, s->on.scalars * 8LL, scalar));
  const int steps = (int)scalar[HK_SCALAR_STEP], skip = report->history_count > 0;
  const int count = steps + 1 - skip;
  HK_PASS(hk_resize(&report->history, report->history_count + count));
  double *to = report->history + report->history_count;
  HK_PASS(hk_buffer_read(s->on.history, skip * 8, count * 8LL, to));
  for (int k = 0; k < count; k++) to[k] = sqrt(to[k]) / norm;
  report->history_count += count;
  report->iterations += steps;
  return HK_OK;
}

/* Rounds of iterations, each from a residual computed anew, until that is small enough. */
static hk_status solve(hk_rounds *s, const hk_solve_run *run, double *u, hk_linear_report *report)
{
  double rr, norm, scalar[HK_MOST_SCALARS] = {0};
  bool enough = false;
  HK_PASS(find_residual(s));
  HK_PASS(begin(s, 0, 0, &rr));
  norm = sqrt(rr);
  report->residual = rr == 0 ? 0 : 1;
  HK_NEED(isfinite(rr), HK_NOT_CONVERGED, "the load or the prescribed %s is not a finite number",
          hk_reduced_words(s->a)->value);
  for (int round = 0; !(report->residual <= run->tolerance); round++) {
    const double limit = 0.95 * run->tolerance * norm, before = report->residual;
    HK_PASS(begin(s, limit * limit, run->iterations - report->iterations, &rr));
    const hk_status ended = run_until_done(s, run, report->iterations, norm, u, &enough);
    if (ended != HK_OK && ended != HK_STOPPED) HK_PASS(ended);
    HK_PASS(keep_history(s, norm, report, scalar));
    if (enough) return HK_OK;
    HK_PASS(find_residual(s));
    HK_PASS(begin(s, 0, 0, &rr));
    report->residual = sqrt(rr) / norm;
    HK_PASS(ended);
    if (report->residual <= run->tolerance) break;
    if (report->iterations >= run->iterations || round == s->kind->most ||
        !(report->residual < 0.5 * before))
      HK_PASS(s->kind->refuse(s, run, report, (int)scalar[HK_SCALAR_DONE]));
  }
  return HK_OK;
}

hk_status hk_rounds_solve(hk_rounds *s, const hk_solve_run *run, const double *f, double *u,
                          hk_linear_report *report)
{
  const bool wide = s->on.double_precision;
  HK_PASS(hk_buffer_write_reals(s->f, wide, 0, s->on.n, f));
  HK_PASS(hk_buffer_write_reals(s->x, wide, 0, s->on.n, u));
  const hk_status solved = solve(s, run, u, report);
  if (solved != HK_OK && solved != HK_NOT_CONVERGED && solved != HK_STOPPED) return solved;
  HK_PASS(hk_buffer_read_reals(s->x, wide, 0, s->on.n, u));
  if (s->on.share) HK_PASS(hk_reduced_gather(s->a, u));
  return solved;
}
