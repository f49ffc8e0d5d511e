/* Degrees of freedom: `components` per node of the mesh that belongs to an element, numbered for
 * locality.
 *
 * Internal node i holds degrees of freedom i * components + c. The user's numbering is reached
 * through mesh_node. Internal nodes come in patches, numbered in one of two ways:
 *   - `patch` consecutive numbers (k-d bisection); the last patch is padded;
 *   - the paper's blocks (Huthwaite 2014, section 2.3), rows of 32 nodes with the rows of one block
 *     far apart: column + 32 (block + patches * row). Every block is padded. */
#ifndef HK_SPACE_SPACE_H
#define HK_SPACE_SPACE_H
#include "graph/arrange.h"

typedef struct hk_space_desc {
  int components; /* 1; 0: as many as the mesh has dimensions */
  hk_index patch; /* nodes per patch, a multiple of `slice` */
  hk_index slice; /* nodes within a patch are sorted by falling number of neighbours (see sort) for
                     slices of this many */
  bool sort_valence; /* sort the nodes of each patch by falling number of elements; */
  bool
      leaving_twice; /* of pairs with other nodes instead, element by element, those that leave the patch twice */
  bool keep_order;               /* the mesh's own order instead of bisection (measurements) */
  bool blocks;                   /* the paper's blocks, of `patch` nodes */
  hk_partition_method partition; /* makes them, unless they are */
  const hk_blocks
      *given; /* blocks to take instead, arranged or not, borrowed for the call; they set
                             the patch */
} hk_space_desc;

typedef struct hk_space {
  const hk_mesh *mesh;             /* borrowed */
  int dim, components;             /* equal: displacements; 1: temperatures */
  hk_index nodes;                  /* with an element: internal numbers with mesh_node >= 0 */
  hk_index patch, patches, padded; /* padded = patches * patch */
  hk_index *mesh_node;             /* mesh_node[padded]; -1: padding */
  hk_index *node;                  /* node[mesh->node_count]: internal number; -1: no element */
  hk_blocks *blocks;               /* NULL: consecutive */
  hk_block_links *links;           /* their tables; NULL: consecutive */
} hk_space;

/* Cost: O(nodes log nodes), about 0.1 s per million nodes and thread. Reproducible. */
hk_status hk_space_create(const hk_mesh *mesh, const hk_space_desc *desc, hk_space **out);
void hk_space_destroy(hk_space **space);

/* Internal number of the k-th place of patch p: neighbours in space are neighbours in k. */
static inline hk_index hk_space_place(const hk_space *space, hk_index p, hk_index k)
{
  if (!space->blocks) return p * space->patch + k;
  return (k / HK_BLOCK_COLUMNS * space->patches + p) * HK_BLOCK_COLUMNS + k % HK_BLOCK_COLUMNS;
}

/* values of mesh nodes [mesh node][components] <-> internal nodes [padded][components] (padding 0)
 */
void hk_space_to_internal(const hk_space *space, int components, const double *mesh_values,
                          double *internal);
void hk_space_from_internal(const hk_space *space, int components, const double *internal,
                            double *mesh_values);
#endif
