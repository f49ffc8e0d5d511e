/* A mesh as VTK stores it, and the order of components that VTK's tensors have. */
#pragma once
#include "element/element.h"
#include "hdf/hdf.h"
#include "mesh/mesh.h"

typedef struct hk_field_grid {
  hk_pool pool; /* of the arrays */
  hk_count nodes, cells, links;
  double *point;   /* point[nodes][3]; z = 0 in 2D */
  int64_t *offset; /* offset[cells + 1]: cell e has link[offset[e] .. offset[e + 1]) */
  int64_t *link;   /* link[links]: nodes in VTK's order */
  uint8_t *type;   /* type[cells]: VTK's cell types */
} hk_field_grid;

/* Nodes [from, from + count): point[count][3], by all threads. */
void hk_field_points(const hk_mesh *mesh, hk_count from, hk_count count, double *point);
/* Elements [from, from + count) of a block, whose links begin at number `at`: link[count][block->nodes], offset[count], type[count], by all threads. */
void hk_field_cells(const hk_block *block, hk_count from, hk_count count, hk_count at,
                    int64_t *link, int64_t *offset, uint8_t *type);
hk_count hk_field_links(const hk_mesh *mesh);

typedef struct hk_field_mesh { /* a mesh and its datasets in a .vtkhdf file */
  const hk_mesh *mesh;         /* borrowed */
  hk_hdf_array points, links, offsets, types;
} hk_field_mesh;
/* Piece by piece. */
hk_status hk_field_mesh_write(hk_hdf *file, const hk_field_mesh *m);
hk_count hk_field_mesh_room(void); /* bytes that it takes meanwhile */

hk_status hk_field_grid_create(const hk_mesh *mesh, hk_field_grid **out);
/* Arrays for so many nodes, cells and links. */
hk_status hk_field_grid_get(hk_field_grid *grid, hk_count nodes, hk_count cells, hk_count links);
hk_count hk_field_grid_plan(const hk_mesh *mesh); /* bytes */
void hk_field_grid_destroy(hk_field_grid **grid);

/* VTK's Lagrange cells: elements of order p, whose nodes are in VTK's order already (hk_shape). VTK takes the nodes of such a cell for
 * equidistant, so its drawing between them is approximate; at the nodes it is exact. */

/* Shape of a cell with so many nodes; HK_SHAPE_COUNT if hooke has none. */
hk_shape hk_shape_of_cell(int type, hk_count nodes);
/* VTK's type of an element of a family. */
int hk_lagrange_type(hk_shape shape);

/* Cells that hk_lagrange_refine makes of an element. */
int hk_lagrange_parts(hk_shape shape);
bool hk_lagrange_any(const hk_field_grid *grid);
/* link[links]: cells of order p between the order of VTK 9, which the grid has, and that of files of version 1, in which hexahedra have
 * the third and the fourth of the edges along z the other way around. */
void hk_lagrange_swap(const hk_field_grid *grid, int64_t *link);
/* The same nodes in quadrilaterals, hexahedra and wedges of first order, p along each edge. */
hk_status hk_lagrange_refine(const hk_field_grid *grid, hk_field_grid **out);

/* Shape of a VTK cell type; HK_SHAPE_COUNT if hooke has none. */
hk_shape hk_shape_of_vtk(int type);

/* Components that the file has for `components` ones given: 1 -> 1, 2, 3 -> 3, 4, 6 -> 6. */
int hk_vtk_components(int components);
/* from[count][components] (stress: xx yy zz xy xz yz) to[count][hk_vtk_components] (VTK's order:
 * xx yy zz xy yz xz). */
void hk_vtk_pad(int components, hk_count count, const float *from, float *to);
/* Names of the `components` ones given, in the file's order: "x y", "xx yy zz xy yz xz". */
const char *hk_vtk_component_names(int components);
