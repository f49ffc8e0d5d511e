/* Elements that are congruent by a translation: of one type, with nodes in the same places relative to the first one. Meshes of voxels, layers,
 * extrusions and structured blocks have few shapes; what belongs to a shape, such as K_e, is then needed once for each.
 *
 * Two elements are of one shape where the coordinates of their nodes relative to the first agree within a tolerance: 1e-12 of the extent of an
 * element, or the rounding of the mesh's coordinates where that is more (8 units in the last place of the largest one). */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_shapes {
  hk_pool pool;   /* holds the arrays */
  hk_index count; /* of shapes; most + 1: there are more than asked for, and no arrays */
  hk_index *of;   /* of[element]: its shape */
  hk_index
      *first; /* first[count]: the element that stands for the shape, one of the lowest numbers */
  double difference; /* largest difference of a coordinate from that of the shape */
  double extent;     /* smallest extent along an axis of elements that were looked at */
  hk_index worst;    /* the element with that difference; -1: there is none */
} hk_shapes;

/* The shapes of a mesh whose elements have HK_LISTED_NODES nodes at most, `most` shapes or fewer. By all threads, whose number changes
 * nothing. O(elements); 4 bytes per element, and 8 dim nodes bytes per shape. HK_NO_RESOURCES. */
hk_status hk_shapes_find(const hk_mesh *mesh, hk_index most, hk_shapes *out);
void hk_shapes_clear(hk_shapes *shapes);

/* *count: nodes that differ in the shapes of their elements, in their place in them or in the elements' regions (region[element]; NULL: all of
 * one): about as many rows of K differ. Counting ends beyond `most`. O(elements), 8 bytes per node. */
hk_status hk_shapes_count_nodes(const hk_mesh *mesh, const hk_shapes *shapes,
                                const hk_index *region, hk_index most, hk_index *count);

/* A word that depends on all bits of x. */
static inline uint64_t hk_shapes_mix(uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
