/* Which nodes are used, and how the mesh hangs together. */
#ifndef HK_MESH_TOPOLOGY_H
#define HK_MESH_TOPOLOGY_H
#include "element/element.h"
#include "mesh/mesh.h"

/* Nodes without element (the first of them, -1 if none) and parts that share no node. */
typedef struct hk_connection {
  hk_count orphans, parts;
  hk_index first_orphan;
} hk_connection;
hk_status hk_mesh_connect(const hk_mesh *mesh, hk_connection *out);

/* What names a face: its vertices, ascending, each once, -1 behind the last. node[..]: those of the element. Their number. */
enum { HK_FACE_VERTICES = 4 };
int hk_mesh_face_vertices(const hk_element *shape, const hk_index *node, int face,
                          hk_index vertex[HK_FACE_VERTICES]);

#endif
