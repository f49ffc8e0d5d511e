/* Multigrid as a preconditioner: cycle() is the V-cycle, x = M b.
 * Levels are made from fine to coarse: the operator's own form (create_finest), elements of lower orders (add_orders), vertices, then smoothed
 * aggregation (coarsen) until few unknowns are left, whose matrix is inverted (hk_dense_invert). Each coarse matrix is made on the
 * device (solver/linear/sparse/galerkin.h) and replaces what it was made from; each level is smoothed by DEGREE Chebyshev steps before and after. */
#include "solver/linear/multigrid/multigrid.h"
#include "operator/assembly/assembled.h"
#include "operator/list.h"
#include "operator/coarse/vertices.h"
#include "solver/linear/sparse/aggregate.h"
#include "solver/linear/sparse/shared_rows.h"
#include "solver/linear/multigrid/order.h"
#include <string.h>

/* Chebyshev steps before and after, over the upper 1 / RATIO of the spectrum; unknowns below which a level is inverted; a level that has
 * more than SHRINKS of the nodes of the one above is not worth having. */
enum { MOST_LEVELS = 12, DEGREE = 2, DEGREE_SCALAR = 3, RATIO = 8, MOST_DENSE = 400, SWEEPS = 16 };
/* Unknowns of the last level up to which it is inverted; rows for each rank below which ranks do not share a level: exchanges would take longer. */
enum { MOST_INVERTED = 4 * MOST_DENSE, LEAST_ROWS = 128 };
static const double strength = 0.2, strength_scalar = 0.25, shrinks = 0.8;

typedef struct multigrid {
  bool double_precision;
  hk_operator *op;   /* own, in single precision; NULL: a's */
  hk_reduced fine;   /* of that */
  int count, degree; /* levels; of the smoothing below the finest */
  hk_level level[MOST_LEVELS];
  hk_transfer transfer[MOST_LEVELS];          /* between levels k and k + 1 */
  hk_order_level order[HK_MOST_ORDER_LEVELS]; /* of levels 1 ... orders */
  int orders;
  hk_buffer *inverse; /* of the last level's matrix; NULL: smoothed */
  hk_kernel *dense;
  hk_pool pool; /* of both */
  hk_count bytes;
} multigrid;

/* What levels are made from: the matrix of the last one so far, rigid-body modes and places of its nodes, on the device. */
typedef struct making {
  multigrid *m;
  hk_galerkin_tools tools;
  hk_galerkin_matrix a;
  hk_buffer *near_null, *x;
  const hk_sharing *share; /* of a's rows among ranks; NULL: they are all here */
} making;

static void destroy(void *data)
{
  multigrid *m = data;
  if (!m) return;
  for (int k = 0; k < HK_MOST_ORDER_LEVELS; k++) hk_order_level_clear(&m->order[k]);
  for (int k = 0; k < MOST_LEVELS; k++) {
    hk_level_destroy(&m->level[k]);
    hk_transfer_destroy(&m->transfer[k]);
  }
  hk_pool_clear(&m->pool);
  hk_reduced_destroy(&m->fine);
  hk_operator_destroy(&m->op);
  hk_free(&m);
}

static hk_status solve_last(const multigrid *m, const hk_level *v, const hk_buffer *b, hk_buffer *x)
{
  const int group = hk_level_group(v->device);
  const int32_t n = v->nodes * v->block;
  if (!m->inverse) return hk_level_smooth(v, b, x, true);
  return hk_kernel_launch(m->dense, 0, (n + group - 1) / group, HK_ARGUMENTS(m->inverse, b, x, n));
}

/* x = the V-cycle's approximation of A^-1 b on level k */
static hk_status cycle(const multigrid *m, int k, const hk_buffer *b, hk_buffer *x)
{
  const hk_level *v = &m->level[k], *next = v + 1;
  if (k == m->count - 1) return solve_last(m, v, b, x);
  HK_PASS(hk_level_smooth(v, b, x, true));
  HK_PASS(hk_level_residual(v, b, x));
  HK_PASS(hk_transfer_down(&m->transfer[k], v->r, next->b));
  if (next->a) HK_PASS(hk_reduced_collect(next->a, next->b));
  HK_PASS(cycle(m, k + 1, next->b, next->x));
  HK_PASS(hk_transfer_up(&m->transfer[k], next->x, x));
  if (m->transfer[k].up.components)
    HK_PASS(hk_reduced_fill(v->a, x)); /* interpolation knows no constraints */
  return hk_level_smooth(v, b, x, false);
}

static hk_status apply(void *data, const hk_buffer *r, hk_buffer *z)
{
  return cycle(data, 0, r, z);
}

static hk_status create_inverse(making *k)
{
  hk_status status = HK_OK;
  multigrid *m = k->m;
  hk_device *device = k->tools.device;
  const hk_level *v = &m->level[m->count - 1];
  const hk_count n = (hk_count)v->nodes * v->block;
  const int c = k->a.height;
  const bool real = m->double_precision;
  hk_block_matrix a = {0};
  hk_pool pool = {0};
  double *dense, *room;
  HK_TRY(hk_galerkin_read(&k->a, &a));
  HK_TRY(hk_pool_get(&pool, &dense, n * n));
  HK_TRY(hk_pool_get(&pool, &room, hk_dense_room(n)));
  for (hk_index i = 0; i < a.rows; i++)
    for (hk_count e = a.begin[i]; e < a.begin[i + 1]; e++)
      for (int q = 0; q < c * c; q++)
        dense[((hk_count)i * c + q / c) * n + (hk_count)a.column[e] * c + q % c] =
            a.block[e * c * c + q];
  hk_dense_invert(n, dense, room);
  HK_TRY(hk_buffer_get(&m->pool, device, n * n * (real ? 8 : 4), &m->inverse));
  HK_TRY(hk_buffer_write_reals(m->inverse, real, 0, n * n, dense));
  HK_TRY(hk_level_kernel(&m->pool, device, "level_dense", c, c, real, &m->dense));
  m->bytes += hk_buffer_bytes(m->inverse);
cleanup:
  hk_block_matrix_clear(&a);
  hk_pool_clear(&pool);
  return status;
}

static hk_count unknowns_of(const hk_galerkin_matrix *a)
{
  return (hk_count)a->rows * a->height;
}

/* Whether a level is whole on each rank. */
static bool is_whole(const hk_sharing *share, const hk_galerkin_matrix *a)
{
  return share && (a->rows < LEAST_ROWS * share->count || unknowns_of(a) <= MOST_INVERTED);
}

/* Of the own rows of k->a all of them, where its level is whole. share: of its nodes; NULL: one process. */
static hk_status share_level(making *k, const hk_sharing *share)
{
  const bool whole = is_whole(share, &k->a);
  k->share = whole ? NULL : share;
  return whole ? hk_shared_gather(share, &k->tools, &k->a) : HK_OK;
}

/* What is launched of own rows, and what they read of others. */
static hk_status share_rows(making *k, hk_level *v)
{
  const hk_share_groups own = hk_sharing_cover(k->share, v->rows.group, v->rows.groups);
  v->rows.first = own.first, v->rows.groups = own.count;
  return hk_shared_halo(k->share, &k->tools, &k->a, v->block * 8LL, &v->halo);
}

/* D of the last level so far, that of k->a. */
static hk_status complete_level(making *k)
{
  hk_status status = HK_OK;
  hk_level *v = &k->m->level[k->m->count - 1];
  const bool real = k->m->double_precision;
  hk_buffer *diagonal = NULL;
  HK_TRY(hk_buffer_create(k->tools.device,
                          (hk_count)v->nodes * v->block * v->block * (real ? 8 : 4), &diagonal));
  HK_TRY(hk_galerkin_diagonal(&k->tools, &k->a, real, diagonal));
  HK_TRY(hk_level_invert(v, diagonal, false));
  HK_TRY(hk_level_measure(v));
  k->m->bytes += v->bytes + v->rows.bytes;
cleanup:
  hk_buffer_destroy(&diagonal);
  return status;
}

/* That of k->a. */
static hk_status add_level(making *k)
{
  multigrid *m = k->m;
  hk_level *v = &m->level[m->count++];
  *v = (hk_level){.device = k->tools.device,
                  .double_precision = m->double_precision,
                  .block = k->a.height,
                  .share = k->share,
                  .ratio = RATIO,
                  .degree = m->degree};
  HK_PASS(hk_galerkin_pack(&k->tools, &k->a, 0, m->double_precision, &v->rows));
  v->nodes = v->rows.nodes;
  if (k->share) HK_PASS(share_rows(k, v));
  HK_PASS(hk_level_create(v, true));
  return complete_level(k);
}

/* Between the last level so far and c's. */
static hk_status add_transfer(making *k, hk_coarse *c)
{
  multigrid *m = k->m;
  hk_transfer *to = &m->transfer[m->count - 1];
  HK_PASS(hk_transfer_create(&k->tools,
                             &(hk_transfer_desc){.p = &c->p,
                                                 .r = &c->r,
                                                 .above = k->a.height,
                                                 .below = c->a.height,
                                                 .double_precision = m->double_precision,
                                                 .share = k->share,
                                                 .below_share = &c->share,
                                                 .whole = is_whole(c->share, &c->a)},
                             to));
  m->bytes += to->up.bytes + to->down.bytes;
  return HK_OK;
}

/* c takes the place of what it was made from. */
static hk_status descend(making *k, hk_coarse *c)
{
  const hk_sharing *share = k->m->transfer[k->m->count - 1].share;
  hk_galerkin_clear(&k->a);
  hk_buffer_destroy(&k->near_null);
  hk_buffer_destroy(&k->x);
  k->a = c->a, k->near_null = c->near_null, k->x = c->x;
  c->a = (hk_galerkin_matrix){0}, c->near_null = c->x = NULL;
  HK_PASS(share_level(k, share));
  if (!share || k->share) return HK_OK;
  HK_PASS(hk_sharing_gather_buffer(share, k->x, hk_buffer_bytes(k->x) / k->a.rows));
  return hk_sharing_gather_buffer(share, k->near_null, hk_buffer_bytes(k->near_null) / k->a.rows);
}

/* Levels below k->a, that of the last level so far. */
static hk_status coarsen(making *k, const hk_space *space)
{
  hk_status status = HK_OK;
  multigrid *m = k->m;
  hk_coarse c = {0};
  while (m->count < MOST_LEVELS && unknowns_of(&k->a) > MOST_DENSE) {
    HK_TRY(hk_coarse_create(
        &k->tools,
        &(hk_coarse_desc){.a = &k->a,
                          .near_null = k->near_null,
                          .x = k->x,
                          .modes = hk_near_null_modes(space->components, hk_space_solid(space)),
                          .dim = space->dim,
                          .most = m->level[m->count - 1].most,
                          .share = k->share,
                          .halo = m->level[m->count - 1].halo,
                          .strength = hk_space_solid(space) ? strength : strength_scalar},
        &c));
    if (!c.a.rows || c.a.rows > shrinks * k->a.rows) break;
    HK_TRY(add_transfer(k, &c));
    HK_TRY(hk_galerkin_look(&k->tools));
    HK_TRY(descend(k, &c));
    hk_coarse_clear(&c);
    HK_TRY(add_level(k));
  }
  if (m->count > 1 && unknowns_of(&k->a) <= MOST_INVERTED)
    HK_TRY(create_inverse(k));
  else
    m->level[m->count - 1].degree = SWEEPS;
cleanup:
  hk_coarse_clear(&c);
  return status;
}

/* k->a = K on the host, where patches are not consecutive. */
static hk_status assemble_plainly(making *k, const hk_operator_desc *desc)
{
  hk_status status = HK_OK;
  hk_csr csr = {0};
  HK_TRY(hk_csr_assemble(desc, &csr));
  const hk_index rows = (hk_index)csr.rows;
  HK_TRY(hk_galerkin_send(k->tools.device,
                          &(hk_block_matrix){rows, rows, csr.components, csr.components, csr.begin,
                                             csr.column, csr.block},
                          &k->a));
cleanup:
  hk_csr_clear(&csr);
  return status;
}

/* k->a = K, from rows that exist, or are made for that alone. */
static hk_status assemble(making *k, hk_operator *op)
{
  hk_status status = HK_OK;
  hk_assembly *own = NULL;
  hk_assembly_desc desc = {.on = op->desc};
  desc.on.double_precision = true;
  if (op->kind == &hk_operator_assembled && op->desc.double_precision)
    return hk_galerkin_take(&k->tools, hk_assembled_matrix(op), &k->a);
  if (op->desc.space->blocks) return assemble_plainly(k, &op->desc);
  HK_TRY(hk_assembly_create(&desc, &own));
  HK_TRY(hk_assembly_fill(own));
  HK_TRY(hk_galerkin_take(&k->tools, own, &k->a));
cleanup:
  hk_assembly_destroy(&own);
  return status;
}

/* k->a = own rows of K, where ranks share them. */
static hk_status assemble_shared(making *k, hk_operator *op)
{
  hk_status status = HK_OK;
  hk_operator *own = NULL;
  hk_operator_desc desc = op->desc;
  const hk_sharing *share = desc.share;
  desc.double_precision = true;
  if (!op->desc.double_precision) HK_TRY(hk_operator_create(&hk_operator_assembled, &desc, &own));
  HK_TRY(hk_galerkin_take(&k->tools, hk_assembled_matrix(own ? own : op), &k->a));
  HK_TRY(hk_shared_keep(&k->tools, hk_sharing_first(share), hk_sharing_end(share), &k->a));
  k->share = share;
cleanup:
  hk_operator_destroy(&own);
  return status;
}

/* In single precision, on the host: its memory is slow, so that the operator's form is made once more. A GPU makes no second one: it
 * would take longer than what it saves. */
static bool pays_single(const hk_reduced *a)
{
  return a->double_precision && !hk_device_describe(a->op->desc.device)->overlaps;
}

static hk_status create_finest(multigrid *m, const hk_reduced *a, const hk_constraints *constraints,
                               bool wide)
{
  hk_operator_desc desc = a->op->desc;
  hk_level *v = &m->level[m->count++];
  const bool single = !wide && pays_single(a);
  m->double_precision = a->double_precision && !single;
  m->degree =
      a->op->kind != &hk_operator_assembled && desc.space->components == 1 ? DEGREE_SCALAR : DEGREE;
  desc.double_precision = m->double_precision;
  if (single) {
    desc.rounded = a->op;
    HK_PASS(hk_operator_create(a->op->kind, &desc, &m->op));
    m->bytes += m->op->memory;
  }
  HK_PASS(hk_reduced_create(m->op ? m->op : a->op, constraints, &m->fine));
  *v = hk_level_of(&m->fine, RATIO, DEGREE);
  return hk_level_create(v, false);
}

/* x[rows][dim] of k->a, of the pool. */
static hk_status begin_from_finest(making *k, const hk_reduced *a,
                                   const hk_constraints *constraints, hk_pool *pool, double **x)
{
  const hk_space *space = a->op->desc.space;
  HK_PASS(a->op->desc.share ? assemble_shared(k, a->op) : assemble(k, a->op));
  HK_PASS(hk_galerkin_look(&k->tools));
  HK_PASS(hk_galerkin_constrain(&k->tools, constraints, k->share, &k->a));
  if (k->share)
    HK_PASS(hk_shared_halo(k->share, &k->tools, &k->a, k->a.height * 8LL, &k->m->level[0].halo));
  HK_PASS(complete_level(k));
  HK_PASS(hk_pool_get(pool, x, (hk_count)space->padded * space->dim));
  hk_space_to_internal(space, space->dim, space->mesh->x, *x);
  return HK_OK;
}

/* Level m->count, of elements of that order, below the last so far, which is of `above`. */
static hk_status add_order(making *k, const hk_operator_desc *above,
                           const hk_constraints *constraints, int order)
{
  multigrid *m = k->m;
  hk_order_level *own = &m->order[m->orders++];
  hk_transfer *to = &m->transfer[m->count - 1];
  HK_PASS(hk_order_level_create(&k->tools, above, constraints, order, own, to));
  hk_level *v = &m->level[m->count++];
  *v = hk_level_of(&own->a, RATIO, DEGREE);
  HK_PASS(hk_level_create(v, true));
  HK_PASS(hk_order_level_smoother(v, &own->constraints));
  m->bytes += to->up.bytes + to->down.bytes + v->bytes + own->op->memory + own->a.bytes;
  return HK_OK;
}

/* *last, constraints: of the last level with an operator. */
static hk_status add_orders(making *k, const hk_operator_desc **last,
                            const hk_constraints **constraints)
{
  multigrid *m = k->m;
  HK_PASS(hk_order_level_smoother(&m->level[0], *constraints));
  m->bytes += m->level[0].bytes;
  for (int order; (order = hk_order_below((*last)->space->mesh)) > 1;) {
    HK_PASS(add_order(k, *last, *constraints, order));
    *last = &m->order[m->orders - 1].op->desc;
    *constraints = &m->order[m->orders - 1].constraints;
  }
  return HK_OK;
}

/* k->a = K of the vertices under these constraints; what takes vectors there from the last level so far, which is of `above`. */
static hk_status take_vertices(making *k, const hk_operator_desc *above, const hk_constraints *c,
                               hk_vertices *v)
{
  multigrid *m = k->m;
  hk_transfer *to = &m->transfer[m->count - 1];
  hk_device *device = above->device;
  const int n = above->space->components;
  const hk_block_matrix matrix = {v->count,         v->count,       n, n, v->matrix.begin,
                                  v->matrix.column, v->matrix.block};
  HK_PASS(v->rows ? hk_galerkin_take(&k->tools, v->rows, &k->a)
                  : hk_galerkin_send(device, &matrix, &k->a));
  hk_assembly_destroy(&v->rows); /* the device need not hold both while levels below are made */
  if (v->share)
    HK_PASS(hk_shared_keep(&k->tools, hk_sharing_first(v->share), hk_sharing_end(v->share), &k->a));
  HK_PASS(hk_galerkin_constrain(&k->tools, c, v->share, &k->a));
  HK_PASS(hk_interpolation_pack(&k->tools, &v->up, n, m->double_precision,
                                v->share ? above->share : NULL, &v->share,
                                is_whole(v->share, &k->a), to));
  m->bytes += to->up.bytes + to->down.bytes;
  return share_level(k, to->share);
}

/* The vertices of elements of order 2 and more, below levels of lower orders. As begin_from_finest. */
static hk_status begin_from_vertices(making *k, const hk_constraints *constraints, hk_pool *pool,
                                     double **x)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &k->m->fine.op->desc;
  const int n = desc->space->components, dim = desc->space->dim;
  hk_vertices v = {0};
  hk_constraints c = {0};
  hk_clock_next("orders");
  HK_TRY(add_orders(k, &desc, &constraints));
  hk_clock_next("vertices");
  HK_TRY(hk_vertices_create(desc, &v));
  HK_TRY(hk_galerkin_look(&k->tools));
  HK_TRY(hk_constraints_coarse(constraints, &v.up, n, &c));
  HK_TRY(take_vertices(k, desc, &c, &v));
  HK_TRY(add_level(k));
  HK_TRY(hk_pool_get(pool, x, (hk_count)v.count * dim));
  for (hk_index i = 0; i < v.count; i++)
    memcpy(*x + (hk_count)i * dim,
           desc->space->mesh->x + (hk_count)desc->space->mesh_node[v.node[i]] * dim,
           (size_t)dim * sizeof **x);
cleanup:
  hk_vertices_clear(&v);
  hk_constraints_clear(&c);
  return status;
}

hk_status hk_multigrid_create(const hk_reduced *a, const hk_constraints *constraints, bool wide,
                              const hk_stop *stop, hk_preconditioner *out)
{
  hk_status status = HK_OK;
  const hk_space *space = a->op->desc.space;
  hk_pool pool = {0};
  double *x;
  making k = {.tools = {.device = a->op->desc.device, .stop = stop}};
  hk_preconditioner made = {.every = 1, .apply = apply, .destroy = destroy};
  const int before = hk_clock_begin("finest level");
  HK_TRY(hk_new(&k.m));
  made.data = k.m;
  HK_TRY(create_finest(k.m, a, constraints, wide));
  HK_TRY(hk_galerkin_look(&k.tools));
  if (hk_vertices_exist(space->mesh) && !hk_terms_join(&a->op->desc.terms))
    HK_TRY(begin_from_vertices(&k, constraints, &pool, &x));
  else
    HK_TRY(begin_from_finest(&k, a, constraints, &pool, &x));
  hk_clock_next("coarsening");
  HK_TRY(hk_buffer_create(k.tools.device, (hk_count)k.a.rows * space->dim * 8, &k.x));
  HK_TRY(hk_buffer_write(k.x, 0, hk_buffer_bytes(k.x), x));
  HK_TRY(hk_near_null_create(&k.tools, space->components, hk_space_solid(space), k.a.rows, x, k.x,
                             k.share, &k.near_null));
  HK_TRY(coarsen(&k, space));
  made.bytes = k.m->bytes, made.double_precision = k.m->double_precision;
  *out = made, made = (hk_preconditioner){0};
cleanup:
  hk_clock_end(before);
  hk_preconditioner_destroy(&made);
  hk_galerkin_clear(&k.a);
  hk_buffer_destroy(&k.near_null);
  hk_buffer_destroy(&k.x);
  hk_galerkin_tools_clear(&k.tools);
  hk_pool_clear(&pool);
  return status;
}
