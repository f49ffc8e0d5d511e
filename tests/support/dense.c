/* Matrices written out in full, and what is computed with them. */
#include "support/dense.h"
#include "operator/element/element_matrix.h"

void body_of_shape(body *b, hk_shape shape, materials which)
{
  srand(3);
  b->mesh = make_patch(shape, 0.1);
  for (hk_count i = 0; i < b->mesh->node_count * b->mesh->dim; i++)
    b->mesh->x[i] += 0.02 * uniform();
  shuffle_nodes(b->mesh);
  body_dress(b, which);
}

double *dense_of(const body *b)
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

double *dense_of_csr(const hk_csr *k, const hk_space *space)
{
  const int dim = k->components;
  const hk_count n = (space ? space->mesh->node_count : k->rows) * dim;
  double *dense = NULL;
  ok(hk_get(&dense, n * n));
  for (hk_count i = 0; i < k->rows; i++)
    for (hk_count q = k->begin[i]; q < k->begin[i + 1]; q++) {
      const hk_count row = space ? space->mesh_node[i] : i,
                     column = space ? space->mesh_node[k->column[q]] : k->column[q];
      assert_true(row >= 0 && column >= 0);
      assert_true(q == k->begin[i] || k->column[q] > k->column[q - 1]);
      for (int c = 0; c < dim; c++)
        for (int d = 0; d < dim; d++)
          dense[(row * dim + c) * n + column * dim + d] += k->block[(q * dim + c) * dim + d];
    }
  return dense;
}

void csr_multiply(const hk_csr *k, const double *x, double *y)
{
  const int c = k->components;
  for (hk_count i = 0; i < k->rows * c; i++) {
    y[i] = 0;
    for (hk_count e = k->begin[i / c]; e < k->begin[i / c + 1]; e++)
      for (int d = 0; d < c; d++)
        y[i] += k->block[(e * c + i % c) * c + d] * x[(hk_count)k->column[e] * c + d];
  }
}

/* One rotation that makes a[p][q] zero. */
static void rotate(int size, double *a, int p, int q)
{
  const double gap = a[q * size + q] - a[p * size + p];
  const double angle = (gap < 0 ? -.5 : .5) * atan2(2 * a[p * size + q], fabs(gap));
  const double s = sin(angle), c = cos(angle);
  for (int i = 0; i < size; i++) {
    const double ip = a[i * size + p], iq = a[i * size + q];
    a[i * size + p] = c * ip - s * iq, a[i * size + q] = s * ip + c * iq;
  }
  for (int i = 0; i < size; i++) {
    const double pi = a[p * size + i], qi = a[q * size + i];
    a[p * size + i] = c * pi - s * qi, a[q * size + i] = s * pi + c * qi;
  }
}

void eigenvalues(int size, double *a)
{
  double off = 1, all = dot((hk_count)size * size, a, a);
  for (int sweep = 0; sweep < 40 && off > 1e-28 * all; sweep++) {
    off = 0;
    for (int p = 0; p < size; p++)
      for (int q = p + 1; q < size; q++) {
        off += a[p * size + q] * a[p * size + q];
        rotate(size, a, p, q);
      }
  }
}
