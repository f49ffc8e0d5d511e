/* What multigrid takes from K: its diagonal blocks, and the level of vertices below elements of second order. */
#include "operator/coarse/vertices.h"
#include "support/dense.h"
#include "operator/measure/diagonal.h"

typedef struct case_ {
  body b;
  hk_space *space;
  hk_operator_desc desc;
  hk_csr k;
} case_;

static void case_create(case_ *c, hk_shape shape, materials which, double noise)
{
  *c = (case_){0};
  srand(3);
  c->b.mesh = make_patch(shape, noise);
  body_dress(&c->b, which);
  ok(hk_space_create(c->b.mesh, &(hk_space_desc){.patch = 64, .slice = 8}, &c->space));
  c->desc = (hk_operator_desc){
      .space = c->space, .region = c->b.region, .element_region = c->b.element_region};
  ok(hk_csr_assemble(&c->desc, &c->k));
}

static void case_destroy(case_ *c)
{
  hk_csr_clear(&c->k);
  hk_space_destroy(&c->space);
  body_destroy(&c->b);
}

/* diagonal = the diagonal blocks of the assembled matrix to 1e-13, of every shape and mixture of materials */
static void the_diagonal_is_that_of_the_matrix(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++)
    for (materials m = ONE; m < MATERIALS; m++) {
      case_ c;
      double *got = NULL, *expected = NULL;
      case_create(&c, (hk_shape)s, m, 0.1);
      const int size = c.k.components * c.k.components;
      ok(hk_get(&got, c.k.rows * size));
      ok(hk_get(&expected, c.k.rows * size));
      ok(hk_diagonal_find(&c.desc, got));
      for (hk_count i = 0; i < c.k.rows; i++)
        for (hk_count e = c.k.begin[i]; e < c.k.begin[i + 1]; e++)
          for (int q = 0; c.k.column[e] == i && q < size; q++)
            expected[i * size + q] = c.k.block[e * size + q];
      const double error = difference_of(got, expected, c.k.rows * size);
      if (!(error <= 1e-13))
        fail_msg("%s, materials %d: error %.2e", hk_shape_name((hk_shape)s), (int)m, error);
      hk_free(&got);
      hk_free(&expected);
      case_destroy(&c);
    }
}

/* matrix = P^T K P to 1e-12, where elements are straight and rules exact for both: wedge6's is not */
static void the_matrix_of_vertices_is_galerkin(void **state)
{
  (void)state;
  static const hk_shape shapes[] = {HK_TRI6, HK_QUAD8, HK_QUAD9, HK_TET10, HK_HEX20, HK_HEX27};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    case_ c;
    hk_vertices v = {0};
    double *expected = NULL, *got = NULL;
    const bool simplex = hk_element_of(shapes[s])->simplex;
    case_create(&c, shapes[s], LAYERS, simplex ? 0.1 : 0);
    assert_true(hk_vertices_exist(c.b.mesh));
    ok(hk_vertices_create(&c.desc, &v));
    const int n = c.k.components;
    const hk_count dofs = (hk_count)v.count * n;
    ok(hk_get(&expected, dofs * dofs));
    ok(hk_get(&got, dofs * dofs));
    for (hk_count i = 0; i < c.k.rows; i++)
      for (hk_count e = c.k.begin[i]; e < c.k.begin[i + 1]; e++)
        for (hk_count p = v.up.begin[i]; p < v.up.begin[i + 1]; p++)
          for (hk_count q = v.up.begin[c.k.column[e]]; q < v.up.begin[c.k.column[e] + 1]; q++)
            for (int a = 0; a < n * n; a++)
              expected[((hk_count)v.up.column[p] * n + a / n) * dofs +
                       (hk_count)v.up.column[q] * n + a % n] +=
                  v.up.weight[p] * c.k.block[e * n * n + a] * v.up.weight[q];
    for (hk_count i = 0; i < v.matrix.rows; i++)
      for (hk_count e = v.matrix.begin[i]; e < v.matrix.begin[i + 1]; e++)
        for (int a = 0; a < n * n; a++)
          got[(i * n + a / n) * dofs + (hk_count)v.matrix.column[e] * n + a % n] =
              v.matrix.block[e * n * n + a];
    const double error = difference_of(got, expected, dofs * dofs);
    if (!(error <= 1e-12)) fail_msg("%s: error %.2e", hk_shape_name(shapes[s]), error);
    hk_free(&expected);
    hk_free(&got);
    hk_vertices_clear(&v);
    case_destroy(&c);
  }
}

static void a_failing_allocation_is_told(void **state)
{
  (void)state;
  case_ c;
  hk_vertices v = {0};
  case_create(&c, HK_TET10, ONE, 0.1);
  shortage memory = {0};
  while (next_shortage(&memory)) {
    memory.status = hk_vertices_create(&c.desc, &v);
    hk_vertices_clear(&v);
  }
  case_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_diagonal_is_that_of_the_matrix),
      cmocka_unit_test(the_matrix_of_vertices_is_galerkin),
      cmocka_unit_test(a_failing_allocation_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
