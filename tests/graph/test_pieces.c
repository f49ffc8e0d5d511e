/* What partitions are made of: outlines, pieces, cuts, colours. */
#include "graph/blocks.h"
#include "graph/colour.h"
#include "papers/pogo/methods.h"
#include <math.h>

/* A plate of cells x cells with a hole of 4 x 4 cells in its middle, and the graph. */
static hk_mesh *plate_with_hole(hk_count cells, hk_adjacency **graph)
{
  hk_mesh *mesh = grid_mesh(2, HK_QUAD4, cells, 0);
  hk_block *block = &mesh->block[0];
  hk_count kept = 0;
  for (hk_count e = 0; e < block->count; e++) {
    double x[2] = {0};
    for (int n = 0; n < 4; n++)
      for (int d = 0; d < 2; d++) x[d] += mesh->x[2 * block->node[4 * e + n] + d] / 4;
    if (fabs(x[0] - .5) < 2.0 / cells && fabs(x[1] - .5) < 2.0 / cells) continue;
    memmove(block->node + 4 * kept++, block->node + 4 * e, 4 * sizeof *block->node);
  }
  assert_int_equal(block->count - kept, 16);
  block->count = mesh->element_count = kept;
  ok(hk_adjacency_create(mesh, graph));
  return mesh;
}

/* The outer boundary of n x n cells has 4 n nodes, in connected pieces of one length; the hole's is none. */
static void holes_are_not_outlines(void **state)
{
  (void)state;
  hk_adjacency *graph = NULL;
  hk_mesh *mesh = plate_with_hole(20, &graph);
  hk_outline outline;
  int count[5] = {0};
  ok(hk_outline_find(mesh, graph, 16, &outline));
  assert_int_equal(outline.count, 80);
  assert_int_equal(outline.pieces, 5);
  for (hk_index k = 0; k < outline.count; k++) {
    const double *x = mesh->x + 2 * outline.node[k];
    assert_true(fmax(fabs(x[0] - .5), fabs(x[1] - .5)) > .499);
    count[outline.piece[k]]++;
  }
  for (int p = 0; p < 5; p++) assert_int_equal(count[p], 16);
  hk_outline_clear(&outline);
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
}

/* Every part of a mesh has an outline: two plates, the second inside the hole's frame by coordinates. */
static void each_part_has_its_outline(void **state)
{
  (void)state;
  hk_mesh *mesh = grid_mesh(2, HK_QUAD4, 9, 0);
  hk_adjacency *graph = NULL;
  hk_outline outline;
  hk_block *block = &mesh->block[0];
  hk_count kept = 0;
  for (hk_count e = 0; e < block->count; e++) { /* without the fifth column: two of 4 x 9 */
    double x = 0;
    for (int n = 0; n < 4; n++) x += mesh->x[2 * block->node[4 * e + n]] / 4;
    if (fabs(x - .5) < .01) continue;
    memmove(block->node + 4 * kept++, block->node + 4 * e, 4 * sizeof *block->node);
  }
  block->count = mesh->element_count = kept;
  ok(hk_adjacency_create(mesh, &graph));
  ok(hk_outline_find(mesh, graph, 13, &outline));
  assert_int_equal(outline.count, 2 * 26);
  assert_int_equal(outline.pieces, 4);
  hk_outline_clear(&outline);
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
}

/* Pieces never touch nodes that are not free, and are full where they can be. */
static void pieces_keep_to_free_nodes(void **state)
{
  (void)state;
  hk_mesh *mesh = grid_mesh(2, HK_TRI3, 10, 0);
  hk_adjacency *graph = NULL;
  hk_index piece[121], pieces = 3, count[64] = {0};
  ok(hk_adjacency_create(mesh, &graph));
  for (hk_index i = 0; i < 121; i++) piece[i] = mesh->x[2 * i] < .45 ? -2 : -1;
  ok(hk_pieces_grow(graph, 10, 0, NULL, piece, &pieces));
  for (hk_index i = 0; i < 121; i++) {
    if (mesh->x[2 * i] < .45) {
      assert_int_equal(piece[i], -2);
      continue;
    }
    assert_in_range(piece[i], 3, pieces - 1);
    count[piece[i]]++;
  }
  assert_int_equal(count[3], 10);
  for (hk_index p = 3; p < pieces; p++) assert_in_range(count[p], 1, 10);
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
}

/* Points on a line come in their order; sizes differ by one at most. */
static void cuts_are_even(void **state)
{
  (void)state;
  enum { POINTS = 1000 };
  double x[2 * POINTS];
  hk_index node[POINTS], begin[8];
  for (int i = 0; i < POINTS; i++) {
    const int place = i * 37 % POINTS;
    x[2 * i] = 3.0 * place, x[2 * i + 1] = -4.0 * place; /* slanted */
    node[i] = i;
  }
  for (int axis = 0; axis < 2; axis++) {
    ok(hk_bisect(x, 2, (hk_cut_axis)axis, 7, POINTS, node, begin));
    for (int p = 0; p < 7; p++) {
      assert_in_range(begin[p + 1] - begin[p], 142, 143);
      double low = INFINITY, high = -INFINITY;
      for (hk_index k = begin[p]; k < begin[p + 1]; k++)
        low = fmin(low, x[2 * node[k]]), high = fmax(high, x[2 * node[k]]);
      assert_true(high - low <= 3 * 142 + 1e-9); /* one stretch of the line */
    }
  }
}

static void neighbouring_blocks_have_other_colours(void **state)
{
  (void)state;
  hk_mesh *mesh = grid_mesh(2, HK_TRI3, 80, 0.2);
  hk_adjacency *graph = NULL;
  uint8_t *colour = NULL;
  ok(hk_adjacency_create(mesh, &graph));
  hk_blocks *blocks = partition(mesh, graph, HK_PARTITION_ALIGNED, 64);
  ok(hk_get(&colour, blocks->blocks));
  ok(hk_blocks_colour(graph, blocks, 11, colour));
  for (hk_index i = 0; i < graph->nodes; i++) {
    assert_in_range(colour[blocks->block[i]], 0, 10);
    for (hk_index at = graph->begin[i]; at < graph->begin[i + 1]; at++) {
      const hk_index a = blocks->block[i], b = blocks->block[graph->node[at]];
      assert_true(a == b || colour[a] != colour[b]);
    }
  }
  hk_free(&colour);
  hk_blocks_destroy(&blocks);
  hk_adjacency_destroy(&graph);
  hk_mesh_destroy(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holes_are_not_outlines),
      cmocka_unit_test(each_part_has_its_outline),
      cmocka_unit_test(pieces_keep_to_free_nodes),
      cmocka_unit_test(cuts_are_even),
      cmocka_unit_test(neighbouring_blocks_have_other_colours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
