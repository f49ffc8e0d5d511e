/* Meshes: nodes, elements in one block per shape, and named sets.
 *
 * An element numbered e belongs to the block with first <= e < first + count; blocks are in
 * ascending order of `first`. All numbers are 0-based; the user's own labels are kept beside them.
 *
 *   hk_mesh *mesh = NULL;
 *   if (hk_mesh_read("plate.msh", NULL, &mesh) == HK_OK)
 *     printf("%lld nodes\n", (long long)mesh->node_count);
 *   hk_mesh_destroy(&mesh);
 *
 * A mesh of arrays: the unit square as two triangles, its left side a set of faces.
 *
 *   static const double x[] = {0, 0, 1, 0, 1, 1, 0, 1};
 *   static const hk_index corner[] = {0, 1, 2, 0, 2, 3}, left[] = {1};
 *   static const uint8_t side[] = {2};
 *   const hk_mesh_block_desc block = {HK_TRI3, 2, corner};
 *   const hk_mesh_set_desc set = {"left", HK_FACE_SET, 1, left, side};
 *   const hk_mesh_desc desc = {NULL, 2, 4, x, NULL, NULL, &block, 1, &set, 1};
 *   if (hk_mesh_create(&desc, NULL, &mesh) != HK_OK) fprintf(stderr, "%s\n", hk_error());
 *   hk_mesh_destroy(&mesh);
 */
#ifndef HOOKE_MESH_H
#define HOOKE_MESH_H
#include <hooke/messages.h>
#include <hooke/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Node numbers within an element are those of Abaqus. */
typedef enum hk_shape {
  HK_TRI3,
  HK_TRI6,
  HK_QUAD4,
  HK_QUAD8,
  HK_QUAD9,
  HK_TET4,
  HK_TET10,
  HK_HEX8,
  HK_HEX20,
  HK_HEX27,
  HK_WEDGE6,
  HK_WEDGE15,
  HK_WEDGE18,
  HK_SHAPE_COUNT,
  /* Families: HK_HEX_P + p is a hexahedron of order p. Nodes: vertices, interior of edges, of faces, of the element, as in VTK's Lagrange
   * cells. Nodes of quadrilaterals and hexahedra (p = 1..10) lie at Gauss-Lobatto-Legendre points, those of wedges and their triangles (p = 1..7)
   * at the points of element/prism.h. HK_AXIS_P + 10 f + p is a quadrilateral of order p whose face f lies on the axis of an axisymmetric model:
   * nodes at Gauss-Lobatto-Jacobi points across that face. */
  HK_TRI_P = 20,
  HK_QUAD_P = 30,
  HK_HEX_P = 40,
  HK_WEDGE_P = 50,
  HK_AXIS_P = 60,
  HK_SHAPE_END = 101
} hk_shape;

typedef struct hk_block {
  hk_shape shape;
  int nodes;             /* per element */
  hk_count first, count; /* elements [first, first + count) of the mesh */
  hk_index *node;        /* node[count][nodes], owned */
} hk_block;

typedef enum hk_set_kind { HK_NODE_SET, HK_ELEMENT_SET, HK_FACE_SET } hk_set_kind;

typedef struct hk_set {
  char *name; /* as the user wrote it */
  hk_set_kind kind;
  hk_count count;
  hk_index *item; /* item[count]: node or element numbers, ascending and unique (face sets: element,
                     then face) */
  uint8_t *face;  /* face[count]: face of element item[i], 0-based in Abaqus's order; NULL unless
                     HK_FACE_SET */
} hk_set;

typedef struct hk_mesh {
  int dim; /* 2 or 3 */
  hk_count node_count, element_count;
  double *x;              /* x[node][dim] */
  int64_t *node_label;    /* node_label[node]; NULL: node + 1 */
  int64_t *element_label; /* element_label[element]; NULL: element + 1 */
  hk_block *block;
  int block_count;
  hk_set *set;
  int set_count;
  struct hk_mesh_labels *labels; /* private: the index of labels */
} hk_mesh;

/* Reads .msh (Gmsh 2.2, 4.1, ASCII and binary), .inp[.gz] (nodes, elements, sets), .vtu or .vtkhdf; the
 * file's contents tell the format. `list` (may be NULL) receives warnings and all errors. HK_BAD_INPUT if
 * there is an error. */
HK_API hk_status hk_mesh_read(const char *path, hk_messages *list, hk_mesh **out);

typedef struct hk_mesh_block_desc {
  hk_shape shape; /* at most one block per shape */
  hk_count count;
  const hk_index *node; /* node[count][hk_shape_nodes(shape)], 0-based */
} hk_mesh_block_desc;

typedef struct hk_mesh_set_desc {
  const char *name; /* unique among the sets of its kind */
  hk_set_kind kind;
  hk_count count;
  const hk_index *item; /* item[count]: nodes or elements, 0-based, in any order */
  const uint8_t *face;  /* face[count] of element item[i]; NULL unless HK_FACE_SET */
} hk_mesh_set_desc;

/* Everything is borrowed for the call. Elements are numbered block by block. */
typedef struct hk_mesh_desc {
  const char *name; /* in messages; NULL: "mesh" */
  int dim;          /* 2 or 3 */
  hk_count node_count;
  const double *x;              /* x[node_count][dim] */
  const int64_t *node_label;    /* node_label[node_count]; NULL: 1, 2, ... */
  const int64_t *element_label; /* of all elements; NULL: 1, 2, ... */
  const hk_mesh_block_desc *block;
  int block_count;
  const hk_mesh_set_desc *set;
  int set_count;
} hk_mesh_desc;

/* Creates a mesh with copies of the arrays and checks it like a mesh from a file: clockwise 2D elements are reversed, with a warning; nodes
 * without elements and parts that share no node give a warning. HK_BAD_INPUT, with all reasons in `list` (may be NULL): numbers out of range,
 * unknown shapes, two blocks of one shape, two sets of one name and kind, labels given twice, coordinates that are not finite, elements
 * that are inverted or have no volume. HK_USAGE: a wrong dimension or a missing array. */
HK_API hk_status hk_mesh_create(const hk_mesh_desc *desc, hk_messages *list, hk_mesh **out);

/* Writes the format of the path's extension: .msh (4.1 ASCII), .inp, .vtu or .vtkhdf. HK_NOT_WRITABLE; HK_USAGE for
 * an unknown extension. */
HK_API hk_status hk_mesh_write(const hk_mesh *mesh, const char *path);

HK_API void hk_mesh_destroy(hk_mesh **mesh);

/* The set of this name and kind, or NULL. An exact match has precedence over one that ignores case. */
HK_API const hk_set *hk_mesh_find_set(const hk_mesh *mesh, const char *name, hk_set_kind kind);

/* Number of the node (element) with the user's label `label`; -1 if there is none. O(1)
 * for consecutive labels, otherwise O(log n). */
HK_API hk_index hk_mesh_find_node(const hk_mesh *mesh, int64_t label);
HK_API hk_index hk_mesh_find_element(const hk_mesh *mesh, int64_t label);

/* "tri3", "hex8", ...; "unknown" */
HK_API const char *hk_shape_name(hk_shape shape);
/* Nodes of an element, its dimension, its faces (in 2D edges); 0 for an unknown shape. */
HK_API int hk_shape_nodes(hk_shape shape);
HK_API int hk_shape_dim(hk_shape shape);
HK_API int hk_shape_faces(hk_shape shape);

typedef struct hk_mesh_quality {
  /* elements with a negative Jacobian at a vertex; elements without volume */
  hk_count inverted, zero_volume;
  hk_count orphan_nodes, parts;   /* nodes without element; connected parts */
  hk_count flipped;               /* clockwise 2D elements */
  double smallest_jacobian_ratio; /* minimum over the elements of smallest / largest Jacobian at the
                                     vertices */
  hk_index worst_element;         /* the element of that minimum */
  double shortest_edge, longest_edge, volume; /* in the mesh's unit of length; volume: area in 2D */
  double box[2][3];
} hk_mesh_quality;

HK_API hk_status hk_mesh_measure(const hk_mesh *mesh, hk_mesh_quality *out);

#ifdef __cplusplus
}
#endif
#endif
