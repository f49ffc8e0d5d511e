/* What the files of multiblock share. */
#pragma once
#include "element/element.h"
#include "mesh/make/multiblock.h"

/* A block on its way: lattice point i + line[0] (j + line[1] k), each side line[d] points long. */
typedef struct hk_lattice {
  hk_count line[3], points;
  hk_index *node; /* node[points]: of the mesh */
  hk_count first; /* its first element */
} hk_lattice;

typedef struct hk_multiblock_maker {
  const hk_multiblock *desc;
  const hk_element *element, *linear;
  hk_pool pool;           /* holds knots and lattices */
  hk_curve_knots **knots; /* knots[curves] */
  hk_lattice *lattice;    /* lattice[parts] */
  hk_mesh *mesh;
} hk_multiblock_maker;

/* x[points][3] of block b, in its lattice. */
void hk_multiblock_map(const hk_multiblock_maker *m, int b, double (*x)[3]);
/* Nodes that coincide become one: lattice node, mesh->x, mesh->node_count. */
hk_status hk_multiblock_join(hk_multiblock_maker *m);
/* Refuses sides that lie on each other without sharing nodes, and blocks that overlap. */
hk_status hk_multiblock_check(const hk_multiblock_maker *m);
hk_status hk_multiblock_sets(hk_multiblock_maker *m);
/* Corner nodes of side f of block b, ascending, -1 behind the last: two or four. */
void hk_multiblock_corners(const hk_multiblock_maker *m, int b, int f, hk_index corner[4]);
/* "a b c d": names of the corners of side f of block b. */
void hk_multiblock_side_name(const hk_multiblock_maker *m, int b, int f, size_t size, char *text);
/* Elements of block b on side f: list[*count] (NULL: count alone), in order. */
void hk_multiblock_side(const hk_multiblock_maker *m, int b, int f, hk_count *count,
                        hk_index *list);
