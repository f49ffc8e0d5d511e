/* Generated meshes: volume, conformity, sets, jitter, shuffle. */
#include "element/element.h"
#include "mesh/mesh.h"
#include "support/check.h"
#include <stdlib.h>

static const hk_shape grid_shape[] = {HK_TRI3, HK_QUAD4, HK_TET4, HK_HEX8};

static hk_mesh_grid grid_of(hk_shape shape)
{
  return (hk_mesh_grid){.dim = hk_element_of(shape)->dim,
                        .from = {-1, 2, 0.2},
                        .to = {2, 4, 0.9}, /* 0.2 + (0.9 - 0.2) != 0.9 */
                        .cells = {5, 3, 4},
                        .shape = shape};
}

static hk_mesh *make_grid(const hk_mesh_grid *desc)
{
  hk_mesh *mesh = NULL;
  ok(hk_mesh_create_grid(desc, &mesh));
  return mesh;
}

static hk_mesh_quality measure(const hk_mesh *mesh)
{
  hk_mesh_quality q;
  ok(hk_mesh_measure(mesh, &q));
  assert_int_equal(q.inverted + q.zero_volume + q.flipped + q.orphan_nodes, 0);
  assert_int_equal(q.parts, 1);
  return q;
}

/* Number and area (length) of the boundary faces; those of simplices are triangles and lines. */
static double boundary_area(const hk_mesh *mesh, hk_count *count)
{
  hk_index *element = NULL;
  uint8_t *face = NULL;
  double sum = 0;
  ok(hk_mesh_boundary(mesh, count, &element, &face));
  for (hk_count i = 0; i < *count; i++) {
    const hk_element_face *f =
        &hk_element_of(hk_mesh_block_of(mesh, element[i])->shape)->face[face[i]];
    const hk_index *node = hk_mesh_nodes_of(mesh, element[i]);
    const double *x[4];
    for (int n = 0; n < f->nodes; n++) x[n] = mesh->x + (hk_count)node[f->node[n]] * mesh->dim;
    if (mesh->dim == 2) sum += hypot(x[1][0] - x[0][0], x[1][1] - x[0][1]);
    for (int n = 2; mesh->dim == 3 && n < f->nodes; n++) {
      double square = 0;
      for (int d = 0; d < 3; d++) {
        const int a = (d + 1) % 3, b = (d + 2) % 3;
        const double c = (x[n - 1][a] - x[0][a]) * (x[n][b] - x[0][b]) -
                         (x[n - 1][b] - x[0][b]) * (x[n][a] - x[0][a]);
        square += c * c;
      }
      sum += sqrt(square) / 2;
    }
  }
  hk_free(&element);
  hk_free(&face);
  return sum;
}

/* Volume of the elements = volume of the box, and area of the faces that one element has = area of
 * the box (a mesh that does not conform would have more), with and without jitter and shuffle. */
static void grids_fill_the_box(void **state)
{
  (void)state;
  for (int s = 0; s < 4; s++)
    for (int variant = 0; variant < 3; variant++) {
      hk_mesh_grid desc = grid_of(grid_shape[s]);
      desc.jitter = variant ? 0.3 : 0;
      desc.shuffle = variant == 2 ? 11 : 0;
      hk_mesh *mesh = make_grid(&desc);
      const hk_mesh_quality q = measure(mesh);
      const bool plane = mesh->dim == 2;
      const double volume = plane ? 6 : 6 * 0.7, area = plane ? 10 : 12 + 10 * 0.7;
      hk_count faces;
      assert_true(fabs(q.volume - volume) <= 1e-13 * volume);
      assert_true(fabs(boundary_area(mesh, &faces) - area) <= 1e-13 * area);
      for (int d = 0; d < mesh->dim; d++)
        assert_true(q.box[0][d] == desc.from[d] && q.box[1][d] == desc.to[d]);
      hk_mesh_destroy(&mesh);
    }
}

static void grids_have_the_numbers_asked_for(void **state)
{
  (void)state;
  static const hk_count elements[] = {2 * 15, 15, 6 * 60, 60}, nodes[] = {24, 24, 120, 120};
  static const hk_count faces[] = {16, 16, 2 * 94, 94};
  for (int s = 0; s < 4; s++) {
    hk_mesh_grid desc = grid_of(grid_shape[s]);
    hk_mesh *mesh = make_grid(&desc);
    hk_count count;
    boundary_area(mesh, &count);
    assert_int_equal(mesh->element_count, elements[s]);
    assert_int_equal(mesh->node_count, nodes[s]);
    assert_int_equal(count, faces[s]);
    hk_mesh_destroy(&mesh);
  }
}

/* Node and face sets lie on x[axis] = at and are complete; together they are the boundary. */
static void grid_sides_are_sets(void **state)
{
  (void)state;
  static const char *const name[6] = {"left", "right", "bottom", "top", "front", "back"};
  for (int s = 0; s < 4; s++) {
    hk_mesh_grid desc = grid_of(grid_shape[s]);
    desc.jitter = 0.2, desc.shuffle = 5;
    hk_mesh *mesh = make_grid(&desc);
    const int dim = mesh->dim;
    hk_count all, sum = 0;
    boundary_area(mesh, &all);
    for (int i = 0; i < 2 * dim; i++) {
      const double at = i % 2 ? desc.to[i / 2] : desc.from[i / 2];
      const hk_set *nodes = hk_mesh_find_set(mesh, name[i], HK_NODE_SET);
      const hk_set *faces = hk_mesh_find_set(mesh, name[i], HK_FACE_SET);
      hk_count expected = 0;
      for (hk_count n = 0; n < mesh->node_count; n++)
        if (mesh->x[n * dim + i / 2] == at) assert_int_equal(nodes->item[expected++], n);
      assert_int_equal(nodes->count, expected);
      for (hk_count k = 0; k < faces->count; k++) {
        const hk_element_face *f = &hk_element_of(desc.shape)->face[faces->face[k]];
        for (int n = 0; n < f->nodes; n++) {
          const hk_index node = hk_mesh_nodes_of(mesh, faces->item[k])[f->node[n]];
          assert_true(mesh->x[(hk_count)node * dim + i / 2] == at);
        }
      }
      sum += faces->count;
    }
    assert_int_equal(sum, all);
    assert_int_equal(hk_mesh_find_set(mesh, "all", HK_ELEMENT_SET)->count, mesh->element_count);
    hk_mesh_destroy(&mesh);
  }
}

/* The same seed gives the same mesh, bit by bit; another seed another one of the same quality. */
static void shuffle_is_deterministic(void **state)
{
  (void)state;
  hk_mesh_grid desc = grid_of(HK_TET4);
  desc.jitter = 0.2, desc.shuffle = 3;
  hk_mesh *a = make_grid(&desc), *b = make_grid(&desc);
  desc.shuffle = 4;
  hk_mesh *c = make_grid(&desc);
  const size_t x_size = (size_t)(3 * a->node_count) * sizeof *a->x;
  const size_t node_size = (size_t)(4 * a->element_count) * sizeof *a->block->node;
  assert_memory_equal(a->x, b->x, x_size);
  assert_memory_equal(a->block->node, b->block->node, node_size);
  assert_memory_not_equal(a->x, c->x, x_size);
  const hk_mesh_quality qa = measure(a), qc = measure(c);
  assert_true(qa.shortest_edge == qc.shortest_edge && qa.longest_edge == qc.longest_edge);
  hk_mesh_destroy(&a);
  hk_mesh_destroy(&b);
  hk_mesh_destroy(&c);
}

/* splitmix64 */
static uint64_t draw(uint64_t *seed)
{
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Fisher and Yates, one exchange after the other. */
static hk_index *order_one_by_one(hk_count count, uint64_t *seed)
{
  hk_index *order = malloc((size_t)count * sizeof *order);
  assert_non_null(order);
  for (hk_count i = 0; i < count; i++) {
    const uint64_t place = draw(seed) % (uint64_t)(i + 1);
    order[i] = order[place];
    order[place] = (hk_index)i;
  }
  return order;
}

/* The order of nodes, then of elements, is that of Fisher and Yates: also of more elements than are placed at a time. */
static void shuffle_is_that_of_exchanges(void **state)
{
  (void)state;
  for (int large = 0; large < 2; large++) {
    hk_mesh_grid desc = grid_of(HK_TRI3);
    desc.cells[0] = large ? 200 : 2, desc.cells[1] = large ? 150 : 1;
    const double share = hk_memory_share(0); /* the least room, that of 2^15 places */
    hk_mesh *plain = make_grid(&desc);
    uint64_t seed = desc.shuffle = 6;
    hk_mesh *mesh = make_grid(&desc);
    hk_memory_share(share);
    hk_index *to = order_one_by_one(mesh->node_count, &seed),
             *element_to = order_one_by_one(mesh->element_count, &seed);
    for (hk_count n = 0; n < mesh->node_count; n++)
      assert_memory_equal(mesh->x + 2 * (hk_count)to[n], plain->x + 2 * n, 2 * sizeof *plain->x);
    for (hk_count e = 0; e < mesh->element_count; e++)
      for (int n = 0; n < 3; n++)
        assert_int_equal(mesh->block->node[3 * (hk_count)element_to[e] + n],
                         to[plain->block->node[3 * e + n]]);
    free(to);
    free(element_to);
    hk_mesh_destroy(&mesh);
    hk_mesh_destroy(&plain);
  }
}

/* Nodes inside move, by at most jitter times the cell; those of the boundary stay. */
static void jitter_moves_the_inside(void **state)
{
  (void)state;
  hk_mesh_grid desc = grid_of(HK_HEX8);
  hk_mesh *still = make_grid(&desc);
  desc.jitter = 0.25;
  hk_mesh *moved = make_grid(&desc);
  hk_count count = 0;
  for (hk_count n = 0; n < still->node_count; n++) {
    double square = 0;
    bool inside = true;
    for (int d = 0; d < 3; d++) {
      const double cell = (desc.to[d] - desc.from[d]) / (double)desc.cells[d];
      const double shift = (moved->x[3 * n + d] - still->x[3 * n + d]) / cell;
      inside = inside && still->x[3 * n + d] != desc.from[d] && still->x[3 * n + d] != desc.to[d];
      square += shift * shift;
    }
    assert_true(inside ? square > 0 && sqrt(square) <= 0.25 + 1e-12 : square == 0);
    count += inside;
  }
  assert_int_equal(count, 4 * 2 * 3);
  hk_mesh_destroy(&still);
  hk_mesh_destroy(&moved);
}

/* Volume of the prism over a regular polygon of k sides: k/2 r^2 sin(2 pi / k) length; the hexes
 * keep at least a third of their largest Jacobian everywhere. */
static void cylinders_are_round(void **state)
{
  (void)state;
  for (hk_count across = 1; across <= 17; across += 2)
    for (int s = 0; s < 2; s++) {
      const hk_count even = across + 1, m = 2 * ((even + 2) / 4);
      const double k = 4.0 * (double)m, volume = k / 2 * 4 * sin(2 * M_PI / k) * 10;
      hk_mesh *mesh = NULL;
      const hk_mesh_cylinder desc = {.radius = 2,
                                     .length = 10,
                                     .across = across,
                                     .along = 5,
                                     .shape = s ? HK_HEX8 : HK_TET4,
                                     .shuffle = (uint64_t)across};
      ok(hk_mesh_create_cylinder(&desc, &mesh));
      const hk_mesh_quality q = measure(mesh);
      assert_true(fabs(q.volume - volume) <= 1e-13 * volume);
      if (s) assert_true(q.smallest_jacobian_ratio >= 0.3);
      hk_count faces;
      const double area = 2 * volume / 10 + k * 2 * 2 * sin(M_PI / k) * 10;
      assert_true(fabs(boundary_area(mesh, &faces) - area) <= 1e-13 * area);
      const hk_count side = hk_mesh_find_set(mesh, "side", HK_FACE_SET)->count;
      const hk_count bottom = hk_mesh_find_set(mesh, "bottom", HK_FACE_SET)->count;
      assert_int_equal(side, 4 * m * 5 * (s ? 1 : 2));
      assert_int_equal(hk_mesh_find_set(mesh, "top", HK_FACE_SET)->count, bottom);
      assert_int_equal(side + 2 * bottom, faces);
      const hk_set *nodes = hk_mesh_find_set(mesh, "side", HK_NODE_SET);
      assert_int_equal(nodes->count, 4 * m * 6);
      for (hk_count i = 0; i < nodes->count; i++) {
        const double *x = mesh->x + 3 * (hk_count)nodes->item[i];
        assert_true(fabs(hypot(x[0], x[1]) - 2) <= 1e-14);
      }
      hk_mesh_destroy(&mesh);
    }
}

static void jittered_cylinders_hold(void **state)
{
  (void)state;
  for (int s = 0; s < 2; s++) {
    hk_mesh *mesh = NULL;
    const hk_mesh_cylinder desc = {.radius = 1,
                                   .length = 3,
                                   .across = 14,
                                   .along = 20,
                                   .shape = s ? HK_HEX8 : HK_TET4,
                                   .jitter = 0.25};
    ok(hk_mesh_create_cylinder(&desc, &mesh));
    measure(mesh);
    hk_mesh_destroy(&mesh);
  }
}

static void senseless_descriptions_are_refused(void **state)
{
  (void)state;
  hk_mesh *mesh = NULL;
  hk_mesh_grid grid[6];
  for (int i = 0; i < 6; i++) grid[i] = grid_of(HK_QUAD4);
  grid[0].cells[1] = 0, grid[1].to[0] = -1, grid[2].shape = HK_HEX8, grid[3].jitter = 0.4;
  grid[4].to[1] = NAN, grid[5].cells[0] = grid[5].cells[1] = 1 << 20;
  for (int i = 0; i < 6; i++) assert_int_equal(hk_mesh_create_grid(&grid[i], &mesh), HK_BAD_INPUT);
  const hk_mesh_cylinder cylinder = {.radius = 1, .length = 0, .across = 2, .along = 2, HK_HEX8};
  assert_int_equal(hk_mesh_create_cylinder(&cylinder, &mesh), HK_BAD_INPUT);
  assert_null(mesh);
}

static void failing_allocations_leave_nothing(void **state)
{
  (void)state;
  hk_mesh_grid desc = grid_of(HK_TET4);
  desc.jitter = 0.1, desc.shuffle = 2;
  shortage memory = {0};
  while (next_shortage(&memory)) {
    hk_mesh *mesh = NULL;
    memory.status = hk_mesh_create_grid(&desc, &mesh);
    hk_mesh_destroy(&mesh);
  }
}

/* Quality of a mesh that threads measure in parts: V = 1, and the element at either end of the numbers is the worst once its corner of the body is moved. */
static void worst_element_is_found_in_any_part(void **state)
{
  (void)state;
  const hk_mesh_grid desc = {
      .dim = 3, .shape = HK_HEX8, .from = {0, 0, 0}, .to = {1, 1, 1}, .cells = {22, 22, 22}};
  hk_mesh *mesh = make_grid(&desc);
  assert_true(fabs(measure(mesh).volume - 1) <= 1e-12);
  for (int last = 0; last < 2; last++) {
    const hk_index node = last ? (hk_index)mesh->node_count - 1 : 0;
    const hk_index worst = last ? (hk_index)mesh->element_count - 1 : 0;
    double *x = mesh->x + 3 * (hk_count)node;
    for (int d = 0; d < 3; d++) x[d] += (last ? -0.2 : 0.1) / 22;
    const hk_mesh_quality q = measure(mesh);
    assert_int_equal(q.worst_element, worst);
    assert_true(q.smallest_jacobian_ratio < 0.8 && q.shortest_edge < 0.95 / 22);
  }
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_fill_the_box),
      cmocka_unit_test(grids_have_the_numbers_asked_for),
      cmocka_unit_test(grid_sides_are_sets),
      cmocka_unit_test(shuffle_is_deterministic),
      cmocka_unit_test(shuffle_is_that_of_exchanges),
      cmocka_unit_test(jitter_moves_the_inside),
      cmocka_unit_test(cylinders_are_round),
      cmocka_unit_test(jittered_cylinders_hold),
      cmocka_unit_test(senseless_descriptions_are_refused),
      cmocka_unit_test(worst_element_is_found_in_any_part),
      cmocka_unit_test(failing_allocations_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
