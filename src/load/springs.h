/* The springs of a crack, from stiffness per area (or per node) along its normal n and across:
 *
 *   k_i = integral over its faces of  N_i (k_t I + (k_n - k_t) n n^T) dA   (W.22)   (2D: times the thickness)
 *
 * for each pair of nodes i that was one node: by the rule of Gauss and Lobatto in the nodes of quadrilaterals of order p, by the faces' own
 * quadrature of other shapes; where integral N_i is negative (quad8), by N_i^2 scaled to the face's area. */
#pragma once
#include "mesh/crack.h"
#include "physics/spring.h"

typedef struct hk_springs_desc {
  const hk_mesh *mesh; /* cut */
  hk_count count;
  const hk_crack_face *face; /* face[count], of this crack */
  hk_count before;           /* nodes before the cut, and */
  const hk_index *origin;    /* what the others were: hk_mesh_cut */
  double normal, tangential; /* per area; */
  bool per_node;             /* of each pair of nodes, whatever its area */
  double thickness;          /* 2D */
} hk_springs_desc;

/* Appends to *spring, *springs of them, ascending by their nodes; pairs of nodes that stayed one have none. */
hk_status hk_springs_add(const hk_springs_desc *desc, hk_count *springs, hk_spring **spring);
