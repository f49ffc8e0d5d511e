#include "operator/edges_means.h"
#include "operator/rows.h"
#include <math.h>

bool hk_edges_serve(const hk_mesh *mesh)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_shape s = mesh->block[b].shape;
    if (s != HK_TRI3 && s != HK_QUAD4 && s != HK_TET4 && s != HK_HEX8) return false;
  }
  return mesh->block_count > 0;
}

enum { MEASURED = 1024 };

/* What a node has on average, from Euler's formula for a solid (disk) without holes; C cells, F faces,
 * B faces (2D: edges) on the boundary:
 *   2D  E = V + F, B = 2 V - tri - 2 quad;  pairs = E + 2 quad
 *   3D  E = V + F - C, 2 F = 4 tet + 6 hex + B;  pairs = E + 2 per quadrilateral + 4 hex
 * B of hexes = 2 (V - hex); of tets that of a cube. A pair cut by patches is held twice: `cut` per node
 * of a large mesh in patches of MEASURED, measured, less where patches end at the boundary. */
hk_edges_means hk_edges_mean(const hk_mesh *mesh, hk_index patch)
{
  static const hk_edges_means by_shape[HK_SHAPE_COUNT] = {[HK_TRI3] = {1, 0.12, 0.16, 2},
                                                          [HK_QUAD4] = {3, 0.145, 0.17, 2},
                                                          [HK_TET4] = {1, 1.67, 0.9, 3},
                                                          [HK_HEX8] = {12, 3.1, 1.02, 8}};
  const double nodes = (double)mesh->node_count, dim = mesh->dim;
  const double inside =
      fmax(0, 1 - pow(patch / nodes, 1 / dim)) * pow((double)MEASURED / (double)patch, 1 / dim);
  hk_edges_means mean = {.pairs = 1};
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_edges_means *m = &by_shape[block->shape];
    const double part = (double)block->count / (double)mesh->element_count;
    const double per_node = (double)block->count / nodes;
    double boundary = 0;
    switch (block->shape) {
    case HK_TRI3: boundary = fmax(0, 2 * part - per_node); break;
    case HK_QUAD4: boundary = fmax(0, 2 * (part - per_node)); break;
    case HK_TET4: boundary = part * 12 / cbrt(nodes); break;
    default: boundary = fmax(0, 2 * (part - per_node));
    }
    mean.pairs += m->pairs * per_node;
    if (dim == 3) mean.pairs += boundary * (block->shape == HK_TET4 ? 0.5 : 1.5);
    mean.cut += part * m->cut * inside;
    mean.halo += part * m->halo * inside;
    mean.twists += boundary * m->twists;
  }
  return mean;
}

/* Of rows.c, and the places of pairs. Elements touched by a patch are those of its nodes and of half of its halo. */
static double pattern_bytes(const hk_mesh *mesh, const hk_edges_means *mean)
{
  double bytes = (double)mesh->node_count * (4 * mean->halo + 4 + 4 * (1 + 2 * mean->pairs));
  for (int b = 0; b < mesh->block_count; b++)
    bytes += (double)mesh->block[b].count * (4 + 2 * mesh->block[b].nodes) * (1 + mean->halo / 2);
  return bytes;
}

hk_count hk_edges_making(const hk_mesh *mesh, hk_index patch, int width, int real, hk_count planned)
{
  const hk_edges_means mean = hk_edges_mean(mesh, patch);
  const double packing = (double)mesh->node_count *
                         (16.0 / width + mean.twists * ((2 * mesh->dim - 3) * real + 2)),
               first = (double)(hk_matrix_plan(mesh) - planned);
  return (hk_count)(pattern_bytes(mesh, &mean) + fmax(first, packing));
}
