/* The writers of mesh files; one file per format, and a line in write.c. */
#ifndef HK_MESH_FORMAT_FORMAT_H
#define HK_MESH_FORMAT_FORMAT_H
#include "mesh/mesh.h"

/* Each writes the whole file; HK_NOT_WRITABLE, HK_USAGE for what the format cannot hold. */
hk_status hk_mesh_write_msh(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_inp(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_vtu(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_vtkhdf(const hk_mesh *mesh, const char *path);

#endif
