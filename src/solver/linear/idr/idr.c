/* IDR(4) (Sonneveld and van Gijzen 2008; Algorithm 913, van Gijzen and Sonneveld 2011), (A.32) of docs/theory/static.md. P has four fixed vectors; g_k = A u_k
 * are four residual differences with p_i . g_k = 0 for i < k, so that M_ij = p_i . g_j is a lower triangle. A cycle:
 *   f = P r;  for k = 0 ... 3:  c from M c = f;  v = r - sum c_i g_i;  w = omega D^-1 v + sum c_i u_i (i >= k);  q = A w;  u_k, g_k orthogonal to p_i, i < k;
 *             beta = f_k / M_kk;  r -= beta g_k;  x += beta u_k
 *   t = A D^-1 r;  omega = t . r / t . t;  x += omega D^-1 r;  r -= omega t
 * All small numbers stay on the device. Rounds begin from a residual computed anew, as recursive ones drift. */
#include "solver/linear/idr/idr.h"
#include <math.h>

enum { SIZE = 4, SCALARS = 10 + 3 * SIZE + SIZE * SIZE, BROKEN = 2 };

static hk_status get(hk_idr *s, hk_count count, hk_buffer **out)
{
  const hk_count bytes = count * s->on.n * (s->on.double_precision ? 8 : 4);
  s->on.bytes += bytes;
  return hk_buffer_get(&s->on.pool, s->on.device, bytes, out);
}

static hk_status create_buffers(hk_idr *s)
{
  hk_buffer **const one[] = {&s->f, &s->x, &s->r, &s->z, &s->q, &s->w},
                    **const many[] = {&s->p, &s->g, &s->u};
  for (size_t k = 0; k < sizeof one / sizeof *one; k++) HK_PASS(get(s, 1, one[k]));
  for (size_t k = 0; k < sizeof many / sizeof *many; k++) HK_PASS(get(s, SIZE, many[k]));
  s->on.bytes += s->on.groups * SIZE * 8LL;
  return hk_buffer_get(&s->on.pool, s->on.device, s->on.groups * SIZE * 8LL, &s->part);
}

static hk_status create_kernels(hk_idr *s)
{
  const struct {
    const char *text, *name;
    hk_kernel **kernel;
  } list[] = {{"idr", "idr_shadow", &s->shadow},     {"idr", "idr_clear", &s->clear},
              {"idr", "idr_dots", &s->dots},         {"idr", "idr_mix", &s->mix},
              {"idr", "idr_direct", &s->direct},     {"idr", "idr_advance", &s->advance},
              {"idr", "idr_fold", &s->fold},         {"krylov", "krylov_dots", &s->pair},
              {"krylov", "krylov_dot", &s->dot},     {"krylov", "krylov_residual", &s->residual},
              {"krylov", "krylov_advance", &s->take}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    HK_PASS(hk_krylov_kernel(&s->on.pool, s->on.device, list[k].text, list[k].name,
                             s->on.double_precision, list[k].kernel));
  return HK_OK;
}

static hk_status fold(const hk_idr *s, int stage, int k)
{
  const hk_iteration *on = &s->on;
  return hk_kernel_launch(s->fold, 0, 1,
                          HK_ARGUMENTS(s->part, on->scalar, on->history, on->groups, stage, k));
}

static hk_status multiply(const hk_idr *s, hk_buffer *by)
{
  if (!s->a->plain) HK_PASS(hk_reduced_fill(s->a, by));
  return hk_reduced_apply(s->a, by, s->q);
}

static hk_status dots(const hk_idr *s, const hk_buffer *of)
{
  return hk_kernel_launch(s->dots, 0, s->on.groups,
                          HK_ARGUMENTS(s->p, of, s->part, s->on.n, s->on.groups));
}

static hk_status find_direction(const hk_idr *s, int k)
{
  const hk_iteration *on = &s->on;
  HK_PASS(hk_kernel_launch(s->mix, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, s->r, s->g, s->q, on->n, k)));
  HK_PASS(s->m->apply(s->m->data, s->q, s->z));
  HK_PASS(hk_kernel_launch(s->direct, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, s->z, s->u, s->w, on->n, k)));
  HK_PASS(multiply(s, s->w));
  HK_PASS(dots(s, s->q));
  HK_PASS(fold(s, 2, k));
  HK_PASS(hk_kernel_launch(
      s->advance, 0, on->groups,
      HK_ARGUMENTS(on->scalar, s->q, s->w, s->g, s->u, s->x, s->r, s->part, on->n, k)));
  return fold(s, 3, k);
}

static hk_status cycle(void *user)
{
  const hk_idr *s = user;
  const hk_iteration *on = &s->on;
  HK_PASS(dots(s, s->r));
  HK_PASS(fold(s, 1, 0));
  for (int k = 0; k < SIZE; k++) HK_PASS(find_direction(s, k));
  HK_PASS(s->m->apply(s->m->data, s->r, s->z));
  HK_PASS(multiply(s, s->z));
  HK_PASS(hk_kernel_launch(s->pair, 0, on->groups,
                           HK_ARGUMENTS(s->q, s->q, s->r, s->part, on->n, on->groups)));
  HK_PASS(fold(s, 4, 0));
  HK_PASS(hk_kernel_launch(s->take, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, s->z, s->q, s->x, s->r, s->part, on->n)));
  return fold(s, 5, 0);
}

hk_status hk_idr_create(const hk_reduced *a, const hk_preconditioner *m, int iterations, hk_idr *s)
{
  s->a = a, s->m = m;
  s->on = (hk_iteration){.device = a->op->desc.device,
                         .double_precision = a->double_precision,
                         .scalars = SCALARS,
                         .steps = iterations};
  HK_PASS(hk_iteration_create(&s->on, a->dofs, iterations + 1LL));
  HK_PASS(create_buffers(s));
  HK_PASS(create_kernels(s));
  HK_PASS(hk_kernel_launch(s->shadow, 0, s->on.groups, HK_ARGUMENTS(s->p, s->on.n)));
  return hk_graph_record(s->on.device, cycle, s, &s->on.graph);
}

void hk_idr_destroy(hk_idr *s)
{
  hk_iteration_clear(&s->on);
  *s = (hk_idr){0};
}

/* r = T^T (f - K x); *rr = r . r; the recurrences begin anew. */
static hk_status begin(hk_idr *s, double limit, int iterations, double *rr)
{
  const hk_iteration *on = &s->on;
  double scalar[SCALARS] = {0};
  scalar[HK_SCALAR_LIMIT] = limit, scalar[HK_SCALAR_MOST] = iterations;
  HK_PASS(hk_buffer_write(on->scalar, 0, sizeof scalar, scalar));
  HK_PASS(hk_kernel_launch(s->clear, 0, on->groups, HK_ARGUMENTS(s->g, on->n)));
  HK_PASS(hk_kernel_launch(s->clear, 0, on->groups, HK_ARGUMENTS(s->u, on->n)));
  HK_PASS(
      hk_operator_apply(s->a->op, &(hk_epilogue){.form = HK_FORM_STORE, .u = s->x, .out = s->q}));
  HK_PASS(
      hk_kernel_launch(s->residual, 0, on->groups, HK_ARGUMENTS(s->f, s->q, s->r, s->part, on->n)));
  HK_PASS(hk_reduced_collect(s->a, s->r));
  HK_PASS(hk_kernel_launch(s->dot, 0, on->groups, HK_ARGUMENTS(s->r, s->r, s->part, on->n)));
  HK_PASS(fold(s, 0, 0));
  return hk_buffer_read(on->scalar, HK_SCALAR_RR * 8, 8, rr);
}

static hk_status run_until_done(hk_idr *s, const hk_solve_run *run, int before, double norm,
                                double *scalar)
{
  scalar[HK_SCALAR_DONE] = 0;
  while (scalar[HK_SCALAR_DONE] == 0) {
    HK_PASS(hk_iteration_launch(&s->on, 0));
    HK_PASS(hk_iteration_look(&s->on, 0, scalar));
    const int step = before + (int)scalar[HK_SCALAR_STEP];
    const double residual = sqrt(scalar[HK_SCALAR_RR]) / norm;
    if (run->progress) run->progress(step, residual, run->user);
    HK_NEED(!run->stop || !run->stop(run->user), HK_STOPPED,
            "stopped after %d iterations, residual %.3g", step, residual);
  }
  return HK_OK;
}

/* Appends the residuals of the round, without its first where there are others, to the report. */
static hk_status keep_history(const hk_idr *s, double norm, int steps, hk_linear_report *report)
{
  const int skip = report->history_count > 0, count = steps + 1 - skip;
  HK_PASS(hk_resize(&report->history, report->history_count + count));
  double *to = report->history + report->history_count;
  HK_PASS(hk_buffer_read(s->on.history, skip * 8, count * 8LL, to));
  for (int k = 0; k < count; k++) to[k] = sqrt(to[k]) / norm;
  report->history_count += count;
  report->iterations += steps;
  return HK_OK;
}

static hk_status solve_rounds(hk_idr *s, const hk_solve_run *run, hk_linear_report *report)
{
  enum { MOST_ROUNDS = 20 };
  double rr, norm, scalar[SCALARS] = {0};
  HK_PASS(begin(s, 0, 0, &rr));
  norm = sqrt(rr);
  report->residual = rr == 0 ? 0 : 1;
  HK_NEED(isfinite(rr), HK_NOT_CONVERGED, "the load or the prescribed %s is not a finite number",
          hk_reduced_words(s->a)->value);
  for (int round = 0; !(report->residual <= run->tolerance); round++) {
    const double limit = 0.95 * run->tolerance * norm, before = report->residual;
    HK_PASS(begin(s, limit * limit, run->iterations - report->iterations, &rr));
    const hk_status ended = run_until_done(s, run, report->iterations, norm, scalar);
    if (ended != HK_OK && ended != HK_STOPPED) HK_PASS(ended);
    HK_PASS(keep_history(s, norm, (int)scalar[HK_SCALAR_STEP], report));
    HK_PASS(begin(s, 0, 0, &rr));
    report->residual = sqrt(rr) / norm;
    HK_PASS(ended);
    HK_NEED(report->residual <= run->tolerance ||
                (report->iterations < run->iterations && round < MOST_ROUNDS &&
                 report->residual < 0.5 * before),
            HK_NOT_CONVERGED,
            "not converged after %d iterations: residual %.3g, tolerance %.3g; give %smore "
            "iterations, or the method direct",
            report->iterations, report->residual, run->tolerance,
            s->on.double_precision ? "" : "double precision, ");
  }
  return HK_OK;
}

hk_status hk_idr_solve(hk_idr *s, const hk_solve_run *run, const double *f, double *u,
                       hk_linear_report *report)
{
  const bool wide = s->on.double_precision;
  HK_PASS(hk_buffer_write_reals(s->f, wide, 0, s->on.n, f));
  HK_PASS(hk_buffer_write_reals(s->x, wide, 0, s->on.n, u));
  const hk_status solved = solve_rounds(s, run, report);
  if (solved != HK_OK && solved != HK_NOT_CONVERGED && solved != HK_STOPPED) return solved;
  HK_PASS(hk_buffer_read_reals(s->x, wide, 0, s->on.n, u));
  return solved;
}
