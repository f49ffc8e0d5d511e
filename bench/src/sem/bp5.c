/* BP5 of CEED's bake-off problems: -div grad u = f with one component, quadrature at the nodes, and
 * u given on the boundary. Measured are K u alone and an iteration of conjugate gradients without a
 * preconditioner, from the difference of a long and a short solution. Curved elements read their
 * geometry, straight ones compute it. libCEED's rates stand beside hooke's. */
#include "sem/sem.h"
#include "solver/linear/cg.h"
#include <math.h>
#include <string.h>

enum { DEVICE_NODES = 12000000, HOST_NODES = 1000000, EMULATED_NODES = 1000 };
enum { EVERY = 10, FEW = 20, MANY = 120, ROUNDS = 3, LIBCEED_ORDERS = 8 };

/* libCEED, double, stored geometry, K u alone, GDOF/s by order: an H200; a core of a processor (0: not measured). */
static const double libceed[2][LIBCEED_ORDERS + 1] = {
    {0, 0.0071, 0.024, 0.044, 0.059, 0, 0.078, 0, 0.089},
    {0, 6.0, 15.3, 22.0, 23.7, 24.2, 21.9, 24.1, 17.9}};

/* z = r + 0 z */
typedef struct identity {
  hk_kernel *kernel;
  hk_buffer *scalar; /* zeros */
  hk_count n;
} identity;

static hk_status apply_identity(void *data, const hk_buffer *r, hk_buffer *z)
{
  const identity *m = data;
  const hk_argument argument[] = {hk_arg_buffer(m->scalar), hk_arg_buffer(r), hk_arg_buffer(z),
                                  hk_arg_int((int32_t)m->n)};
  return hk_kernel_launch(m->kernel, 0, hk_krylov_groups(m->n), argument, 4);
}

typedef struct problem {
  const hk_sem_body *body;
  hk_constraints held;
  hk_reduced a;
  identity m;
  hk_preconditioner preconditioner;
  hk_cg cg;
  hk_pool pool; /* of m's buffer and kernel */
  double *f, *u;
} problem;

static void clear(problem *p)
{
  hk_cg_destroy(&p->cg);
  hk_pool_clear(&p->pool);
  hk_reduced_destroy(&p->a);
  hk_constraints_clear(&p->held);
  hk_free(&p->f);
  hk_free(&p->u);
}

/* All on the boundary of the square or cube are 0, as are numbers without a node. */
static hk_status hold(const hk_sem_body *b, hk_constraints *held)
{
  const hk_index padded = b->space->padded;
  held->dofs = padded;
  HK_PASS(hk_get(&held->dof, padded));
  HK_PASS(hk_get(&held->begin, padded + 1));
  HK_PASS(hk_get(&held->offset, padded));
  for (hk_index i = 0; i < padded; i++) {
    bool inside = b->space->mesh_node[i] >= 0;
    for (int c = 0; inside && c < b->dim; c++) {
      const double x = b->x[(hk_count)b->space->mesh_node[i] * b->dim + c];
      inside = x > 1e-9 && x < 1 - 1e-9;
    }
    if (!inside) held->dof[held->count++] = i;
  }
  return HK_OK;
}

static hk_status create(const hk_sem_body *b, problem *p)
{
  p->body = b;
  HK_PASS(hold(b, &p->held));
  HK_PASS(hk_reduced_create(b->op, &p->held, &p->a));
  p->m.n = p->a.dofs;
  HK_PASS(hk_buffer_get(&p->pool, b->device, HK_SCALARS * 8, &p->m.scalar));
  HK_PASS(hk_krylov_kernel(&p->pool, b->device, "krylov", "krylov_direct", b->real, &p->m.kernel));
  p->preconditioner = (hk_preconditioner){
      .double_precision = b->real, .every = EVERY, .apply = apply_identity, .data = &p->m};
  HK_PASS(hk_cg_create(&p->a, &p->preconditioner, MANY, &p->cg));
  HK_PASS(hk_get(&p->f, p->a.dofs));
  HK_PASS(hk_get(&p->u, p->a.dofs));
  for (hk_count i = 0; i < p->a.dofs; i++) p->f[i] = sin(1e-2 * (double)(i % 1000));
  for (hk_index k = 0; k < p->held.count; k++) p->f[p->held.dof[k]] = 0;
  return HK_OK;
}

/* Of a solution that is ended before it converges. */
static hk_status time_iterations(problem *p, int iterations, double *seconds)
{
  hk_linear_report report = {0};
  memset(p->u, 0, (size_t)p->a.dofs * sizeof *p->u);
  const double start = hk_seconds();
  const hk_status status =
      hk_rounds_solve(&p->cg.rounds, &(hk_solve_run){.tolerance = 1e-300, .iterations = iterations},
                      p->f, p->u, &report);
  *seconds = hk_seconds() - start;
  hk_linear_report_clear(&report);
  return status == HK_NOT_CONVERGED ? HK_OK : status;
}

/* Seconds of an iteration: what many take beyond few. */
static hk_status time_iteration(problem *p, double *seconds)
{
  double few, many, least[2] = {HUGE_VAL, HUGE_VAL};
  for (int k = 0; k <= ROUNDS; k++) { /* the first warms */
    HK_PASS(time_iterations(p, FEW, &few));
    HK_PASS(time_iterations(p, MANY, &many));
    if (k) least[0] = fmin(least[0], few), least[1] = fmin(least[1], many);
  }
  *seconds = (least[1] - least[0]) / (MANY - FEW);
  return HK_OK;
}

static hk_status measure(const hk_sem_body *b)
{
  hk_status status = HK_OK;
  problem p = {0};
  double apply, iteration;
  const hk_device_info *info = hk_device_describe(b->device);
  hk_bench_say(b->job, "BP5, order %d, %s", b->order, info->backend);
  HK_TRY(create(b, &p));
  HK_TRY(hk_bench_time_product(b->job, b->op, p.cg.p, p.cg.rounds.q, &apply));
  HK_TRY(time_iteration(&p, &iteration));
  json_t *row = hk_sem_row(b, "bp5", b->map == HK_MAP_CURVED ? "stored" : "recomputed");
  const double dofs = (double)b->space->nodes;
  hk_bench_set(row, "seconds", apply);
  hk_bench_set(row, "gdof_per_s", dofs / apply * 1e-9);
  hk_bench_set(row, "cg_seconds", iteration);
  hk_bench_set(row, "cg_gdof_per_s", dofs / iteration * 1e-9);
  hk_bench_set_integer(row, "host_threads", info->threads);
  if (b->order <= LIBCEED_ORDERS && libceed[info->compiles][b->order] > 0)
    hk_bench_set(row, "libceed_gdof_per_s", libceed[info->compiles][b->order]);
  hk_bench_add(b->job, row);
cleanup:
  clear(&p);
  return status;
}

static hk_status measure_order(hk_sem_body *b)
{
  const hk_device_info *info = hk_device_describe(b->device);
  HK_PASS(hk_sem_body_create(b->job->scale * (info->unoptimised ? EMULATED_NODES
                                              : info->compiles  ? DEVICE_NODES
                                                                : HOST_NODES),
                             b));
  for (int k = 0; k < 2; k++) {
    HK_PASS(hk_sem_body_assemble(k ? HK_MAP_CORNERS : HK_MAP_CURVED, true, NULL, b));
    HK_PASS(measure(b));
  }
  return HK_OK;
}

hk_status hk_sem_bp5(hk_bench_job *job, hk_device *device, int place, const hk_sem_wanted *wanted)
{
  hk_status status = HK_OK;
  for (int order = 1; order <= HK_MOST_ORDER && wanted->dim[3]; order++) {
    hk_sem_body b = {
        .job = job, .device = device, .place = place, .dim = 3, .order = order, .fluid = true};
    if (!wanted->order[order]) continue;
    status = measure_order(&b);
    hk_sem_body_clear(&b);
    HK_TRY(status);
  }
cleanup:
  return status;
}
