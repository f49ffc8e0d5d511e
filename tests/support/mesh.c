/* Meshes of tests: grids, patches of every shape, meshes from literal arrays. */
#include "support/mesh.h"

hk_mesh *make_grid(hk_mesh_grid desc)
{
  hk_mesh *mesh = NULL;
  if (desc.dim == 0) desc.dim = hk_element_of(desc.shape)->dim;
  if (desc.to[0] == 0) desc.to[0] = 1, desc.to[1] = 1.2, desc.to[2] = 0.9;
  ok(hk_mesh_create_grid(&desc, &mesh));
  return mesh;
}

hk_mesh *make_prisms(hk_mesh_grid flat, int layers, const hk_mesh_layer *layer)
{
  hk_mesh *mesh = NULL;
  flat.dim = 2, flat.shape = HK_TRI3;
  hk_mesh *triangles = make_grid(flat);
  ok(hk_mesh_extrude(triangles, 0, layers, layer, &mesh));
  hk_mesh_destroy(&triangles);
  return mesh;
}

hk_mesh *mesh_of_elements(hk_shape shape, hk_count nodes, const double *x, hk_count elements,
                          const hk_index *node)
{
  const hk_element *element = hk_element_of(shape);
  hk_mesh *m = NULL;
  ok(hk_mesh_begin(element->dim, &m));
  m->node_count = nodes, m->element_count = elements, m->block_count = 1;
  ok(hk_get(&m->x, nodes * m->dim));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = shape, .nodes = element->nodes, .count = elements};
  ok(hk_get(&m->block[0].node, elements * element->nodes));
  memcpy(m->x, x, (size_t)(nodes * m->dim) * sizeof *x);
  memcpy(m->block[0].node, node, (size_t)(elements * element->nodes) * sizeof *node);
  return m;
}

hk_mesh *make_mixed(hk_count nodes, const double *x)
{
  const hk_index quad[] = {0, 1, 4, 3}, triangle[] = {1, 2, 5, 1, 5, 4};
  hk_mesh *mesh = mesh_of_elements(HK_QUAD4, nodes, x, 1, quad);
  ok(hk_resize(&mesh->block, 2));
  mesh->block[1] = (hk_block){HK_TRI3, 3, 1, 2, NULL};
  mesh->block_count = 2, mesh->element_count = 3;
  ok(hk_get(&mesh->block[1].node, 6));
  memcpy(mesh->block[1].node, triangle, sizeof triangle);
  return mesh;
}

void punch(hk_mesh *mesh)
{
  hk_block *block = &mesh->block[0];
  hk_count kept = 0;
  uint32_t random = 1;
  for (hk_count e = 0; e < block->count; e++) {
    random = random * 1664525u + 1013904223u;
    if (random >> 16 & 1 && random >> 17 & 1) continue;
    memmove(block->node + kept++ * block->nodes, block->node + e * block->nodes,
            (size_t)block->nodes * sizeof *block->node);
  }
  block->count = mesh->element_count = kept;
}

void shuffle_nodes(hk_mesh *mesh)
{
  hk_index *to = NULL;
  double *x = NULL;
  ok(hk_get(&to, mesh->node_count));
  ok(hk_get(&x, mesh->node_count * mesh->dim));
  for (hk_count i = 0; i < mesh->node_count; i++) {
    const hk_count j = rand() % (i + 1);
    to[i] = to[j], to[j] = (hk_index)i;
  }
  for (hk_count i = 0; i < mesh->node_count; i++)
    memcpy(x + to[i] * mesh->dim, mesh->x + i * mesh->dim, (size_t)mesh->dim * sizeof *x);
  for (int b = 0; b < mesh->block_count; b++)
    for (hk_count k = 0; k < mesh->block[b].count * mesh->block[b].nodes; k++)
      mesh->block[b].node[k] = to[mesh->block[b].node[k]];
  hk_free(&mesh->x);
  hk_free(&to);
  mesh->x = x;
}

/* Vertices of the parts of a cell: 0 to 7 its corners in the order of a hexahedron (2D: a quadrilateral), 8 its middle. */
typedef struct split {
  int parts, vertex[6][8];
} split;

static const split *split_of(const hk_element *element)
{
  static const split of[HK_SHAPE_COUNT] = {
      [HK_TRI3] = {2, {{0, 1, 2}, {0, 2, 3}}},
      [HK_QUAD4] = {1, {{0, 1, 2, 3}}},
      [HK_TET4] =
          {6, {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}},
      [HK_WEDGE6] = {2, {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}}},
      [HK_HEX8] = {1, {{0, 1, 2, 3, 4, 5, 6, 7}}}};
  const split *parts = &of[hk_shape_linear(element->shape)];
  if (!parts->parts) fail_msg("split_of: say how %s elements fill a cell", element->name);
  return parts;
}

/* at[3] of node n of the element whose vertices are vertex[..][3] */
static void place_node(const hk_element *element, int n, double (*vertex)[3], double *at)
{
  const hk_element *map = hk_element_of(hk_shape_linear(element->shape));
  double weight[8];
  hk_element_functions(map, element->reference[n], weight, NULL);
  for (int d = 0; d < 3; d++) {
    at[d] = 0;
    for (int v = 0; v < element->vertices; v++) at[d] += weight[v] * vertex[v][d];
  }
}

/* Places of the corners and the middle of cell c in a grid of [cells + 1]^dim points that were moved. */
static void place_cell(int dim, int cells, int c, double (*moved)[3], double (*grid)[3],
                       double (*real)[3])
{
  static const int corner_at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const int corners = dim == 2 ? 4 : 8;
  memset(grid[8], 0, sizeof grid[8]);
  memset(real[8], 0, sizeof real[8]);
  for (int v = 0; v < corners; v++) {
    const int place[3] = {c % cells + corner_at[v][0], c / cells % cells + corner_at[v][1],
                          dim == 2 ? 0 : c / cells / cells + corner_at[v][2]};
    memcpy(real[v], moved[place[0] + (cells + 1) * (place[1] + (cells + 1) * place[2])],
           sizeof real[v]);
    for (int d = 0; d < 3; d++) {
      grid[v][d] = place[d];
      grid[8][d] += grid[v][d] / corners, real[8][d] += real[v][d] / corners;
    }
  }
}

/* The node at that place of the grid, or a new one. */
static hk_index find_grid_node(double (*grid)[3], hk_count *count, const double *at)
{
  hk_index n = 0;
  while (n < *count &&
         fabs(grid[n][0] - at[0]) + fabs(grid[n][1] - at[1]) + fabs(grid[n][2] - at[2]) > 1e-9)
    n++;
  if (n == *count) memcpy(grid[(*count)++], at, sizeof *grid);
  return n;
}

hk_mesh *make_patch(hk_shape shape, double noise)
{
  const hk_element *element = hk_element_of(shape);
  const split *parts = split_of(element);
  const int dim = element->dim, cells = element->order == 1 ? 3 : 2,
            count = dim == 2 ? cells * cells : cells * cells * cells;
  double moved[4 * 4 * 4][3], (*node_at)[3] = NULL;
  hk_mesh *m = NULL;
  ok(hk_mesh_begin(dim, &m));
  m->element_count = (hk_count)count * parts->parts, m->block_count = 1;
  const hk_count most = m->element_count * element->nodes;
  ok(hk_get(&m->x, most * dim));
  ok(hk_get(&node_at, most));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = shape, .nodes = element->nodes, .count = m->element_count};
  ok(hk_get(&m->block[0].node, most));
  for (int i = 0; i < (cells + 1) * (cells + 1) * (cells + 1); i++) {
    const int at[3] = {i % (cells + 1), i / (cells + 1) % (cells + 1),
                       i / (cells + 1) / (cells + 1)};
    for (int d = 0; d < 3; d++) moved[i][d] = d < dim ? at[d] + noise * uniform() : 0;
  }
  hk_index *to = m->block[0].node;
  for (int c = 0; c < count; c++) {
    double grid[9][3], real[9][3];
    place_cell(dim, cells, c, moved, grid, real);
    for (int p = 0; p < parts->parts; p++) {
      double grid_vertex[8][3], vertex[8][3], at[3], x[3];
      for (int v = 0; v < element->vertices; v++) {
        memcpy(grid_vertex[v], grid[parts->vertex[p][v]], sizeof *grid);
        memcpy(vertex[v], real[parts->vertex[p][v]], sizeof *real);
      }
      for (int n = 0; n < element->nodes; n++) {
        place_node(element, n, grid_vertex, at);
        place_node(element, n, vertex, x);
        *to = find_grid_node(node_at, &m->node_count, at);
        memcpy(m->x + *to++ * dim, x, (size_t)dim * sizeof *x);
      }
    }
  }
  hk_free(&node_at);
  return m;
}

void place_element(const hk_element *element, double noise, double *x)
{
  static const double map[3][3] = {{1.1, .2, -.1}, {.3, .8, .2}, {-.2, .1, .9}};
  double vertex[8][3] = {{0}}, at[3];
  for (int v = 0; v < element->vertices; v++)
    for (int i = 0; i < element->dim; i++) {
      vertex[v][i] = 2 + noise * uniform();
      for (int j = 0; j < element->dim; j++) vertex[v][i] += map[i][j] * element->reference[v][j];
    }
  for (int n = 0; n < element->nodes; n++) {
    place_node(element, n, vertex, at);
    memcpy(x + n * element->dim, at, (size_t)element->dim * sizeof *x);
  }
}

bool has_integration(const hk_element *element, hk_integration integration)
{
  if (integration == HK_INTEGRATION_REDUCED) return element->reduced.points != element->full.points;
  if (integration == HK_INTEGRATION_INCOMPATIBLE)
    return element->shape == HK_QUAD4 || element->shape == HK_HEX8;
  return true;
}
