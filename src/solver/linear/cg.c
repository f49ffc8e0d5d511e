/* Preconditioned conjugate gradients (A.8) for A = T^T K T on a device. An iteration (precondition, find_direction, product, fold of the
 * sums) is recorded once as a graph; alpha, beta and r . r stay in `scalar` on the device, and the host looks at r . r of an iteration while
 * the next ones run. Iterations come in rounds: each begins from a residual f - K u computed anew, until that is below the tolerance. */
#include "solver/linear/cg.h"
#include <math.h>

void hk_preconditioner_destroy(hk_preconditioner *m)
{
  if (m->destroy) m->destroy(m->data);
  *m = (hk_preconditioner){0};
}

static hk_status create_buffers(hk_cg *cg)
{
  hk_buffer **const vector[] = {&cg->f, &cg->x, &cg->r, &cg->z, &cg->p, &cg->q};
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
    HK_PASS(hk_iteration_vector(&cg->on, cg->on.double_precision, vector[k]));
  if (cg->m->double_precision != cg->on.double_precision) {
    HK_PASS(hk_iteration_vector(&cg->on, false, &cg->small_r));
    HK_PASS(hk_iteration_vector(&cg->on, false, &cg->small_z));
  }
  return HK_OK;
}

static hk_status create_kernels(hk_cg *cg)
{
  const struct {
    const char *name;
    hk_kernel **kernel;
  } list[] = {{"krylov_dots", &cg->dots},         {"krylov_dot", &cg->dot},
              {"krylov_advance", &cg->advance},   {"krylov_direct", &cg->direct},
              {"krylov_residual", &cg->residual}, {"krylov_fold", &cg->fold},
              {"krylov_narrow", &cg->narrow},     {"krylov_widen", &cg->widen}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    HK_PASS(hk_krylov_kernel(&cg->on.pool, cg->on.device, "krylov", list[k].name,
                             cg->on.double_precision, list[k].kernel));
  return HK_OK;
}

static hk_status fold(const hk_cg *cg, int stage)
{
  const hk_iteration *on = &cg->on;
  return hk_kernel_launch(cg->fold, 0, 1,
                          HK_ARGUMENTS(on->part, on->scalar, on->history, on->groups, stage));
}

static hk_status precondition(const hk_cg *cg)
{
  const hk_iteration *on = &cg->on;
  if (!cg->small_r) return cg->m->apply(cg->m->data, cg->r, cg->z);
  HK_PASS(hk_kernel_launch(cg->narrow, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, cg->r, cg->small_r, on->n)));
  HK_PASS(cg->m->apply(cg->m->data, cg->small_r, cg->small_z));
  return hk_kernel_launch(cg->widen, 0, on->groups,
                          HK_ARGUMENTS(on->scalar, cg->small_z, cg->z, on->n));
}

static hk_status find_direction(const hk_cg *cg)
{
  const hk_iteration *on = &cg->on;
  HK_PASS(precondition(cg));
  HK_PASS(hk_kernel_launch(cg->dots, 0, on->groups,
                           HK_ARGUMENTS(cg->z, cg->r, cg->q, on->part, on->n, on->groups)));
  HK_PASS(fold(cg, 1));
  HK_PASS(
      hk_kernel_launch(cg->direct, 0, on->groups, HK_ARGUMENTS(on->scalar, cg->z, cg->p, on->n)));
  if (!cg->a->plain) HK_PASS(hk_reduced_fill(cg->a, cg->p));
  return HK_OK;
}

static hk_status iterate(const hk_cg *cg)
{
  const hk_iteration *on = &cg->on;
  HK_PASS(find_direction(cg));
  HK_PASS(hk_reduced_apply(cg->a, cg->p, cg->q));
  HK_PASS(hk_kernel_launch(cg->dot, 0, on->groups, HK_ARGUMENTS(cg->p, cg->q, on->part, on->n)));
  HK_PASS(fold(cg, 2));
  HK_PASS(hk_kernel_launch(cg->advance, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, cg->p, cg->q, cg->x, cg->r, on->part, on->n)));
  return fold(cg, 3);
}

static hk_status record(void *user)
{
  const hk_cg *cg = user;
  for (int k = 0; k < cg->m->every; k++) HK_PASS(iterate(cg));
  return HK_OK;
}

hk_status hk_cg_create(const hk_reduced *a, const hk_preconditioner *m, int iterations, hk_cg *cg)
{
  cg->a = a, cg->m = m;
  cg->on = (hk_iteration){.device = a->op->desc.device,
                          .double_precision = a->double_precision,
                          .scalars = HK_SCALARS,
                          .steps = iterations};
  HK_PASS(hk_iteration_create(&cg->on, a->dofs, iterations + 1LL));
  HK_PASS(create_buffers(cg));
  HK_PASS(create_kernels(cg));
  return hk_graph_record(cg->on.device, record, cg, &cg->on.graph);
}

void hk_cg_destroy(hk_cg *cg)
{
  hk_iteration_clear(&cg->on);
  *cg = (hk_cg){0};
}

/* r = T^T (f - K x); *rr = r . r; the device's scalars begin anew. */
static hk_status begin(hk_cg *cg, double limit, int iterations, double *rr)
{
  const hk_iteration *on = &cg->on;
  const double scalar[HK_SCALARS] = {[HK_SCALAR_LIMIT] = limit, [HK_SCALAR_MOST] = iterations};
  HK_PASS(hk_buffer_write(on->scalar, 0, sizeof scalar, scalar));
  HK_PASS(hk_operator_apply(cg->a->op,
                            &(hk_epilogue){.form = HK_FORM_STORE, .u = cg->x, .out = cg->q}));
  HK_PASS(hk_kernel_launch(cg->residual, 0, on->groups,
                           HK_ARGUMENTS(cg->f, cg->q, cg->r, on->part, on->n)));
  HK_PASS(hk_reduced_collect(cg->a, cg->r));
  HK_PASS(hk_kernel_launch(cg->dot, 0, on->groups, HK_ARGUMENTS(cg->r, cg->r, on->part, on->n)));
  HK_PASS(fold(cg, 0));
  return hk_buffer_read(on->scalar, HK_SCALAR_RR * 8, 8, rr);
}

/* Iterations until the device says that it is done. Where it computes beside the host, a graph is under way while the one before is looked at. */
static hk_status run_until_done(hk_cg *cg, const hk_solve_run *run, int before, double norm)
{
  hk_status status = HK_OK;
  const bool ahead = hk_device_describe(cg->on.device)->overlaps;
  double scalar[HK_SCALARS] = {0};
  int flying = 0;
  if (ahead) HK_TRY(hk_iteration_launch(&cg->on, flying));
  while (scalar[HK_SCALAR_DONE] == 0) {
    HK_TRY(hk_iteration_launch(&cg->on, ahead ? 1 - flying : flying));
    HK_TRY(hk_iteration_look(&cg->on, flying, scalar));
    if (ahead) flying = 1 - flying;
    if (run->progress)
      run->progress(before + (int)scalar[HK_SCALAR_STEP], sqrt(scalar[HK_SCALAR_RR]) / norm,
                    run->user);
    HK_CHECK(!run->stop || !run->stop(run->user), HK_STOPPED,
             "stopped after %d iterations, residual %.3g", before + (int)scalar[HK_SCALAR_STEP],
             sqrt(scalar[HK_SCALAR_RR]) / norm);
  }
cleanup:
  if (ahead && status == HK_OK) status = hk_iteration_look(&cg->on, flying, scalar);
  return status;
}

/* Appends what the device wrote, once the first residual, to the report. */
static hk_status keep_history(const hk_cg *cg, double norm, hk_linear_report *report,
                              double *scalar)
{
  HK_PASS(hk_buffer_read(cg->on.scalar, 0, HK_SCALARS * 8, scalar));
  const int steps = (int)scalar[HK_SCALAR_STEP], skip = report->history_count > 0;
  const int count = steps + 1 - skip;
  HK_PASS(hk_resize(&report->history, report->history_count + count));
  double *to = report->history + report->history_count;
  HK_PASS(hk_buffer_read(cg->on.history, skip * 8, count * 8LL, to));
  for (int k = 0; k < count; k++) to[k] = sqrt(to[k]) / norm;
  report->history_count += count;
  report->iterations += steps;
  return HK_OK;
}

static hk_status tell(const hk_cg *cg, const hk_solve_run *run, const hk_linear_report *report,
                      int reason)
{
  const hk_words *words = hk_reduced_words(cg->a);
  if (reason == HK_CG_INDEFINITE)
    return hk_error_set(HK_NOT_CONVERGED,
                        "%s is not positive definite%s: conjugate gradients ended after %d "
                        "iterations with residual %.3g, tolerance %.3g; %s",
                        words->matrix,
                        cg->on.double_precision
                            ? ""
                            : " when rounded to single precision (double may help, or factors)",
                        report->iterations, report->residual, run->tolerance, words->remedy);
  return hk_error_set(HK_NOT_CONVERGED,
                      "not converged after %d iterations: residual %.3g, tolerance %.3g; give "
                      "%smore iterations, another preconditioner, or the method direct",
                      report->iterations, report->residual, run->tolerance,
                      cg->on.double_precision ? "" : "double precision, ");
}

/* Rounds of iterations, each from a residual computed anew, until that is small enough. */
static hk_status solve_rounds(hk_cg *cg, const hk_solve_run *run, hk_linear_report *report)
{
  enum { MOST_ROUNDS = 12 };
  double rr, norm, scalar[HK_SCALARS] = {0};
  HK_PASS(begin(cg, 0, 0, &rr));
  norm = sqrt(rr);
  report->residual = rr == 0 ? 0 : 1;
  HK_NEED(isfinite(rr), HK_NOT_CONVERGED, "the load or the prescribed %s is not a finite number",
          hk_reduced_words(cg->a)->value);
  for (int round = 0; !(report->residual <= run->tolerance); round++) {
    const double limit = 0.95 * run->tolerance * norm, before = report->residual;
    HK_PASS(begin(cg, limit * limit, run->iterations - report->iterations, &rr));
    const hk_status ended = run_until_done(cg, run, report->iterations, norm);
    if (ended != HK_OK && ended != HK_STOPPED) HK_PASS(ended);
    HK_PASS(keep_history(cg, norm, report, scalar));
    HK_PASS(begin(cg, 0, 0, &rr));
    report->residual = sqrt(rr) / norm;
    HK_PASS(ended);
    if (report->residual <= run->tolerance) break;
    if (report->iterations >= run->iterations || round == MOST_ROUNDS ||
        !(report->residual < 0.5 * before))
      HK_PASS(tell(cg, run, report, (int)scalar[HK_SCALAR_DONE]));
  }
  return HK_OK;
}

hk_status hk_cg_solve(hk_cg *cg, const hk_solve_run *run, const double *f, double *u,
                      hk_linear_report *report)
{
  hk_status status = HK_OK, solved;
  HK_TRY(hk_buffer_write_reals(cg->f, cg->on.double_precision, 0, cg->on.n, f));
  HK_TRY(hk_buffer_write_reals(cg->x, cg->on.double_precision, 0, cg->on.n, u));
  solved = solve_rounds(cg, run, report);
  if (solved != HK_OK && solved != HK_NOT_CONVERGED && solved != HK_STOPPED) return solved;
  HK_TRY(hk_buffer_read_reals(cg->x, cg->on.double_precision, 0, cg->on.n, u));
  status = solved;
cleanup:
  return status;
}
