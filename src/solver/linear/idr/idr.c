/* IDR(4) (Sonneveld and van Gijzen 2008; Algorithm 913, van Gijzen and Sonneveld 2011), (A.32) of docs/theory/static.md. P has four fixed vectors; g_k = A u_k
 * are four residual differences with p_i . g_k = 0 for i < k, so that M_ij = p_i . g_j is a lower triangle. A cycle:
 *   f = P r;  for k = 0 ... 3:  c from M c = f;  v = r - sum c_i g_i;  w = omega D^-1 v + sum c_i u_i (i >= k);  q = A w;  u_k, g_k orthogonal to p_i, i < k;
 *             beta = f_k / M_kk;  r -= beta g_k;  x += beta u_k
 *   t = A D^-1 r;  omega = t . r / t . t;  x += omega D^-1 r;  r -= omega t
 * All small numbers stay on the device. */
#include "solver/linear/idr/idr.h"

enum { SIZE = 4, SCALARS = 10 + 3 * SIZE + SIZE * SIZE };

static hk_status get(hk_idr *s, hk_count count, hk_buffer **out)
{
  const hk_count bytes = count * s->rounds.on.n * (s->rounds.on.double_precision ? 8 : 4);
  s->rounds.on.bytes += bytes;
  return hk_buffer_get(&s->rounds.on.pool, s->rounds.on.device, bytes, out);
}

static hk_status create_buffers(hk_idr *s)
{
  hk_buffer **const many[] = {&s->p, &s->g, &s->u};
  HK_PASS(get(s, 1, &s->w));
  for (size_t k = 0; k < sizeof many / sizeof *many; k++) HK_PASS(get(s, SIZE, many[k]));
  return HK_OK;
}

static hk_status create_kernels(hk_idr *s)
{
  const struct {
    const char *name;
    hk_kernel **kernel;
  } list[] = {{"idr_shadow", &s->shadow}, {"idr_clear", &s->clear},   {"idr_dots", &s->dots},
              {"idr_mix", &s->mix},       {"idr_direct", &s->direct}, {"idr_advance", &s->advance},
              {"idr_fold", &s->fold}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    HK_PASS(hk_krylov_kernel(&s->rounds.on.pool, s->rounds.on.device, "idr", list[k].name,
                             s->rounds.on.double_precision, list[k].kernel));
  return HK_OK;
}

static hk_status fold(const hk_idr *s, int stage, int k)
{
  const hk_iteration *on = &s->rounds.on;
  return hk_kernel_launch(s->fold, 0, 1,
                          HK_ARGUMENTS(on->part, on->scalar, on->history, on->groups, stage, k));
}

static hk_status multiply(const hk_idr *s, hk_buffer *by)
{
  if (!s->rounds.a->plain) HK_PASS(hk_reduced_fill(s->rounds.a, by));
  return hk_reduced_apply(s->rounds.a, by, s->rounds.q);
}

static hk_status dots(const hk_idr *s, const hk_buffer *of)
{
  const hk_iteration *on = &s->rounds.on;
  return hk_kernel_launch(s->dots, 0, on->groups,
                          HK_ARGUMENTS(s->p, of, on->part, on->n, on->groups));
}

static hk_status find_direction(const hk_idr *s, int k)
{
  const hk_iteration *on = &s->rounds.on;
  HK_PASS(hk_kernel_launch(s->mix, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, s->rounds.r, s->g, s->rounds.q, on->n, k)));
  HK_PASS(s->rounds.m->apply(s->rounds.m->data, s->rounds.q, s->rounds.z));
  HK_PASS(hk_kernel_launch(s->direct, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, s->rounds.z, s->u, s->w, on->n, k)));
  HK_PASS(multiply(s, s->w));
  HK_PASS(dots(s, s->rounds.q));
  HK_PASS(fold(s, 2, k));
  HK_PASS(hk_kernel_launch(s->advance, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, s->rounds.q, s->w, s->g, s->u, s->rounds.x,
                                        s->rounds.r, on->part, on->n, k)));
  return fold(s, 3, k);
}

static hk_status cycle(void *user)
{
  const hk_idr *s = user;
  const hk_iteration *on = &s->rounds.on;
  HK_PASS(dots(s, s->rounds.r));
  HK_PASS(fold(s, 1, 0));
  for (int k = 0; k < SIZE; k++) HK_PASS(find_direction(s, k));
  HK_PASS(s->rounds.m->apply(s->rounds.m->data, s->rounds.r, s->rounds.z));
  HK_PASS(multiply(s, s->rounds.z));
  HK_PASS(hk_kernel_launch(
      s->rounds.dots, 0, on->groups,
      HK_ARGUMENTS(s->rounds.q, s->rounds.q, s->rounds.r, on->part, on->n, on->groups)));
  HK_PASS(fold(s, 4, 0));
  HK_PASS(hk_kernel_launch(s->rounds.advance, 0, on->groups,
                           HK_ARGUMENTS(on->scalar, s->rounds.z, s->rounds.q, s->rounds.x,
                                        s->rounds.r, on->part, on->n)));
  return fold(s, 5, 0);
}

static hk_status restart(const hk_rounds *rounds)
{
  const hk_idr *s = (const hk_idr *)rounds;
  const hk_iteration *on = &rounds->on;
  HK_PASS(hk_kernel_launch(s->clear, 0, on->groups, HK_ARGUMENTS(s->g, on->n)));
  return hk_kernel_launch(s->clear, 0, on->groups, HK_ARGUMENTS(s->u, on->n));
}

static hk_status begin(const hk_rounds *rounds)
{
  return fold((const hk_idr *)rounds, 0, 0);
}

static hk_status refuse(const hk_rounds *rounds, const hk_solve_run *run,
                        const hk_linear_report *report, int reason)
{
  (void)reason;
  return hk_error_set(HK_NOT_CONVERGED,
                      "not converged after %d iterations: residual %.3g, tolerance %.3g; give "
                      "%smore iterations, or the method direct",
                      report->iterations, report->residual, run->tolerance,
                      rounds->on.double_precision ? "" : "double precision, ");
}

static const hk_rounds_kind kind = {.sums = SIZE,
                                    .scalars = SCALARS,
                                    .most = 20,
                                    .restart = restart,
                                    .fold = begin,
                                    .refuse = refuse};

hk_status hk_idr_create(const hk_reduced *a, const hk_preconditioner *m, int iterations, hk_idr *s)
{
  hk_rounds *rounds = &s->rounds;
  rounds->kind = &kind, rounds->a = a, rounds->m = m;
  HK_PASS(hk_rounds_create(rounds, iterations));
  HK_PASS(create_buffers(s));
  HK_PASS(create_kernels(s));
  HK_PASS(hk_kernel_launch(s->shadow, 0, rounds->on.groups, HK_ARGUMENTS(s->p, rounds->on.n)));
  return hk_graph_record(rounds->on.device, cycle, s, &rounds->on.graph);
}

void hk_idr_destroy(hk_idr *s)
{
  hk_iteration_clear(&s->rounds.on);
  *s = (hk_idr){0};
}
