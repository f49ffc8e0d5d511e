/* A mesh as VTK stores it, and the order of components that VTK's tensors have. */
#ifndef HK_RESULT_FIELD_GRID_H
#define HK_RESULT_FIELD_GRID_H
#include "mesh/mesh.h"

typedef struct hk_field_grid {
  hk_count nodes, cells, links;
  double *point;   /* point[nodes][3]; z = 0 in 2D */
  int64_t *offset; /* offset[cells + 1]: cell e has link[offset[e] .. offset[e + 1]) */
  int64_t *link;   /* link[links]: nodes in VTK's order */
  uint8_t *type;   /* type[cells]: VTK's cell types */
} hk_field_grid;

hk_status hk_field_grid_create(const hk_mesh *mesh, hk_field_grid **out);
hk_count hk_field_grid_plan(const hk_mesh *mesh); /* bytes */
void hk_field_grid_destroy(hk_field_grid **grid);

/* Shape of a VTK cell type; HK_SHAPE_COUNT if hooke has none. */
hk_shape hk_shape_of_vtk(int type);

/* Components that the file has for `components` ones given: 1 -> 1, 2, 3 -> 3, 4, 6 -> 6. */
int hk_vtk_components(int components);
/* from[count][components] (stress: xx yy zz xy xz yz) to[count][hk_vtk_components] (VTK's order:
 * xx yy zz xy yz xz). */
void hk_vtk_pad(int components, hk_count count, const float *from, float *to);
/* Names of the `components` ones given, in the file's order: "x y", "xx yy zz xy yz xz". */
const char *hk_vtk_component_names(int components);
#endif
