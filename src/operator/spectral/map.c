/* Geometry of spectral elements at the points of quadrature, which are the nodes: J = dx/dxi by the derivatives of the lattice, its inverse
 * and determinant; whether an element is affine, bilinear or curved (hk_spectral_class); lumped mass w rho |J| (S.3), of fluids w |J| / k (S.7),
 * and the pace c |grad xi| that the bound of dt starts from. */
#include "operator/spectral/map.h"
#include "element/gll.h"
#include "operator/element/lumped.h"
#include <math.h>
#include <string.h>

int hk_spectral_order(const hk_mesh *mesh)
{
  if (!mesh->block_count) return 0;
  const hk_shape shape = mesh->block[0].shape;
  const int first = mesh->dim == 2 ? HK_QUAD_P : HK_HEX_P;
  for (int b = 1; b < mesh->block_count; b++)
    if (mesh->block[b].shape != shape) return 0;
  return (int)shape > first && (int)shape <= first + HK_MOST_ORDER ? (int)shape - first : 0;
}

/* jacobian[c][a] = d x_c / d xi_a at point q. */
static void find_jacobian(const hk_gll *g, int dim, const double *x, int q, double jacobian[3][3])
{
  const int side = g->order + 1;
  for (int a = 0, step = 1; a < dim; a++, step *= side) {
    const int i = q / step % side, first = q - i * step;
    for (int c = 0; c < dim; c++) {
      double sum = 0;
      for (int m = 0; m < side; m++)
        sum += g->d[i * side + m] * x[(hk_count)(first + m * step) * dim + c];
      jacobian[c][a] = sum;
    }
  }
}

/* inverse[a][c] of j; its determinant. */
static double invert(int dim, double j[3][3], double *inverse)
{
  if (dim == 2) {
    const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
    inverse[0] = j[1][1] / det, inverse[1] = -j[0][1] / det;
    inverse[2] = -j[1][0] / det, inverse[3] = j[0][0] / det;
    return det;
  }
  double det = 0;
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++) {
      const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      inverse[a * 3 + c] = j[c1][a1] * j[c2][a2] - j[c1][a2] * j[c2][a1];
    }
  for (int c = 0; c < 3; c++) det += j[c][0] * inverse[c];
  for (int k = 0; k < 9; k++) inverse[k] /= det;
  return det;
}

static void find_corners(int dim, int side, hk_spectral_map *map)
{
  for (int v = 0; v < 1 << dim; v++) {
    int q = 0;
    for (int d = 0, step = side - 1; d < dim; d++, step *= side) q += (v >> d & 1) * step;
    for (int c = 0; c < dim; c++) map->corner[v][c] = map->x[q * dim + c] - map->x[c];
  }
}

bool hk_spectral_map_find(const hk_mesh *mesh, hk_count element, hk_spectral_map *map)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, element)->shape);
  const hk_gll *g = hk_gll_of(shape->order);
  const hk_index *node = hk_mesh_nodes_of(mesh, element);
  const int dim = mesh->dim, side = shape->order + 1;
  for (int q = 0; q < shape->nodes; q++)
    memcpy(map->x + q * dim, mesh->x + (hk_count)node[shape->lattice[q]] * dim,
           (size_t)dim * sizeof *map->x);
  find_corners(dim, side, map);
  for (int q = 0; q < shape->nodes; q++) {
    double jacobian[3][3];
    map->weight[q] =
        g->w[q % side] * g->w[q / side % side] * (dim == 3 ? g->w[q / (side * side)] : 1);
    find_jacobian(g, dim, map->x, q, jacobian);
    map->volume[q] = map->weight[q] * invert(dim, jacobian, map->inverse + (hk_count)q * dim * dim);
    if (!(map->volume[q] > 0)) return false;
  }
  return true;
}

/* Largest distance of the nodes from the map through the corners, over the largest coordinate of those. */
static double off_corners(const hk_element *shape, const hk_spectral_map *map, double *size)
{
  const int dim = shape->dim, side = shape->order + 1;
  const hk_gll *g = hk_gll_of(shape->order);
  double most = 0;
  for (int v = 0; v < 1 << dim; v++)
    for (int c = 0; c < dim; c++) *size = fmax(*size, fabs(map->corner[v][c]));
  for (int q = 0; q < shape->nodes; q++)
    for (int c = 0; c < dim; c++) {
      double x = 0;
      for (int v = 0; v < 1 << dim; v++) {
        double n = map->corner[v][c];
        for (int d = 0, rest = q; d < dim; d++, rest /= side)
          n *= (1 + (v >> d & 1 ? 1 : -1) * g->x[rest % side]) / 2;
        x += n;
      }
      most = fmax(most, fabs(x + map->x[c] - map->x[q * dim + c]));
    }
  return most;
}

hk_map_class hk_spectral_class(const hk_element *shape, const hk_spectral_map *map)
{
  const double tolerance = 1e-9;
  const int dim = shape->dim;
  double size = 0, most = 0;
  if (!(off_corners(shape, map, &size) <= tolerance * size)) return HK_MAP_CURVED;
  for (int v = 0; v < 1 << dim; v++)
    for (int c = 0; c < dim; c++) {
      double x = 0;
      for (int d = 0; d < dim; d++) x += (v >> d & 1) * map->corner[1 << d][c];
      most = fmax(most, fabs(x - map->corner[v][c]));
    }
  return most <= tolerance * size ? HK_MAP_AFFINE : HK_MAP_CORNERS;
}

/* Mass (S.3), of fluids (S.7), and pace of an element: the largest of sum_a |grad xi_a|^2 over its points, times c^2. */
static double add_element(const hk_mesh *mesh, hk_count e, const hk_spectral_map *map,
                          double inertia, double *mass)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const int size = mesh->dim * mesh->dim;
  double most = 0;
  for (int q = 0; q < shape->nodes; q++) {
    double sum = 0;
    for (int k = 0; k < size; k++) sum += map->inverse[q * size + k] * map->inverse[q * size + k];
    most = fmax(most, sum);
    mass[node[shape->lattice[q]]] += inertia * map->volume[q];
  }
  return most;
}

static hk_status find_speeds(const hk_mesh *mesh, const hk_region *region,
                             const int16_t *element_region, double **speed)
{
  int regions = 0;
  for (hk_count e = 0; e < mesh->element_count; e++)
    if (element_region[e] >= regions) regions = element_region[e] + 1;
  const hk_status status = hk_get(speed, regions);
  for (hk_count e = 0; status == HK_OK && e < mesh->element_count; e++) {
    double *to = &(*speed)[element_region[e]];
    if (!(*to > 0)) *to = hk_region_fastest(&region[element_region[e]], mesh->dim);
  }
  return status;
}

hk_status hk_spectral_mass(const hk_mesh *mesh, const hk_region *region,
                           const int16_t *element_region, double *mass, hk_index *element)
{
  hk_status status = HK_OK;
  hk_spectral_map *map = NULL;
  double *speed = NULL, most = 0;
  HK_TRY(hk_element_region_check(mesh, region, element_region));
  HK_TRY(hk_new(&map));
  HK_TRY(find_speeds(mesh, region, element_region, &speed));
  memset(mass, 0, (size_t)mesh->node_count * sizeof *mass);
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const int r = element_region[e];
    if (!hk_spectral_map_find(mesh, e, map)) HK_TRY(hk_element_folded(mesh, e));
    const double pace =
        speed[r] * speed[r] * add_element(mesh, e, map, hk_element_inertia(mesh, &region[r]), mass);
    if (pace > most) most = pace, *element = (hk_index)e;
  }
cleanup:
  hk_free(&map);
  hk_free(&speed);
  return status;
}
