/* How Gmsh, VTK and Abaqus call each shape and in which order they list its nodes.
 *
 * Node orders are given against Abaqus's, which is the library's own. Edges of Abaqus's
 * tetrahedron, hexahedron and wedge, as pairs of corners:
 *
 *   tet10:   4:01 5:12 6:20   7:03 8:13 9:23          Gmsh lists 23 before 13
 *   hex20:   8:01 9:12 10:23 11:30   12:45 13:56 14:67 15:74   16:04 17:15 18:26 19:37
 *   hex27:   20:centre  21:0123 22:4567 23:0154 24:1265 25:2376 26:3047
 *   wedge15: 6:01 7:12 8:20   9:34 10:45 11:53   12:03 13:14 14:25
 *   wedge18: 15:0143 16:1254 17:2035
 *
 * VTK's wedge: the documents (vtkWedge.h) let triangle 012 look away from 345, the mirror image of
 * ours, while VTK's own functions give a positive volume for our order. That is written; readers
 * decide by the sign of the volume, as both are found (meshio writes the mirror image).
 * Sources: Gmsh reference manual 4.8, "Node ordering"; VTK 9 class documentation; Abaqus 6.14
 * Analysis User's Guide 28.1.4. */
#pragma once
#include "mesh/mesh.h"

/* Kinds of cells in files: the shapes, and what only sets are made of. */
enum { HK_LINE2 = HK_SHAPE_COUNT, HK_LINE3, HK_POINT, HK_KIND_COUNT };

typedef struct hk_cell_type {
  int dim, nodes;
  int corners;        /* the first nodes are the corners */
  int gmsh, vtk;      /* their numbers of the type */
  const char *abaqus; /* NULL: it has none */
  /* node k of Gmsh's (VTK's) list is node gmsh_node[k] (vtk_node[k]) of Abaqus's */
  uint8_t gmsh_node[27], vtk_node[27];
} hk_cell_type;

/* The line of the table for kind 0..HK_KIND_COUNT - 1. */
const hk_cell_type *hk_cell_type_of(int kind);

/* Kind for a type number of Gmsh (VTK); -1: not supported. */
int hk_kind_of_gmsh(int64_t type);
int hk_kind_of_vtk(int64_t type);

/* Name of a Gmsh type that is known but not supported ("5-node pyramid"), NULL if unknown. Its
 * number of nodes goes to *nodes. */
const char *hk_gmsh_type_name(int64_t type, int *nodes);
