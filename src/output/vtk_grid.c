#include "output/vtk_grid.h"
#include <string.h>

#define SAME                                                                                       \
  {                                                                                                \
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,  \
        26                                                                                         \
  }

/* Abaqus and VTK number all shapes alike but the middles of hex27: Abaqus has the centre first,
 * then the faces -z +z -y +x +y -x; VTK has the faces -x +x -y +y -z +z, then the centre. */
static const struct cell {
  int type, nodes;
  uint8_t order[HK_VTK_MOST_NODES];
} cell[HK_SHAPE_COUNT] = {
    [HK_TRI3] = {5, 3, SAME},
    [HK_TRI6] = {22, 6, SAME},
    [HK_QUAD4] = {9, 4, SAME},
    [HK_QUAD8] = {23, 8, SAME},
    [HK_QUAD9] = {28, 9, SAME},
    [HK_TET4] = {10, 4, SAME},
    [HK_TET10] = {24, 10, SAME},
    [HK_HEX8] = {12, 8, SAME},
    [HK_HEX20] = {25, 20, SAME},
    [HK_WEDGE6] = {13, 6, SAME},
    [HK_WEDGE15] = {26, 15, SAME},
    [HK_WEDGE18] = {32, 18, SAME},
    [HK_HEX27] = {29, 27, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                           14, 15, 16, 17, 18, 19, 26, 24, 23, 25, 21, 22, 20}}};

int hk_vtk_type(hk_shape shape)
{
  return cell[shape].type;
}

const uint8_t *hk_vtk_order(hk_shape shape)
{
  return cell[shape].order;
}

int hk_vtk_nodes(hk_shape shape)
{
  return cell[shape].nodes;
}

hk_shape hk_vtk_shape(int type)
{
  int shape = 0;
  while (shape < HK_SHAPE_COUNT && cell[shape].type != type) shape++;
  return (hk_shape)shape;
}

static void fill_cells(const hk_mesh *mesh, hk_vtk_grid *g)
{
  hk_count e = 0, at = 0;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const uint8_t *order = cell[block->shape].order;
    for (hk_count i = 0; i < block->count; i++) {
      g->offset[e] = at;
      g->type[e++] = (uint8_t)cell[block->shape].type;
      for (int n = 0; n < block->nodes; n++)
        g->link[at++] = block->node[i * block->nodes + order[n]];
    }
  }
  g->offset[e] = at;
}

hk_status hk_vtk_grid_create(const hk_mesh *mesh, hk_vtk_grid **out)
{
  hk_status status = HK_OK;
  hk_vtk_grid *g = NULL;
  HK_TRY(hk_new(&g));
  g->nodes = mesh->node_count;
  for (int b = 0; b < mesh->block_count; b++) {
    g->cells += mesh->block[b].count;
    g->links += mesh->block[b].count * mesh->block[b].nodes;
  }
  HK_TRY(hk_get(&g->point, g->nodes * 3));
  HK_TRY(hk_get(&g->offset, g->cells + 1));
  HK_TRY(hk_get(&g->link, g->links));
  HK_TRY(hk_get(&g->type, g->cells));
  for (hk_count n = 0; n < g->nodes; n++)
    for (int d = 0; d < mesh->dim; d++) g->point[3 * n + d] = mesh->x[n * mesh->dim + d];
  fill_cells(mesh, g);
  *out = g, g = NULL;
cleanup:
  hk_vtk_grid_destroy(&g);
  return status;
}

void hk_vtk_grid_destroy(hk_vtk_grid **grid)
{
  if (!*grid) return;
  hk_free(&(*grid)->point);
  hk_free(&(*grid)->offset);
  hk_free(&(*grid)->link);
  hk_free(&(*grid)->type);
  hk_free(grid);
}

int hk_vtk_components(int components)
{
  return components == 1 ? 1 : components <= 3 ? 3 : 6;
}

void hk_vtk_pad(int components, hk_count count, const float *from, float *to)
{
  static const int vector[] = {0, 1, 2}, tensor[] = {0, 1, 2, 3, 5, 4};
  const int *place = components > 3 ? tensor : vector;
  const int wide = hk_vtk_components(components);
  for (hk_count i = 0; i < count; i++)
    for (int c = 0; c < wide; c++)
      to[i * wide + c] = place[c] < components ? from[i * components + place[c]] : 0;
}

const char *hk_vtk_component_names(int components)
{
  static const char *const names[] = {
      "", "", "x y", "x y z", "xx yy zz xy", "", "xx yy zz xy yz xz"};
  return components >= 0 && components <= 6 ? names[components] : "";
}
