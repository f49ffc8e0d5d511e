/* Meshes of several orders: fields are continuous across edges and faces, labels and sets follow the elements. */
#include "mesh/ties.h"
#include "support/mesh.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = HK_MOST_NODES };

static double random_number(void)
{
  return rand() / (double)RAND_MAX;
}

static hk_mesh *make_linear(hk_shape shape)
{
  const hk_mesh_grid grid = {.cells = {2, 2, 2},
                             .shape = shape == HK_WEDGE6 ? HK_TRI3 : shape,
                             .jitter = 0.1,
                             .shuffle = 7};
  static const hk_mesh_layer layers[] = {{1, 1, NULL}, {0.7, 1, NULL}};
  return shape == HK_WEDGE6 ? make_prisms(grid, 2, layers) : make_grid(grid);
}

static int8_t *random_orders(const hk_mesh *mesh, int most)
{
  int8_t *order = NULL;
  ok(hk_get(&order, mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++) order[e] = (int8_t)(1 + rand() % most);
  return order;
}

/* value[node] of nodes that are not tied at random, of the others by their masters */
static double *random_field(const hk_mesh *mesh, const hk_ties *ties)
{
  double *value = NULL;
  ok(hk_get(&value, mesh->node_count));
  for (hk_count n = 0; n < mesh->node_count; n++) value[n] = random_number();
  for (hk_index i = 0; i < ties->count; i++) {
    value[ties->node[i]] = 0;
    for (hk_count k = ties->begin[i]; k < ties->begin[i + 1]; k++)
      value[ties->node[i]] += ties->weight[k] * value[ties->master[k]];
  }
  return value;
}

/* The field at sum_v weight[v] xi_v of element e, where weight[mesh node] is not 0 at vertices alone. */
static double field_at(const hk_mesh *mesh, hk_count e, const double *weight, const double *value)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double xi[3] = {0}, n[MOST], sum = 0;
  for (int v = 0; v < element->vertices; v++)
    for (int d = 0; d < element->dim; d++) xi[d] += weight[node[v]] * element->reference[v][d];
  hk_element_functions(element, xi, n, NULL);
  for (int k = 0; k < element->nodes; k++) sum += n[k] * value[node[k]];
  return sum;
}

/* Random weights, of sum 1, of the vertices that both elements have; how many these are. */
static int share(const hk_mesh *mesh, hk_count a, hk_count b, double *weight)
{
  const hk_index *of = hk_mesh_nodes_of(mesh, a), *other = hk_mesh_nodes_of(mesh, b);
  const int na = hk_element_of(hk_mesh_block_of(mesh, a)->shape)->vertices,
            nb = hk_element_of(hk_mesh_block_of(mesh, b)->shape)->vertices;
  double sum = 0;
  int count = 0;
  for (hk_count n = 0; n < mesh->node_count; n++) weight[n] = 0;
  for (int v = 0; v < na; v++)
    for (int w = 0; w < nb; w++)
      if (of[v] == other[w]) weight[of[v]] = random_number(), sum += weight[of[v]], count++;
  for (int v = 0; v < na; v++) weight[of[v]] /= sum > 0 ? sum : 1;
  return count;
}

static void check_jumps(const hk_mesh *mesh, const double *value)
{
  double *weight = NULL;
  ok(hk_get(&weight, mesh->node_count));
  for (hk_count a = 0; a < mesh->element_count; a++)
    for (hk_count b = 0; b < a; b++)
      for (int trial = 0; trial < 3; trial++)
        if (share(mesh, a, b, weight) > 1)
          assert_true(fabs(field_at(mesh, a, weight, value) - field_at(mesh, b, weight, value)) <=
                      1e-10);
  hk_free(&weight);
}

static void check_ties(const hk_mesh *mesh, const hk_ties *ties)
{
  for (hk_index i = 0; i < ties->count; i++) {
    double sum = 0;
    assert_true(i == 0 || ties->node[i - 1] < ties->node[i]);
    assert_in_range(ties->node[i], 0, mesh->node_count - 1);
    for (hk_count k = ties->begin[i]; k < ties->begin[i + 1]; k++) {
      sum += ties->weight[k];
      for (hk_index j = 0; j < ties->count; j++) assert_true(ties->master[k] != ties->node[j]);
    }
    assert_true(fabs(sum - 1) <= 1e-12);
  }
}

/* u of both elements is the same at random points of each edge and face that two elements share, for random values at free nodes; masters are free */
static void fields_are_continuous(void **state)
{
  static const struct {
    hk_shape shape;
    int most;
  } row[] = {{HK_QUAD4, 10}, {HK_HEX8, 5}, {HK_WEDGE6, 7}};
  (void)state;
  for (int r = 0; r < 3; r++)
    for (int seed = 1; seed <= 3; seed++) {
      hk_ties ties;
      srand((unsigned)seed);
      hk_mesh *mesh = make_linear(row[r].shape);
      int8_t *order = random_orders(mesh, row[r].most);
      ok(hk_mesh_raise_orders(mesh, order));
      ok(hk_mesh_ties(mesh, &ties));
      assert_true(ties.count > 0);
      check_ties(mesh, &ties);
      double *value = random_field(mesh, &ties);
      check_jumps(mesh, value);
      hk_free(&value);
      hk_free(&order);
      hk_ties_clear(&ties);
      hk_mesh_destroy(&mesh);
    }
}

/* one order for all: the mesh of hk_mesh_raise_to, without ties; shapes of no family are left alone */
static void one_order_has_no_ties(void **state)
{
  hk_ties ties = {.count = 5};
  (void)state;
  for (int order = 1; order <= 4; order += 3) {
    hk_mesh *mesh = make_linear(HK_HEX8), *other = make_linear(HK_HEX8);
    int8_t *each = NULL;
    ok(hk_get(&each, mesh->element_count));
    memset(each, order, (size_t)mesh->element_count);
    ok(hk_mesh_raise_orders(mesh, each));
    ok(hk_mesh_raise_to(other, order));
    ok(hk_mesh_ties(mesh, &ties));
    assert_int_equal(ties.count, 0);
    assert_int_equal(mesh->node_count, other->node_count);
    assert_memory_equal(mesh->block->node, other->block->node,
                        (size_t)(mesh->element_count * mesh->block->nodes) * sizeof(hk_index));
    hk_free(&each);
    hk_mesh_destroy(&mesh);
    hk_mesh_destroy(&other);
  }
}

static void find_middle(const hk_mesh *mesh, hk_count e, double x[3])
{
  const int vertices = hk_element_of(hk_mesh_block_of(mesh, e)->shape)->vertices;
  for (int d = 0; d < 3; d++) x[d] = 0;
  for (int v = 0; v < vertices; v++)
    for (int d = 0; d < mesh->dim; d++)
      x[d] += mesh->x[(hk_count)hk_mesh_nodes_of(mesh, e)[v] * mesh->dim + d] / vertices;
}

/* an element of label l lies where that of label l was and has its order; faces of "left" lie at x = 0 */
static void labels_and_sets_follow(void **state)
{
  (void)state;
  srand(3);
  hk_mesh *old = make_linear(HK_HEX8), *mesh = NULL;
  int8_t *order = random_orders(old, 3);
  ok(hk_mesh_copy(old, &mesh));
  ok(hk_mesh_raise_orders(mesh, order));
  assert_int_equal(mesh->element_count, old->element_count);
  for (hk_count e = 0; e < old->element_count; e++) {
    const hk_index at = hk_mesh_find_element(mesh, hk_mesh_element_label(old, e));
    double x[3], y[3];
    find_middle(old, e, x);
    find_middle(mesh, at, y);
    for (int d = 0; d < 3; d++) assert_true(fabs(x[d] - y[d]) <= 1e-14);
    assert_int_equal(hk_element_of(hk_mesh_block_of(mesh, at)->shape)->order, order[e]);
  }
  const hk_set *left = hk_mesh_find_set(mesh, "left", HK_FACE_SET);
  assert_int_equal(left->count, 4);
  for (hk_count i = 0; i < left->count; i++) {
    const hk_element_face *face =
        &hk_element_of(hk_mesh_block_of(mesh, left->item[i])->shape)->face[left->face[i]];
    for (int n = 0; n < face->nodes; n++)
      assert_true(mesh->x[3 * (hk_count)hk_mesh_nodes_of(mesh, left->item[i])[face->node[n]]] == 0);
  }
  hk_free(&order);
  hk_mesh_destroy(&old);
  hk_mesh_destroy(&mesh);
}

/* a curved element cannot become straight beside others */
static void curved_elements_need_two(void **state)
{
  (void)state;
  hk_mesh *mesh = make_linear(HK_QUAD4);
  int8_t *order = NULL;
  ok(hk_mesh_raise(mesh));
  ok(hk_get(&order, mesh->element_count));
  memset(order, 2, (size_t)mesh->element_count);
  order[1] = 1;
  assert_int_equal(hk_mesh_raise_orders(mesh, order), HK_BAD_INPUT);
  assert_non_null(strstr(hk_error(), "curved"));
  hk_free(&order);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_are_continuous), cmocka_unit_test(one_order_has_no_ties),
      cmocka_unit_test(labels_and_sets_follow), cmocka_unit_test(curved_elements_need_two)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
