/* Patches of every shape: boxes of cells with moved vertices and straight edges. */
#ifndef TESTS_OPERATOR_PATCH_H
#define TESTS_OPERATOR_PATCH_H
#include "operator/fixture.h"

/* Vertices of the parts of a cell, among its corners in the order of a hexahedron (2D: a quadrilateral). */
typedef struct split {
  int parts, vertices, corner[6][8];
} split;

static inline const split *split_of(const hk_element *element)
{
  static const split
      triangles = {2, 3, {{0, 1, 2}, {0, 2, 3}}},
      quad = {1, 4, {{0, 1, 2, 3}}},
      tets = {6,
              4,
              {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}},
      wedges = {2, 6, {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}}},
      hex = {1, 8, {{0, 1, 2, 3, 4, 5, 6, 7}}};
  if (element->vertices == 3) return &triangles;
  if (element->vertices == 6) return &wedges;
  if (element->vertices == 8) return &hex;
  return element->dim == 2 ? &quad : &tets;
}

/* at[3] of node n of the element whose vertices are vertex[..][3] */
static inline void place_node(const hk_element *element, int n, double (*vertex)[3], double *at)
{
  const hk_shape linear[9] = {[3] = HK_TRI3, [6] = HK_WEDGE6, [8] = HK_HEX8};
  const hk_element *map = hk_element_of(
      element->vertices == 4 ? element->dim == 2 ? HK_QUAD4 : HK_TET4 : linear[element->vertices]);
  double weight[8];
  map->shape_functions(element->reference[n], weight);
  for (int d = 0; d < 3; d++) {
    at[d] = 0;
    for (int v = 0; v < element->vertices; v++) at[d] += weight[v] * vertex[v][d];
  }
}

static inline hk_mesh *patch_create(hk_shape shape, double noise)
{
  static const int corner_at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const hk_element *element = hk_element_of(shape);
  const split *parts = split_of(element);
  const int dim = element->dim, cells = element->order == 1 ? 3 : 2, side = 2 * cells + 1,
            count = dim == 2 ? cells * cells : cells * cells * cells;
  hk_index number[7 * 7 * 7];
  double moved[4 * 4 * 4][3];
  hk_mesh *m = NULL;
  ok(hk_mesh_begin(dim, &m));
  m->element_count = (hk_count)count * parts->parts, m->block_count = 1;
  ok(hk_get(&m->x, side * side * side * dim));
  ok(hk_new(&m->block));
  m->block[0] = (hk_block){.shape = shape, .nodes = element->nodes, .count = m->element_count};
  ok(hk_get(&m->block[0].node, m->element_count * element->nodes));
  for (int i = 0; i < side * side * side; i++) number[i] = -1;
  for (int i = 0; i < (cells + 1) * (cells + 1) * (cells + 1); i++) {
    const int at[3] = {i % (cells + 1), i / (cells + 1) % (cells + 1),
                       i / (cells + 1) / (cells + 1)};
    for (int d = 0; d < 3; d++) moved[i][d] = d < dim ? at[d] + noise * uniform() : 0;
  }
  hk_index *to = m->block[0].node;
  for (int c = 0; c < count; c++)
    for (int p = 0; p < parts->parts; p++) {
      double grid[8][3], real[8][3], at[3], x[3];
      for (int v = 0; v < parts->vertices; v++) {
        const int *corner = corner_at[parts->corner[p][v]];
        const int place[3] = {c % cells + corner[0], c / cells % cells + corner[1],
                              dim == 2 ? 0 : c / cells / cells + corner[2]};
        for (int d = 0; d < 3; d++) grid[v][d] = place[d];
        memcpy(real[v], moved[place[0] + (cells + 1) * (place[1] + (cells + 1) * place[2])],
               sizeof real[v]);
      }
      for (int n = 0; n < element->nodes; n++) {
        place_node(element, n, grid, at);
        place_node(element, n, real, x);
        hk_index *node =
            &number[lround(2 * at[0]) + side * (lround(2 * at[1]) + side * lround(2 * at[2]))];
        if (*node < 0) *node = (hk_index)m->node_count++;
        memcpy(m->x + *node * dim, x, (size_t)dim * sizeof *x);
        *to++ = *node;
      }
    }
  return m;
}

/* One element of the shape: the reference element under an affine map, its vertices moved by noise. */
static inline void element_create(const hk_element *element, double noise, double *x)
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

/* In which ways decks ask for the shape. */
static inline bool has_integration(const hk_element *element, hk_integration integration)
{
  if (integration == HK_INTEGRATION_REDUCED) return element->reduced.points != element->full.points;
  if (integration == HK_INTEGRATION_INCOMPATIBLE)
    return element->shape == HK_QUAD4 || element->shape == HK_HEX8;
  return true;
}
#endif
