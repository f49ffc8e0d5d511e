/* The readers of mesh files; one file per format, and a line in read.c. */
#pragma once
#include "mesh/mesh.h"

/* Each reads a whole file and ends with hk_mesh_finish; HK_BAD_INPUT with the place in the file. */
hk_status hk_mesh_read_msh(const char *path, hk_messages *list, hk_mesh **out);
hk_status hk_mesh_read_inp(const char *path, hk_messages *list, hk_mesh **out);
hk_status hk_mesh_read_vtu(const char *path, hk_messages *list, hk_mesh **out);
hk_status hk_mesh_read_vtkhdf(const char *path, hk_messages *list, hk_mesh **out);

/* Whether the file starts as a gzip stream does. */
hk_status hk_is_gzip(const char *path, bool *out);
