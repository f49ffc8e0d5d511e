/* The forms of mixed elements; "matrix-free" where the nodes of a patch have too many neighbours for the fast memory: patches are halved until each part fits,
 * parts meet at many nodes, and most nodes of the last part are shared. The meshes have elements between nodes that chance chose. */
#include "mesh/mesh.h"
#include "support/dense.h"
#include "operator/list.h"
#include <hooke/status.h>

enum { NODES = 7000, ELEMENTS = 12000 };

/* det(x1 - x0, x2 - x0[, x3 - x0]) */
static double volume(const hk_mesh *m, const hk_index *n)
{
  double d[3][3] = {{0}};
  for (int k = 0; k < m->dim; k++)
    for (int c = 0; c < m->dim; c++)
      d[k][c] = m->x[(hk_count)n[k + 1] * m->dim + c] - m->x[(hk_count)n[0] * m->dim + c];
  if (m->dim == 2) return d[0][0] * d[1][1] - d[0][1] * d[1][0];
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
         d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

/* Whether the element has a positive Jacobian everywhere, not a small one. */
static bool is_good(const hk_mesh *m, const hk_index *n, int nodes)
{
  for (int k = 0; k < nodes; k++) {
    const hk_index corner[3] = {n[k], n[(k + 1) % nodes], n[(k + nodes - 1) % nodes]};
    if (volume(m, m->dim == 3 ? n : corner) < .1) return false;
  }
  return true;
}

/* A block of elements between nodes of a seed; quadrilaterals are convex. */
static void fill(hk_mesh *m, hk_block *block)
{
  for (hk_count e = 0; e < block->count; e++) {
    hk_index *n = block->node + e * block->nodes;
    do
      for (int k = 0; k < block->nodes; k++) n[k] = rand() % NODES;
    while (!is_good(m, n, block->nodes));
  }
}

static hk_mesh *cloud_create(int dim, int shapes, const hk_shape *shape)
{
  hk_mesh *m = NULL;
  srand(7);
  ok(hk_mesh_begin(dim, &m));
  ok(hk_get(&m->x, (hk_count)NODES * dim));
  ok(hk_reserve(&m->block, shapes, &(hk_count){0}));
  m->node_count = NODES, m->element_count = ELEMENTS, m->block_count = shapes;
  for (int i = 0; i < NODES * dim; i++) m->x[i] = uniform();
  for (int b = 0; b < shapes; b++) {
    const int nodes = shape[b] == HK_TRI3 ? 3 : 4;
    m->block[b] = (hk_block){.shape = shape[b],
                             .nodes = nodes,
                             .first = ELEMENTS / shapes * b,
                             .count = ELEMENTS / shapes};
    ok(hk_get(&m->block[b].node, m->block[b].count * nodes));
    fill(m, &m->block[b]);
  }
  return m;
}

/* |K u by the form - K u by rows| over the largest */
static double product_error(const body *b, const hk_operator_kind *kind, hk_device *device,
                            bool real)
{
  stiffness f;
  hk_csr k = {0};
  ok(stiffness_create(&f, kind, b->mesh, 0,
                      (hk_operator_desc){.device = device,
                                         .region = b->region,
                                         .element_region = b->element_region,
                                         .double_precision = real}));
  const hk_count n = (hk_count)f.space->padded * b->mesh->dim;
  double *u = vector(n), *out = vector(n), *expected = vector(n);
  for (hk_count i = 0; i < n; i++) u[i] = real ? uniform() : (float)uniform();
  apply(f.op, u, out);
  ok(hk_csr_assemble(&f.op->desc, &k));
  csr_multiply(&k, u, expected);
  const double error = difference_of(out, expected, n);
  hk_csr_clear(&k);
  stiffness_destroy(&f);
  hk_free(&u);
  hk_free(&out);
  hk_free(&expected);
  return error;
}

/* K u is that of the rows on every device. */
static void products_are_those_of_the_rows(void **state)
{
  static const hk_shape shape[3][2] = {{HK_TRI3}, {HK_TRI3, HK_QUAD4}, {HK_TET4}};
  static const hk_operator_kind *const form[2] = {&hk_operator_matrix_free, &hk_operator_elements};
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    body b = {.mesh = cloud_create(kind == 2 ? 3 : 2, 1 + kind % 2, shape[kind])};
    hk_device *device = NULL;
    body_dress(&b, EVERY_KIND);
    for (int d = 0; next_device(d, &device); d++)
      for (int way = 0; way < 4; way++) {
        const bool real = way % 2;
        if (way / 2 && kind != 1) continue;
        const double error = product_error(&b, form[way / 2], device, real);
        if (!(error <= (real ? 1e-13 : 1e-5)))
          fail_msg("%s, kind %d, way %d: %g", hk_device_describe(device)->name, kind, way, error);
      }
    body_destroy(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
