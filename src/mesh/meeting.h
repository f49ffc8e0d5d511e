/* Where elements of two kinds meet. */
#ifndef HK_MESH_MEETING_H
#define HK_MESH_MEETING_H
#include "mesh/crack.h"

/* Faces where elements with part[element] meet others: face[*count], the lower element first, owned by the caller. */
hk_status hk_mesh_meetings(const hk_mesh *mesh, const bool *part, hk_count *count,
                           hk_crack_face **face);
#endif
