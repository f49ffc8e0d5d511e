/* What all threads find in a mesh is what one finds: boundary, repeated and inverted elements of a box in random order; longest edges. */
#include <math.h>
#include <omp.h>
#include "mesh/topology.h"
#include "support/mesh.h"

enum { CELLS = 17, ELEMENTS = 6 * CELLS * CELLS * CELLS };

static hk_mesh *shuffled_box(hk_shape shape)
{
  return make_grid((hk_mesh_grid){.to = {1, 1, 1},
                                  .cells = {CELLS, CELLS, CELLS},
                                  .shape = shape,
                                  .jitter = 0.1,
                                  .shuffle = 7});
}

static bool on_a_side(const hk_mesh *mesh, const hk_element_face *face, const hk_index *node)
{
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 2; side++) {
      int on = 0;
      for (int n = 0; n < face->nodes; n++) on += mesh->x[3 * node[face->node[n]] + d] == side;
      if (on == face->nodes) return true;
    }
  return false;
}

/* The boundary of the unit cube: each face lies on a side, ascending, 6 CELLS^2 of cells (2 triangles each). */
static void boundary_of_a_box(void **state)
{
  (void)state;
  static const hk_shape shape[] = {HK_TET4, HK_HEX8};
  for (int s = 0; s < 2; s++)
    for (int threads = 1; threads <= 5; threads += 2) {
      hk_mesh *mesh = shuffled_box(shape[s]);
      hk_count count;
      hk_index *element = NULL;
      uint8_t *face = NULL;
      omp_set_num_threads(threads);
      ok(hk_mesh_boundary(mesh, &count, &element, &face));
      assert_int_equal(count, (s ? 6 : 12) * CELLS * CELLS);
      for (hk_count i = 0; i < count; i++) {
        const hk_element_face *f = &hk_element_of(shape[s])->face[face[i]];
        assert_true(on_a_side(mesh, f, hk_mesh_nodes_of(mesh, element[i])));
        assert_true(!i || 8 * element[i] + face[i] > 8 * element[i - 1] + face[i - 1]);
      }
      hk_free(&element);
      hk_free(&face);
      hk_mesh_destroy(&mesh);
    }
}

/* count = elements that an earlier one equals; pair = the first of them and the last before it. */
static void repeated_elements(void **state)
{
  (void)state;
  static const int copies[][2] = {{20000, 3}, {9000, 3}, {29477, 12000}, {11000, 10999}};
  for (int threads = 1; threads <= 5; threads += 2) {
    hk_mesh *mesh = shuffled_box(HK_TET4);
    hk_count count;
    hk_index pair[2], *node = mesh->block[0].node;
    omp_set_num_threads(threads);
    ok(hk_mesh_find_twice(mesh, &count, pair));
    assert_int_equal(count, 0);
    for (int k = 0; k < 4; k++)
      for (int n = 0; n < 4; n++) node[4 * copies[k][0] + n] = node[4 * copies[k][1] + (n + k) % 4];
    ok(hk_mesh_find_twice(mesh, &count, pair));
    assert_int_equal(count, 4);
    assert_int_equal(pair[0], 3);
    assert_int_equal(pair[1], 9000);
    hk_mesh_destroy(&mesh);
  }
}

/* Inverted elements far from each other are told in their order. */
static void inverted_elements(void **state)
{
  (void)state;
  static const int inverted[] = {4095, 4096, 17000, ELEMENTS - 1};
  for (int threads = 1; threads <= 5; threads += 2) {
    hk_mesh *mesh = shuffled_box(HK_TET4);
    hk_messages *list = NULL;
    omp_set_num_threads(threads);
    ok(hk_messages_create(&list));
    for (int k = 0; k < 4; k++) {
      hk_index *node = mesh->block[0].node + 4 * inverted[k], other = node[0];
      node[0] = node[1], node[1] = other;
    }
    assert_int_equal(hk_mesh_finish(mesh, "file", list), HK_BAD_INPUT);
    assert_int_equal(hk_messages_total(list, HK_ERROR), 4);
    for (int k = 0; k < 4; k++) {
      char text[40];
      snprintf(text, sizeof text, "element %d (tet4) is inverted", inverted[k] + 1);
      assert_non_null(strstr(hk_messages_at(list, k)->text, text));
    }
    hk_messages_destroy(&list);
    hk_mesh_destroy(&mesh);
  }
}

/* The same seed gives the same bits. */
static void generated_mesh(void **state)
{
  (void)state;
  omp_set_num_threads(1);
  hk_mesh *one = shuffled_box(HK_TET4);
  for (int threads = 2; threads <= 5; threads += 3) {
    omp_set_num_threads(threads);
    hk_mesh *mesh = shuffled_box(HK_TET4);
    assert_memory_equal(mesh->x, one->x, (size_t)(3 * one->node_count) * sizeof *one->x);
    assert_memory_equal(mesh->block[0].node, one->block[0].node, 4 * ELEMENTS * sizeof(hk_index));
    assert_int_equal(mesh->set_count, one->set_count);
    for (int s = 0; s < one->set_count; s++) {
      assert_int_equal(mesh->set[s].count, one->set[s].count);
      assert_memory_equal(mesh->set[s].item, one->set[s].item,
                          (size_t)one->set[s].count * sizeof(hk_index));
    }
    hk_mesh_destroy(&mesh);
  }
  hk_mesh_destroy(&one);
}

/* to[i] = the place of i in a random order: Fisher and Yates, splitmix64, one after the other. */
static hk_index *shuffled(hk_count count, uint64_t *state)
{
  hk_index *to = NULL;
  ok(hk_get(&to, count));
  for (hk_count i = 0; i < count; i++) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    const hk_count k = (hk_count)((z ^ z >> 31) % (uint64_t)(i + 1));
    to[i] = to[k], to[k] = (hk_index)i;
  }
  return to;
}

/* A member (number, face) of a set is one of the other set, ascending, by its new number. */
static void check_set(const hk_set *set, const hk_set *before, const hk_index *to)
{
  assert_int_equal(set->count, before->count);
  for (hk_count i = 1; i < set->count; i++) assert_true(set->item[i] > set->item[i - 1]);
  for (hk_count i = 0; i < before->count; i++) {
    hk_count at = 0;
    while (at < set->count && set->item[at] != to[before->item[i]]) at++;
    assert_true(at < set->count);
    if (set->face) assert_int_equal(set->face[at], before->face[i]);
  }
}

/* A shuffled mesh is the one in order with numbers by `shuffled`, for any number of threads: places, elements and sets. There are more elements
 * than are drawn at a time. */
static void shuffle_is_a_renumbering(void **state)
{
  (void)state;
  enum { ACROSS = 23 };
  hk_mesh_grid desc = {
      .to = {1, 1, 1}, .cells = {ACROSS, ACROSS, ACROSS}, .shape = HK_TET4, .jitter = 0.2};
  hk_mesh *plain = make_grid(desc);
  const hk_index *old = plain->block[0].node;
  for (int threads = 1; threads <= 5; threads++) {
    uint64_t seed = desc.shuffle = (uint64_t)threads;
    omp_set_num_threads(threads);
    hk_mesh *mesh = make_grid(desc);
    hk_index *to = shuffled(plain->node_count, &seed);
    hk_index *element_to = shuffled(plain->element_count, &seed);
    for (hk_count i = 0; i < plain->node_count; i++)
      assert_memory_equal(mesh->x + 3 * to[i], plain->x + 3 * i, 3 * sizeof *mesh->x);
    for (hk_count k = 0; k < 4 * plain->element_count; k++)
      assert_int_equal(mesh->block[0].node[4 * element_to[k / 4] + k % 4], to[old[k]]);
    assert_int_equal(mesh->set_count, plain->set_count);
    for (int s = 0; s < plain->set_count; s++) {
      assert_string_equal(mesh->set[s].name, plain->set[s].name);
      if (mesh->set[s].kind != HK_ELEMENT_SET)
        check_set(&mesh->set[s], &plain->set[s],
                  plain->set[s].kind == HK_NODE_SET ? to : element_to);
      else
        for (hk_count i = 0; i < mesh->element_count; i++)
          assert_int_equal(mesh->set[s].item[i], i);
    }
    hk_free(&to);
    hk_free(&element_to);
    hk_mesh_destroy(&mesh);
  }
  hk_mesh_destroy(&plain);
}

/* begin and element are those of plain loops over the elements, of shapes and blocks with more entries than are sorted at a time. */
static void elements_of_nodes(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 7; threads += threads < 3 ? 1 : 4) {
    hk_mesh *mesh = make_grid((hk_mesh_grid){
        .to = {1, 1, 1}, .cells = {29, 31, 37}, .shape = HK_TET4, .shuffle = (uint64_t)threads});
    const hk_block *block = &mesh->block[0];
    hk_index *begin = NULL, *element = NULL, *next = NULL;
    omp_set_num_threads(threads);
    const double share = hk_memory_share(0); /* many parts (mesh/scatter.h) */
    ok(hk_mesh_node_elements(mesh, &begin, &element));
    hk_memory_share(share);
    assert_int_equal(begin[0], 0);
    assert_int_equal(begin[mesh->node_count], 4 * block->count);
    ok(hk_get(&next, mesh->node_count));
    for (hk_count k = 0; k < 4 * block->count; k++) {
      const hk_index n = block->node[k];
      assert_true(begin[n] + next[n] < begin[n + 1]);
      assert_int_equal(element[begin[n] + next[n]++], k / 4);
    }
    hk_free(&begin);
    hk_free(&element);
    hk_free(&next);
    hk_mesh_destroy(&mesh);
  }
}

/* Parts and orphans of a box in random order, of which every third and fourth layer of cells are taken out:
 * as many parts as layers; nodes of no layer are orphans. */
static void parts_and_orphans(void **state)
{
  (void)state;
  enum { LAYERS = 12, ACROSS = 9 };
  for (int threads = 1; threads <= 7; threads += threads < 3 ? 1 : 4) {
    hk_mesh *mesh = make_grid((hk_mesh_grid){.to = {1, 1, 4 * LAYERS},
                                             .cells = {ACROSS, ACROSS, 4 * LAYERS},
                                             .shape = HK_TET4,
                                             .shuffle = 11});
    hk_block *block = &mesh->block[0];
    hk_count kept = 0, first = 0;
    hk_connection c;
    for (hk_count e = 0; e < block->count; e++) {
      double low = HUGE_VAL;
      for (int n = 0; n < 4; n++) low = fmin(low, mesh->x[3 * block->node[4 * e + n] + 2]);
      if ((int)low % 4 > 1) continue;
      memmove(block->node + 4 * kept++, block->node + 4 * e, 4 * sizeof *block->node);
    }
    block->count = mesh->element_count = kept;
    while ((int)mesh->x[3 * first + 2] % 4 != 3) first++;
    omp_set_num_threads(threads);
    ok(hk_mesh_connect(mesh, &c));
    assert_int_equal(c.parts, LAYERS);
    assert_int_equal(c.orphans, (LAYERS + 1) * (ACROSS + 1) * (ACROSS + 1));
    assert_int_equal(c.first_orphan, first);
    hk_mesh_destroy(&mesh);
  }
}

/* All at once, edge[element] has the bits of one after the other. */
static void check_all_edges(const hk_mesh *mesh)
{
  double *edge = NULL;
  ok(hk_get(&edge, mesh->element_count));
  hk_mesh_longest_edges(mesh, edge);
  for (hk_count e = 0; e < mesh->element_count; e++)
    assert_true(edge[e] == hk_mesh_longest_edge(mesh, e));
  hk_free(&edge);
}

/* The longest edge of an element is that of its pairs of vertices that a face has side by side; a simplex has no other pairs. */
static void longest_edges(void **state)
{
  static const hk_shape shape[] = {HK_TRI3, HK_TET4, HK_TET10};
  (void)state;
  for (int s = 0; s < 3; s++) {
    hk_mesh *mesh = make_patch(shape[s], 0.2);
    for (hk_count e = 0; e < mesh->element_count; e++) {
      const hk_index *node = hk_mesh_nodes_of(mesh, e);
      double most = 0;
      for (int a = 0; a <= mesh->dim; a++)
        for (int b = 0; b <= mesh->dim; b++) {
          double square = 0;
          for (int d = 0; d < mesh->dim; d++) {
            const double apart =
                mesh->x[node[a] * mesh->dim + d] - mesh->x[node[b] * mesh->dim + d];
            square += apart * apart;
          }
          if (square > most) most = square;
        }
      assert_true(hk_mesh_longest_edge(mesh, e) == sqrt(most));
    }
    check_all_edges(mesh);
    hk_mesh_destroy(&mesh);
  }
  hk_mesh *cube = make_grid((hk_mesh_grid){.shape = HK_HEX8, .cells = {1, 1, 1}, .to = {1, 3, 2}});
  assert_true(hk_mesh_longest_edge(cube, 0) == 3);
  check_all_edges(cube);
  hk_mesh_destroy(&cube);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boundary_of_a_box),        cmocka_unit_test(repeated_elements),
      cmocka_unit_test(inverted_elements),        cmocka_unit_test(generated_mesh),
      cmocka_unit_test(shuffle_is_a_renumbering), cmocka_unit_test(elements_of_nodes),
      cmocka_unit_test(parts_and_orphans),        cmocka_unit_test(longest_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
