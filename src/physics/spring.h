/* Springs between two nodes at one place, the two sides of a crack:
 *   f_0 = -f_1 = -k (u_0 - u_1),   k symmetric, positive semidefinite   (W.21) */
#pragma once
#include <hooke/mesh.h>

typedef struct hk_spring {
  hk_index node[2]; /* of the mesh, the lower one first */
  double k[3][3];   /* force per displacement; 2D: of the first two components */
} hk_spring;
