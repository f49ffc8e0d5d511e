/* Small meshes for the tests of output: n x n quads on the unit square; n^3 hexes. */
#ifndef TESTS_OUTPUT_SMALL_MESH_H
#define TESTS_OUTPUT_SMALL_MESH_H
#include "mesh/mesh.h"
#include <stdlib.h>

static inline void fill_cell(int dim, int n, int i, int j, int k, hk_index *node)
{
  const int m = n + 1;
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (int c = 0; c < (dim == 2 ? 4 : 8); c++)
    node[c] = ((k + corner[c][2]) * m + j + corner[c][1]) * m + i + corner[c][0];
}

/* Borrowed parts live until small_mesh_clear. */
static inline void small_mesh(int dim, int n, hk_mesh *mesh)
{
  const int m = n + 1, layers = dim == 2 ? 1 : n, corners = dim == 2 ? 4 : 8;
  *mesh = (hk_mesh){.dim = dim, .node_count = m * m * (dim == 2 ? 1 : m), .block_count = 1};
  mesh->element_count = (hk_count)n * n * layers;
  mesh->x = calloc((size_t)(mesh->node_count * dim), sizeof(double));
  mesh->block = calloc(1, sizeof *mesh->block);
  mesh->block[0] = (hk_block){dim == 2 ? HK_QUAD4 : HK_HEX8, corners, 0, mesh->element_count, NULL};
  mesh->block[0].node = calloc((size_t)(mesh->element_count * corners), sizeof(hk_index));
  for (hk_count i = 0; i < mesh->node_count; i++) {
    const hk_count place[3] = {i % m, i / m % m, i / m / m};
    for (int d = 0; d < dim; d++) mesh->x[i * dim + d] = (double)place[d] / n;
  }
  hk_index *node = mesh->block[0].node;
  for (int k = 0; k < layers; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, node += corners) fill_cell(dim, n, i, j, k, node);
}

static inline void small_mesh_clear(hk_mesh *mesh)
{
  free(mesh->block[0].node);
  free(mesh->block);
  free(mesh->x);
}
#endif
