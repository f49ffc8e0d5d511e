/* Rigid-body motions that nothing holds, found from constraints and coordinates alone.
 *
 * Each connected part p of the mesh moves as r(x) = t + w x (x - c); a motion q of all parts is free
 * when every constraint, taken with value 0, stays fulfilled:
 *   r[dof[i]] = sum weight r[master]   (A.3).
 * One component per node (temperatures): a part has one, the same value everywhere, which faces that exchange heat, and reactions, hold too.
 * Of an axisymmetric part only the motion along the axis is rigid.
 * Free motions are the null space of those rows, 6 columns per part (3 in 2D); parts that no
 * constraint links are told apart. Rows are orthogonalised one by one until nothing is free. */
#pragma once
#include "load/constraints.h"
#include "physics/exchange.h"
#include "physics/material.h"
#include "physics/spring.h"
#include "space/space.h"

typedef struct hk_loose { /* parts, linked by constraints, that can move as a whole */
  hk_count parts, elements, nodes;
  hk_index element; /* one of them, of the mesh */
  int modes;        /* independent free motions */
  unsigned free;    /* bit c: as one body along axis c; bit 3 + c: about axis c (2D: about z) */
} hk_loose;

typedef struct hk_rigid_desc {
  const hk_space *space;
  const hk_constraints *constraints;
  /* of one component alone */
  const hk_exchange *exchange;
  hk_count exchange_count;
  const hk_region *region;        /* or, of displacements, axisymmetric; NULL: none */
  const hk_index *element_region; /* element_region[mesh element] */
  /* of displacements alone: what they resist is a constraint too */
  const hk_spring *spring;
  hk_count spring_count;
  /* the least part of a row, over the motions of a part of size 1, that counts as one of its own; 0: 1e-8 */
  double independent;
} hk_rigid_desc;

/* *loose: those with modes > 0, *count of them, in the order of their first element; owned by the
 * caller (hk_free). *part_count: connected parts of the mesh. HK_BAD_INPUT never: telling is the
 * caller's. O(elements + constraints). */
hk_status hk_rigid_find(const hk_rigid_desc *desc, hk_count *part_count, hk_count *count,
                        hk_loose **loose);
