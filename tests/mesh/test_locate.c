/* Points are found in the element that holds them. */
#include "support/mesh.h"
#include <omp.h>

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

static hk_index find(hk_locator *locator, const double *x, double *xi)
{
  hk_index element;
  ok(hk_locator_find(locator, 1, x, &element, xi));
  return element;
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
      const hk_index e = find(locator, x, xi);
      assert_true(e >= 0);
      assert_true(distance(mesh, e, xi, x) <= 1e-12);
      double n[HK_LISTED_NODES];
      hk_element_functions(hk_element_of(shape[s]), xi, n, NULL);
      for (int k = 0; k < mesh->block->nodes; k++) assert_true(n[k] >= -1e-5);
      x[i % mesh->dim] += 2.01;
      assert_int_equal(find(locator, x, xi), -1);
    }
    assert_int_equal(find(locator, (double[]){NAN, 2.5, 0.7}, (double[3]){0}), -1);
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
    const hk_index e = find(locator, mesh->x + 3 * n, xi);
    assert_int_equal(e, element[begin[n]]);
    assert_true(distance(mesh, e, xi, mesh->x + 3 * n) <= 1e-12);
  }
  hk_free(&begin);
  hk_free(&element);
  hk_locator_destroy(&locator);
  hk_mesh_destroy(&mesh);
}

/* All elements that hold a node are those that have it, few points at a time by passes and all of them by the tree: of first order and curved. */
static void all_holders_of_nodes(void **state)
{
  (void)state;
  static const hk_shape shape[] = {HK_TET4, HK_HEX8};
  for (int i = 0; i < 4; i++) {
    const hk_mesh_cylinder desc = {
        .radius = 1, .length = 2, .across = 8, .along = 5, .shape = shape[i / 2], .shuffle = 1};
    hk_mesh *mesh = NULL;
    hk_locator *locator = NULL;
    hk_index *begin = NULL, *element = NULL;
    hk_pool pool = {0};
    ok(hk_mesh_create_cylinder(&desc, &mesh));
    if (i % 2) ok(hk_mesh_raise_to(mesh, 2));
    ok(hk_mesh_node_elements(mesh, &begin, &element));
    for (hk_count n = 0, step = 20; n < mesh->node_count; n += step) {
      hk_holders in;
      if (n == 40) step = mesh->node_count - n;
      if (n < 40) hk_locator_destroy(&locator), ok(hk_locator_create(mesh, &locator));
      ok(hk_locator_find_all(locator, step, mesh->x + 3 * n, &pool, &in));
      assert_int_equal(in.points, step);
      for (hk_count p = 0; p < step; p++) {
        const hk_count first = begin[n + p], around = begin[n + p + 1] - first;
        assert_int_equal(in.begin[p + 1] - in.begin[p], around);
        for (hk_count k = 0; k < around; k++) {
          const hk_count at = in.begin[p] + k;
          assert_int_equal(in.element[at], element[first + k]);
          assert_true(distance(mesh, in.element[at], in.xi[at], mesh->x + 3 * (n + p)) <= 1e-9);
        }
      }
    }
    hk_pool_clear(&pool);
    hk_free(&begin);
    hk_free(&element);
    hk_locator_destroy(&locator);
    hk_mesh_destroy(&mesh);
  }
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
    const double at[3] = {1e6 + i * 1e-4, 2e6 + i * 0.7e-4};
    assert_true(find(locator, at, xi) >= 0);
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
    assert_int_equal(find(locator, at, got), 0);
    for (int d = 0; d < dim; d++) assert_true(fabs(got[d] - xi[d]) <= 1e-9);
    at[0] += 10;
    assert_int_equal(find(locator, at, got), -1);
    hk_locator_destroy(&locator);
    hk_mesh_destroy(&mesh);
  }
}

/* Nodes of a cylinder, which several elements share, and points between them: found one by one, 20 at a time and 1000 at once (by a tree),
 * with 1, 2, 3 and 5 threads, the elements are the same, and the coordinates to the last bit. */
static void the_same_however_asked(void **state)
{
  (void)state;
  enum { POINTS = 1000 };
  static double at[POINTS][3], expected_xi[POINTS][3], xi[POINTS][3];
  static hk_index expected[POINTS], element[POINTS];
  const hk_mesh_cylinder desc = {
      .radius = 1, .length = 2, .across = 8, .along = 9, .shape = HK_TET4, .shuffle = 1};
  const int threads_before = omp_get_max_threads();
  hk_mesh *mesh = NULL;
  ok(hk_mesh_create_cylinder(&desc, &mesh));
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++)
      at[i][d] = i % 2 ? mesh->x[3 * (i % mesh->node_count) + d] : 2 * spread(i + d, 0.618034) - 1;
  for (int run = 0; run < 12; run++) {
    const hk_count step = (const hk_count[]){1, 20, POINTS}[run % 3];
    hk_locator *locator = NULL;
    omp_set_num_threads((const int[]){1, 2, 3, 5}[run / 3]);
    for (hk_count i = 0; i < POINTS; i += step) {
      if (i % 100 == 0) hk_locator_destroy(&locator);
      if (i % 100 == 0) ok(hk_locator_create(mesh, &locator));
      ok(hk_locator_find(locator, step, at[i], element + i, xi[i]));
    }
    hk_locator_destroy(&locator);
    if (!run) memcpy(expected, element, sizeof element), memcpy(expected_xi, xi, sizeof xi);
    assert_memory_equal(element, expected, sizeof element);
    assert_memory_equal(xi, expected_xi, sizeof xi);
  }
  omp_set_num_threads(threads_before);
  hk_mesh_destroy(&mesh);
}

/* Of some points of element e the one that lies farthest beyond the box of its nodes, in y. */
static void find_bulge(const hk_mesh *mesh, hk_index e, double *at)
{
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const hk_element *element = hk_element_of(mesh->block[0].shape);
  double high = -INFINITY;
  for (int n = 0; n < element->nodes; n++) high = fmax(high, mesh->x[mesh->dim * node[n] + 1]);
  for (int k = 0; k < 400; k++) {
    double xi[3], n[HK_LISTED_NODES], x[3] = {0}, sum = 0;
    for (int d = 0; d < mesh->dim; d++) xi[d] = spread(k, 0.618034 / (d + 1)), sum += xi[d];
    if (sum > 1) continue;
    hk_element_functions(element, xi, n, NULL);
    for (int v = 0; v < element->nodes; v++)
      for (int d = 0; d < mesh->dim; d++) x[d] += n[v] * mesh->x[mesh->dim * node[v] + d];
    if (k == 0 || x[1] - high > at[1] - high) memcpy(at, x, sizeof x);
  }
}

enum { PLACES = 240 };

/* A thin plate of curved elements, far from the origin, and points of them, at both ends and beyond. */
static hk_mesh *curved_plate(int dim, double at[PLACES][3])
{
  static const double low[] = {1000, -4, 7}, width[] = {10, 9, 0.1};
  hk_mesh *mesh = make_grid((hk_mesh_grid){.dim = dim,
                                           .from = {1000, -3, 7},
                                           .to = {1010, 4, 7.1},
                                           .cells = {5, 4, 2},
                                           .shape = dim == 2 ? HK_TRI3 : HK_TET4,
                                           .shuffle = 9});
  ok(hk_mesh_raise(mesh));
  for (int i = 0; i < mesh->node_count; i++)
    mesh->x[dim * i + 1] += (i % 2 ? 0.6 : -0.6) * spread(i, 0.618034);
  for (int p = 0; p < PLACES; p++) {
    if (p % 3) find_bulge(mesh, (hk_index)(p % mesh->element_count), at[p]);
    for (int d = 0; d < 3 && p % 3 == 0; d++)
      at[p][d] = low[d] + width[d] * (p % 2 ? spread(p, 0.618034 / (d + 1)) : p % 4 / 2);
  }
  return mesh;
}

/* By passes of 16 points; or, asked often enough, by a tree. */
static void find_places(const hk_mesh *mesh, bool tree, double (*at)[3], hk_index *element,
                        double (*xi)[3])
{
  const hk_count step = tree ? PLACES : 16;
  for (hk_count p = 0; p < PLACES; p += step) {
    hk_locator *locator = NULL;
    double nowhere[3] = {0};
    ok(hk_locator_create(mesh, &locator));
    for (int k = 0; tree && k < 17; k++) find(locator, nowhere, nowhere);
    ok(hk_locator_find(locator, step, at[p], element + p, xi[p]));
    hk_locator_destroy(&locator);
  }
}

/* A pass finds points of elements whose sides bulge beyond the boxes of their nodes as the tree does: element and coordinates to the last bit. */
static void passes_find_what_the_tree_does(void **state)
{
  (void)state;
  static double at[PLACES][3], xi[2][PLACES][3];
  static hk_index element[2][PLACES];
  for (int dim = 2; dim <= 3; dim++) {
    hk_mesh *mesh = curved_plate(dim, at);
    int within = 0;
    for (int tree = 0; tree < 2; tree++) find_places(mesh, tree, at, element[tree], xi[tree]);
    for (int p = 0; p < PLACES; p++) {
      assert_int_equal(element[0][p], element[1][p]);
      if (element[0][p] < 0) continue;
      within++;
      assert_memory_equal(xi[0][p], xi[1][p], (size_t)dim * sizeof(double));
    }
    assert_in_range(within, PLACES / 4, PLACES - 10);
    hk_mesh_destroy(&mesh);
  }
}

static void failing_allocations_leave_nothing(void **state)
{
  (void)state;
  const hk_mesh_grid desc = {
      .dim = 3, .to = {1, 1, 1}, .cells = {9, 9, 9}, .shape = HK_HEX8, .shuffle = 3};
  static hk_index element[1000];
  static double xi[3000];
  hk_mesh *mesh = NULL;
  ok(hk_mesh_create_grid(&desc, &mesh));
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_locator *locator = NULL;
    memory.status = hk_locator_create(mesh, &locator);
    if (memory.status == HK_OK)
      memory.status = hk_locator_find(locator, 1000, mesh->x, element, xi);
    hk_locator_destroy(&locator);
  }
  memory = (shortage){0};
  while (next_shortage(&memory)) {
    hk_locator *locator = NULL;
    hk_pool pool = {0};
    hk_holders in;
    memory.status = hk_locator_create(mesh, &locator);
    if (memory.status == HK_OK)
      memory.status = hk_locator_find_all(locator, 1000, mesh->x, &pool, &in);
    hk_pool_clear(&pool);
    hk_locator_destroy(&locator);
  }
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_a_box),
      cmocka_unit_test(nodes_are_found),
      cmocka_unit_test(all_holders_of_nodes),
      cmocka_unit_test(every_shape_is_inverted),
      cmocka_unit_test(far_from_the_origin),
      cmocka_unit_test(the_same_however_asked),
      cmocka_unit_test(passes_find_what_the_tree_does),
      cmocka_unit_test(failing_allocations_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
