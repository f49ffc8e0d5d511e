/* Degrees of freedom: `components` per node of the mesh that belongs to an element, numbered for
 * locality.
 *
 * Internal node i holds degrees of freedom i * components + c. Internal nodes come in patches of
 * `patch` consecutive numbers (k-d bisection); the last patch is padded. The user's numbering is
 * reached through mesh_node. */
#ifndef HK_SPACE_SPACE_H
#define HK_SPACE_SPACE_H
#include "mesh/mesh.h"

typedef struct hk_space_desc {
  hk_index patch; /* nodes per patch, a multiple of `slice` */
  hk_index slice; /* nodes within a patch are sorted by falling number of neighbours (see sort) for
                     slices of this many */
  bool sort_valence; /* sort the nodes of each patch by falling number of elements */
  bool keep_order;   /* the mesh's own order instead of bisection (measurements) */
} hk_space_desc;

typedef struct hk_space {
  const hk_mesh *mesh;             /* borrowed */
  int dim, components;             /* equal: displacements */
  hk_index nodes;                  /* with an element */
  hk_index patch, patches, padded; /* padded = patches * patch */
  hk_index *mesh_node;             /* mesh_node[padded]; -1: padding */
  hk_index *node;                  /* node[mesh->node_count]: internal number; -1: no element */
} hk_space;

/* Cost: O(nodes log nodes), about 0.1 s per million nodes and thread. Reproducible. */
hk_status hk_space_create(const hk_mesh *mesh, const hk_space_desc *desc, hk_space **out);
void hk_space_destroy(hk_space **space);
hk_count hk_space_plan(const hk_mesh *mesh, const hk_space_desc *desc); /* bytes */

/* values of mesh nodes [mesh node][components] <-> internal nodes [padded][components] (padding 0)
 */
void hk_space_to_internal(const hk_space *space, int components, const double *mesh_values,
                          double *internal);
void hk_space_from_internal(const hk_space *space, int components, const double *internal,
                            double *mesh_values);
#endif
