/* The readers and writers of mesh files; one file per format, and a line in read.c or write.c. */
#ifndef HK_MESH_FORMAT_FORMAT_H
#define HK_MESH_FORMAT_FORMAT_H
#include "mesh/mesh.h"

/* Each reads a whole file and ends with hk_mesh_finish; HK_BAD_INPUT with the place in the file. */
hk_status hk_mesh_read_msh(const char *path, hk_messages *list, hk_mesh **out);
hk_status hk_mesh_read_inp(const char *path, hk_messages *list, hk_mesh **out);
hk_status hk_mesh_read_vtu(const char *path, hk_messages *list, hk_mesh **out);
hk_status hk_mesh_read_vtkhdf(const char *path, hk_messages *list, hk_mesh **out);

/* Each writes the whole file; HK_NOT_WRITABLE, HK_USAGE for what the format cannot hold. */
hk_status hk_mesh_write_msh(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_inp(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_vtu(const hk_mesh *mesh, const char *path);
hk_status hk_mesh_write_vtkhdf(const hk_mesh *mesh, const char *path);

/* Whether the file starts as a gzip stream does. */
hk_status hk_is_gzip(const char *path, bool *out);

#endif
