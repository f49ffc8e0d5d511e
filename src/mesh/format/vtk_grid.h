/* VTK's unstructured grid, as .vtu and .vtkhdf hold it: points, cells, and arrays beside them.
 *
 * Sets are arrays too: the point or cell array "set:NAME" is not 0 on the members; bit f of the
 * cell array "faces:NAME" marks face f. "node_label" and "element_label" hold the user's numbers.
 * The integer cell arrays in which other programs keep regions ("gmsh:physical", "medit:ref",
 * "PhysicalIds", "MaterialIDs") make a group of each value, as in a Gmsh file. */
#pragma once
#include "mesh/format/raw_mesh.h"

typedef struct hk_vtk_mark {
  const char *name;
  hk_set_kind kind;
  uint8_t *mask; /* mask[points or cells] */
  hk_count room;
} hk_vtk_mark;

typedef struct hk_vtk_grid {
  hk_raw_mesh raw; /* its pool holds what follows */
  uint8_t *kind;   /* kind[cells] */
  hk_count cells, kind_room;
  HK_LIST(hk_vtk_mark) mark;
} hk_vtk_grid;

typedef struct hk_vtk_piece {
  hk_pool pool;                        /* holds the arrays */
  hk_count points, cells, links;       /* links: length of connectivity */
  double *x;                           /* x[points][3] */
  hk_index *connectivity;              /* connectivity[links] */
  int64_t *offset;                     /* offset[cells + 1] */
  uint8_t *type;                       /* type[cells] */
  int64_t *region;                     /* region[cells]; NULL: none */
  int64_t *node_label, *element_label; /* NULL: none */
} hk_vtk_piece;

enum { HK_VTK_MOST_SETS = 4096 };

/* What an array of that name is to the reader; *set = the set's name within `name`. */
typedef enum hk_vtk_role {
  HK_VTK_OTHER,
  HK_VTK_SET,
  HK_VTK_FACES,
  HK_VTK_REGION,
  HK_VTK_LABEL
} hk_vtk_role;
hk_vtk_role hk_vtk_role_of(const char *name, bool of_points, const char **set);
/* Names of datasets, where HDF5 keeps '/' for itself: '/' and '%' become %2F and %25, and back in place. hk_free(out). */
hk_status hk_vtk_escape(const char *name, char **out);
void hk_vtk_unescape(char *name);
/* Where the piece keeps labels or regions. */
int64_t **hk_vtk_piece_side(hk_vtk_piece *piece, hk_vtk_role role, bool of_points);

/* Adds the piece's points and cells behind those there are. HK_BAD_INPUT naming the cell. */
hk_status hk_vtk_grid_add(hk_vtk_grid *grid, const hk_vtk_piece *piece);
/* value[count]: of the points (cells) from `first` on. */
hk_status hk_vtk_grid_mark(hk_vtk_grid *grid, const char *name, hk_vtk_role role, bool of_points,
                           hk_count first, hk_count count, const uint8_t *value);
/* Ends with hk_mesh_finish. */
hk_status hk_vtk_grid_finish(hk_vtk_grid *grid, hk_mesh **out);
void hk_vtk_grid_free(hk_vtk_grid *grid);

typedef enum hk_vtk_place {
  HK_VTK_POINTS,
  HK_VTK_CELLS,
  HK_VTK_POINT_DATA,
  HK_VTK_CELL_DATA
} hk_vtk_place;
typedef enum hk_vtk_type { HK_VTK_FLOAT64, HK_VTK_INT64, HK_VTK_UINT8 } hk_vtk_type;

typedef struct hk_vtk_array {
  hk_vtk_place place;
  hk_vtk_type type;
  const char *name;
  hk_count count; /* of values: points have three each, offsets start with 0 */
  int set;        /* the mesh's set that it holds; -1: none */
} hk_vtk_array;

/* The arrays of a mesh in the order of their places. */
hk_status hk_vtk_arrays(const hk_mesh *mesh, hk_pool *pool, hk_vtk_array **array, int *count);
/* *data = new values of the array (hk_free). */
hk_status hk_vtk_array_fill(const hk_mesh *mesh, const hk_vtk_array *array, void **data);
size_t hk_vtk_type_size(hk_vtk_type type);
