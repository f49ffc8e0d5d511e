/* Meshes, and what must hold of every partition of one. */
#ifndef TESTS_GRAPH_BLOCKS_H
#define TESTS_GRAPH_BLOCKS_H
#include "papers/pogo/partition.h"
#include "support/check.h"

static inline hk_mesh *grid_mesh(int dim, hk_shape shape, hk_count cells, double jitter)
{
  hk_mesh *mesh = NULL;
  const hk_mesh_grid desc = {.dim = dim,
                             .to = {1, 1, 1},
                             .cells = {cells, cells, cells},
                             .shape = shape,
                             .jitter = jitter,
                             .shuffle = 7};
  ok(hk_mesh_create_grid(&desc, &mesh));
  return mesh;
}

static inline hk_blocks *partition(const hk_mesh *mesh, const hk_adjacency *graph,
                                   hk_partition_method method, int size)
{
  hk_blocks *blocks = NULL;
  const hk_partition_desc desc = {.method = method, .size = size};
  ok(hk_blocks_partition(mesh, graph, &desc, &blocks));
  return blocks;
}

/* METIS is an optional library. */
static inline bool has_metis(const hk_mesh *mesh, const hk_adjacency *graph)
{
  hk_blocks *blocks = NULL;
  const hk_partition_desc desc = {.method = HK_PARTITION_METIS, .size = 32};
  const bool there = hk_blocks_partition(mesh, graph, &desc, &blocks) != HK_USAGE;
  if (!there) print_message("METIS is not installed: not tested\n");
  hk_blocks_destroy(&blocks);
  return there;
}

/* Number of connected pieces of all blocks together. */
static inline hk_index pieces_of(const hk_adjacency *graph, const hk_blocks *blocks)
{
  hk_index *queue = NULL, pieces = 0;
  bool *seen = NULL;
  ok(hk_get(&queue, graph->nodes));
  ok(hk_get(&seen, graph->nodes));
  for (hk_index i = 0; i < graph->nodes; i++) {
    hk_index count = 0;
    if (seen[i]) continue;
    pieces++;
    seen[i] = true;
    queue[count++] = i;
    for (hk_index k = 0; k < count; k++)
      for (hk_index at = graph->begin[queue[k]]; at < graph->begin[queue[k] + 1]; at++) {
        const hk_index j = graph->node[at];
        if (seen[j] || blocks->block[j] != blocks->block[i]) continue;
        seen[j] = true;
        queue[count++] = j;
      }
  }
  hk_free(&queue);
  hk_free(&seen);
  return pieces;
}

/* Every block has from 1 to `size` nodes, and every node a block. */
static inline void check_blocks(const hk_mesh *mesh, const hk_blocks *blocks)
{
  hk_index *count = NULL;
  assert_int_equal(blocks->nodes, mesh->node_count);
  ok(hk_get(&count, blocks->blocks));
  for (hk_index i = 0; i < blocks->nodes; i++) {
    assert_in_range(blocks->block[i], 0, blocks->blocks - 1);
    count[blocks->block[i]]++;
  }
  for (hk_index b = 0; b < blocks->blocks; b++) assert_in_range(count[b], 1, blocks->size);
  hk_free(&count);
}
#endif
