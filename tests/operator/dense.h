/* Meshes of every shape, and their dense stiffness matrix added up element by element. */
#ifndef TESTS_OPERATOR_DENSE_H
#define TESTS_OPERATOR_DENSE_H
#include "operator/assembly/csr.h"
#include "operator/element/element_matrix.h"
#include "operator/patch.h"

/* Nodes of a mesh in random order. */
static inline void shuffle_nodes(hk_mesh *mesh)
{
  hk_index *to = NULL;
  double *x = NULL;
  ok(hk_get(&to, mesh->node_count));
  ok(hk_get(&x, mesh->node_count * mesh->dim));
  for (hk_count i = 0; i < mesh->node_count; i++) {
    const hk_count j = rand() % (i + 1);
    to[i] = to[j], to[j] = (hk_index)i;
  }
  for (hk_count i = 0; i < mesh->node_count; i++)
    memcpy(x + to[i] * mesh->dim, mesh->x + i * mesh->dim, (size_t)mesh->dim * sizeof *x);
  for (int b = 0; b < mesh->block_count; b++)
    for (hk_count k = 0; k < mesh->block[b].count * mesh->block[b].nodes; k++)
      mesh->block[b].node[k] = to[mesh->block[b].node[k]];
  hk_free(&mesh->x);
  hk_free(&to);
  mesh->x = x;
}

/* 2 or 3 cells along each direction, in elements of one shape: the nodes inside have many of them. Nodes are moved by noise, so that sides
 * are curved, and numbered at random. */
static inline void body_of_shape(body *b, hk_shape shape, materials which)
{
  srand(3);
  b->mesh = patch_create(shape, 0.1);
  for (hk_count i = 0; i < b->mesh->node_count * b->mesh->dim; i++)
    b->mesh->x[i] += 0.02 * uniform();
  shuffle_nodes(b->mesh);
  body_dress(b, which);
}

/* k[nodes * dim][nodes * dim] of mesh nodes; hk_free */
static inline double *dense_of(const body *b)
{
  const hk_mesh *mesh = b->mesh;
  const int dim = mesh->dim;
  const hk_count n = mesh->node_count * dim;
  double *k = NULL, x[3 * HK_LISTED_NODES], ke[9 * HK_LISTED_NODES * HK_LISTED_NODES];
  ok(hk_get(&k, n * n));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    const int size = element->nodes * dim;
    for (int i = 0; i < size; i++) x[i] = mesh->x[(hk_count)node[i / dim] * dim + i % dim];
    assert_true(hk_element_integrate(&b->region[b->element_region[e]], element, x, ke) > 0);
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++)
        k[((hk_count)node[i / dim] * dim + i % dim) * n + (hk_count)node[j / dim] * dim +
          j % dim] += ke[i * size + j];
  }
  return k;
}

/* The same of a matrix by rows, in mesh nodes; fails where a column is out of order or belongs to no node. */
static inline double *dense_of_csr(const hk_csr *k, const hk_space *space)
{
  const int dim = k->components;
  const hk_count n = space->mesh->node_count * dim;
  double *dense = NULL;
  ok(hk_get(&dense, n * n));
  for (hk_count i = 0; i < k->rows; i++)
    for (hk_count q = k->begin[i]; q < k->begin[i + 1]; q++) {
      const hk_count row = space->mesh_node[i], column = space->mesh_node[k->column[q]];
      assert_true(row >= 0 && column >= 0);
      assert_true(q == k->begin[i] || k->column[q] > k->column[q - 1]);
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++)
          dense[(row * dim + c) * n + column * dim + d] += k->block[(q * dim + c) * dim + d];
    }
  return dense;
}
#endif
