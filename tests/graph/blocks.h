/* Meshes and their partitions. */
#pragma once
#include "papers/pogo/partition.h"
#include "support/mesh.h"

static inline hk_mesh *grid_mesh(int dim, hk_shape shape, hk_count cells, double jitter)
{
  return make_grid((hk_mesh_grid){.dim = dim,
                                  .to = {1, 1, 1},
                                  .cells = {cells, cells, cells},
                                  .shape = shape,
                                  .jitter = jitter,
                                  .shuffle = 7});
}

static inline hk_blocks *partition(const hk_mesh *mesh, const hk_adjacency *graph,
                                   hk_partition_method method, int size)
{
  hk_blocks *blocks = NULL;
  const hk_partition_desc desc = {.method = method, .size = size};
  ok(hk_blocks_partition(mesh, graph, &desc, &blocks));
  return blocks;
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
