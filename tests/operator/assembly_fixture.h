/* Assemblies of a body on a device, read as dense matrices whatever their format. */
#pragma once
#include "operator/assembly/assembly.h"
#include "support/dense.h"

static inline void read_ints(const hk_buffer *buffer, hk_count count, int32_t **out)
{
  ok(hk_get(out, count));
  ok(hk_buffer_read(buffer, 0, count * 4, *out));
}

static inline void read_counts(const hk_buffer *buffer, hk_count count, hk_count **out)
{
  ok(hk_get(out, count));
  ok(hk_buffer_read(buffer, 0, count * 8, *out));
}

/* One assembly of a body on a device. */
typedef struct made {
  hk_space *space;
  hk_assembly *k;
} made;

static inline made make(const body *b, hk_device *device, const hk_assembly_desc *how)
{
  made m = {0};
  hk_assembly_desc desc = *how;
  ok(hk_space_create(b->mesh, &(hk_space_desc){.patch = 32, .slice = 32}, &m.space));
  desc.on.device = device, desc.on.space = m.space;
  desc.on.region = b->region, desc.on.element_region = b->element_region;
  ok(hk_assembly_create(&desc, &m.k));
  ok(hk_assembly_fill(m.k));
  return m;
}

static inline void unmake(made *m)
{
  hk_assembly_destroy(&m->k);
  hk_space_destroy(&m->space);
}

static inline double *read_values(const made *m)
{
  double *value = NULL;
  const bool real = m->k->desc.on.double_precision;
  const hk_count count = hk_buffer_bytes(m->k->value) / (real ? 8 : 4);
  ok(hk_get(&value, count));
  ok(hk_buffer_read_reals(m->k->value, real, 0, count, value));
  return value;
}

/* Entry (row, column), by degrees of freedom of the space, goes to mesh nodes. */
static inline void add_to(const made *m, double *dense, hk_count row, hk_count column, double value)
{
  const int dim = m->space->dim;
  const hk_count i = m->space->mesh_node[row / dim], j = m->space->mesh_node[column / dim];
  assert_true(i >= 0 && j >= 0);
  dense[(i * dim + row % dim) * m->space->mesh->node_count * dim + j * dim + column % dim] += value;
}

static inline double *dense_of_made(const made *m)
{
  const hk_count dofs = (hk_count)m->k->rows * m->space->dim,
                 n = m->space->mesh->node_count * m->space->dim,
                 nonzeros = hk_assembly_nonzeros(m->k);
  double *dense = NULL, *value = read_values(m);
  int32_t *column = NULL, *row = NULL;
  hk_count *begin = NULL;
  ok(hk_get(&dense, n * n));
  if (m->k->desc.format == HK_FORMAT_NODES) {
    hk_csr csr = {0};
    hk_free(&dense);
    ok(hk_assembly_read(m->k, &csr));
    dense = dense_of_csr(&csr, m->space);
    hk_csr_clear(&csr);
  } else
    read_ints(m->k->column_of, hk_buffer_bytes(m->k->column_of) / 4, &column);
  if (m->k->desc.format == HK_FORMAT_COO) {
    read_ints(m->k->row_of, nonzeros, &row);
    for (hk_count k = 0; k < nonzeros; k++) add_to(m, dense, row[k], column[k], value[k]);
  }
  if (m->k->desc.format == HK_FORMAT_CSR) {
    read_counts(m->k->row_begin, dofs + 1, &begin);
    assert_int_equal(begin[dofs], nonzeros);
    for (hk_count i = 0; i < dofs; i++)
      for (hk_count k = begin[i]; k < begin[i + 1]; k++) add_to(m, dense, i, column[k], value[k]);
  }
  if (m->k->desc.format == HK_FORMAT_ELL)
    for (hk_count k = 0; k < m->k->width; k++)
      for (hk_count i = 0; i < dofs; i++)
        if (column[k * dofs + i] >= 0)
          add_to(m, dense, i, column[k * dofs + i], value[k * dofs + i]);
  hk_free(&column);
  hk_free(&row);
  hk_free(&begin);
  hk_free(&value);
  return dense;
}
