/* A clamped body under load, its constraints, and the dense solution that solvers are held to. */
#pragma once
#include "operator/assembly/csr.h"
#include "solver/linear/linear.h"
#include "support/body.h"

typedef struct problem {
  hk_mesh *mesh;
  hk_region region;
  hk_index *element_region;
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
  double *values = vector(p->mesh->node_count * dim);
  srand(7);
  for (hk_count i = 0; i < p->mesh->node_count * dim; i++)
    values[i] = 1e-3 * ((double)rand() / RAND_MAX - 0.3);
  hk_space_to_internal(p->space, dim, values, p->f);
  hk_free(&values);
}

static inline hk_mesh *problem_mesh(const problem_desc *desc)
{
  const hk_shape linear = hk_shape_linear(desc->shape);
  const bool given = desc->size[0] > 0;
  const hk_mesh_grid grid = {.to = {desc->size[0], desc->size[1], desc->size[2]},
                             .cells = {desc->cells[0], desc->cells[1], desc->cells[2]},
                             .shape = linear,
                             .jitter = desc->jitter,
                             .shuffle = 5};
  const hk_mesh_layer layer = {.height = given ? desc->size[2] : 0.9, .cells = desc->cells[2]};
  hk_mesh *mesh = linear == HK_WEDGE6 ? make_prisms(grid, 1, &layer) : make_grid(grid);
  if (desc->order > 1) ok(hk_mesh_raise_to(mesh, desc->order));
  if (linear != desc->shape) ok(hk_mesh_raise(mesh));
  return mesh;
}

static inline void problem_create(problem *p, const problem_desc *desc)
{
  const hk_operator_kind *kind = NULL;
  stiffness k;
  *p = (problem){.mesh = problem_mesh(desc)};
  ok(hk_material_isotropic(2.1, desc->poisson > 0 ? desc->poisson : 0.3, &p->region.material));
  p->region.thickness = 1, p->region.material.density = 1;
  ok(hk_get(&p->element_region, p->mesh->element_count));
  ok(hk_device_open(desc->device ? desc->device : "cpu", desc->threads, &p->device));
  ok(hk_operator_choose(desc->form ? desc->form : "edges", p->mesh, p->device, &kind));
  ok(stiffness_create(&k, kind, p->mesh, 0,
                      (hk_operator_desc){.device = p->device,
                                         .region = &p->region,
                                         .element_region = p->element_region,
                                         .double_precision = !desc->single}));
  p->space = k.space, p->op = k.op;
  p->dofs = (hk_count)p->space->padded * p->space->components;
  p->f = vector(p->dofs), p->u = vector(p->dofs);
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
