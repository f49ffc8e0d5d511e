/* Which nodes are used, and how the mesh hangs together. */
#pragma once
#include "element/element.h"
#include "mesh/mesh.h"

/* Nodes without element (the first of them, -1 if none) and parts that share no node. */
typedef struct hk_connection {
  hk_count orphans, parts;
  hk_index first_orphan;
} hk_connection;
hk_status hk_mesh_connect(const hk_mesh *mesh, hk_connection *out);
/* parent[mesh node]: another node of the same part, at a root itself, which is the lowest node of the part; -1: no element has the node. By all threads. */
void hk_mesh_join_elements(const hk_mesh *mesh, hk_index *parent);
/* Trees of sets of numbers, parent[i] == i at a root, which is the lowest of its set: joins the sets of a and b, which all threads may do at a time;
 * then parent[count] := roots. */
void hk_mesh_join(hk_index *parent, hk_index a, hk_index b);
void hk_mesh_shorten(hk_count count, hk_index *parent);
/* parent[element]: the lowest element that is reached from this one from face to face (2D: edge to edge). A face that an element has lost, its vertices
 * collapsed to an edge, joins nothing. O(faces) by all threads, 5 bytes for each and 8 for each node. HK_NO_RESOURCES. */
hk_status hk_mesh_join_faces(const hk_mesh *mesh, hk_index *parent);
/* Whether all elements are reached from face to face, and none has a narrow face: one whose length (3D: twice its area) is below `narrow` times the
 * longest distance of two vertices of the element (3D: its square). As hk_mesh_join_faces. */
hk_status hk_mesh_is_one_piece(const hk_mesh *mesh, double narrow, bool *yes);

/* edge[element] = hk_mesh_longest_edge, by all threads. */
void hk_mesh_longest_edges(const hk_mesh *mesh, double *edge);

/* What names a face: its vertices, ascending, each once, -1 behind the last. node[..]: those of the element. Their number. */
enum { HK_FACE_VERTICES = 4 };
int hk_mesh_face_vertices(const hk_element *shape, const hk_index *node, int face,
                          hk_index vertex[HK_FACE_VERTICES]);

/* vertices[e->nodes]: bits of the vertices of the edge, face or element that a node lies within, those whose linear functions are not 0
 * there. */
void hk_element_within(const hk_element *e, uint8_t *vertices);

/* A face of an element, named by its vertices. */
typedef struct hk_face {
  hk_index vertex[HK_FACE_VERTICES], element;
  uint8_t face;
} hk_face;
bool hk_faces_meet(const hk_face *a, const hk_face *b); /* their vertices are the same */
/* Those that meet side by side, the lower element first; by insertion where they are few. */
void hk_sort_faces(hk_count count, hk_face *side);
