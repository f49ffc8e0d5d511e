/* Parts of a mesh that meet in an edge or a node alone: hinges, which resist no turn.
 *
 * Elements that have a face in common (in 2D an edge) are one rigid part; at nodes that several such parts share, each has a node of its own, tied
 * to the first one's: u_a - u_b = 0. What hk_rigid_find finds free then are the motions of the hinges. Exact where elements have no zero-energy
 * modes of their own. */
#pragma once
#include "load/rigid.h"

/* *modes: independent motions of displacements, rigid-body modes of the whole among them; 0 where no node is shared so. *node: the first node of
 * the mesh that is, -1: none. O(elements + constraints). HK_NO_RESOURCES. */
hk_status hk_joints_find(const hk_rigid_desc *desc, hk_count *modes, hk_index *node);
