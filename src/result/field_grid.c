/* The mesh as ParaView reads it: points with three coordinates, the nodes of each cell in VTK's
 * order, offsets and cell types. Components are padded to what VTK knows: vectors to three,
 * symmetric tensors to six in VTK's order xx yy zz xy yz xz (hooke's own order has xz before yz). */
#include "result/field_grid.h"
#include "mesh/format/cell_type.h"

enum { FEW = 1 << 13 }; /* that one thread treats alone */

hk_shape hk_shape_of_vtk(int type)
{
  const int kind = hk_kind_of_vtk(type);
  return kind >= 0 && kind < HK_SHAPE_COUNT ? (hk_shape)kind : HK_SHAPE_COUNT;
}

void hk_field_points(const hk_mesh *mesh, hk_count from, hk_count count, double *point)
{
  const int dim = mesh->dim;
#pragma omp parallel for schedule(static) if (count > FEW)
  for (hk_count i = 0; i < count; i++)
    for (int d = 0; d < 3; d++) point[3 * i + d] = d < dim ? mesh->x[(from + i) * dim + d] : 0;
}

void hk_field_cells(const hk_block *block, hk_count from, hk_count count, hk_count at,
                    int64_t *link, int64_t *offset, uint8_t *type)
{
  const bool listed = hk_shape_listed(block->shape);
  const hk_cell_type *cell = listed ? hk_cell_type_of((int)block->shape) : NULL;
  const int nodes = block->nodes;
  const uint8_t vtk = (uint8_t)(listed ? cell->vtk : hk_lagrange_type(block->shape));
#pragma omp parallel for schedule(static) if (count > FEW)
  for (hk_count i = 0; i < count; i++) {
    offset[i] = at + i * nodes;
    type[i] = vtk;
    for (int n = 0; n < nodes; n++)
      link[i * nodes + n] = block->node[(from + i) * nodes + (listed ? cell->vtk_node[n] : n)];
  }
}

hk_count hk_field_links(const hk_mesh *mesh)
{
  hk_count links = 0;
  for (int b = 0; b < mesh->block_count; b++) links += mesh->block[b].count * mesh->block[b].nodes;
  return links;
}

static void fill_cells(const hk_mesh *mesh, hk_field_grid *g)
{
  hk_count at = 0, e = 0;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    hk_field_cells(block, 0, block->count, at, g->link + at, g->offset + e, g->type + e);
    at += block->count * block->nodes, e += block->count;
  }
  g->offset[e] = at;
}

hk_status hk_field_grid_get(hk_field_grid *g, hk_count nodes, hk_count cells, hk_count links)
{
  HK_PASS(hk_pool_get(&g->pool, &g->point, nodes * 3));
  HK_PASS(hk_pool_get(&g->pool, &g->offset, cells + 1));
  HK_PASS(hk_pool_get(&g->pool, &g->link, links));
  return hk_pool_get(&g->pool, &g->type, cells);
}

hk_status hk_field_grid_create(const hk_mesh *mesh, hk_field_grid **out)
{
  hk_status status = HK_OK;
  hk_field_grid *g = NULL;
  HK_TRY(hk_new(&g));
  g->nodes = mesh->node_count;
  for (int b = 0; b < mesh->block_count; b++) g->cells += mesh->block[b].count;
  g->links = hk_field_links(mesh);
  HK_TRY(hk_field_grid_get(g, g->nodes, g->cells, g->links));
  hk_field_points(mesh, 0, g->nodes, g->point);
  fill_cells(mesh, g);
  *out = g, g = NULL;
cleanup:
  hk_field_grid_destroy(&g);
  return status;
}

hk_count hk_field_grid_plan(const hk_mesh *mesh)
{
  hk_count sum = mesh->node_count * 24 + 8;
  for (int b = 0; b < mesh->block_count; b++)
    sum += mesh->block[b].count * (9 + 8 * (hk_count)mesh->block[b].nodes);
  return sum;
}

void hk_field_grid_destroy(hk_field_grid **grid)
{
  if (!*grid) return;
  hk_pool_clear(&(*grid)->pool);
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
#pragma omp parallel for schedule(static) if (count > FEW)
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
