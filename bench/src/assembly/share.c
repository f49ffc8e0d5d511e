/* The share of the matrix in a whole solution (Sanfui and Sharma, Figure 16): seconds of assembly, of the solver's
 * set-up and of its iterations to 1e-8, by the default solver and by conjugate gradients with Jacobi's preconditioner, which takes longer.
 * Both are made twice, because the first time compiles. */
#include "assembly/body.h"

typedef struct share {
  const char *name, *method, *preconditioner;
  double matrix, setup, solve; /* seconds */
  bool converged;
  hk_linear_report report;
} share;

static hk_status make_operator(const hk_bench_body *b, hk_operator **op, double *seconds)
{
  const hk_operator_kind *kind;
  const double start = hk_seconds();
  HK_PASS(hk_operator_choose("assembled", b->mesh, b->device, &kind));
  HK_PASS(hk_operator_create(kind,
                             &(hk_operator_desc){b->device, b->space, b->region, b->element_region,
                                                 .double_precision = true},
                             op));
  HK_PASS(hk_operator_bind(*op, HK_FORM_STORE, false, 1));
  HK_PASS(hk_device_finish(b->device));
  *seconds = hk_seconds() - start;
  return HK_OK;
}

static hk_status make_solver(const hk_bench_body *b, const share *of, hk_operator *op,
                             hk_linear **linear)
{
  return hk_linear_create(&(hk_linear_desc){.op = op,
                                            .constraints = b->held,
                                            .method = of->method,
                                            .preconditioner = of->preconditioner},
                          linear);
}

/* Everything is made twice: the first compiles. */
static hk_status solve(const hk_bench_body *b, share *s)
{
  hk_status status = HK_OK;
  hk_operator *op = NULL;
  hk_linear *linear = NULL;
  double *u = NULL;
  for (int n = 0; n < 2; n++) {
    hk_linear_destroy(&linear);
    hk_operator_destroy(&op);
    HK_TRY(make_operator(b, &op, &s->matrix));
    const double start = hk_seconds();
    HK_TRY(make_solver(b, s, op, &linear));
    s->setup = hk_seconds() - start;
  }
  HK_TRY(hk_get(&u, (hk_count)b->space->padded * b->space->dim));
  const double start = hk_seconds();
  status = hk_linear_solve(linear, b->f, u, &s->report);
  s->solve = hk_seconds() - start;
  s->converged = status == HK_OK;
  if (status == HK_NOT_CONVERGED) status = HK_OK; /* told in the row */
cleanup:
  hk_free(&u);
  hk_linear_destroy(&linear);
  hk_operator_destroy(&op);
  return status;
}

static void add_row(const hk_bench_body *b, const share *s)
{
  const double all = s->matrix + s->setup + s->solve;
  json_t *row = hk_assembly_row(b, "figure 16", s->name, HK_FORMAT_NODES, true);
  hk_bench_set_text(row, "solver", s->report.method);
  hk_bench_set_integer(row, "nodes", b->mesh->node_count);
  hk_bench_set_integer(row, "iterations", s->report.iterations);
  json_object_set_new(row, "converged", json_boolean(s->converged));
  hk_bench_set(row, "seconds", all);
  hk_bench_set(row, "matrix_seconds", s->matrix);
  hk_bench_set(row, "setup_seconds", s->setup);
  hk_bench_set(row, "solve_seconds", s->solve);
  hk_bench_set(row, "matrix_share", s->matrix / all);
  hk_bench_set(row, "residual", s->report.residual);
  hk_bench_add(b->job, row);
}

hk_status hk_bench_share(const hk_bench_body *b)
{
  hk_status status = HK_OK;
  share of[] = {{.name = "solve, default"},
                {.name = "solve, jacobi", .method = "cg", .preconditioner = "jacobi"}};
  for (int i = 0; i < 2; i++) {
    hk_bench_say(b->job, "%s: %s", b->name, of[i].name);
    HK_TRY(solve(b, &of[i]));
    add_row(b, &of[i]);
  }
cleanup:
  for (int i = 0; i < 2; i++) hk_linear_report_clear(&of[i].report);
  return status;
}
