/* The memory that the form `edges` and the making of its lists take, from the counts of a mesh alone: pairs of nodes (K.4), pairs that patches
 * cut, and pairs at the boundary with an antisymmetric part t (K.3), per node. The pairs follow from Euler's formula for edges, faces and cells of
 * a body without holes, and from how many neighbours each shape has on average; the pairs cut by patches were measured. */
#include "operator/edges/means.h"
#include <math.h>

enum { MEASURED = 1024 };

/* What a node has on average, from Euler's formula for a solid (disk) without holes; C cells, F faces,
 * B faces (2D: edges) on the boundary:
 *   2D  E = V + F, B = 2 V - tri - 2 quad;  pairs = E + 2 quad
 *   3D  E = V + F - C, 2 F = 4 tet + 6 hex + B;  pairs = E + 2 per quadrilateral + 4 hex
 * B of hexes = 2 (V - hex); of tets, wedges and elements of second order that of a cube; the pairs of these are counted in grids, without
 * their boundary. A pair cut by patches is held twice: `cut` per node
 * of a large mesh in patches of MEASURED, measured, less where patches end at the boundary. Twists per face of the boundary, of full integration. */
typedef struct shape_means {
  hk_edges_means
      of;          /* pairs: of an element that shares its nodes with others, beside one per node */
  double boundary; /* faces of a cube of n elements: boundary n^(1 - 1 / dim) */
} shape_means;

static const shape_means means[HK_SHAPE_COUNT] = {
    [HK_TRI3] = {{1, 0.12, 0.16, 2}, 0},      [HK_TRI6] = {{9, 0.3, 0.16, 6}, 2.83},
    [HK_QUAD4] = {{3, 0.145, 0.17, 2}, 0},    [HK_QUAD8] = {{19, 0.4, 0.17, 6}, 4},
    [HK_QUAD9] = {{28, 0.4, 0.17, 6}, 4},     [HK_TET4] = {{1, 1.67, 0.9, 3}, 0},
    [HK_TET10] = {{17, 6, 1.1, 21}, 3.63},    [HK_HEX8] = {{12, 3.1, 1.02, 8}, 0},
    [HK_HEX20] = {{97, 16, 1.2, 44}, 6},      [HK_HEX27] = {{248, 9, 1.1, 60}, 6},
    [HK_WEDGE6] = {{4.6, 2.4, 1, 5.5}, 5.04}, [HK_WEDGE15] = {{38, 6, 1.2, 32}, 5.04},
    [HK_WEDGE18] = {{84, 8, 1.1, 40}, 5.04}};

/* Faces per node. */
static double boundary_of(const hk_mesh *mesh, const hk_block *block)
{
  const double nodes = (double)mesh->node_count, per_node = (double)block->count / nodes;
  const double part = (double)block->count / (double)mesh->element_count;
  switch (block->shape) {
  case HK_TRI3: return fmax(0, 2 * part - per_node);
  case HK_QUAD4:
  case HK_HEX8: return fmax(0, 2 * (part - per_node));
  case HK_TET4: return part * 12 / cbrt(nodes);
  default:
    return part * means[block->shape].boundary *
           pow((double)mesh->element_count, 1 - 1.0 / mesh->dim) / nodes;
  }
}

hk_edges_means hk_edges_mean(const hk_mesh *mesh, hk_index patch)
{
  const double nodes = (double)mesh->node_count, dim = mesh->dim;
  const double inside =
      fmax(0, 1 - pow(patch / nodes, 1 / dim)) * pow((double)MEASURED / (double)patch, 1 / dim);
  hk_edges_means mean = {.pairs = 1};
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_edges_means *m = &means[block->shape].of;
    const double part = (double)block->count / (double)mesh->element_count;
    const double per_node = (double)block->count / nodes, boundary = boundary_of(mesh, block);
    mean.pairs += m->pairs * per_node;
    if (block->shape == HK_TET4) mean.pairs += boundary * 0.5;
    if (block->shape == HK_HEX8) mean.pairs += boundary * 1.5;
    mean.cut += part * m->cut * inside;
    mean.halo += part * m->halo * inside;
    mean.twists += boundary * m->twists;
  }
  return mean;
}

/* Elements touched by a patch are those of its nodes and of half of its halo; 4 bytes for each. */
static double touched_bytes(const hk_mesh *mesh, const hk_edges_means *mean)
{
  return 4 * (double)mesh->element_count * (1 + mean->halo / 2);
}

/* Of rows.c, and the places of pairs. */
static double pattern_bytes(const hk_mesh *mesh, const hk_edges_means *mean)
{
  double bytes = (double)mesh->node_count * (4 * mean->halo + 4 + 4 * (1 + 2 * mean->pairs));
  for (int b = 0; b < mesh->block_count; b++)
    bytes += (double)mesh->block[b].count * 2 * mesh->block[b].nodes * (1 + mean->halo / 2);
  return bytes;
}

/* Patterns go while the lists fill: the longer of both beside the elements. */
hk_count hk_edges_making(const hk_mesh *mesh, hk_index patch, int width, int real, hk_count planned,
                         hk_count window)
{
  const hk_edges_means mean = hk_edges_mean(mesh, patch);
  const double packing = (double)mesh->node_count *
                         (16.0 / width + mean.twists * ((2 * mesh->dim - 3) * real + 2)),
               first = pattern_bytes(mesh, &mean) + (double)(window - planned);
  return (hk_count)(touched_bytes(mesh, &mean) + fmax(first, packing));
}
