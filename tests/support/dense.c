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

/* One of Householder's reflections, from both sides: row and column k become zero beyond the neighbour of the diagonal. v[size], w[size]:
 * work. */
static void reflect(int size, double *a, int k, double *v, double *w)
{
  const int rest = size - k;
  const double *row = a + k * size;
  const double square = dot(rest - 1, row + k + 1, row + k + 1);
  if (square == row[k + 1] * row[k + 1]) return;
  v[k] = 0;
  memcpy(v + k + 1, row + k + 1, (size_t)(rest - 1) * sizeof *v);
  v[k + 1] += copysign(sqrt(square), row[k + 1]);
  const double scale = 2 / dot(rest, v + k, v + k);
  for (int i = k; i < size; i++) w[i] = scale * dot(rest, a + i * size + k, v + k);
  const double half = .5 * scale * dot(rest, v + k, w + k);
  for (int i = k; i < size; i++) w[i] -= half * v[i];
  for (int i = k; i < size; i++)
    for (int j = k; j < size; j++) a[i * size + j] -= v[i] * w[j] + w[i] * v[j];
}

/* How many eigenvalues of the tridiagonal matrix are below x: as many as pivots of T - x are negative (Sturm). */
static int count_below(int size, const double *diagonal, const double *side, double x, double tiny)
{
  double pivot = 1;
  int below = 0;
  for (int i = 0; i < size; i++) {
    pivot = diagonal[i] - x - side[i] * side[i] / pivot;
    if (fabs(pivot) < tiny) pivot = -tiny;
    below += pivot < 0;
  }
  return below;
}

void eigenvalues(int size, double *a)
{
  const double bound = sqrt(dot((hk_count)size * size, a, a)); /* of Frobenius */
  double *v = NULL, *w = NULL, low = -bound;
  ok(hk_get(&v, size));
  ok(hk_get(&w, size));
  for (int k = 0; k + 2 < size; k++) reflect(size, a, k, v, w);
  for (int i = 0; i < size; i++) v[i] = a[i * size + i], w[i] = i ? a[i * size + i - 1] : 0;
  for (int k = 0; k < size; k++) {
    double high = bound;
    while (high - low > 1e-15 * bound) {
      const double middle = .5 * (low + high);
      if (count_below(size, v, w, middle, 1e-30 * bound) > k)
        high = middle;
      else
        low = middle;
    }
    a[k * size + k] = .5 * (low + high);
  }
  hk_free(&v);
  hk_free(&w);
}
