/* Making and mending meshes inside the library; see hooke/mesh.h for the object itself. */
#pragma once
#include <hooke/mesh.h>
#include "base/base.h"

/* An empty mesh. */
hk_status hk_mesh_begin(int dim, hk_mesh **out);

/* A mesh of its own with the same nodes, elements, labels and sets. */
hk_status hk_mesh_copy(const hk_mesh *mesh, hk_mesh **out);

/* Adds a set; takes item (and face) over on success and sets them to NULL. Sorts and removes
 * repeated members (linear when they are sorted). A set of that name and kind that exists already
 * is joined with the new members. On failure item and face stay the caller's. The array
 * mesh->set grows here alone. */
hk_status hk_mesh_add_set(hk_mesh *mesh, const char *name, hk_set_kind kind, hk_count count,
                          hk_index **item, uint8_t **face);

/* Adds the elements [first, first + count) to an element set. */
hk_status hk_mesh_add_range(hk_mesh *mesh, const char *name, hk_count first, hk_count count);

/* Sorts the members of all sets and removes repeated ones: for sets that were changed in place. */
hk_status hk_mesh_order_sets(hk_mesh *mesh);

/* Prepares hk_mesh_find_node and _find_element, which search through all labels without it; to be
 * called again when labels change. Labels 1, 2, ... are dropped. HK_BAD_INPUT when one is given
 * twice. hk_mesh_finish calls it; readers that look labels up before that may do so too. */
hk_status hk_mesh_index_labels(hk_mesh *mesh);

/* Whether all elements are quadrilaterals of one order p, hk_shape_quad_family: neighbours of other orders share only vertices. */
bool hk_mesh_quad_families(const hk_mesh *mesh);

/* Of the meridian of an axisymmetric model, in the mesh's unit: points with |x| up to this lie on the axis, 1e-9 of the largest |x| of a node.
 * O(nodes). */
double hk_mesh_axis_tolerance(const hk_mesh *mesh);
/* Sets x = 0 at the nodes on the axis; from then on x = 0 finds them. */
void hk_mesh_snap_axis(hk_mesh *mesh);

/* Block that holds element e. */
const hk_block *hk_mesh_block_of(const hk_mesh *mesh, hk_count e);
/* Nodes of element e: [block->nodes]. */
const hk_index *hk_mesh_nodes_of(const hk_mesh *mesh, hk_count e);
/* x[3]: the mean of the nodes of element e; 0 behind the mesh's dimension. */
void hk_mesh_middle(const hk_mesh *mesh, hk_count e, double x[3]);
/* Whether all of number[count] are low, low + 1, ... low + span - 1, for 0 < span < 2^31. */
bool hk_numbers_within(const hk_index *number, hk_count count, hk_index low, hk_index span);

/* Asks for the places of the first `nodes` nodes of an element that comes HK_MESH_AHEAD after the e-th of the block: a loop over elements in
 * random order need not wait for memory. */
enum { HK_MESH_AHEAD = 12 };
/* gcc drops calls of functions that only prefetch, unless they are inlined early. */
#ifdef __GNUC__
__attribute__((always_inline))
#endif
static inline void
hk_mesh_ask_ahead(const hk_mesh *mesh, const hk_block *block, hk_count e, int nodes)
{
  if (e + HK_MESH_AHEAD >= block->count) return;
  const hk_index *node = block->node + (e + HK_MESH_AHEAD) * block->nodes;
  for (int n = 0; n < nodes; n++) __builtin_prefetch(mesh->x + (hk_count)node[n] * mesh->dim);
}

/* Named regions of the elements, as files and reports tell them apart. region(of, element): an element's number in [0, count), -1: none;
 * name(of, region): UTF-8. Both can be called by several threads. */
enum { HK_MOST_REGIONS = 254 };
typedef struct hk_mesh_regions {
  int count;      /* at most HK_MOST_REGIONS; 0: they are not told apart */
  const void *of; /* what has the regions, borrowed */
  int (*region)(const void *of, hk_count element);
  const char *(*name)(const void *of, int region);
} hk_mesh_regions;

int64_t hk_mesh_node_label(const hk_mesh *mesh, hk_count node);
int64_t hk_mesh_element_label(const hk_mesh *mesh, hk_count element);
/* Of the straight lines between the vertices of an element. */
double hk_mesh_longest_edge(const hk_mesh *mesh, hk_count e);

/* Turns 2D elements that are wound clockwise (one counted warning; face sets follow), refuses coordinates that are not finite, labels given
 * twice, inverted or folded (some integration point), zero-volume elements and those with two nodes in one place (all counted, the first 10
 * listed with label and Jacobian), elements given twice; warns of elements that are folded at a corner alone, of orphan nodes and of several
 * parts, indexes the labels. `path` names the file in messages. Returns HK_BAD_INPUT if anything was refused. Every reader ends with it. */
hk_status hk_mesh_finish(hk_mesh *mesh, const char *path, hk_messages *list);
/* The same for generators, whose elements differ from each other. */
hk_status hk_mesh_finish_made(hk_mesh *mesh, const char *path, hk_messages *list);
/* Of a finished mesh whose nodes were moved: coordinates and elements alone are checked again; of 2D elements all or none are reversed. */
hk_status hk_mesh_finish_moved(hk_mesh *mesh, const char *path, hk_messages *list);

/* *count: elements with the nodes of another one before them, in any order (of curved ones beside straight ones, the vertices); pair: the first.
 * O(n) by all threads, 12 bytes per element; the same for any number of threads. */
hk_status hk_mesh_find_twice(const hk_mesh *mesh, hk_count *count, hk_index pair[2]);

/* Nodes of all elements, each as often as elements have it. */
hk_count hk_mesh_entries(const hk_mesh *mesh);

/* Node -> elements: begin[node_count + 1], element[begin[n]..begin[n + 1]) ascending. Both owned by
 * the caller. By all threads. */
hk_status hk_mesh_node_elements(const hk_mesh *mesh, hk_index **begin, hk_index **element);

/* Boundary faces (those of one element only) as element[count], face[count]. */
hk_status hk_mesh_boundary(const hk_mesh *mesh, hk_count *count, hk_index **element,
                           uint8_t **face);
/* The same where all vertices of such faces are among the nodes marked in among[node_count]: other faces are passed over. NULL: all are looked at. */
hk_status hk_mesh_boundary_among(const hk_mesh *mesh, const uint8_t *among, hk_count *count,
                                 hk_index **element, uint8_t **face);

/* The elements that hold points at[count][3] and their reference coordinates xi[count][3], to a tolerance of 1e-6 of the element's size; the
 * lowest number if several do; -1 (xi as before) if none does; xi may be at. The first 256 points cost O(n) for each 16 of them, by all threads, and 4 bytes per node; for more
 * a tree is made in O(n), 16 bytes per element (28 at most while made), and a point then costs O(log n). The same bits for any number of
 * threads, whichever way is taken. One call at a time; HK_NO_RESOURCES. */
typedef struct hk_locator hk_locator;
hk_status hk_locator_create(const hk_mesh *mesh, hk_locator **out);
void hk_locator_destroy(hk_locator **locator);
hk_status hk_locator_find(hk_locator *locator, hk_count count, const double *at, hk_index *element,
                          double *xi);
/* Point i lies in, or to the tolerance on the border of, element[begin[i]] .. element[begin[i + 1] - 1], ascending, at xi. */
typedef struct hk_holders {
  hk_count points;
  hk_count *begin;   /* begin[points + 1] */
  hk_index *element; /* element[begin[points]] */
  double (*xi)[3];   /* xi[begin[points]] */
} hk_holders;
/* All elements that hold the points, where hk_locator_find has the lowest; arrays live in the pool. The cost is that of hk_locator_find. */
hk_status hk_locator_find_all(hk_locator *locator, hk_count count, const double *at, hk_pool *pool,
                              hk_holders *out);

/* Generators: rectangle or box from[]..to[] split into cells[] per direction; the named sets left,
 * right, bottom, top (3D: also front, back: -z, +z) as face and node sets, and the element set
 * "all". A cell makes 1 quad4 or hex8, 2 tri3 or 6 tet4 (Kuhn). Without shuffle, nodes and cells
 * are numbered with x fastest, then y, then z. HK_BAD_INPUT for a shape, size, jitter or number of
 * cells that makes no sense.
 * Cylinder: axis z, its base centred at the origin; sets bottom, top, side, "all". Its section is a
 * core of m x m cells (m near half of those across) within rings of 4 m cells. */
typedef struct hk_mesh_grid {
  int dim;
  double from[3], to[3];
  hk_count cells[3];
  hk_shape shape;   /* HK_TRI3, HK_QUAD4; HK_TET4, HK_HEX8 */
  double jitter;    /* 0..0.3: interior nodes moved at random by up to this part of the cell */
  uint64_t shuffle; /* not 0: nodes and elements renumbered at random with this seed */
} hk_mesh_grid;
hk_status hk_mesh_create_grid(const hk_mesh_grid *desc, hk_mesh **out);

typedef struct hk_mesh_cylinder {
  double radius, length;
  hk_count across, along; /* cells over the diameter (rounded up to even), along the axis */
  hk_shape shape;         /* HK_HEX8 or HK_TET4 */
  double jitter;
  uint64_t shuffle;
} hk_mesh_cylinder;
hk_status hk_mesh_create_cylinder(const hk_mesh_cylinder *desc, hk_mesh **out);

/* A hollow cylinder, axis z, its base centred at the origin; sets bottom, top, side (inside and outside), "all". */
typedef struct hk_mesh_tube {
  double inner, outer, length; /* radii */
  hk_count through, around, along;
  hk_shape shape; /* HK_HEX8 or HK_TET4 */
} hk_mesh_tube;
hk_status hk_mesh_create_tube(const hk_mesh_tube *desc, hk_mesh **out);

/* A 2D mesh drawn out along z: wedges of triangles, hexahedra of quadrilaterals; tri6 and quad9 become wedge18 and hex27. Layer by layer,
 * each of some cells, upwards. Sets of elements and nodes hold what stands above theirs, face sets the sides above theirs; `front` and
 * `back` are the faces and nodes of the lowest and the highest plane, a layer's name its elements, `all` all of them. Labels are numbers.
 * HK_BAD_INPUT: no 2D mesh, a shape that is none of these, a height or number of cells that is not above 0. */
typedef struct hk_mesh_layer {
  double height;
  hk_count cells;
  const char *name; /* NULL: none */
} hk_mesh_layer;
hk_status hk_mesh_extrude(const hk_mesh *flat, double from, int layers, const hk_mesh_layer *layer,
                          hk_mesh **out);

/* Elements become those of hk_shape_raised, in the same places, straight or curved as they were. Neighbours share the nodes of edges and
 * faces, however they are turned. Vertices keep their labels, a node that lies where one in the middle of an edge, face or element was
 * takes its label and its place in sets; such nodes are gone where none does. Others are numbered and labelled behind those. Face and
 * element sets stay. HK_BAD_INPUT: a shape that has no such order; an element with a vertex twice. */
hk_status hk_mesh_raise_to(hk_mesh *mesh, int order);
/* The same with an order for each block: neighbours of different order share their vertices alone (mesh/ties.h). axis[block]: the face of its
 * quadrilaterals on the axis, hk_shape_on_axis; -1, or NULL of all blocks: none. */
hk_status hk_mesh_raise_blocks(hk_mesh *mesh, const int *order, const int *axis);
/* The same with an order for each element, order[element_count]. Elements are renumbered, shape by shape and in each by ascending order, and
 * keep their labels. HK_BAD_INPUT too: a curved element of order 1. */
hk_status hk_mesh_raise_orders(hk_mesh *mesh, const int8_t *order);
/* The same to one order, of an axisymmetric model: quadrilaterals with an edge on the axis x = 0 become those of hk_shape_on_axis, in blocks of their own,
 * after hk_mesh_snap_axis. HK_BAD_INPUT too: one with a corner alone, two edges, or a part of an edge on the axis. */
hk_status hk_mesh_raise_rings(hk_mesh *mesh, int order);
/* Likewise, elements of first order become those of second order with a node in the middle of each edge (tri6, quad8, tet10, hex20, wedge15).
 * HK_BAD_INPUT: an element of second order. */
hk_status hk_mesh_raise(hk_mesh *mesh);

/* held[node_count]: marks the nodes inside each edge, face and element whose vertices are all marked: what a condition on a set of nodes
 * means where elements were raised. */
void hk_mesh_hold_between(const hk_mesh *mesh, bool *held);

/* A node of a set: the vertices of the edge, face or element within which it lies, by their place 1, 2, ... among the set's vertices in
 * ascending order, and the weight of each there. vertices = 0: the set lacks one of them. */
typedef struct hk_reach {
  hk_index node;
  int vertices;
  hk_index rank[8];
  double weight[8];
} hk_reach;
/* out[count], the caller's: nodes item[count] of a set, ascending by hk_reach_compare, then by number. Two sets whose vertices go in pairs,
 * in ascending order, thus have their other nodes in pairs too, whatever their numbers. O(nodes of all elements). */
hk_status hk_mesh_reach(const hk_mesh *mesh, hk_count count, const hk_index *item, hk_reach **out);
/* -1, 0, 1; 0: the same place. */
int hk_reach_compare(const hk_reach *a, const hk_reach *b);

/* Whether nodes form one curve: -1, or a node with more than two neighbours; -1, or a node that the others do not reach. */
typedef struct hk_chain {
  hk_index branch, apart;
  bool closed;
} hk_chain;
/* node[count], each once, go in order along the curve that they form, if they do (else they stay). Neighbours follow one another on an edge
 * of an element, or of the sides alone (a face set; NULL: all elements). An open curve begins at that of its ends that is nearer to from[dim],
 * without it (NULL) at that with the smaller x (where they are equal y, then z); a closed one at such a node, counter-clockwise, in 3D by way of
 * the neighbour of smaller x. That is the same for any numbering of the mesh. O(nodes of all elements), 4 bytes per node. */
hk_status hk_mesh_chain(const hk_mesh *mesh, hk_count count, hk_index *node, const hk_set *sides,
                        const double *from, hk_chain *out);
