/* What a step by blocks moves by the paper's own count, line by line. */
#include "papers/pogo/count.h"
#include "graph/blocks.h"
#include "support/mesh.h"

static hk_block_count of_512(hk_count blocks, bool double_precision)
{
  return (hk_block_count){.layout = hk_block_layout_of(2, 512),
                          .blocks = blocks,
                          .links = 12,
                          .warp_links = blocks * 9 * 16,
                          .components = 2,
                          .double_precision = double_precision};
}

/* Huthwaite (2014), Table A.5: a block of 512 nodes in double, rows of 12 links of which 9 are read on average. U has two
 * components per node, which the table leaves out in its lines and counts in its totals. */
static void the_papers_table(void **state)
{
  static const hk_count expected[HK_BLOCK_PARTS] = {
      [HK_BLOCK_U_PREVIOUS] = 8192, [HK_BLOCK_U_CURRENT] = 8192, [HK_BLOCK_TABLE] = 80,
      [HK_BLOCK_U_LINKED] = 4608,   [HK_BLOCK_C] = 4096,         [HK_BLOCK_SOURCES] = 2048,
      [HK_BLOCK_FIXED] = 1024,      [HK_BLOCK_POINTERS] = 12288, [HK_BLOCK_K] = 147456,
      [HK_BLOCK_U_NEXT] = 8192};
  hk_count part[HK_BLOCK_PARTS];
  (void)state;
  assert_int_equal(
      hk_blocks_count_bytes(&(hk_block_count){.layout = hk_block_layout_of(2, 512)}, NULL), 0);
  for (hk_count blocks = 1; blocks <= 7; blocks += 6) {
    const hk_block_count of = of_512(blocks, true);
    assert_int_equal(hk_blocks_count_bytes(&of, part), blocks * (48720 + 147456));
    for (int k = 0; k < HK_BLOCK_PARTS; k++) assert_int_equal(part[k], blocks * expected[k]);
  }
}

/* the lines add up to the total in both precisions, for displacements and for one component */
static void lines_sum_to_the_total(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    hk_count part[HK_BLOCK_PARTS], sum = 0;
    hk_block_count of = of_512(3, k & 1);
    of.components = 1 + k / 2;
    const hk_count total = hk_blocks_count_bytes(&of, part);
    for (int p = 0; p < HK_BLOCK_PARTS; p++) {
      assert_true(part[p] > 0);
      assert_true(hk_block_part_name(p) != NULL);
      sum += part[p];
    }
    assert_int_equal(sum, total);
  }
  assert_null(hk_block_part_name(HK_BLOCK_PARTS));
}

/* in single precision the numbers take half, pointers and flags (2 bytes each of 12 links, 4 + 2) what they took */
static void numbers_take_half_in_single(void **state)
{
  const hk_count other = 512 * (4 + 2 + 2 * 12) + 4 * 20;
  const hk_block_count of = of_512(1, false);
  (void)state;
  assert_int_equal(hk_blocks_count_bytes(&of, NULL), (48720 + 147456 - other) / 2 + other);
}

/* a path of 40 nodes in one block of 64: row 0 has 32 nodes, row 1 eight, and a node at most two links */
static void rows_load_the_links_of_the_node_with_most(void **state)
{
  enum { NODES = 40 };
  hk_index begin[NODES + 1] = {0}, node[2 * NODES], block[NODES] = {0}, links = 0;
  int32_t place[NODES];
  hk_block_count count = {0};
  (void)state;
  for (hk_index i = 0; i < NODES; i++) {
    if (i > 0) node[links++] = i - 1;
    if (i < NODES - 1) node[links++] = i + 1;
    begin[i + 1] = links, place[i] = i;
  }
  const hk_adjacency graph = {.nodes = NODES, .begin = begin, .node = node};
  const hk_blocks blocks = {
      .nodes = NODES, .blocks = 1, .size = 64, .block = block, .place = place};
  ok(hk_blocks_count_links(&graph, &blocks, &count));
  assert_int_equal(count.blocks, 1);
  assert_int_equal(count.layout.size, 64);
  assert_int_equal(count.links, 12);
  assert_int_equal(count.warp_links, 2 + 2);
  place[0] = 63 - 31,
  place[39] = 0; /* its ends, of one link, change places: row 1 still has nodes of two */
  ok(hk_blocks_count_links(&graph, &blocks, &count));
  assert_int_equal(count.warp_links, 2 + 2);
  for (hk_index i = 0; i < NODES; i++)
    place[i] = i ? i - 1 : 63; /* row 1 holds nodes 33 ... 39 and 0 */
  ok(hk_blocks_count_links(&graph, &blocks, &count));
  assert_int_equal(count.warp_links, 2 + 2);
  begin[0] = begin[1]; /* node 0 has no links: its row loads none */
  for (hk_index i = 0; i < NODES; i++) place[i] = i ? i % 32 : 63;
  ok(hk_blocks_count_links(&graph, &blocks, &count));
  assert_int_equal(count.warp_links, 2 + 0);
}

/* nodes with more links than the paper's L make it larger: 24 of quadrilaterals of second order, and the node itself */
static void more_links_make_l_larger(void **state)
{
  hk_mesh *mesh = grid_mesh(2, HK_QUAD4, 20, 0);
  hk_adjacency *graph = NULL;
  hk_block_count count = {0};
  (void)state;
  ok(hk_mesh_raise_to(mesh, 2));
  ok(hk_adjacency_create(mesh, &graph));
  hk_blocks *blocks = partition(mesh, graph, HK_PARTITION_BISECTION, 128);
  ok(hk_blocks_arrange(graph, blocks));
  ok(hk_blocks_count_links(graph, blocks, &count));
  assert_true(count.links > 12);
  hk_blocks_destroy(&blocks);
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_papers_table),
      cmocka_unit_test(lines_sum_to_the_total),
      cmocka_unit_test(numbers_take_half_in_single),
      cmocka_unit_test(rows_load_the_links_of_the_node_with_most),
      cmocka_unit_test(more_links_make_l_larger),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
