/* Where a fluid wets a solid: two nodes in one place, that of the fluid and that of the solid (operator/spectral/wet.k.h). */
#ifndef HK_PHYSICS_WET_H
#define HK_PHYSICS_WET_H
#include <hooke/mesh.h>

typedef struct hk_wet {
  hk_index fluid, solid; /* nodes of the mesh */
  double normal[3]; /* out of the fluid, times the node's share of the area; 0 along what is held */
} hk_wet;
#endif
