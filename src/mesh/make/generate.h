/* From a plane section of quadrilaterals to a mesh: split into the wanted shape, drawn out along z,
 * with sets, jitter and shuffle. */
#pragma once
#include "mesh/mesh.h"

typedef struct hk_section {
  hk_count nodes, quads;
  double *x;      /* x[nodes][2] */
  hk_index *quad; /* quad[quads][4], counter-clockwise */
} hk_section;

hk_status hk_section_create(hk_pool *pool, hk_count nodes, hk_count quads, hk_section *out);
/* quad = nodes (first, first + 1) and those `across` higher, counter-clockwise. */
void hk_section_quad(hk_count first, hk_count across, hk_index quad[4]);

/* Boundary faces whose nodes all have x[axis] == at; axis -1: those that no side before it took. */
typedef struct hk_side {
  const char *name;
  int axis;
  double at;
} hk_side;

typedef struct hk_generate {
  const char *name; /* in messages */
  hk_shape shape;   /* HK_TRI3, HK_QUAD4: the section; HK_TET4, HK_HEX8: drawn out */
  hk_count layers;  /* 3D: along z from `from` to `to` */
  double from, to;
  const hk_side *side;
  int sides;
  double jitter, cell[3]; /* nodes inside move within the ellipsoid of radii jitter * cell */
  uint64_t shuffle;
} hk_generate;

/* Node (layer, s) of the section is number layer * section->nodes + s before the shuffle; elements
 * likewise. The sides become face and node sets, "all" the element set. A quadrilateral is split
 * along its shorter diagonal (the one from its first node if equal), the prism below a triangle
 * into three tetrahedra by the order of its nodes' numbers, which conforms. Jitter depends on a
 * node's place alone, not on its number. */
hk_status hk_mesh_generate(const hk_section *section, const hk_generate *desc, hk_mesh **out);
