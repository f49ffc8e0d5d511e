/* A clamped body under load, its constraints, and the dense solution that solvers are held to. */
#ifndef TESTS_SOLVER_LINEAR_FIXTURE_H
#define TESTS_SOLVER_LINEAR_FIXTURE_H
#include "mesh/mesh.h"
#include "element/element.h"
#include "operator/assembly/csr.h"
#include "solver/linear/sparse/galerkin.h"
#include "solver/linear/linear.h"
#include "support/check.h"

/* A form of K for any mesh: rows of blocks from the host's matrix. */
static inline hk_space_desc rows_space(const hk_mesh *mesh, const hk_device *device, bool real)
{
  (void)mesh, (void)real;
  return (hk_space_desc){.patch = 512, .slice = hk_device_describe(device)->width};
}

static inline hk_status rows_create(hk_operator *op)
{
  hk_csr k = {0};
  hk_block_rows *rows = NULL;
  hk_status status = hk_csr_assemble(&op->desc, &k);
  if (status == HK_OK) status = hk_new(&rows);
  op->data = rows;
  const hk_block_matrix m = {(hk_index)k.rows, (hk_index)k.rows, k.components, k.components,
                             k.begin,          k.column,         k.block};
  hk_galerkin_tools tools = {.device = op->desc.device};
  hk_galerkin_matrix sent = {0};
  if (status == HK_OK) status = hk_galerkin_send(tools.device, &m, &sent);
  if (status == HK_OK) status = hk_galerkin_pack(&tools, &sent, 0, op->desc.double_precision, rows);
  if (rows) op->memory = rows->bytes;
  hk_galerkin_clear(&sent);
  hk_galerkin_tools_clear(&tools);
  hk_csr_clear(&k);
  return status;
}

static inline hk_status rows_bind(hk_operator *op, hk_form form, bool damped, int shots)
{
  (void)op, (void)damped, (void)shots;
  return form == HK_FORM_STORE ? HK_OK : HK_INTERNAL;
}

static inline hk_status rows_apply(hk_operator *op, const hk_epilogue *epilogue, unsigned phases)
{
  (void)phases;
  return hk_block_rows_multiply(op->data, epilogue->u, NULL, 1, epilogue->out);
}

static inline void rows_destroy(hk_operator *op)
{
  if (op->data) hk_block_rows_destroy(op->data);
  hk_memory_free(&op->data);
}

static const hk_operator_kind rows_kind = {.name = "rows",
                                           .space = rows_space,
                                           .create = rows_create,
                                           .bind = rows_bind,
                                           .apply = rows_apply,
                                           .destroy = rows_destroy};

static inline int by_number(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The linear mesh's one block becomes `shape`, of second order with nodes on the edges alone, in their middles. */
static inline void mesh_raise(hk_mesh *mesh, hk_shape shape)
{
  const hk_element *high = hk_element_of(shape), *low = hk_element_of(mesh->block->shape);
  hk_block *block = mesh->block;
  const hk_count count = block->count, edges = high->nodes - low->nodes;
  int64_t *edge = NULL, *sorted = NULL;
  hk_index *node = NULL, vertices = (hk_index)mesh->node_count;
  hk_count kept = 0;
  ok(hk_get(&edge, count * edges));
  ok(hk_get(&sorted, count * edges));
  ok(hk_get(&node, count * high->nodes));
  for (hk_count e = 0; e < count; e++)
    for (int n = 0; n < edges; n++) {
      double weight[HK_LISTED_NODES];
      int64_t end[2] = {0};
      int ends = 0;
      hk_element_functions(low, high->reference[low->nodes + n], weight, NULL);
      for (int c = 0; c < low->nodes; c++)
        if (weight[c] > 0.25) end[ends++] = block->node[e * low->nodes + c];
      assert_int_equal(ends, 2);
      edge[e * edges + n] =
          end[0] < end[1] ? end[0] * (1LL << 32) + end[1] : end[1] * (1LL << 32) + end[0];
    }
  memcpy(sorted, edge, (size_t)(count * edges) * sizeof *edge);
  qsort(sorted, (size_t)(count * edges), sizeof *sorted, by_number);
  for (hk_count k = 0; k < count * edges; k++)
    if (!k || sorted[k] != sorted[kept - 1]) sorted[kept++] = sorted[k];
  for (hk_count e = 0; e < count; e++)
    for (int n = 0; n < high->nodes; n++) {
      if (n < low->nodes) {
        node[e * high->nodes + n] = block->node[e * low->nodes + n];
        continue;
      }
      const int64_t *found = bsearch(&edge[e * edges + n - low->nodes], sorted, (size_t)kept,
                                     sizeof *sorted, by_number);
      node[e * high->nodes + n] = vertices + (hk_index)(found - sorted);
    }
  hk_free(&mesh->node_label);
  ok(hk_resize(&mesh->x, (vertices + kept) * mesh->dim));
  for (hk_count k = 0; k < kept; k++)
    for (int d = 0; d < mesh->dim; d++)
      mesh->x[(vertices + k) * mesh->dim + d] =
          (mesh->x[(sorted[k] >> 32) * mesh->dim + d] +
           mesh->x[(sorted[k] & 0xffffffff) * mesh->dim + d]) /
          2;
  mesh->node_count += kept;
  hk_free(&block->node);
  *block = (hk_block){shape, high->nodes, 0, count, node};
  hk_free(&edge);
  hk_free(&sorted);
}

typedef struct problem {
  hk_mesh *mesh;
  hk_region region;
  int16_t *element_region;
  hk_device *device;
  hk_space *space;
  hk_operator *op;
  hk_constraint_rows rows;
  hk_constraints constraints;
  hk_count dofs;
  double *f, *u;
} problem;

typedef struct problem_desc {
  hk_shape shape;
  int order; /* > 1: that it is raised to */
  hk_index cells[3];
  double size[3]; /* 0: 1, 1.2, 0.9 */
  double jitter, poisson;
  const char *device, *form; /* "cpu", "edges" */
  int threads;
  bool single;
  bool equations; /* ties of the nodes at the right side to one of them, and a slope */
  bool loose;     /* nothing is held */
} problem_desc;

static inline void constrain(problem *p, const problem_desc *desc)
{
  const hk_mesh *mesh = p->mesh;
  const int dim = mesh->dim;
  const double one = 1, right = desc->size[0] > 0 ? desc->size[0] : 1;
  hk_index first = -1;
  for (hk_count n = 0; n < mesh->node_count; n++) {
    const hk_index i = p->space->node[n] * dim;
    if (i < 0) continue;
    if (mesh->x[n * dim] < 1e-9 && !desc->loose)
      for (int c = 0; c < dim; c++) {
        const hk_index dof = i + c;
        ok(hk_constraint_rows_add(&p->rows, 1, &dof, &one, c == 1 ? 0.01 * mesh->x[n * dim + 1] : 0,
                                  NULL, 0));
      }
    if (!desc->equations || mesh->x[n * dim] < right - 1e-9) continue;
    if (first < 0) {
      first = i;
      continue;
    }
    const hk_index tied[2] = {i, first}, slope[3] = {i + 1, first + 1, i};
    const double equal[2] = {1, -1}, weights[3] = {1, -1, 0.3};
    ok(hk_constraint_rows_add(&p->rows, 2, tied, equal, 0.002, NULL, 0));
    ok(hk_constraint_rows_add(&p->rows, 3, slope, weights, 0, NULL, 0));
  }
  ok(hk_constraints_build(&p->rows, p->dofs, 0, NULL, &p->constraints, NULL));
}

static inline void load(problem *p)
{
  const int dim = p->mesh->dim;
  double *values = NULL;
  ok(hk_get(&values, p->mesh->node_count * dim));
  srand(7);
  for (hk_count i = 0; i < p->mesh->node_count * dim; i++)
    values[i] = 1e-3 * ((double)rand() / RAND_MAX - 0.3);
  hk_space_to_internal(p->space, dim, values, p->f);
  hk_free(&values);
}

static inline void draw_out(problem *p, double height, hk_count cells)
{
  hk_mesh *flat = p->mesh;
  p->mesh = NULL;
  ok(hk_mesh_extrude(flat, 0, 1, &(hk_mesh_layer){.height = height, .cells = cells}, &p->mesh));
  hk_mesh_destroy(&flat);
}

static inline void problem_create(problem *p, const problem_desc *desc)
{
  const hk_shape linear = hk_shape_linear(desc->shape);
  const bool prisms = linear == HK_WEDGE6;
  const bool flat = prisms || hk_element_of(linear)->dim == 2;
  const hk_operator_kind *kind = NULL;
  hk_mesh_grid grid = {.dim = flat ? 2 : 3,
                       .to = {1, 1.2, 0.9},
                       .cells = {desc->cells[0], desc->cells[1], desc->cells[2]},
                       .shape = prisms ? HK_TRI3 : linear,
                       .jitter = desc->jitter,
                       .shuffle = 5};
  *p = (problem){0};
  for (int d = 0; desc->size[0] > 0 && d < 3; d++) grid.to[d] = desc->size[d];
  ok(hk_mesh_create_grid(&grid, &p->mesh));
  if (prisms) draw_out(p, grid.to[2], desc->cells[2]);
  if (desc->order > 1) ok(hk_mesh_raise_to(p->mesh, desc->order));
  if (linear != desc->shape) mesh_raise(p->mesh, desc->shape);
  ok(hk_material_isotropic(2.1, desc->poisson > 0 ? desc->poisson : 0.3, &p->region.material));
  p->region.thickness = 1, p->region.material.density = 1;
  ok(hk_get(&p->element_region, p->mesh->element_count));
  ok(hk_device_open(desc->device ? desc->device : "cpu", desc->threads, &p->device));
  if (desc->form && !strcmp(desc->form, "rows"))
    kind = &rows_kind;
  else
    ok(hk_operator_choose(desc->form ? desc->form : "edges", p->mesh, p->device, &kind));
  const hk_space_desc space = kind->space(p->mesh, p->device, !desc->single);
  ok(hk_space_create(p->mesh, &space, &p->space));
  ok(hk_operator_create(kind,
                        &(hk_operator_desc){.device = p->device,
                                            .space = p->space,
                                            .region = &p->region,
                                            .element_region = p->element_region,
                                            .double_precision = !desc->single},
                        &p->op));
  p->dofs = (hk_count)p->space->padded * p->space->components;
  ok(hk_get(&p->f, p->dofs));
  ok(hk_get(&p->u, p->dofs));
  constrain(p, desc);
  load(p);
}

static inline void problem_destroy(problem *p)
{
  hk_operator_destroy(&p->op);
  hk_space_destroy(&p->space);
  hk_device_close(&p->device);
  hk_mesh_destroy(&p->mesh);
  hk_free(&p->element_region);
  hk_constraint_rows_clear(&p->rows);
  hk_constraints_clear(&p->constraints);
  hk_free(&p->f);
  hk_free(&p->u);
}

/* Cholesky's factor of a[n][n] in its place, its lower half: rows begin at their first entry that is not zero. */
static inline void dense_factor(hk_count n, double *a)
{
  hk_index *first = NULL;
  ok(hk_get(&first, n));
  for (hk_count i = 0; i < n; i++) {
    while (first[i] < i && a[i * n + first[i]] == 0) first[i]++;
    for (hk_count j = first[i]; j <= i; j++) {
      double sum = a[i * n + j];
      for (hk_count k = first[i] > first[j] ? first[i] : first[j]; k < j; k++)
        sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
    assert_true(a[i * n + i] > 0);
  }
  hk_free(&first);
}

/* b[n] becomes x of L L^T x = b. */
static inline void dense_substitute(hk_count n, const double *l, double *b)
{
  for (hk_count i = 0; i < n; i++) {
    for (hk_count k = 0; k < i; k++) b[i] -= l[i * n + k] * b[k];
    b[i] /= l[i * n + i];
  }
  for (hk_count i = n; i-- > 0;) {
    b[i] /= l[i * n + i];
    for (hk_count k = 0; k < i; k++) b[k] -= l[i * n + k] * b[i];
  }
}

/* Column j of T: its entries, one on itself where it is free. */
static inline void put_column(const problem *p, const hk_index *place, const double *k, hk_count i,
                              hk_count j, hk_count n, double *a)
{
  const hk_constraints *c = &p->constraints;
  hk_index of[2][64], count[2] = {0};
  double weight[2][64];
  const hk_count dof[2] = {i, j};
  for (int s = 0; s < 2; s++) {
    if (place[dof[s]] >= 0) {
      of[s][0] = place[dof[s]], weight[s][0] = 1, count[s] = 1;
      continue;
    }
    for (hk_index d = 0; d < c->count; d++)
      for (hk_index e = c->begin[d]; c->dof[d] == dof[s] && e < c->begin[d + 1]; e++)
        of[s][count[s]] = place[c->master[e]], weight[s][count[s]++] = c->weight[e];
  }
  for (int r = 0; r < count[0]; r++)
    for (int s = 0; s < count[1]; s++)
      a[of[0][r] * n + of[1][s]] += weight[0][r] * *k * weight[1][s];
}

/* A x = b: A = T^T K T, b = T^T (f - K offset), dense. */
typedef struct dense_system {
  hk_index n, *place; /* place[dof]: its row; -1: it is dependent, or nothing */
  double *a, *b;      /* a[n][n], b[n] */
  double *u;          /* u[dofs]: the offsets */
} dense_system;

static inline void dense_clear(dense_system *s)
{
  hk_free(&s->place);
  hk_free(&s->a);
  hk_free(&s->b);
  hk_free(&s->u);
}

static inline void dense_number(const problem *p, const hk_csr *k, dense_system *s)
{
  const int c = p->space->components;
  ok(hk_get(&s->place, p->dofs));
  for (hk_count i = 0; i < p->dofs; i++)
    s->place[i] = k->begin[i / c + 1] > k->begin[i / c] ? 0 : -1;
  for (hk_index d = 0; d < p->constraints.count; d++) s->place[p->constraints.dof[d]] = -1;
  for (hk_count i = 0; i < p->dofs; i++)
    if (s->place[i] >= 0) s->place[i] = s->n++;
}

static inline dense_system dense_create(const problem *p)
{
  hk_csr k = {0};
  double *r = NULL;
  dense_system s = {0};
  const int c = p->space->components;
  ok(hk_csr_assemble(&p->op->desc, &k));
  dense_number(p, &k, &s);
  ok(hk_get(&s.u, p->dofs));
  ok(hk_get(&r, p->dofs));
  ok(hk_get(&s.a, (hk_count)s.n * s.n));
  ok(hk_get(&s.b, s.n));
  hk_constraints_apply(&p->constraints, s.u);
  memcpy(r, p->f, (size_t)p->dofs * sizeof *r);
  for (hk_count i = 0; i < p->dofs; i++)
    for (hk_count e = k.begin[i / c]; e < k.begin[i / c + 1]; e++)
      for (int d = 0; d < c; d++) {
        const double *value = k.block + (e * c + i % c) * c + d;
        const hk_count j = (hk_count)k.column[e] * c + d;
        r[i] -= *value * s.u[j];
        put_column(p, s.place, value, i, j, s.n, s.a);
      }
  hk_constraints_transpose(&p->constraints, r);
  for (hk_count i = 0; i < p->dofs; i++)
    if (s.place[i] >= 0) s.b[s.place[i]] = r[i];
  hk_csr_clear(&k);
  hk_free(&r);
  return s;
}

/* u[dofs], owned by the caller: T (T^T K T)^-1 T^T (f - K offset) + offset, all of it dense. */
static inline double *dense_solution(const problem *p)
{
  dense_system s = dense_create(p);
  double *u = s.u;
  s.u = NULL;
  dense_factor(s.n, s.a);
  dense_substitute(s.n, s.a, s.b);
  for (hk_count i = 0; i < p->dofs; i++)
    if (s.place[i] >= 0) u[i] = s.b[s.place[i]];
  hk_constraints_apply(&p->constraints, u);
  dense_clear(&s);
  return u;
}

/* largest difference over largest value; not-a-number stays */
static inline double difference(const double *a, const double *b, hk_count n)
{
  double most = 0, scale = 0;
  for (hk_count i = 0; i < n; i++) {
    most = hk_larger(most, fabs(a[i] - b[i]));
    scale = hk_larger(scale, fabs(b[i]));
  }
  return most / scale;
}

static inline hk_status solve(problem *p, const char *method, const char *preconditioner,
                              double tolerance, int iterations, hk_linear_report *report)
{
  hk_linear *linear = NULL;
  hk_status status = hk_linear_create(&(hk_linear_desc){.op = p->op,
                                                        .constraints = &p->constraints,
                                                        .method = method,
                                                        .preconditioner = preconditioner,
                                                        .tolerance = tolerance,
                                                        .iterations = iterations},
                                      &linear);
  if (status == HK_OK) status = hk_linear_solve(linear, p->f, p->u, report);
  hk_linear_destroy(&linear);
  return status;
}
#endif
