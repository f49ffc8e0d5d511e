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
