/* The arrays that hold a mesh in VTK's formats, which both writers of mesh/format list and fill: Points, the cells' connectivity, offsets and
 * types, labels of nodes and elements, and one array for each set. Points have three coordinates in 2D too. A set of nodes or elements is a
 * mask "set:NAME" of 0 and 1; in "faces:NAME" bit f of a cell marks its face f. Nodes of cells stand in VTK's order (cell_type.h). */
#include <stdio.h>
#include <string.h>
#include "mesh/format/vtk_grid.h"

enum { CONNECTIVITY, OFFSETS, TYPES }; /* the cells' arrays, in their order */

static const char *const cell_array[] = {"connectivity", "offsets", "types"};

size_t hk_vtk_type_size(hk_vtk_type type)
{
  return type == HK_VTK_UINT8 ? 1 : 8;
}

typedef struct arrays {
  hk_pool *pool;
  hk_vtk_array *at;
  int count;
} arrays;

static hk_status add(arrays *list, hk_vtk_array array, const char *prefix, const char *name)
{
  char *whole;
  const size_t size = strlen(prefix) + strlen(name) + 1;
  HK_PASS(hk_pool_few(list->pool, &whole, size));
  snprintf(whole, size, "%s%s", prefix, name);
  array.name = whole;
  list->at[list->count++] = array;
  return HK_OK;
}

static hk_status add_sets(const hk_mesh *mesh, hk_vtk_place place, arrays *list)
{
  const bool of_points = place == HK_VTK_POINT_DATA;
  for (int s = 0; s < mesh->set_count; s++) {
    const hk_set *set = &mesh->set[s];
    if (!set->count || (set->kind == HK_NODE_SET) != of_points) continue;
    const hk_vtk_array array = {place, HK_VTK_UINT8, .set = s,
                                .count = of_points ? mesh->node_count : mesh->element_count};
    HK_PASS(add(list, array, set->kind == HK_FACE_SET ? "faces:" : "set:", set->name));
  }
  return HK_OK;
}

hk_status hk_vtk_arrays(const hk_mesh *mesh, hk_pool *pool, hk_vtk_array **array, int *count)
{
  arrays list = {.pool = pool};
  hk_count links = 0;
  for (int b = 0; b < mesh->block_count; b++) links += mesh->block[b].count * mesh->block[b].nodes;
  const hk_count nodes = mesh->node_count, elements = mesh->element_count;
  const hk_vtk_array plain[] = {{HK_VTK_POINTS, HK_VTK_FLOAT64, "Points", 3 * nodes, -1},
                                {HK_VTK_CELLS, HK_VTK_INT64, cell_array[CONNECTIVITY], links, -1},
                                {HK_VTK_CELLS, HK_VTK_INT64, cell_array[OFFSETS], elements + 1, -1},
                                {HK_VTK_CELLS, HK_VTK_UINT8, cell_array[TYPES], elements, -1},
                                {HK_VTK_POINT_DATA, HK_VTK_INT64, "node_label", nodes, -1},
                                {HK_VTK_CELL_DATA, HK_VTK_INT64, "element_label", elements, -1}};
  HK_PASS(hk_pool_get(pool, &list.at, 6 + mesh->set_count));
  for (int i = 0; i < 4; i++) list.at[list.count++] = plain[i];
  if (mesh->node_label) list.at[list.count++] = plain[4];
  HK_PASS(add_sets(mesh, HK_VTK_POINT_DATA, &list));
  if (mesh->element_label) list.at[list.count++] = plain[5];
  HK_PASS(add_sets(mesh, HK_VTK_CELL_DATA, &list));
  *array = list.at, *count = list.count;
  return HK_OK;
}

static void fill_points(const hk_mesh *mesh, double *x)
{
  for (hk_count n = 0; n < mesh->node_count; n++)
    for (int d = 0; d < mesh->dim; d++) x[3 * n + d] = mesh->x[n * mesh->dim + d];
}

static void fill_cells(const hk_mesh *mesh, const char *name, void *data)
{
  int64_t *out = data, end = 0;
  uint8_t *type = data;
  const bool links = !strcmp(name, cell_array[CONNECTIVITY]);
  const bool offsets = !strcmp(name, cell_array[OFFSETS]);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_cell_type *cell = hk_cell_type_of((int)block->shape);
    for (hk_count i = 0; i < block->count; i++) {
      for (int k = 0; links && k < block->nodes; k++)
        *out++ = block->node[i * block->nodes + cell->vtk_node[k]];
      end += block->nodes;
      if (offsets) *++out = end;
      if (!links && !offsets) *type++ = (uint8_t)cell->vtk;
    }
  }
}

hk_status hk_vtk_array_fill(const hk_mesh *mesh, const hk_vtk_array *array, void **data)
{
  const hk_status status = hk_memory_get(data, array->count, hk_vtk_type_size(array->type));
  if (status != HK_OK) return status;
  uint8_t *mask = *data;
  if (array->set >= 0) {
    const hk_set *set = &mesh->set[array->set];
    for (hk_count i = 0; i < set->count; i++)
      mask[set->item[i]] |= (uint8_t)(set->kind == HK_FACE_SET ? 1 << set->face[i] : 1);
  } else if (array->place == HK_VTK_POINTS) {
    fill_points(mesh, *data);
  } else if (array->place == HK_VTK_CELLS) {
    fill_cells(mesh, array->name, *data);
  } else {
    const bool of_points = array->place == HK_VTK_POINT_DATA;
    memcpy(*data, of_points ? mesh->node_label : mesh->element_label,
           (size_t)array->count * sizeof(int64_t));
  }
  return HK_OK;
}
