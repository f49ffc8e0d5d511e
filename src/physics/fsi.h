/* Where a fluid meets a solid: two nodes in one place, that of the fluid and that of the solid (operator/spectral/fsi.k.h). */
#pragma once
#include <hooke/mesh.h>

typedef struct hk_fsi {
  hk_index fluid, solid; /* nodes of the mesh */
  double normal[3]; /* out of the fluid, times the node's share of the area; 0 along what is held */
} hk_fsi;
