/* What the algorithms on graphs give, bit by bit, as checksums over meshes of all kinds and sizes. Other tests say what must hold of any
 * outcome; this one notices a changed step that leaves the outcome valid but worse. Where an algorithm is changed on purpose, compare
 * efficiency, borders and bands before and after, then write down the new number. */
#include "papers/pogo/arrange.h"
#include "graph/blocks.h"
#include "support/mesh.h"
#include "graph/colour.h"
#include "graph/cuthill.h"
#include "papers/pogo/methods.h"
#include "graph/order.h"
#include "graph/sliced.h"
#include <stdio.h>

enum { MESHES = 6 };

static const struct {
  int dim;
  hk_shape shape;
  hk_count cells;
  double jitter;
  bool punched;
} mesh_of[MESHES] = {{2, HK_TRI3, 57, .2, false}, {2, HK_QUAD4, 40, .2, false},
                     {3, HK_TET4, 12, .2, false}, {3, HK_HEX8, 13, .2, false},
                     {2, HK_TRI3, 50, .1, true},  {3, HK_HEX8, 12, .1, true}};

/* Moves all nodes at random by up to a part of a cell, by numbers of our own. */
static void jitter(hk_mesh *mesh, double most)
{
  uint32_t random = 7;
  for (hk_count i = 0; i < mesh->node_count * mesh->dim; i++) {
    random = random * 1664525u + 1013904223u;
    mesh->x[i] += most * ((random >> 8) / 16777216.0 - 0.5);
  }
}

static hk_mesh *make(int m, hk_adjacency **graph)
{
  hk_mesh *mesh = grid_mesh(mesh_of[m].dim, mesh_of[m].shape, mesh_of[m].cells, 0);
  jitter(mesh, 2 * mesh_of[m].jitter / (double)mesh_of[m].cells);
  if (mesh_of[m].punched) punch(mesh);
  ok(hk_adjacency_create(mesh, graph));
  return mesh;
}

static void unmake(hk_mesh *mesh, hk_adjacency *graph)
{
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
}

static void expect(uint64_t got, uint64_t expected, const char *what)
{
  if (got != expected)
    fail_msg("%s: checksum 0x%016llx, expected 0x%016llx", what, (unsigned long long)got,
             (unsigned long long)expected);
}

/* Checksum of the partitions of all meshes by one rule, for several sizes of blocks. */
static uint64_t partitions_by(hk_partition_desc rule, int least, int most)
{
  uint64_t sum = 0;
  for (int m = 0; m < MESHES; m++) {
    hk_adjacency *graph = NULL;
    hk_mesh *mesh = make(m, &graph);
    for (rule.size = least; rule.size <= most; rule.size *= 4) {
      hk_blocks *blocks = NULL;
      ok(hk_blocks_partition(mesh, graph, &rule, &blocks));
      sum = hk_hash(blocks->block, (size_t)blocks->nodes * sizeof *blocks->block, sum);
      hk_blocks_destroy(&blocks);
    }
    unmake(mesh, graph);
  }
  return sum;
}

/* the paper's fronts, by its rules and by others; mended; greedy; bisection */
static void partitions(void **state)
{
  (void)state;
  expect(partitions_by((hk_partition_desc){.method = HK_PARTITION_ALIGNED_PAPER}, 32, 512),
         0x5c436d4467cb63d2, "plain");
  expect(partitions_by((hk_partition_desc){.method = HK_PARTITION_ALIGNED_PAPER,
                                           .length = 7,
                                           .rows = 3,
                                           .least = 15,
                                           .most = 30},
                       64, 256),
         0x32007e896229abaf, "plain, short");
  expect(partitions_by((hk_partition_desc){0}, 32, 512), 0x99e258a08089dc1f, "mended");
  expect(partitions_by((hk_partition_desc){.method = HK_PARTITION_GREEDY}, 32, 512),
         0x6e7e759f17449e5e, "greedy");
  expect(partitions_by((hk_partition_desc){.method = HK_PARTITION_BISECTION}, 32, 512),
         0x48843aa1fb04e62f, "bisection");
}

/* meshes full of holes, of many sizes: fronts fall apart in many ways */
static void fronts_that_fall_apart(void **state)
{
  uint64_t sum = 0;
  (void)state;
  for (hk_count cells = 8; cells < 48; cells++) {
    hk_mesh *mesh = grid_mesh(2, cells % 2 ? HK_QUAD4 : HK_TRI3, cells, 0);
    hk_adjacency *graph = NULL;
    hk_blocks *blocks = NULL;
    punch(mesh);
    ok(hk_adjacency_create(mesh, &graph));
    ok(hk_blocks_partition(
        mesh, graph,
        &(hk_partition_desc){.size = cells % 3 ? 32 : 64, .method = HK_PARTITION_ALIGNED_PAPER},
        &blocks));
    sum = hk_hash(blocks->block, (size_t)blocks->nodes * sizeof *blocks->block, sum);
    hk_blocks_destroy(&blocks);
    unmake(mesh, graph);
  }
  expect(sum, 0xba986a7257103fb0, "plain, of holes");
}

/* a node with few neighbours before a clique of 300: a block of all of them, whose last has 299 links to it */
static void cliques_fill_a_block(void **state)
{
  enum { CLIQUE = 300, NODES = CLIQUE + 1 };
  static hk_index begin[NODES + 1], node[NODES * NODES], block[NODES];
  hk_index links = 0, blocks = 0;
  (void)state;
  for (hk_index i = 0; i < NODES; i++) {
    block[i] = -1;
    for (hk_index j = 0; j < NODES; j++)
      if (i != j && (i > 0 ? j > 0 || i == 1 : j == 1)) node[links++] = j;
    begin[i + 1] = links;
  }
  const hk_adjacency graph = {.nodes = NODES, .begin = begin, .node = node};
  ok(hk_partition_greedy(&graph, 512, block, &blocks));
  assert_int_equal(blocks, 1);
  for (hk_index i = 0; i < NODES; i++) assert_int_equal(block[i], 0);
}

/* nodes that are in a block before, and those without links, stay where they are */
static void greedy_blocks_leave_out_what_has_one(void **state)
{
  static const hk_index begin[] = {0, 1, 3, 5, 6, 6}, node[] = {1, 0, 2, 1, 3, 2},
                        expected[] = {-2, 0, 0, 0, -1};
  hk_index block[5] = {-2, -1, -1, -1, -1}, blocks = 0;
  const hk_adjacency graph = {.nodes = 5, .begin = (hk_index *)begin, .node = (hk_index *)node};
  (void)state;
  ok(hk_partition_greedy(&graph, 3, block, &blocks));
  assert_int_equal(blocks, 1);
  for (int i = 0; i < 5; i++) assert_int_equal(block[i], expected[i]);
}

/* the paper's steps alone, not mended, put the shipped meshes into no more blocks than this: efficiencies of 0.984 and 0.984, 0.973 and
 * 0.944, 0.956 and 0.994 */
static void the_papers_steps_fill_blocks(void **state)
{
  static const struct {
    const char *path;
    hk_index blocks[2]; /* of 128 and 512 nodes */
  } row[] = {{HOOKE_SOURCE "/examples/weld/weld.inp.gz", {80, 20}},
             {HOOKE_SOURCE "/examples/gear/gear.inp.gz", {97, 25}},
             {HOOKE_SOURCE "/examples/geophysics/mesh.inp.gz", {104, 25}}};
  (void)state;
  for (int r = 0; r < 3; r++) {
    hk_mesh *mesh = NULL;
    hk_adjacency *graph = NULL;
    ok(hk_mesh_read(row[r].path, NULL, &mesh));
    ok(hk_adjacency_create(mesh, &graph));
    for (int s = 0; s < 2; s++) {
      hk_blocks *blocks = NULL;
      ok(hk_blocks_partition(
          mesh, graph,
          &(hk_partition_desc){.size = s ? 512 : 128, .method = HK_PARTITION_ALIGNED_PAPER},
          &blocks));
      if (blocks->blocks > row[r].blocks[s])
        fail_msg("%s: %d blocks of %d nodes, expected %d: efficiency %g", row[r].path,
                 blocks->blocks, blocks->size, row[r].blocks[s], hk_blocks_efficiency(blocks));
      hk_blocks_destroy(&blocks);
    }
    unmake(mesh, graph);
  }
}

/* places, and the tables of what blocks read, of blocks that three methods make, some of which are split; plane meshes, then solids */
static void arrangements(void **state)
{
  static const hk_partition_method methods[] = {HK_PARTITION_ALIGNED, HK_PARTITION_GREEDY,
                                                HK_PARTITION_BISECTION};
  uint64_t sums[2] = {0};
  (void)state;
  for (int m = 0; m < MESHES; m++) {
    hk_adjacency *graph = NULL;
    uint64_t sum = sums[mesh_of[m].dim == 3];
    hk_mesh *mesh = make(m, &graph);
    for (int way = 0; way < 3; way++) {
      hk_blocks *blocks = partition(mesh, graph, methods[way], 64 << way);
      hk_block_links *links = NULL;
      ok(hk_blocks_arrange(graph, blocks));
      ok(hk_blocks_link(graph, blocks, &links));
      sum = hk_hash(blocks->block, (size_t)blocks->nodes * sizeof *blocks->block, sum);
      sum = hk_hash(blocks->place, (size_t)blocks->nodes * sizeof *blocks->place, sum);
      sum =
          hk_hash(links->table,
                  (size_t)links->blocks * (size_t)links->layout.loads * sizeof *links->table, sum);
      hk_block_links_destroy(&links);
      hk_blocks_destroy(&blocks);
    }
    sums[mesh_of[m].dim == 3] = sum;
    unmake(mesh, graph);
  }
  expect(sums[0], 0x62ec943fe5996821, "places and tables");
  expect(sums[1], 0x10e8f80b97ee9c01, "places and tables of solids");
}

/* outlines, pieces grown from them, colours of blocks and of elements */
static void pieces_and_colours(void **state)
{
  uint64_t outlines = 0, grown = 0, of_blocks = 0, of_elements = 0;
  (void)state;
  for (int m = 0; m < MESHES; m++) {
    hk_adjacency *graph = NULL;
    hk_mesh *mesh = make(m, &graph);
    const size_t nodes = (size_t)graph->nodes;
    hk_outline o = {0};
    hk_index *piece = NULL, pieces = 0, *colour = NULL, colours;
    uint8_t *small = NULL;
    ok(hk_outline_find(mesh, graph, 11 + m, &o));
    outlines = hk_hash(o.node, (size_t)o.count * sizeof *o.node, outlines);
    outlines = hk_hash(o.piece, (size_t)o.count * sizeof *o.piece, outlines);
    ok(hk_get(&piece, graph->nodes));
    for (size_t i = 0; i < nodes; i++) piece[i] = i % 19 ? -1 : -2;
    ok(hk_pieces_grow(graph, 23 + m, o.count, o.node, piece, &pieces));
    grown = hk_hash(piece, nodes * sizeof *piece, grown);
    hk_blocks *blocks = partition(mesh, graph, HK_PARTITION_GREEDY, 32);
    ok(hk_get(&small, blocks->blocks));
    ok(hk_blocks_colour(graph, blocks, 5 + m, small));
    of_blocks = hk_hash(small, (size_t)blocks->blocks, of_blocks);
    if (mesh_of[m].shape == HK_QUAD4 || mesh_of[m].shape == HK_HEX8) {
      ok(hk_mesh_raise_to(mesh, 2)); /* as a mesh of spectral elements is */
      ok(hk_get(&colour, mesh->element_count));
      ok(hk_elements_colour(mesh, colour, &colours));
      of_elements = hk_hash(colour, (size_t)mesh->element_count * sizeof *colour,
                            of_elements + (uint64_t)colours);
    }
    hk_free(&small);
    hk_free(&colour);
    hk_free(&piece);
    hk_blocks_destroy(&blocks);
    hk_outline_clear(&o);
    unmake(mesh, graph);
  }
  expect(outlines, 0x2072734179ff86b6, "outlines");
  expect(grown, 0x0dd2b26965e5adb3, "pieces");
  expect(of_blocks, 0x0ab5de70966e91d6, "colours of blocks");
  expect(of_elements, 0x0a20059ebd7f7142, "colours of elements");
}

/* bisection of points, cuts across both axes, reverse Cuthill-McKee */
static void orders(void **state)
{
  uint64_t bisected = 0, cut = 0, narrow = 0;
  (void)state;
  for (int m = 0; m < MESHES; m++) {
    hk_adjacency *graph = NULL;
    hk_mesh *mesh = make(m, &graph);
    const hk_index n = graph->nodes;
    hk_index *order = NULL, begin[14];
    hk_count *from = NULL;
    ok(hk_get(&order, n));
    ok(hk_get(&from, n + 1));
    for (hk_index i = 0; i < n; i++) order[i] = i;
    ok(hk_order_bisect(mesh->x, mesh->dim, 32 << m % 3, n, order));
    bisected = hk_hash(order, (size_t)n * sizeof *order, bisected);
    for (int axis = 0; axis < 2; axis++) {
      ok(hk_bisect(mesh->x, mesh->dim, (hk_cut_axis)axis, 13, n - 5, order, begin));
      cut = hk_hash(begin, sizeof begin, hk_hash(order, (size_t)n * sizeof *order, cut));
    }
    for (hk_index i = 0; i <= n; i++) from[i] = graph->begin[i];
    ok(hk_order_rcm(n, from, graph->node, order));
    narrow = hk_hash(order, (size_t)n * sizeof *order, narrow);
    hk_free(&order);
    hk_free(&from);
    unmake(mesh, graph);
  }
  expect(bisected, 0x19befd77b094e6a1, "bisection of points");
  expect(cut, 0x13fc5e9ec9fcd179, "cuts");
  expect(narrow, 0xc94ce851cc8a530d, "reverse Cuthill-McKee");
}

/* slice[s + 1] - slice[s]: the longest of `width` rows; the last slice may have fewer */
static void slices(void **state)
{
  static const hk_index length[7] = {3, 1, 4, 1, 5, 9, 2},
                        expected[3][8] = {{0, 3, 4, 8, 9, 14, 23, 25}, {0, 4, 13, 15}, {0, 9}};
  static const int width[3] = {1, 3, 8};
  (void)state;
  for (int k = 0; k < 3; k++) {
    hk_index slice[8] = {0};
    ok(hk_sliced_offsets(length, 7, width[k], slice));
    assert_memory_equal(slice, expected[k], sizeof slice);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(partitions),
      cmocka_unit_test(fronts_that_fall_apart),
      cmocka_unit_test(cliques_fill_a_block),
      cmocka_unit_test(greedy_blocks_leave_out_what_has_one),
      cmocka_unit_test(the_papers_steps_fill_blocks),
      cmocka_unit_test(arrangements),
      cmocka_unit_test(pieces_and_colours),
      cmocka_unit_test(orders),
      cmocka_unit_test(slices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
