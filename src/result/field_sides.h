/* What a .vtkhdf field file says of the mesh beside its nodes and cells, with the names that mesh files have (mesh/format/vtk_grid.h), so that hooke
 * reads the sets of such a file too. All are of one byte per node or cell, but the labels.
 *
 *   PointData/node_label    int64, the user's numbers; left out where they are 1, 2, ...
 *   PointData/set:NAME      1 at the nodes of a set, else 0
 *   CellData/element_label  like node_label
 *   CellData/region         from 1; 0: none. The attribute `names` has the names of regions 1, 2, ..., one a line
 *   CellData/set:NAME       1 in the elements of a set, else 0
 *   CellData/faces:NAME     bit f: face f of the element is in the set, 0-based in Abaqus's order
 *
 * Empty sets, sets of all nodes or of all elements, and sets behind the first HK_FIELD_SETS are left out. */
#pragma once
#include "hdf/hdf.h"
#include "result/field_file.h"

enum { HK_FIELD_SETS = 64 };

typedef struct hk_field_side {
  const char *name;
  bool of_points;
  hk_count rows;
  const int64_t *label; /* label[rows]; NULL: not labels */
  const hk_set *set;    /* NULL: no set */
  hk_hdf_array array, start;
} hk_field_side;

typedef struct hk_field_sides {
  hk_mesh_regions regions;
  int count;
  hk_field_side *at;
} hk_field_sides;

/* How many there are; *bytes of all. */
int hk_field_sides_count(const hk_field_layout *layout, hk_count *bytes);
/* Those of a mesh, which is borrowed, in the pool. */
hk_status hk_field_sides_list(const hk_field_layout *layout, hk_pool *pool, hk_field_sides *out);
/* Makes the datasets in a new file. A run that goes on leaves them as they are: its sets may have other names. */
hk_status hk_field_sides_lay_out(hk_hdf *file, hk_count frames, hk_field_sides *sides);
/* Piece by piece. */
hk_status hk_field_sides_write(hk_hdf *file, const hk_field_sides *sides);
hk_count hk_field_sides_room(void); /* bytes that it takes meanwhile */
