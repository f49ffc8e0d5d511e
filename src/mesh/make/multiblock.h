/* Meshes of deformed blocks: quadrilaterals and hexahedra, each a grid of cells mapped between its edges (transfinite interpolation; Gordon and
 * Hall 1973).
 *
 *   P = U + V - U V   (3D: U + V + W - U V - V W - W U + U V W),   U P(u, v) = (1 - u) P(0, v) + u P(1, v)
 *
 * faces of 3D blocks are made of their edges in the same way. Blocks whose nodes coincide share them. */
#pragma once
#include "mesh/make/curve.h"
#include "mesh/mesh.h"

typedef struct hk_part { /* one block */
  const char *name;      /* of the set of its elements; several may have one name */
  int corner[8];         /* points, in the order of quad4's or hex8's nodes */
  hk_count cells[3];     /* from corner 0 to 1, from 1 to 2, from 0 to 4 */
  double grading[3];     /* last cell over first, in that direction */
} hk_part;

/* a side of blocks, as a set of faces (from each block that has it) and of nodes */
typedef struct hk_part_side {
  const char *name;
  int corner[4]; /* points, in any order; 2D: two */
} hk_part_side;

typedef struct hk_multiblock {
  int dim, order; /* order 1: quad4, hex8; 2: quad9, hex27, on the curves too */
  int points, curves, parts, sides;
  const double (*point)[3];
  const char *const *point_name;
  const hk_curve *curve; /* edges that are not straight */
  const hk_part *part;
  const hk_part_side *side;
} hk_multiblock;

/* Nodes and elements block by block, the first direction fastest; a node that a block before has keeps its number. Sets: the blocks' names, the sides, "all".
 * HK_BAD_INPUT names the blocks or sides: a curve that joins no corners of a block or is wrong, a tangled block, sides that lie on each
 * other without sharing their nodes, a side that no block has. */
hk_status hk_mesh_create_multiblock(const hk_multiblock *desc, hk_mesh **out);
