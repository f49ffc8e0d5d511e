#include "solver/multigrid.h"
#include "operator/assembled.h"
#include "operator/elements.h"
#include "operator/list.h"
#include "operator/vertices.h"
#include "solver/cluster.h"
#include "solver/level.h"
#include "solver/simple.h"
#include <string.h>

/* Chebyshev steps before and after, over the upper 1 / RATIO of the spectrum; unknowns below which a level is inverted; a level that has
 * more than SHRINKS of the nodes of the one above is not worth having. */
enum {
  MOST_LEVELS = 12,
  DEGREE = 2,
  DEGREE_ELEMENTS = 3,
  RATIO = 8,
  MOST_DENSE = 400,
  SWEEPS = 16
};
static const double strength = 0.02, shrinks = 0.8;

typedef struct multigrid {
  bool double_precision;
  hk_operator *op;   /* own, in single precision; NULL: a's */
  hk_reduced fine;   /* of that */
  int count, degree; /* levels; of the smoothing below the finest */
  hk_level level[MOST_LEVELS];
  hk_block_rows up[MOST_LEVELS], down[MOST_LEVELS]; /* from level k + 1 to k, and back */
  hk_buffer *inverse;                               /* of the last level's matrix; NULL: smoothed */
  hk_kernel *dense;
  hk_count bytes;
} multigrid;

static void destroy(void *data)
{
  multigrid *m = data;
  if (!m) return;
  for (int k = 0; k < MOST_LEVELS; k++) {
    hk_level_destroy(&m->level[k]);
    hk_block_rows_destroy(&m->up[k]);
    hk_block_rows_destroy(&m->down[k]);
  }
  hk_buffer_destroy(&m->inverse);
  hk_kernel_destroy(&m->dense);
  hk_reduced_destroy(&m->fine);
  hk_operator_destroy(&m->op);
  hk_free(&m);
}

static hk_status solve_last(const multigrid *m, const hk_level *v, const hk_buffer *b, hk_buffer *x)
{
  const int group = hk_level_group(v->device);
  const int32_t n = v->nodes * v->block;
  const hk_argument argument[] = {hk_arg_buffer(m->inverse), hk_arg_buffer(b), hk_arg_buffer(x),
                                  hk_arg_int(n)};
  if (!m->inverse) return hk_level_smooth(v, b, x, true);
  return hk_kernel_launch(m->dense, 0, (n + group - 1) / group, argument, 4);
}

/* x = the V-cycle's approximation of A^-1 b on level k */
static hk_status cycle(const multigrid *m, int k, const hk_buffer *b, hk_buffer *x)
{
  hk_status status = HK_OK;
  const hk_level *v = &m->level[k], *next = v + 1;
  if (k == m->count - 1) return solve_last(m, v, b, x);
  HK_TRY(hk_level_smooth(v, b, x, true));
  HK_TRY(hk_level_residual(v, b, x));
  HK_TRY(hk_block_rows_multiply(&m->down[k], v->r, NULL, 1, next->b));
  HK_TRY(cycle(m, k + 1, next->b, next->x));
  HK_TRY(hk_block_rows_multiply(&m->up[k], next->x, x, 1, x));
  if (m->up[k].weights) HK_TRY(hk_reduced_fill(v->a, x)); /* interpolation knows no constraints */
  HK_TRY(hk_level_smooth(v, b, x, false));
cleanup:
  return status;
}

static hk_status apply(void *data, const hk_buffer *r, hk_buffer *z)
{
  return cycle(data, 0, r, z);
}

/* a[n][n] becomes its inverse; unknowns that are held stay zero. Gauss and Jordan, a row a thread. */
static void invert(hk_count n, double *a, double *row)
{
  for (hk_count k = 0; k < n; k++) {
    const double pivot = a[k * n + k];
    const bool held = !(pivot > 0);
    for (hk_count j = 0; j < n; j++) row[j] = held ? 0 : a[k * n + j] / pivot;
    row[k] = held ? 0 : 1 / pivot;
#pragma omp parallel for schedule(static)
    for (hk_count i = 0; i < n; i++) {
      const double factor = a[i * n + k];
      if (i == k || factor == 0) continue;
      a[i * n + k] = 0;
      for (hk_count j = 0; j < n; j++) a[i * n + j] -= factor * row[j];
    }
    memcpy(a + k * n, row, (size_t)n * sizeof *row);
  }
}

/* Own entries that rounding has left of nothing would be pivots. */
static hk_status create_inverse(multigrid *m, hk_device *device, const hk_block_matrix *a)
{
  hk_status status = HK_OK;
  const hk_level *v = &m->level[m->count - 1];
  const hk_count n = (hk_count)v->nodes * v->block;
  const int c = a->height;
  const bool real = m->double_precision;
  double *dense = NULL, *row = NULL;
  HK_TRY(hk_get(&dense, n * n));
  HK_TRY(hk_get(&row, n));
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      for (int q = 0; q < c * c; q++)
        dense[((hk_count)i * c + q / c) * n + (hk_count)a->column[e] * c + q % c] =
            a->block[e * c * c + q];
  invert(n, dense, row);
  HK_TRY(hk_buffer_create(device, n * n * (real ? 8 : 4), &m->inverse));
  HK_TRY(hk_buffer_write_reals(m->inverse, real, 0, n * n, dense));
  HK_TRY(hk_level_kernel(device, "level_dense", c, c, real, &m->dense));
  m->bytes += hk_buffer_bytes(m->inverse);
cleanup:
  hk_free(&dense);
  hk_free(&row);
  return status;
}

static hk_status complete_level(multigrid *m, hk_level *v, const hk_block_matrix *a)
{
  hk_status status = HK_OK;
  double *diagonal = NULL;
  HK_TRY(hk_get(&diagonal, (hk_count)a->rows * a->height * a->height));
  hk_block_diagonal(a, diagonal);
  HK_TRY(hk_level_set_diagonal(v, diagonal, a->rows, false));
  HK_TRY(hk_level_measure(v));
  m->bytes += v->bytes + v->rows.bytes;
cleanup:
  hk_free(&diagonal);
  return status;
}

static hk_status add_level(multigrid *m, hk_device *device, const hk_block_matrix *a)
{
  hk_status status = HK_OK;
  hk_level *v = &m->level[m->count++];
  *v = (hk_level){.device = device,
                  .double_precision = m->double_precision,
                  .block = a->height,
                  .ratio = RATIO,
                  .degree = m->degree};
  HK_TRY(hk_block_rows_create(device, a, m->double_precision, &v->rows));
  v->nodes = v->rows.nodes;
  HK_TRY(hk_level_create(v, true));
  HK_TRY(complete_level(m, v, a));
cleanup:
  return status;
}

/* Between the last level so far and one that is to come. */
static hk_status add_transfers(multigrid *m, hk_device *device, const hk_coarse *c)
{
  hk_status status = HK_OK;
  const int k = m->count - 1;
  HK_TRY(hk_block_rows_create(device, &c->p, m->double_precision, &m->up[k]));
  HK_TRY(hk_block_rows_create(device, &c->r, m->double_precision, &m->down[k]));
  m->bytes += m->up[k].bytes + m->down[k].bytes;
cleanup:
  return status;
}

/* Levels below `a`, that of the last level so far. All of it is overwritten. */
static hk_status coarsen(multigrid *m, const hk_space *space, hk_device *device, hk_block_matrix *a,
                         double **near_null, double **x)
{
  hk_status status = HK_OK;
  hk_coarse c = {0};
  while (m->count < MOST_LEVELS && (hk_count)a->rows * a->height > MOST_DENSE) {
    HK_TRY(hk_coarse_create(&(hk_coarse_desc){.a = a,
                                              .near_null = *near_null,
                                              .x = *x,
                                              .modes = hk_near_null_modes(space->components),
                                              .dim = space->dim,
                                              .most = m->level[m->count - 1].most,
                                              .strength = strength},
                            &c));
    if (!c.a.rows || c.a.rows > shrinks * a->rows) break;
    HK_TRY(add_transfers(m, device, &c));
    HK_TRY(add_level(m, device, &c.a));
    hk_block_matrix_clear(a);
    hk_free(near_null);
    hk_free(x);
    *a = c.a, c.a = (hk_block_matrix){0};
    *near_null = c.near_null, c.near_null = NULL;
    *x = c.x, c.x = NULL;
    hk_coarse_clear(&c);
  }
  if (m->count > 1 && (hk_count)a->rows * a->height <= 4 * MOST_DENSE)
    HK_TRY(create_inverse(m, device, a));
  else
    m->level[m->count - 1].degree = SWEEPS;
cleanup:
  hk_coarse_clear(&c);
  return status;
}

/* T as blocks of the host: free degrees of freedom themselves, dependent ones their masters. */
static hk_status find_reduction(const hk_constraints *c, int n, hk_block_matrix *t)
{
  hk_status status = HK_OK;
  const hk_index nodes = (hk_index)(c->dofs / n);
  hk_index next = 0;
  *t = (hk_block_matrix){.rows = nodes, .columns = nodes, .height = n, .width = n};
  HK_TRY(hk_get(&t->begin, nodes + 1));
  for (hk_index i = 0; i < c->count; i++)
    t->begin[c->dof[i] / n + 1] += c->begin[i + 1] - c->begin[i];
  for (hk_index i = 0; i < nodes; i++) t->begin[i + 1] += t->begin[i] + 1;
  HK_TRY(hk_get(&t->column, t->begin[nodes]));
  HK_TRY(hk_get(&t->block, t->begin[nodes] * n * n));
  for (hk_index i = 0; i < nodes; i++) {
    hk_count e = t->begin[i];
    t->column[e] = i;
    for (int k = 0; k < n; k++) t->block[e * n * n + k * (n + 1)] = 1;
    for (; next < c->count && c->dof[next] / n == i; next++) {
      const int row = c->dof[next] % n;
      t->block[t->begin[i] * n * n + row * (n + 1)] = 0;
      for (hk_index q = c->begin[next]; q < c->begin[next + 1]; q++) {
        t->column[++e] = c->master[q] / n;
        t->block[e * n * n + row * n + c->master[q] % n] = c->weight[q];
      }
    }
  }
cleanup:
  return status;
}

/* a = T^T a T */
static hk_status reduce(const hk_constraints *c, hk_block_matrix *a)
{
  hk_status status = HK_OK;
  hk_block_matrix t = {0}, transposed = {0}, product = {0};
  HK_TRY(find_reduction(c, a->height, &t));
  HK_TRY(hk_block_multiply(a, &t, &product));
  HK_TRY(hk_block_transpose(&t, &transposed));
  hk_block_matrix_clear(a);
  HK_TRY(hk_block_multiply(&transposed, &product, a));
cleanup:
  hk_block_matrix_clear(&t);
  hk_block_matrix_clear(&transposed);
  hk_block_matrix_clear(&product);
  return status;
}

static hk_status hold(const hk_constraints *c, hk_block_matrix *a)
{
  hk_status status = HK_OK;
  const int n = a->height;
  uint8_t *held = NULL;
  HK_TRY(hk_get(&held, c->dofs));
  for (hk_index i = 0; i < c->count; i++) held[c->dof[i]] = 1;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      for (int q = 0; q < n * n; q++)
        if (held[(hk_count)i * n + q / n] || held[(hk_count)a->column[e] * n + q % n])
          a->block[e * n * n + q] = 0;
cleanup:
  hk_free(&held);
  return status;
}

/* T^T K T of the host; rows and columns of dependent degrees of freedom are zero. */
static hk_status assemble(hk_operator *op, const hk_constraints *c, bool plain, hk_block_matrix *a)
{
  hk_status status = HK_OK;
  hk_csr k = {0};
  HK_TRY(hk_csr_find(op, &op->desc, &k));
  const hk_index rows = (hk_index)k.rows;
  *a = (hk_block_matrix){rows, rows, k.components, k.components, k.begin, k.column, k.block};
  HK_TRY(plain ? hold(c, a) : reduce(c, a));
cleanup:
  return status;
}

/* In single precision, on the host: its memory is slow, so that the operator's form is made once more. A GPU makes no second one: it
 * would take longer than what it saves. */
static bool pays_single(const hk_reduced *a)
{
  const hk_device_info *info = hk_device_describe(a->op->desc.device);
  return a->double_precision && (!info->compiles || info->emulated);
}

static hk_status create_finest(multigrid *m, const hk_reduced *a, const hk_constraints *constraints)
{
  hk_status status = HK_OK;
  hk_operator_desc desc = a->op->desc;
  hk_level *v = &m->level[m->count++];
  m->double_precision = a->double_precision && !pays_single(a);
  m->degree = DEGREE;
  desc.double_precision = m->double_precision;
  if (pays_single(a)) {
    HK_TRY(hk_operator_create(a->op->kind, &desc, &m->op));
    m->bytes += m->op->memory;
  }
  HK_TRY(hk_reduced_create(m->op ? m->op : a->op, constraints, &m->fine));
  *v = (hk_level){.device = desc.device,
                  .double_precision = m->double_precision,
                  .block = desc.space->components,
                  .nodes = desc.space->padded,
                  .a = &m->fine,
                  .ratio = RATIO,
                  .degree = DEGREE};
  HK_TRY(hk_level_create(v, false));
cleanup:
  return status;
}

/* The matrix of the finest level with rigid-body modes at its nodes, for coarsen. */
typedef struct start {
  hk_block_matrix a;
  double *near_null, *x;
} start;

static hk_status begin_from_finest(multigrid *m, const hk_reduced *a,
                                   const hk_constraints *constraints, const double *x, start *s)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &a->op->desc;
  const size_t count = (size_t)desc->space->padded * (size_t)desc->space->dim;
  HK_TRY(assemble(a->op, constraints, a->plain, &s->a));
  HK_TRY(complete_level(m, &m->level[0], &s->a));
  HK_TRY(hk_get(&s->x, (hk_count)count));
  memcpy(s->x, x, count * sizeof *x);
cleanup:
  return status;
}

/* Elements alone: the first level below is made of them, without rows of the finest. */
static hk_status begin_from_elements(multigrid *m, const hk_reduced *a,
                                     const hk_constraints *constraints, const double *x, start *s)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &a->op->desc;
  hk_coarse c = {0};
  HK_TRY(hk_level_find_diagonal(&m->level[0], constraints, false));
  HK_TRY(hk_level_measure(&m->level[0]));
  m->bytes += m->level[0].bytes;
  HK_TRY(hk_cluster_create(&(hk_cluster_desc){.on = desc,
                                              .constraints = constraints,
                                              .x = x,
                                              .most = m->level[0].most,
                                              .ordered = hk_operator_has_elements(a->op)},
                           &c));
  m->degree = DEGREE_ELEMENTS; /* aggregates by place alone are as good with that */
  HK_TRY(add_transfers(m, desc->device, &c));
  HK_TRY(add_level(m, desc->device, &c.a));
  s->a = c.a, c.a = (hk_block_matrix){0};
  s->x = c.x, c.x = NULL;
cleanup:
  hk_coarse_clear(&c);
  return status;
}

/* Constraints among vertices; a dependent degree of freedom that has other masters too is held. */
static hk_status constrain_vertices(const hk_constraints *c, const hk_vertices *v, int n,
                                    hk_constraints *out)
{
  hk_status status = HK_OK;
  hk_index *number = NULL, entries = 0;
  HK_TRY(hk_get(&number, c->dofs / n));
  HK_TRY(hk_get(&out->dof, c->count));
  HK_TRY(hk_get(&out->begin, c->count + 1));
  HK_TRY(hk_get(&out->master, c->count ? c->begin[c->count] : 0));
  HK_TRY(hk_get(&out->weight, c->count ? c->begin[c->count] : 0));
  for (hk_count i = 0; i < c->dofs / n; i++) number[i] = -1;
  for (hk_index k = 0; k < v->count; k++) number[v->node[k]] = k;
  out->dofs = (hk_count)v->count * n;
  for (hk_index i = 0; i < c->count; i++) {
    bool whole = true;
    if (number[c->dof[i] / n] < 0) continue;
    out->dof[out->count] = number[c->dof[i] / n] * n + c->dof[i] % n;
    for (hk_index e = c->begin[i]; e < c->begin[i + 1]; e++)
      whole = whole && number[c->master[e] / n] >= 0;
    for (hk_index e = c->begin[i]; whole && e < c->begin[i + 1]; e++, entries++) {
      out->master[entries] = number[c->master[e] / n] * n + c->master[e] % n;
      out->weight[entries] = c->weight[e];
    }
    out->begin[++out->count] = entries;
  }
cleanup:
  hk_free(&number);
  return status;
}

static hk_status create_transfers(multigrid *m, hk_device *device, const hk_vertices *v, int n,
                                  hk_index rows)
{
  hk_status status = HK_OK;
  hk_block_matrix down = {0};
  const hk_block_matrix up = {rows, v->count, 1, 1, v->begin, v->vertex, v->weight};
  HK_TRY(hk_block_transpose(&up, &down));
  HK_TRY(hk_block_rows_create_weights(device, &up, n, m->double_precision, &m->up[0]));
  HK_TRY(hk_block_rows_create_weights(device, &down, n, m->double_precision, &m->down[0]));
  m->bytes += m->up[0].bytes + m->down[0].bytes;
cleanup:
  hk_block_matrix_clear(&down);
  return status;
}

static hk_status begin_from_vertices(multigrid *m, const hk_reduced *a,
                                     const hk_constraints *constraints, const double *x, start *s)
{
  hk_status status = HK_OK;
  const hk_operator_desc *desc = &a->op->desc;
  const int n = desc->space->components, dim = desc->space->dim;
  hk_vertices v = {0};
  hk_constraints c = {0};
  HK_TRY(hk_level_find_diagonal(&m->level[0], constraints, false));
  HK_TRY(hk_level_measure(&m->level[0]));
  m->bytes += m->level[0].bytes;
  HK_TRY(hk_vertices_create(desc, &v));
  HK_TRY(create_transfers(m, desc->device, &v, n, desc->space->padded));
  HK_TRY(constrain_vertices(constraints, &v, n, &c));
  s->a = (hk_block_matrix){v.count, v.count, n, n, v.matrix.begin, v.matrix.column, v.matrix.block};
  v.matrix = (hk_csr){0};
  HK_TRY(c.begin[c.count] ? reduce(&c, &s->a) : hold(&c, &s->a));
  HK_TRY(add_level(m, desc->device, &s->a));
  HK_TRY(hk_get(&s->x, (hk_count)v.count * dim));
  for (hk_index i = 0; i < v.count; i++)
    memcpy(s->x + (hk_count)i * dim, x + (hk_count)v.node[i] * dim, (size_t)dim * sizeof *x);
cleanup:
  hk_vertices_clear(&v);
  hk_constraints_clear(&c);
  return status;
}

hk_status hk_multigrid_create(const hk_reduced *a, const hk_constraints *constraints,
                              const double *x, hk_preconditioner *out)
{
  hk_status status = HK_OK;
  const hk_space *space = a->op->desc.space;
  const int n = space->components;
  multigrid *m = NULL;
  start s = {0};
  hk_preconditioner made = {.every = 1, .apply = apply, .destroy = destroy};
  HK_TRY(hk_new(&m));
  made.data = m;
  HK_TRY(create_finest(m, a, constraints));
  if (hk_vertices_exist(space->mesh))
    HK_TRY(begin_from_vertices(m, a, constraints, x, &s));
  else if (a->op->kind != &hk_operator_assembled && n == 1 && a->plain)
    HK_TRY(begin_from_elements(m, a, constraints, x, &s));
  else
    HK_TRY(begin_from_finest(m, a, constraints, x, &s));
  HK_TRY(hk_get(&s.near_null, (hk_count)s.a.rows * n * hk_near_null_modes(n)));
  hk_near_null(n, s.a.rows, s.x, s.near_null);
  HK_TRY(coarsen(m, space, a->op->desc.device, &s.a, &s.near_null, &s.x));
  made.bytes = m->bytes, made.double_precision = m->double_precision;
  *out = made, made = (hk_preconditioner){0};
cleanup:
  hk_preconditioner_destroy(&made);
  hk_block_matrix_clear(&s.a);
  hk_free(&s.near_null);
  hk_free(&s.x);
  return status;
}
