/* The fluid-solid interface of spectral elements, node by node. */
#pragma once
#include "mesh/crack.h"
#include "physics/material.h"
#include "physics/fsi.h"

/* pair[*count], ascending by fluid, then by solid node, owned by the caller; face[faces]: each of an element of a fluid and one of a solid
 * that lie in one place but share no nodes. Normals are summed over the faces by the quadrature of the elements, in 2D times the thickness, axisymmetric 2 pi r. */
hk_status hk_fsi_find(const hk_mesh *mesh, const hk_region *region, const hk_index *element_region,
                      hk_count faces, const hk_crack_face *face, hk_count *count, hk_fsi **pair);
