/* Meshes raised to order p. */
#include <omp.h>
#include "element/gll.h"
#include "operator/operator.h"
#include "support/mesh.h"

/* Two elements that share a face: vertex numbers in the mesh of the element's vertices, and reference places. */
typedef struct pair {
  hk_shape shape;
  int vertices;
  hk_index node[2][8];
  int nodes;
  double x[12][3];
} pair;

static const pair pairs[] = {{HK_QUAD4,
                              4,
                              {{0, 1, 2, 3}, {1, 4, 5, 2}},
                              6,
                              {{0, 0}, {1, .1}, {1.2, 1}, {.1, 1}, {2, 0}, {2, 1.3}}},
                             {HK_HEX8,
                              8,
                              {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 8, 9, 2, 5, 10, 11, 6}},
                              12,
                              {{0, 0, 0},
                               {1, .1, 0},
                               {1.2, 1, .1},
                               {.1, 1, 0},
                               {0, 0, 1},
                               {1, .1, 1.2},
                               {1.2, 1, 1.1},
                               {0, 1, 1},
                               {2, 0, 0},
                               {2, 1.3, 0},
                               {2.1, 0, 1},
                               {2, 1, 1}}},
                             {HK_WEDGE6,
                              6,
                              {{0, 1, 2, 3, 4, 5}, {1, 6, 2, 4, 7, 5}},
                              8,
                              {{0, 0, 0},
                               {1, .1, 0},
                               {.2, 1, .1},
                               {.1, 0, 1},
                               {1, 0, 1.2},
                               {.1, 1, 1},
                               {1.3, 1, 0},
                               {1, 1, 1.1}}},
                             {HK_WEDGE6,
                              6,
                              {{0, 1, 2, 3, 4, 5}, {3, 4, 5, 6, 7, 8}},
                              9,
                              {{0, 0, 0},
                               {1, .1, 0},
                               {.2, 1, .1},
                               {.1, 0, 1},
                               {1, 0, 1.2},
                               {.1, 1, 1},
                               {0, 0, 2},
                               {1, 0, 2.2},
                               {0, 1.1, 2}}}};

/* The vertices of an element as seen after a turn that leaves it right-handed. */
static void turn(const pair *p, int way, const hk_index *from, hk_index *to)
{
  static const int about_z[8] = {1, 2, 3, 0, 5, 6, 7, 4}, about_x[8] = {3, 2, 6, 7, 0, 1, 5, 4};
  static const int third[6] = {1, 2, 0, 4, 5, 3}, over[6] = {3, 5, 4, 0, 2, 1};
  memcpy(to, from, 8 * sizeof *to);
  for (int k = 0; k < way; k++) {
    hk_index old[8];
    const int *next = p->vertices == 6                 ? (k % 3 == 2 ? over : third)
                      : p->vertices == 8 && k % 4 == 3 ? about_x
                                                       : about_z;
    memcpy(old, to, sizeof old);
    for (int v = 0; v < p->vertices; v++) to[v] = old[next[v]];
  }
}

/* The pair with its nodes renumbered by `shift` and its second element turned. */
static hk_mesh *make_pair(const pair *p, int way, int seed)
{
  hk_mesh *mesh = NULL;
  const int dim = hk_element_of(p->shape)->dim;
  double x[36];
  hk_index node[16], number[12];
  srand((unsigned)seed);
  for (int n = 0; n < p->nodes; n++) number[n] = (hk_index)n;
  for (int n = p->nodes - 1; n > 0; n--) {
    const int other = rand() % (n + 1);
    const hk_index swap = number[n];
    number[n] = number[other], number[other] = swap;
  }
  for (int n = 0; n < p->nodes; n++)
    for (int d = 0; d < dim; d++) x[number[n] * dim + d] = p->x[n][d];
  for (int e = 0; e < 2; e++) {
    hk_index turned[8];
    turn(p, e ? way : seed % 5, p->node[e], turned);
    for (int v = 0; v < p->vertices; v++) node[e * p->vertices + v] = number[turned[v]];
  }
  mesh = mesh_of_elements(p->shape, p->nodes, x, 2, node);
  return mesh;
}

/* nodes of the pair: those of two elements but the shared face, counted by the face's own shape */
static hk_count expected_nodes(const pair *p, const hk_element *e, const hk_mesh *mesh)
{
  int shared = 0;
  for (int n = 0; n < e->nodes; n++)
    for (int m = 0; m < e->nodes; m++) {
      double distance = 0;
      for (int d = 0; d < e->dim; d++)
        distance += fabs(mesh->x[mesh->block->node[n] * e->dim + d] -
                         mesh->x[mesh->block->node[e->nodes + m] * e->dim + d]);
      shared += distance < 1e-9;
    }
  (void)p;
  return 2 * e->nodes - shared;
}

/* nodes of both elements lie where each one's own map puts them, so that they coincide on the face that they share, however they are
 * turned; no two nodes lie at one place */
static void neighbours_share_their_nodes(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++)
    for (int order = 1; order <= 7; order += order < 4 ? 1 : 3)
      for (int way = 0; way < 24; way++) {
        const pair *p = &pairs[k];
        hk_mesh *mesh = make_pair(p, way, way + 100 * order);
        const hk_element *linear = hk_element_of(p->shape);
        double x[2][8][3] = {{{0}}};
        for (int e = 0; e < 2; e++)
          for (int v = 0; v < p->vertices; v++)
            for (int d = 0; d < mesh->dim; d++)
              x[e][v][d] = mesh->x[mesh->block->node[e * p->vertices + v] * mesh->dim + d];
        ok(hk_mesh_raise_to(mesh, order));
        const hk_element *raised = hk_element_of(mesh->block->shape);
        assert_int_equal(raised->order, order);
        for (int e = 0; e < 2; e++)
          for (int n = 0; n < raised->nodes; n++) {
            double weight[8];
            hk_element_functions(linear, raised->reference[n], weight, NULL);
            for (int d = 0; d < mesh->dim; d++) {
              double at = -mesh->x[mesh->block->node[e * raised->nodes + n] * mesh->dim + d];
              for (int v = 0; v < p->vertices; v++) at += weight[v] * x[e][v][d];
              assert_true(fabs(at) <= 1e-14);
            }
          }
        assert_int_equal(mesh->node_count, expected_nodes(p, raised, mesh));
        hk_mesh_destroy(&mesh);
      }
}

/* a grid of n cells of order p has the nodes of one of n p cells, its volume, and no element is folded */
static void grids_have_their_nodes_and_volume(void **state)
{
  static const struct {
    hk_shape shape;
    int order;
  } row[] = {{HK_QUAD4, 2}, {HK_QUAD4, 7}, {HK_QUAD4, 10}, {HK_HEX8, 3}, {HK_HEX8, 4}};
  (void)state;
  for (int r = 0; r < 5; r++) {
    hk_mesh *mesh = NULL;
    hk_mesh_quality q;
    const int dim = row[r].shape == HK_HEX8 ? 3 : 2;
    hk_messages *list = NULL;
    ok(hk_messages_create(&list));
    mesh = make_grid((hk_mesh_grid){
        .to = {1, 2, 3}, .cells = {3, 2, 2}, .shape = row[r].shape, .jitter = 0.2, .shuffle = 5});
    const hk_count sets = mesh->set_count;
    ok(hk_mesh_raise_to(mesh, row[r].order));
    ok(hk_mesh_measure(mesh, &q));
    const int p = row[r].order;
    assert_int_equal(mesh->node_count, (3 * p + 1) * (2 * p + 1) * (dim == 3 ? 2 * p + 1 : 1));
    assert_true(fabs(q.volume - (dim == 3 ? 6 : 2)) <= 1e-12);
    assert_int_equal(q.inverted + q.zero_volume + q.flipped + q.orphan_nodes, 0);
    assert_int_equal(mesh->set_count, sets);
    ok(hk_mesh_finish(mesh, "grid", list));
    hk_messages_destroy(&list);
    hk_mesh_destroy(&mesh);
  }
}

/* The unit square of 2 x 2 cells at x >= `from`, each with its vertices turned `way` times. */
static hk_mesh *make_turned(int way, double from)
{
  double x[18];
  hk_index node[16];
  static const int corner[4] = {0, 1, 4, 3};
  for (int n = 0; n < 9; n++) x[2 * n] = from + n % 3 * .5, x[2 * n + 1] = n / 3 * .5;
  for (int e = 0; e < 4; e++)
    for (int v = 0; v < 4; v++) node[4 * e + v] = e % 2 + 3 * (e / 2) + corner[(v + way + e) % 4];
  return mesh_of_elements(HK_QUAD4, 9, x, 4, node);
}

/* the two cells on the axis have Jacobi's points across it, the others Lobatto's, whichever of their faces that is; all share the nodes between;
 * labels and sets of faces follow; nothing lies on the axis: as hk_mesh_raise_to */
static void rings_have_points_of_jacobi_on_the_axis(void **state)
{
  (void)state;
  for (int way = 0; way < 4; way++)
    for (int p = 2; p <= 10; p += 4) {
      hk_mesh *mesh = make_turned(way, 0);
      ok(hk_mesh_raise_rings(mesh, p));
      assert_int_equal(mesh->node_count, (2 * p + 1) * (2 * p + 1));
      for (hk_count e = 0; e < 4; e++) {
        const hk_element *own = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
        const int old = (int)hk_mesh_element_label(mesh, e) - 1, on = old % 2 == 0;
        const hk_gll *across = hk_line_of(p, on ? HK_AXIS_FIRST : HK_NO_AXIS),
                     *along = hk_gll_of(p);
        assert_int_equal(hk_shape_axis(own->shape), on ? (7 - way - old) % 4 : -1);
        for (int n = 0; n < own->nodes; n++) {
          const double *x = mesh->x + 2 * (hk_count)hk_mesh_nodes_of(mesh, e)[n];
          double least[2] = {1, 1};
          for (int k = 0; k <= p; k++) {
            least[0] = fmin(least[0], fabs(x[0] - (old % 2 + (1 + across->x[k]) / 2) / 2));
            least[1] = fmin(least[1], fabs(x[1] - (old / 2 + (1 + along->x[k]) / 2) / 2));
          }
          assert_true(least[0] <= 1e-15 && least[1] <= 1e-15);
        }
      }
      hk_mesh_destroy(&mesh);
    }
  hk_mesh *tube = make_turned(1, .3);
  ok(hk_mesh_raise_rings(tube, 4));
  assert_int_equal(tube->block_count, 1);
  assert_int_equal(tube->block->shape, HK_QUAD_P + 4);
  hk_mesh_destroy(&tube);
}

/* an element with one corner, or two edges, on the axis is named */
static void other_elements_at_the_axis_are_refused(void **state)
{
  static const double corner[8] = {0, 0, 1, -1, 2, 0, 1, 1}, edges[8] = {0, 0, 1, .5, 0, 1, 0, .5};
  const hk_index node[4] = {0, 1, 2, 3};
  (void)state;
  for (int k = 0; k < 2; k++) {
    hk_mesh *mesh = mesh_of_elements(HK_QUAD4, 4, k ? edges : corner, 1, node);
    assert_int_equal(hk_mesh_raise_rings(mesh, 3), HK_BAD_INPUT);
    assert_non_null(
        strstr(hk_error(), k ? "element 1 has two edges" : "element 1 has one corner alone"));
    hk_mesh_destroy(&mesh);
  }
}

/* the edge between two corners on the axis leaves it, or an edge meets it between its corners */
static void curved_edges_at_the_axis_are_refused(void **state)
{
  const hk_index node[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double left = k == 2 ? .1 : 0,
                 x[16] = {left, 0, 1, 0, 1, 1, left, 1, .5, 0, 1, .5, .5, 1, k == 1 ? .1 : 0, .5};
    hk_mesh *mesh = mesh_of_elements(HK_QUAD8, 8, x, 1, node);
    assert_int_equal(hk_mesh_raise_rings(mesh, 4), k ? HK_BAD_INPUT : HK_OK);
    if (k) assert_non_null(strstr(hk_error(), "element 1: its edge leaves the axis x = 0"));
    hk_mesh_destroy(&mesh);
  }
}

/* nodes within a rounding of the mesh lie on the axis, however small their element: x becomes 0 */
static void nodes_near_the_axis_lie_on_it(void **state)
{
  const double x[12] = {5e-10, 0, .01, 0, .01, .01, -5e-10, .01, 1, 0, 1, .01};
  const hk_index node[8] = {0, 1, 2, 3, 1, 4, 5, 2};
  (void)state;
  hk_mesh *mesh = mesh_of_elements(HK_QUAD4, 6, x, 2, node);
  ok(hk_mesh_raise_rings(mesh, 4));
  assert_int_equal(mesh->block_count, 2);
  assert_int_equal(hk_shape_axis(mesh->block[1].shape), 3);
  int on = 0;
  for (hk_count n = 0; n < mesh->node_count; n++) {
    assert_true(mesh->x[2 * n] == 0 || mesh->x[2 * n] > 1e-4);
    on += mesh->x[2 * n] == 0;
  }
  assert_int_equal(on, 5);
  hk_mesh_destroy(&mesh);
}

/* quadrilaterals of two orders share only vertices: not one family */
static void families_have_one_order(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    hk_mesh *mesh = make_turned(0, 0);
    const int8_t order[4] = {4, (int8_t)(4 + k), 4, 4};
    ok(hk_mesh_raise_orders(mesh, order));
    assert_int_equal(hk_mesh_quad_families(mesh), !k);
    assert_int_equal(hk_operator_check_explicit(mesh), k ? HK_BAD_INPUT : HK_OK);
    if (k) assert_non_null(strstr(hk_error(), "only quadrilaterals or hexahedra of one order"));
    hk_mesh_destroy(&mesh);
  }
}

/* elements of order 6 become those of order 4: more nodes than any listed shape has */
static void families_are_raised_again(void **state)
{
  (void)state;
  hk_mesh *mesh = make_turned(0, 0);
  ok(hk_mesh_raise_to(mesh, 6));
  ok(hk_mesh_raise_to(mesh, 4));
  assert_int_equal(mesh->node_count, 81);
  assert_int_equal(mesh->block->shape, HK_QUAD_P + 4);
  const double *x = mesh->x + 2 * (hk_count)mesh->block->node[4];
  assert_true(fabs(x[0] - (1 + hk_gll_of(4)->x[1]) / 4) <= 1e-15 && x[1] == 0);
  hk_mesh_destroy(&mesh);
}

/* a set of nodes holds those of the side of the raised mesh once held between */
static void sets_of_nodes_reach_between(void **state)
{
  hk_mesh *mesh = NULL;
  bool *held = NULL;
  (void)state;
  mesh = make_grid((hk_mesh_grid){.to = {1, 1, 1}, .cells = {2, 2, 2}, .shape = HK_HEX8});
  ok(hk_mesh_raise_to(mesh, 4));
  ok(hk_get(&held, mesh->node_count));
  const hk_set *set = hk_mesh_find_set(mesh, "left", HK_NODE_SET);
  assert_int_equal(set->count, 9);
  for (hk_count i = 0; i < set->count; i++) held[set->item[i]] = true;
  hk_mesh_hold_between(mesh, held);
  for (hk_count n = 0; n < mesh->node_count; n++) assert_int_equal(held[n], mesh->x[3 * n] == 0);
  hk_free(&held);
  hk_mesh_destroy(&mesh);
}

/* x of the i-th node of one side = x of the i-th of the other but for the direction across, whatever the numbers of raised nodes */
static void sides_go_in_pairs(void **state)
{
  static const hk_shape shape[] = {HK_HEX8, HK_WEDGE6, HK_TET4};
  (void)state;
  for (int k = 0; k < 3; k++) {
    hk_mesh *mesh = NULL, *flat = NULL;
    hk_reach *reach[2] = {0};
    hk_count count[2];
    const bool wedges = shape[k] == HK_WEDGE6;
    ok(hk_mesh_create_grid(&(hk_mesh_grid){.dim = wedges ? 2 : 3,
                                           .to = {1, 1.3, 1},
                                           .cells = {2, 3, 1},
                                           .shape = wedges ? HK_TRI3 : shape[k]},
                           wedges ? &flat : &mesh));
    if (wedges) ok(hk_mesh_extrude(flat, 0, 1, &(hk_mesh_layer){1, 1, NULL}, &mesh));
    ok(hk_mesh_raise_to(mesh, shape[k] == HK_TET4 ? 2 : 5));
    for (int s = 0; s < 2; s++) {
      hk_index *item = NULL;
      ok(hk_get(&item, mesh->node_count));
      count[s] = 0;
      for (hk_count n = 0; n < mesh->node_count; n++)
        if (fabs(mesh->x[3 * n + 2] - s) <= 1e-12) item[count[s]++] = (hk_index)n;
      ok(hk_mesh_reach(mesh, count[s], item, &reach[s]));
      hk_free(&item);
    }
    assert_int_equal(count[0], count[1]);
    for (hk_count i = 0; i < count[0]; i++) {
      const double *a = mesh->x + 3 * (hk_count)reach[0][i].node,
                   *b = mesh->x + 3 * (hk_count)reach[1][i].node;
      assert_true(fabs(a[0] - b[0]) + fabs(a[1] - b[1]) <= 1e-12);
      assert_int_equal(hk_reach_compare(&reach[0][i], &reach[1][i]), 0);
      assert_true(i == 0 || hk_reach_compare(&reach[0][i - 1], &reach[0][i]) < 0);
    }
    hk_free(&reach[0]);
    hk_free(&reach[1]);
    hk_mesh_destroy(&mesh);
    hk_mesh_destroy(&flat);
  }
}

/* nodes in the middle of curved edges keep label and place in sets at even orders and are gone at odd ones; the others keep theirs */
static void curved_meshes_keep_what_they_can(void **state)
{
  (void)state;
  for (int order = 3; order <= 4; order++) {
    hk_mesh *mesh = NULL;
    hk_index *item = NULL;
    mesh = make_grid((hk_mesh_grid){.to = {1, 1}, .cells = {2, 1}, .shape = HK_QUAD4});
    ok(hk_mesh_raise(mesh));
    const hk_index middle = mesh->block->node[4], vertex = mesh->block->node[1];
    mesh->x[2 * middle + 1] -= 0.1;
    ok(hk_get(&item, 2));
    item[0] = vertex, item[1] = middle;
    ok(hk_mesh_add_set(mesh, "two", HK_NODE_SET, 2, &item, NULL));
    const double x = mesh->x[2 * middle], y = mesh->x[2 * middle + 1];
    ok(hk_mesh_raise_to(mesh, order));
    const hk_index found = hk_mesh_find_node(mesh, middle + 1);
    const hk_set *set = hk_mesh_find_set(mesh, "two", HK_NODE_SET);
    assert_int_equal(hk_mesh_find_node(mesh, vertex + 1), vertex);
    assert_int_equal(set->count, order == 4 ? 2 : 1);
    if (order == 4) {
      assert_true(fabs(mesh->x[2 * found] - x) + fabs(mesh->x[2 * found + 1] - y) <= 1e-15);
      assert_int_equal(set->item[1], found);
    } else {
      assert_int_equal(found, -1);
    }
    hk_mesh_destroy(&mesh);
  }
}

/* orders and shapes that there are not are refused */
static void what_has_no_order_is_refused(void **state)
{
  static const struct {
    hk_shape shape;
    int order;
  } row[] = {{HK_TRI3, 3}, {HK_TET4, 4}, {HK_QUAD4, 11}, {HK_HEX8, 0}};
  (void)state;
  for (int r = 0; r < 4; r++) {
    hk_mesh *mesh = NULL;
    mesh = make_grid((hk_mesh_grid){.dim = hk_element_of(row[r].shape)->dim,
                                    .to = {1, 1, 1},
                                    .cells = {1, 1, 1},
                                    .shape = row[r].shape});
    const hk_count nodes = mesh->node_count;
    assert_int_equal(hk_mesh_raise_to(mesh, row[r].order), HK_BAD_INPUT);
    assert_int_equal(mesh->node_count, nodes);
    hk_mesh_destroy(&mesh);
  }
}

/* whichever allocation fails, nothing is lost */
static void failing_memory_is_told(void **state)
{
  (void)state;
  hk_status status = HK_NO_RESOURCES;
  for (hk_count k = 1; status != HK_OK && k < 200; k++) {
    hk_mesh *mesh = make_pair(&pairs[1], 3, 4);
    const hk_count held = hk_memory_held();
    hk_memory_fail_at(k);
    status = hk_mesh_raise_to(mesh, 3);
    hk_memory_fail_at(0);
    if (status != HK_OK) assert_true(hk_memory_held() >= held);
    hk_mesh_destroy(&mesh);
    assert_int_equal(hk_memory_held(), 0);
  }
  ok(status);
}

/* x[node][dim] of the raised mesh: of the elements that share a node, which may place it a rounding apart, the last one counts. */
static void place_in_order(const hk_mesh *plain, const hk_mesh *raised, double *x)
{
  const hk_block *block = &plain->block[0], *to = &raised->block[0];
  const hk_element *from = hk_element_of(block->shape), *shape = hk_element_of(to->shape);
  for (hk_count e = 0; e < block->count; e++)
    for (int n = 0; n < to->nodes; n++) {
      double weight[HK_LISTED_NODES], *at = x + 3 * to->node[e * to->nodes + n];
      hk_element_functions(from, shape->reference[n], weight, NULL);
      for (int d = 0; d < 3; d++) {
        at[d] = n < shape->vertices ? plain->x[3 * block->node[e * block->nodes + n] + d] : 0;
        for (int m = 0; n >= shape->vertices && m < block->nodes; m++)
          at[d] += weight[m] * plain->x[3 * block->node[e * block->nodes + m] + d];
      }
    }
}

/* All threads place nodes as a loop over the elements does, bit by bit. */
static void threads_place_alike(void **state)
{
  (void)state;
  static const struct {
    hk_shape shape;
    int order;
  } row[] = {{HK_HEX8, 4}, {HK_TET4, 2}, {HK_HEX8, 3}};
  for (int r = 0; r < 3; r++)
    for (int threads = 1; threads <= 5; threads++) {
      const hk_mesh_grid desc = {.to = {1, 1.1, 1.3},
                                 .cells = {7, 6, 9},
                                 .shape = row[r].shape,
                                 .jitter = 0.2,
                                 .shuffle = (uint64_t)threads};
      double *x = NULL;
      omp_set_num_threads(threads);
      hk_mesh *plain = make_grid(desc), *mesh = make_grid(desc);
      ok(hk_mesh_raise_to(mesh, row[r].order));
      ok(hk_get(&x, 3 * mesh->node_count));
      place_in_order(plain, mesh, x);
      assert_memory_equal(mesh->x, x, (size_t)(3 * mesh->node_count) * sizeof *x);
      hk_free(&x);
      hk_mesh_destroy(&plain);
      hk_mesh_destroy(&mesh);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_share_their_nodes),
                                     cmocka_unit_test(grids_have_their_nodes_and_volume),
                                     cmocka_unit_test(rings_have_points_of_jacobi_on_the_axis),
                                     cmocka_unit_test(other_elements_at_the_axis_are_refused),
                                     cmocka_unit_test(curved_edges_at_the_axis_are_refused),
                                     cmocka_unit_test(nodes_near_the_axis_lie_on_it),
                                     cmocka_unit_test(families_have_one_order),
                                     cmocka_unit_test(families_are_raised_again),
                                     cmocka_unit_test(curved_edges_at_the_axis_are_refused),
                                     cmocka_unit_test(nodes_near_the_axis_lie_on_it),
                                     cmocka_unit_test(families_have_one_order),
                                     cmocka_unit_test(families_are_raised_again),
                                     cmocka_unit_test(sets_of_nodes_reach_between),
                                     cmocka_unit_test(sides_go_in_pairs),
                                     cmocka_unit_test(curved_meshes_keep_what_they_can),
                                     cmocka_unit_test(what_has_no_order_is_refused),
                                     cmocka_unit_test(threads_place_alike),
                                     cmocka_unit_test(failing_memory_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
