/* Points are found in the element that holds them. */
#include "support/mesh.h"

/* A number of [0, 1) from i, well spread. */
static double spread(int i, double step)
{
  return fmod(0.5 + i * step, 1);
}

/* |sum_n N_n(xi) x_n - x|, the largest over the directions */
static double distance(const hk_mesh *mesh, hk_index e, const double *xi, const double *x)
{
  double n[HK_LISTED_NODES], most = 0;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  hk_element_functions(hk_element_of(block->shape), xi, n, NULL);
  for (int d = 0; d < mesh->dim; d++) {
    double sum = -x[d];
    for (int k = 0; k < block->nodes; k++)
      sum += n[k] * mesh->x[(hk_count)hk_mesh_nodes_of(mesh, e)[k] * mesh->dim + d];
    most = fmax(most, fabs(sum));
  }
  return most;
}

/* x(xi) = x for every point of a box, with no (linear) shape function below zero, and -1 outside of
 * it, for all generated shapes */
static void points_of_a_box(void **state)
{
  (void)state;
  static const hk_shape shape[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};
  for (int s = 0; s < 4; s++) {
    const hk_mesh_grid desc = {.dim = hk_element_of(shape[s])->dim,
                               .from = {-1, 2, 0.5},
                               .to = {1, 3, 1},
                               .cells = {9, 7, 5},
                               .shape = shape[s],
                               .jitter = 0.2,
                               .shuffle = 9};
    hk_mesh *mesh = NULL;
    hk_locator *locator = NULL;
    ok(hk_mesh_create_grid(&desc, &mesh));
    ok(hk_locator_create(mesh, &locator));
    for (int i = 0; i < 500; i++) {
      double x[3] = {-1 + 2 * spread(i, 0.618034), 2 + spread(i, 0.414214),
                     0.5 + 0.5 * spread(i, 0.732051)};
      double xi[3];
      const hk_index e = hk_locator_find(locator, x, xi);
      assert_true(e >= 0);
      assert_true(distance(mesh, e, xi, x) <= 1e-12);
      double n[HK_LISTED_NODES];
      hk_element_functions(hk_element_of(shape[s]), xi, n, NULL);
      for (int k = 0; k < mesh->block->nodes; k++) assert_true(n[k] >= -1e-5);
      x[i % mesh->dim] += 2.01;
      assert_int_equal(hk_locator_find(locator, x, xi), -1);
    }
    assert_int_equal(hk_locator_find(locator, (double[]){NAN, 2.5, 0.7}, (double[3]){0}), -1);
    hk_locator_destroy(&locator);
    hk_mesh_destroy(&mesh);
  }
}

/* Every node is found, at reference coordinates that give it back, within the lowest element that
 * has it. */
static void nodes_are_found(void **state)
{
  (void)state;
  const hk_mesh_cylinder desc = {
      .radius = 1, .length = 2, .across = 6, .along = 5, .shape = HK_TET4, .shuffle = 1};
  hk_mesh *mesh = NULL;
  hk_locator *locator = NULL;
  hk_index *begin = NULL, *element = NULL;
  ok(hk_mesh_create_cylinder(&desc, &mesh));
  ok(hk_locator_create(mesh, &locator));
  ok(hk_mesh_node_elements(mesh, &begin, &element));
  for (hk_count n = 0; n < mesh->node_count; n++) {
    double xi[3];
    const hk_index e = hk_locator_find(locator, mesh->x + 3 * n, xi);
    assert_int_equal(e, element[begin[n]]);
    assert_true(distance(mesh, e, xi, mesh->x + 3 * n) <= 1e-12);
  }
  hk_free(&begin);
  hk_free(&element);
  hk_locator_destroy(&locator);
  hk_mesh_destroy(&mesh);
}

/* a small element far from the origin: rounding of its coordinates is 1e-7 of its size */
static void far_from_the_origin(void **state)
{
  (void)state;
  const hk_mesh_grid desc = {.dim = 2,
                             .from = {1e6, 2e6},
                             .to = {1e6 + 4e-3, 2e6 + 4e-3},
                             .cells = {4, 4},
                             .shape = HK_QUAD4};
  hk_mesh *mesh = NULL;
  hk_locator *locator = NULL;
  ok(hk_mesh_create_grid(&desc, &mesh));
  ok(hk_mesh_raise_to(mesh, 5));
  ok(hk_locator_create(mesh, &locator));
  for (int i = 1; i < 40; i++) {
    double xi[3];
    const double at[2] = {1e6 + i * 1e-4, 2e6 + i * 0.7e-4};
    assert_true(hk_locator_find(locator, at, xi) >= 0);
  }
  hk_locator_destroy(&locator);
  hk_mesh_destroy(&mesh);
}

/* Of each shape one element, bent by a smooth map: xi is found again from x(xi). */
static void every_shape_is_inverted(void **state)
{
  (void)state;
  for (int s = 0; s < HK_SHAPE_COUNT; s++) {
    const hk_element *element = hk_element_of((hk_shape)s);
    const int dim = element->dim;
    double x[HK_LISTED_NODES * 3], at[3] = {0}, xi[3] = {0}, n[HK_LISTED_NODES], got[3];
    hk_index node[HK_LISTED_NODES];
    for (int i = 0; i < element->nodes; i++) {
      const double *r = element->reference[i];
      node[i] = i;
      for (int d = 0; d < dim; d++)
        x[i * dim + d] = 100 + 3 * r[d] + 0.4 * r[(d + 1) % dim] + 0.1 * r[0] * r[dim - 1];
    }
    for (int v = 0; v < element->vertices; v++)
      for (int d = 0; d < dim; d++)
        xi[d] += element->reference[v][d] * (v ? 0.7 : 1.3) / element->vertices;
    hk_element_functions(element, xi, n, NULL);
    for (int i = 0; i < element->nodes; i++)
      for (int d = 0; d < dim; d++) at[d] += n[i] * x[i * dim + d];
    hk_mesh *mesh = NULL;
    hk_locator *locator = NULL;
    mesh = mesh_of_elements((hk_shape)s, element->nodes, x, 1, node);
    ok(hk_mesh_finish(mesh, "file", NULL));
    ok(hk_locator_create(mesh, &locator));
    assert_int_equal(hk_locator_find(locator, at, got), 0);
    for (int d = 0; d < dim; d++) assert_true(fabs(got[d] - xi[d]) <= 1e-9);
    at[0] += 10;
    assert_int_equal(hk_locator_find(locator, at, got), -1);
    hk_locator_destroy(&locator);
    hk_mesh_destroy(&mesh);
  }
}

static void failing_allocations_leave_nothing(void **state)
{
  (void)state;
  const hk_mesh_grid desc = {
      .dim = 2, .to = {1, 1}, .cells = {4, 4}, .shape = HK_QUAD4, .shuffle = 3};
  hk_mesh *mesh = NULL;
  ok(hk_mesh_create_grid(&desc, &mesh));
  hk_status status = HK_NO_RESOURCES;
  for (hk_count k = 1; status != HK_OK; k++) {
    const hk_count held = hk_memory_held();
    hk_locator *locator = NULL;
    hk_memory_fail_at(k);
    status = hk_locator_create(mesh, &locator);
    assert_true(status == HK_OK || status == HK_NO_RESOURCES);
    hk_memory_fail_at(0);
    hk_locator_destroy(&locator);
    assert_int_equal(hk_memory_held(), held);
  }
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_a_box),
      cmocka_unit_test(nodes_are_found),
      cmocka_unit_test(every_shape_is_inverted),
      cmocka_unit_test(far_from_the_origin),
      cmocka_unit_test(failing_allocations_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
