/* Colours of elements. */
#pragma once
#include "mesh/mesh.h"

/* colour[mesh element]: 0 ... *colours - 1; elements of one colour share no node. All elements have one shape. Quadrilaterals and hexahedra
 * of a family that hang together as a grid, however it is numbered and turned: an element's colour is whether its place along each
 * direction is even: 4 in 2D, 8 in 3D. Elsewhere the least that no element with a node of its own has: from neighbour to neighbour in a
 * family, by their numbers otherwise. O(elements). */
hk_status hk_elements_colour(const hk_mesh *mesh, hk_index *colour, hk_index *colours);
