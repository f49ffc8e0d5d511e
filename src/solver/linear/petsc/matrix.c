/* Makes A from K in rows: the products with T of sparse/galerkin.h where degrees of freedom have masters, else rows and columns are cleared; then nodes without elements
 * are left out. */
#include "solver/linear/petsc/matrix.h"
#include "operator/assembly/assembled.h"
#include "solver/linear/sparse/galerkin.h"
#include <math.h>
#include <string.h>

typedef struct making {
  hk_csr k;
  double *diagonal; /* [dofs]: K's, 1 where that is 0 */
  uint8_t *held;    /* [dofs]: dependent */
  hk_index *number; /* number[internal node], of those with elements; -1: it has none */
} making;

static void find_diagonal(const hk_csr *k, double *diagonal)
{
  const int n = k->components;
  for (hk_count i = 0; i < k->rows; i++)
    for (hk_count e = k->begin[i]; e < k->begin[i + 1]; e++)
      for (int d = 0; k->column[e] == i && d < n; d++) {
        const double own = fabs(k->block[(e * n + d) * n + d]);
        diagonal[i * n + d] = own > 0 ? own : 1;
      }
}

static hk_status begin(hk_operator *op, const hk_constraints *c, making *m, hk_petsc_matrix *out)
{
  hk_index rows = 0;
  HK_PASS(hk_csr_find(op, &op->desc, &m->k));
  HK_PASS(hk_get(&m->diagonal, c->dofs));
  HK_PASS(hk_get(&m->held, c->dofs));
  HK_PASS(hk_get(&m->number, m->k.rows));
  HK_PASS(hk_get(&out->node, m->k.rows));
  find_diagonal(&m->k, m->diagonal);
  for (hk_index i = 0; i < c->count; i++) m->held[c->dof[i]] = 1;
  for (hk_index i = 0; i < m->k.rows; i++) {
    const bool there = m->k.begin[i + 1] > m->k.begin[i];
    m->number[i] = there ? rows : -1;
    if (there) out->node[rows++] = i;
  }
  out->a.rows = out->a.columns = rows;
  return HK_OK;
}

/* *a = T^T K T of all internal nodes; the arrays of K become its own. */
static hk_status reduce(hk_device *device, const hk_constraints *c, const hk_stop *stop, hk_csr *k,
                        hk_block_matrix *a)
{
  hk_status status = HK_OK;
  hk_galerkin_tools tools = {.device = device, .stop = stop};
  hk_galerkin_matrix own = {0};
  const hk_index rows = (hk_index)k->rows;
  *a = (hk_block_matrix){rows, rows, k->components, k->components, k->begin, k->column, k->block};
  *k = (hk_csr){0};
  if (!c->count || !c->begin[c->count]) return HK_OK;
  HK_TRY(hk_galerkin_send(device, a, &own));
  hk_block_matrix_clear(a);
  HK_TRY(hk_galerkin_constrain(&tools, c, NULL, &own));
  HK_TRY(hk_galerkin_read(&own, a));
cleanup:
  hk_galerkin_clear(&own);
  hk_galerkin_tools_clear(&tools);
  return status;
}

static void hold(const making *m, hk_block_matrix *a)
{
  const int n = a->height;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < a->rows; i++)
    for (hk_count e = a->begin[i]; e < a->begin[i + 1]; e++)
      for (int k = 0; k < n * n; k++) {
        const hk_count row = (hk_count)i * n + k / n, column = (hk_count)a->column[e] * n + k % n;
        if (m->held[row] || m->held[column])
          a->block[e * n * n + k] = row == column ? m->diagonal[row] : 0;
      }
}

/* Leaves out empty rows, in place; columns get the numbers of what is left. */
static void close_up(const making *m, hk_index rows, hk_block_matrix *a)
{
  for (hk_index i = 0; i < a->rows; i++)
    if (m->number[i] >= 0) a->begin[m->number[i] + 1] = a->begin[i + 1];
  for (hk_count e = 0; e < a->begin[rows]; e++) a->column[e] = m->number[a->column[e]];
  a->rows = a->columns = rows;
}

static hk_status find_places(const hk_space *space, hk_petsc_matrix *out)
{
  const int dim = space->dim;
  if (!hk_space_solid(space) || space->components != dim) return HK_OK;
  HK_PASS(hk_get(&out->x, (hk_count)out->a.rows * dim));
  for (hk_index i = 0; i < out->a.rows; i++)
    for (int d = 0; d < dim; d++)
      out->x[(hk_count)i * dim + d] =
          space->mesh->x[(hk_count)space->mesh_node[out->node[i]] * dim + d];
  return HK_OK;
}

hk_status hk_petsc_matrix_create(hk_operator *op, const hk_constraints *c, const hk_stop *stop,
                                 hk_petsc_matrix *out)
{
  hk_status status = HK_OK;
  making m = {0};
  hk_petsc_matrix own = {0};
  HK_TRY(begin(op, c, &m, &own));
  const hk_index rows = own.a.rows;
  HK_TRY(reduce(op->desc.device, c, stop, &m.k, &own.a));
  hold(&m, &own.a);
  close_up(&m, rows, &own.a);
  HK_TRY(find_places(op->desc.space, &own));
  *out = own, own = (hk_petsc_matrix){0};
cleanup:
  hk_csr_clear(&m.k);
  hk_free(&m.diagonal);
  hk_free(&m.held);
  hk_free(&m.number);
  hk_petsc_matrix_clear(&own);
  return status;
}

void hk_petsc_matrix_clear(hk_petsc_matrix *m)
{
  hk_block_matrix_clear(&m->a);
  hk_free(&m->node);
  hk_free(&m->x);
}
