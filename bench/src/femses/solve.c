/* Measures whole solutions by the methods of the table `ways`, divided into stages (Keating 2019,
 * Figures 5.1 to 5.13 and 5.20 to 5.27). Stages come from the device's meter, the assembly and the
 * solver's report; the rest is `other`. The first solution, in which kernels are compiled, is not
 * counted. A method is skipped where its time, extrapolated from fewer unknowns, exceeds the
 * budget; iterations that overrun it are stopped. Bytes by the paper's equations (4.8) to (4.14)
 * are stored beside the measured ones. */
#include "device/library.h"
#include "femses/femses.h"
#include "operator/assembly/assembled.h"
#include "solver/linear/direct/factor.h"
#include "solver/linear/linear.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a way's solution: seconds that it is given as a multiple of hk_bench_job.seconds, and after which iterations are stopped. */
static const double patience = 10, overrun = 4, least_limit = 5;
/* Operations per second of dense factors by which the first number of unknowns is judged. */
static const double dense_rate = 2e10;

const char *const hk_femses_stage_name[HK_FEMSES_STAGES] = {
    "allocation", "transfer", "scan",  "elements", "assembly",
    "conversion", "ordering", "setup", "solve",    "other"};

typedef struct way {
  const char *name, *method, *preconditioner, *relaxation, *library, *ordering;
  bool single_sweeps;
  bool single;      /* precision; else double */
  double tolerance; /* 0: the default */
  bool key;         /* for every body */
  bool grouped;     /* for every number of threads in a group */
  double growth;    /* seconds grow like unknowns to this power, expected */
} way;

static const way ways[] = {
    {.name = "cholesky", .method = "cholesky", .key = true, .growth = 1.5},
    {.name = "cholesky, rcm", .method = "cholesky", .ordering = "rcm", .growth = 2},
    {.name = "cholesky, natural", .method = "cholesky", .ordering = "natural", .growth = 2},
    {.name = "cholesky, cholmod", .method = "cholesky", .library = "cholmod", .growth = 1.5},
    {.name = "cholesky, cusolver",
     .method = "cholesky",
     .library = "cusolver",
     .grouped = true,
     .growth = 2},
    {.name = "cholesky, mumps", .method = "cholesky", .library = "mumps", .growth = 1.5},
    {.name = "dense-to-sparse", .method = "dense-to-sparse", .growth = 2},
    {.name = "dense", .method = "dense", .growth = 3},
    {.name = "dense, cusolver",
     .method = "dense",
     .library = "cusolver",
     .grouped = true,
     .growth = 3},
    {.name = "cg, jacobi",
     .method = "cg",
     .preconditioner = "jacobi",
     .key = true,
     .grouped = true,
     .growth = 1.5},
    {.name = "cg, multigrid",
     .method = "cg",
     .preconditioner = "multigrid",
     .key = true,
     .growth = 1},
    {.name = "femses, jacobi",
     .method = "femses",
     .relaxation = "jacobi",
     .key = true,
     .grouped = true,
     .growth = 2},
    {.name = "femses, jacobi, single to 1e-4", /* the paper's, Figure 5.27 */
     .method = "femses",
     .relaxation = "jacobi",
     .single = true,
     .tolerance = 1e-4,
     .key = true,
     .growth = 2},
    {.name = "femses, chebyshev", .method = "femses", .relaxation = "chebyshev", .growth = 1.5},
    {.name = "femses, conjugate", .method = "femses", .relaxation = "conjugate", .growth = 1.5},
    {.name = "femses, multigrid",
     .method = "femses",
     .relaxation = "multigrid",
     .key = true,
     .grouped = true,
     .growth = 1},
    {.name = "femses, multigrid, single sweeps",
     .method = "femses",
     .relaxation = "multigrid",
     .single_sweeps = true,
     .growth = 1}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct run {
  const hk_femses_body *b;
  const way *way;
  const hk_femses_numbering *form;
  double until; /* hk_seconds() */
  double total[HK_FEMSES_RUNS], stage[HK_FEMSES_STAGES][HK_FEMSES_RUNS];
  int count;
  bool converged;
  hk_linear_report report;
  hk_device_meter meter;
  hk_count memory, nonzeros; /* of the operator */
  double *u;                 /* u[padded] */
} run;

static double budget_of(const hk_bench_job *job)
{
  return patience * job->seconds;
}

static bool late(void *user)
{
  return hk_seconds() > ((const run *)user)->until;
}

static hk_status make_operator(run *r, hk_operator **op, double *stage)
{
  hk_device *device = r->b->device;
  const hk_operator_desc desc = hk_femses_desc(r->b, r->form, !r->way->single);
  const double start = hk_device_seconds(device);
  HK_PASS(hk_operator_create(r->form->kind, &desc, op));
  HK_PASS(hk_operator_bind(*op, HK_FORM_STORE, false, 1));
  HK_PASS(hk_device_finish(device));
  const double took = hk_device_seconds(device) - start;
  r->memory = (*op)->memory;
  if (strcmp(r->form->kind->name, "assembled") != 0) {
    stage[HK_FEMSES_ELEMENTS] = took;
    return HK_OK;
  }
  const hk_assembly *k = hk_assembled_matrix(*op);
  r->nonzeros = hk_assembly_nonzeros(k);
  if (strncmp(r->way->method, "dense", 5) == 0) return HK_OK; /* for residuals alone */
  stage[HK_FEMSES_SCAN] = k->seconds[0] + k->seconds[1];
  stage[HK_FEMSES_ELEMENTS] = k->seconds_elements;
  stage[HK_FEMSES_ASSEMBLY] = k->seconds[2] - k->seconds_elements;
  return HK_OK;
}

/* Jacobi's sweeps grow like unknowns; a time limit ends those that are too many. */
static int most_sweeps(hk_index dofs)
{
  enum { LEAST = 100000, EACH = 20, MOST = 100000000 };
  return (int)fmin(fmax(LEAST, (double)EACH * dofs), MOST);
}

static hk_status make_solver(run *r, hk_operator *op, hk_linear **linear)
{
  const way *w = r->way;
  const bool jacobi = w->relaxation && !strcmp(w->relaxation, "jacobi");
  const bool iterates = !strcmp(w->method, "cg") || !strcmp(w->method, "femses");
  return hk_linear_create(&(hk_linear_desc){.op = op,
                                            .constraints = &r->form->held,
                                            .method = w->method,
                                            .preconditioner = w->preconditioner,
                                            .relaxation = w->relaxation,
                                            .single_sweeps = w->single_sweeps,
                                            .library = w->library,
                                            .ordering = w->ordering,
                                            .tolerance = w->tolerance,
                                            .iterations = jacobi ? most_sweeps(r->b->dofs) : 0,
                                            .stop = iterates ? late : NULL,
                                            .user = r},
                          linear);
}

/* What the report tells of create, and the rest of it. */
static void divide_setup(const run *r, double took, double *stage)
{
  const hk_stages *s = &r->report.stages;
  const double named = s->elements + s->assembly + s->conversion + s->ordering;
  const bool factors = s->factors > 0;
  stage[HK_FEMSES_ELEMENTS] += s->elements;
  stage[HK_FEMSES_ASSEMBLY] += s->assembly;
  stage[HK_FEMSES_CONVERSION] = s->conversion;
  stage[HK_FEMSES_ORDERING] = s->ordering;
  stage[HK_FEMSES_SETUP] = factors ? s->factors : took - named;
}

static hk_status solve_once(run *r, double *stage)
{
  hk_status status = HK_OK;
  hk_device *device = r->b->device;
  hk_operator *op = NULL;
  hk_linear *linear = NULL;
  double *f = NULL;
  HK_TRY(hk_get(&f, r->form->space->padded));
  if (r->form->f) memcpy(f, r->form->f, (size_t)r->form->space->padded * sizeof *f);
  r->until = hk_seconds() + fmax(overrun * budget_of(r->b->job), least_limit);
  hk_linear_report_clear(&r->report);
  hk_device_meter_start(device);
  const double start = hk_seconds();
  HK_TRY(make_operator(r, &op, stage));
  double from = hk_device_seconds(device);
  HK_TRY(make_solver(r, op, &linear));
  const double took = hk_device_seconds(device) - from;
  from = hk_device_seconds(device);
  status = hk_linear_solve(linear, f, r->u, &r->report);
  stage[HK_FEMSES_SOLVE] = hk_device_seconds(device) - from;
  r->total[r->count] = hk_seconds() - start;
  r->converged = status == HK_OK;
  if (status == HK_NOT_CONVERGED || status == HK_STOPPED) status = HK_OK; /* told in the row */
  r->meter = *hk_device_metered(device);
  divide_setup(r, took, stage);
  stage[HK_FEMSES_ALLOCATION] = r->meter.allocation;
  stage[HK_FEMSES_TRANSFER] = r->meter.transfer;
cleanup:
  hk_device_meter_stop(device);
  hk_linear_destroy(&linear);
  hk_operator_destroy(&op);
  hk_free(&f);
  return status;
}

static hk_status solve_next(run *r)
{
  double stage[HK_FEMSES_STAGES] = {0}, sum = 0;
  const hk_status status = solve_once(r, stage);
  if (status != HK_OK) return status;
  for (int s = 0; s < HK_FEMSES_OTHER; s++) sum += stage[s];
  stage[HK_FEMSES_OTHER] = r->total[r->count] - sum;
  for (int s = 0; s < HK_FEMSES_STAGES; s++) r->stage[s][r->count] = stage[s];
  r->count++;
  return HK_OK;
}

/* The first, where kernels are compiled, is not counted. What does not converge is not run again, and what takes long is not run as often. */
static hk_status solve_runs(run *r, bool warm)
{
  const double most = fmax(budget_of(r->b->job), least_limit);
  double spent = 0;
  HK_PASS(hk_get(&r->u, r->form->space->padded));
  if (!warm) {
    HK_PASS(solve_next(r));
    if (!r->converged || r->total[0] > most) return HK_OK;
    r->count = 0;
  }
  do {
    HK_PASS(solve_next(r));
    spent += r->total[r->count - 1];
  } while (r->converged && r->count < HK_FEMSES_RUNS && spent <= most);
  return HK_OK;
}

/* (4.8) to (4.14) as ERRATA corrects them: integers and reals of 4 bytes. */
static void set_paper_bytes(const run *r, json_t *row)
{
  const double n = r->b->dofs, c = (double)r->b->mesh->element_count, nnz = (double)r->nonzeros;
  const bool femses = !strcmp(r->way->method, "femses"),
             dense = !strncmp(r->way->method, "dense", 5);
  if (r->b->mesh->block[0].shape != HK_TRI3) return;
  const double allocation = femses  ? 28 * n + 84 * c
                            : dense ? 20 * n + 24 * c + 4 * n * n
                                    : 24 * n + 24 * c + 8 * nnz + 4,
               transfer = femses  ? 20 * n + 24 * c + 4.0 * r->report.iterations
                          : dense ? 20 * n + 24 * c
                                  : 24 * n + 24 * c + 4 * nnz + 4;
  hk_bench_set_integer(row, "paper_allocation_bytes", (hk_count)allocation);
  hk_bench_set_integer(row, "paper_transfer_bytes", (hk_count)transfer);
}

static void set_memory(const run *r, json_t *row)
{
  const struct {
    const char *key;
    hk_count value;
  } bytes[] = {{"bytes", r->memory + r->report.bytes},
               {"operator_bytes", r->memory},
               {"solver_bytes", r->report.bytes},
               {"device_peak_bytes", r->meter.peak},
               {"allocated_bytes", r->meter.allocated},
               {"sent_bytes", r->meter.sent},
               {"read_bytes", r->meter.read}};
  for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
    hk_bench_set_integer(row, bytes[k].key, bytes[k].value);
  set_paper_bytes(r, row);
}

static void fill_result(const run *r, hk_femses_result *result)
{
  *result = (hk_femses_result){.body = r->b->name,
                               .way = r->way->name,
                               .place = r->b->place,
                               .dofs = r->b->dofs,
                               .converged = r->converged,
                               .iterations = r->report.iterations,
                               .total = hk_interval_of(r->total, r->count)};
  for (int s = 0; s < HK_FEMSES_STAGES; s++)
    result->stage[s] = hk_interval_of(r->stage[s], r->count);
}

static json_t *row_of(const run *r, const hk_femses_result *result, const char *table)
{
  json_t *row = hk_femses_row(r->b, table, r->way->name);
  char key[48];
  if (r->way->single) hk_bench_set_text(row, "precision", "single");
  hk_bench_set_text(row, "solver", r->report.method);
  hk_bench_set_integer(row, "runs", r->count);
  json_object_set_new(row, "converged", json_boolean(r->converged));
  hk_bench_set_integer(row, "iterations", r->report.iterations);
  hk_bench_set(row, "residual", r->report.residual);
  hk_bench_set(row, "tolerance", r->way->tolerance > 0 ? r->way->tolerance : 1e-8);
  hk_bench_set_interval(row, "seconds", result->total);
  hk_bench_set(row, "gdof_per_s", r->b->dofs / result->total.mean * 1e-9);
  for (int s = 0; s < HK_FEMSES_STAGES; s++) {
    snprintf(key, sizeof key, "%s_seconds", hk_femses_stage_name[s]);
    hk_bench_set_interval(row, key, result->stage[s]);
    snprintf(key, sizeof key, "%s_share", hk_femses_stage_name[s]);
    hk_bench_set(row, key, result->stage[s].mean / result->total.mean);
  }
  set_memory(r, row);
  return row;
}

/* Largest difference from u = x, or from the first solution of the body, whose values are kept in reference[node]. */
static double find_difference(const run *r, double *reference, bool *known)
{
  const hk_femses_body *b = r->b;
  double most = 0;
  for (hk_count n = 0; n < b->mesh->node_count; n++) {
    const hk_index i = r->form->space->node[n];
    const double u = i < 0 ? 0 : r->u[i]; /* of no element */
    if (!*known) reference[n] = b->linear ? b->mesh->x[n * b->mesh->dim] : u;
    most = hk_larger(most, fabs(u - reference[n]));
  }
  *known = true;
  return most;
}

static bool is_there(const hk_femses_body *b, const way *w)
{
  const char *why;
  const bool dense = !strcmp(w->method, "dense");
  if (!strcmp(w->method, "cg") || !strcmp(w->method, "femses")) return true;
  if (w->library && !strcmp(w->library, "mumps") && !hk_device_has_libraries(b->device))
    return false; /* what "cholesky" takes there */
  return hk_factor_available(
      &(hk_factor_desc){.device = b->device, .library = w->library, .ordering = w->ordering}, dense,
      &why);
}

/* In time, by what it took for fewer unknowns. */
static bool is_expected(const hk_femses_body *b, const way *w, const hk_femses_results *results)
{
  const hk_femses_result *last = NULL;
  for (hk_count k = 0; k < results->count; k++) {
    const hk_femses_result *t = &results->of[k];
    if (t->place == b->place && !strcmp(t->body, b->name) && !strcmp(t->way, w->name)) last = t;
  }
  if (!last)
    return strcmp(w->method, "dense") != 0 ||
           pow(b->dofs, 3) / 3 <= dense_rate * fmax(overrun * budget_of(b->job), least_limit);
  return last->converged &&
         last->total.mean * pow((double)b->dofs / last->dofs, w->growth) <= budget_of(b->job);
}

static hk_status keep(const run *r, hk_femses_results *results, hk_femses_result **out)
{
  HK_PASS(hk_reserve(&results->of, results->count + 1, &results->capacity));
  *out = &results->of[results->count++];
  fill_result(r, *out);
  return HK_OK;
}

static void begin(const hk_femses_body *b, const way *w, run *r)
{
  const char *form = hk_linear_form(w->method, w->preconditioner, b->mesh, 1, b->device);
  *r = (run){.b = b, .way = w, .form = hk_femses_find(b, form)};
  hk_bench_say(b->job, "%s, %d unknowns: %s, %s", b->name, (int)b->dofs, w->name,
               hk_device_describe(b->device)->backend);
}

static void end(run *r)
{
  hk_linear_report_clear(&r->report);
  hk_free(&r->u);
}

/* What finds no memory, or was stopped before it began to iterate, has no row: false. */
static hk_status measure_runs(run *r, bool warm, bool *there)
{
  const hk_status status = solve_runs(r, warm);
  *there = status == HK_OK;
  if (status != HK_NO_RESOURCES && status != HK_STOPPED) return status;
  hk_bench_say(r->b->job, "%s: %.120s", r->way->name, hk_error());
  return HK_OK;
}

static hk_status solve_by(const hk_femses_body *b, const way *w, hk_femses_results *results,
                          double *reference, bool *known)
{
  hk_status status = HK_OK;
  hk_femses_result *result;
  bool there;
  run r;
  begin(b, w, &r);
  const bool warm = hk_femses_result_of(results, b->name, w->name, b->place, 0) != NULL;
  HK_TRY(measure_runs(&r, warm, &there));
  if (!there) goto cleanup;
  HK_TRY(keep(&r, results, &result));
  json_t *row = row_of(&r, result, "whole");
  hk_bench_set_text(row, "figures", "5.1-5.13, 5.21, 5.24-5.27");
  if (r.converged) hk_bench_set(row, "difference", find_difference(&r, reference, known));
  hk_bench_add(b->job, row);
cleanup:
  end(&r);
  return status;
}

hk_status hk_femses_solve_all(const hk_femses_body *b, hk_femses_results *results)
{
  hk_status status = HK_OK;
  double *reference = NULL;
  bool known = false;
  HK_TRY(hk_get(&reference, b->mesh->node_count));
  for (int k = 0; k < WAYS; k++)
    if ((b->full || ways[k].key) &&
        hk_femses_wants(b->wanted, ways[k].method, ways[k].relaxation) && is_there(b, &ways[k]) &&
        is_expected(b, &ways[k], results))
      HK_TRY(solve_by(b, &ways[k], results, reference, &known));
cleanup:
  hk_free(&reference);
  return status;
}

static void add_grouped(const run *r, const hk_femses_group *group)
{
  hk_femses_result result;
  fill_result(r, &result);
  json_t *row = row_of(r, &result, "work-group size");
  hk_bench_set_text(row, "figures", "5.7, 5.22, 5.23");
  hk_bench_set_integer(row, "group_threads", group->threads);
  hk_bench_add(r->b->job, row);
}

hk_status hk_femses_solve_grouped(const hk_femses_body *b, const hk_femses_group *group)
{
  hk_status status = HK_OK;
  run r = {0};
  for (int k = 0; k < WAYS; k++) {
    const way *w = &ways[k];
    if (!w->grouped || !hk_femses_wants(b->wanted, w->method, w->relaxation) || !is_there(b, w))
      continue;
    bool there;
    begin(b, w, &r);
    HK_TRY(measure_runs(&r, false, &there));
    if (there) add_grouped(&r, group);
    end(&r);
  }
cleanup:
  end(&r);
  return status;
}

const hk_femses_result *hk_femses_result_of(const hk_femses_results *all, const char *body,
                                            const char *name, int place, hk_index dofs)
{
  const hk_femses_result *found = NULL;
  for (hk_count k = 0; k < all->count; k++) {
    const hk_femses_result *t = &all->of[k];
    if (strcmp(t->body, body) != 0 || strcmp(t->way, name) != 0 || t->place != place) continue;
    if (dofs ? t->dofs == dofs : t->converged && (!found || t->dofs > found->dofs)) found = t;
  }
  return found;
}
