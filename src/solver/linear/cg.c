/* Preconditioned conjugate gradients (A.8) for A = T^T K T on a device. An iteration (precondition, find_direction, product, fold of the
 * sums) is recorded once as a graph; alpha, beta and r . r stay in `scalar` on the device. */
#include "solver/linear/cg.h"

static hk_status create_buffers(hk_cg *cg)
{
  hk_iteration *on = &cg->rounds.on;
  HK_PASS(hk_iteration_vector(on, on->double_precision, &cg->p));
  if (cg->rounds.m->double_precision == on->double_precision) return HK_OK;
  HK_PASS(hk_iteration_vector(on, false, &cg->small_r));
  return hk_iteration_vector(on, false, &cg->small_z);
}

static hk_status create_kernels(hk_cg *cg)
{
  hk_iteration *on = &cg->rounds.on;
  const struct {
    const char *name;
    hk_kernel **kernel;
  } list[] = {{"krylov_direct", &cg->direct},
              {"krylov_fold", &cg->fold},
              {"krylov_narrow", &cg->narrow},
              {"krylov_widen", &cg->widen}};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    HK_PASS(hk_krylov_kernel(&on->pool, on->device, "krylov", list[k].name, on->double_precision,
                             list[k].kernel));
  return HK_OK;
}

static hk_status fold(const hk_cg *cg, int stage)
{
  const hk_iteration *on = &cg->rounds.on;
  HK_PASS(hk_iteration_join(on, stage == 1 ? 2 : 1));
  return hk_kernel_launch(cg->fold, 0, 1,
                          HK_ARGUMENTS(on->part, on->scalar, on->history, on->groups, stage));
}

static hk_status precondition(const hk_cg *cg)
{
  const hk_iteration *on = &cg->rounds.on;
  if (!cg->small_r) return cg->rounds.m->apply(cg->rounds.m->data, cg->rounds.r, cg->rounds.z);
  HK_PASS(hk_kernel_launch(cg->narrow, on->own.first, on->own.count,
                           HK_ARGUMENTS(on->scalar, cg->rounds.r, cg->small_r, on->n)));
  HK_PASS(cg->rounds.m->apply(cg->rounds.m->data, cg->small_r, cg->small_z));
  return hk_kernel_launch(cg->widen, on->own.first, on->own.count,
                          HK_ARGUMENTS(on->scalar, cg->small_z, cg->rounds.z, on->n));
}

static hk_status find_direction(const hk_cg *cg)
{
  const hk_iteration *on = &cg->rounds.on;
  HK_PASS(precondition(cg));
  HK_PASS(hk_kernel_launch(
      cg->rounds.dots, on->own.first, on->own.count,
      HK_ARGUMENTS(cg->rounds.z, cg->rounds.r, cg->rounds.q, on->part, on->n, on->groups)));
  HK_PASS(fold(cg, 1));
  HK_PASS(hk_kernel_launch(cg->direct, on->own.first, on->own.count,
                           HK_ARGUMENTS(on->scalar, cg->rounds.z, cg->p, on->n)));
  if (!cg->rounds.a->plain) HK_PASS(hk_reduced_fill(cg->rounds.a, cg->p));
  return HK_OK;
}

static hk_status iterate(const hk_cg *cg)
{
  const hk_iteration *on = &cg->rounds.on;
  HK_PASS(find_direction(cg));
  HK_PASS(hk_reduced_apply(cg->rounds.a, cg->p, cg->rounds.q));
  HK_PASS(hk_kernel_launch(cg->rounds.dot, on->own.first, on->own.count,
                           HK_ARGUMENTS(cg->p, cg->rounds.q, on->part, on->n)));
  HK_PASS(fold(cg, 2));
  HK_PASS(hk_kernel_launch(
      cg->rounds.advance, on->own.first, on->own.count,
      HK_ARGUMENTS(on->scalar, cg->p, cg->rounds.q, cg->rounds.x, cg->rounds.r, on->part, on->n)));
  return fold(cg, 3);
}

static hk_status record(void *user)
{
  const hk_cg *cg = user;
  for (int k = 0; k < cg->rounds.m->every; k++) HK_PASS(iterate(cg));
  return HK_OK;
}

static hk_status begin(const hk_rounds *s)
{
  return fold((const hk_cg *)s, 0);
}

static hk_status refuse(const hk_rounds *s, const hk_solve_run *run, const hk_linear_report *report,
                        int reason)
{
  const hk_words *words = hk_reduced_words(s->a);
  if (reason == HK_CG_INDEFINITE)
    return hk_error_set(HK_NOT_CONVERGED,
                        "%s is not positive definite%s: conjugate gradients ended after %d "
                        "iterations with residual %.3g, tolerance %.3g; %s",
                        words->matrix,
                        s->on.double_precision
                            ? ""
                            : " when rounded to single precision (double may help, or factors)",
                        report->iterations, report->residual, run->tolerance, words->remedy);
  return hk_error_set(HK_NOT_CONVERGED,
                      "not converged after %d iterations: residual %.3g, tolerance %.3g; give "
                      "%smore iterations, another preconditioner, or the method direct",
                      report->iterations, report->residual, run->tolerance,
                      s->on.double_precision ? "" : "double precision, ");
}

static const hk_rounds_kind kind = {
    .sums = 2, .scalars = HK_SCALARS, .most = 12, .ahead = true, .fold = begin, .refuse = refuse};

hk_status hk_cg_create(const hk_reduced *a, const hk_preconditioner *m, int iterations, hk_cg *cg)
{
  cg->rounds.kind = &kind, cg->rounds.a = a, cg->rounds.m = m;
  HK_PASS(hk_rounds_create(&cg->rounds, iterations));
  HK_PASS(create_buffers(cg));
  HK_PASS(create_kernels(cg));
  return hk_iteration_record(&cg->rounds.on, record, cg);
}

void hk_cg_destroy(hk_cg *cg)
{
  hk_iteration_clear(&cg->rounds.on);
  *cg = (hk_cg){0};
}
