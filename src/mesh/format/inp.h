/* The mesh part of an Abaqus or CalculiX deck: nodes, elements, sets, surfaces, parts and
 * instances. */
#ifndef HK_MESH_FORMAT_INP_H
#define HK_MESH_FORMAT_INP_H
#include "mesh/mesh.h"

/* Reads .inp or .inp.gz; other keywords than those of the mesh are passed over. Ends with
 * hk_mesh_finish. HK_BAD_INPUT with file:line. `list` may be NULL. */
hk_status hk_inp_read(const char *path, hk_messages *list, hk_mesh **out);

#endif
