/* Geometry of spectral elements at the points of quadrature, which are the nodes: J = dx/dxi by the derivatives of the lattice, its inverse
 * and determinant; whether an element is affine, bilinear or curved (hk_spectral_class); lumped mass w rho |J| (S.3), of fluids w |J| / k (S.7),
 * and the pace c |grad xi| that the bound of dt starts from. */
#include "operator/spectral/map.h"
#include "element/gll.h"
#include "mesh/scatter.h"
#include "operator/element/lumped.h"
#include "element/wide.h"
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

/* slope[q][c] = d x_c / d xi_a at all points, a the direction whose points lie `step` apart. */
static void find_slopes(const hk_gll *g, int dim, int points, int step, const double *x,
                        double *slope)
{
  const int side = g->order + 1, run = step * dim; /* values between neighbours along a */
  memset(slope, 0, (size_t)(points * dim) * sizeof *slope);
  for (int from = 0; from < points * dim; from += side * run)
    for (int i = 0; i < side; i++)
      for (int m = 0; m < side; m++) {
        const double d = g->d[i * side + m], *other = x + from + m * run;
        double *to = slope + from + i * run;
        for (int k = 0; k < run; k++) to[k] += d * other[k];
      }
}

/* slope[a][c] = d x_c / d xi_a at the first point, of x[q][dim] at the points of its edges. */
static void find_first_slopes(const hk_gll *g, int dim, const double *x,
                              double slope[3][3 * HK_MOST_NODES])
{
  const int side = g->order + 1;
  for (int a = 0, step = 1; a < dim; a++, step *= side)
    for (int c = 0; c < dim; c++) {
      double sum = 0;
      for (int m = 0; m < side; m++) sum += g->d[m] * x[m * step * dim + c];
      slope[a][c] = sum;
    }
}

/* inverse[q][a][c] and volume[q] = w_q det J of the points, of slope[a][q][c]; whether these are above 0. */
HK_WIDE static bool invert(int dim, int points, double slope[3][3 * HK_MOST_NODES],
                           hk_spectral_map *map)
{
  int bad = 0;
  if (dim == 2) {
#pragma omp simd reduction(+ : bad)
    for (int q = 0; q < points; q++) {
      const double *r = slope[0] + q * 2, *s = slope[1] + q * 2;
      const double det = r[0] * s[1] - s[0] * r[1];
      double *inverse = map->inverse + q * 4;
      inverse[0] = s[1] / det, inverse[1] = -s[0] / det;
      inverse[2] = -r[1] / det, inverse[3] = r[0] / det;
      map->volume[q] = map->weight[q] * det;
      bad += !(map->volume[q] > 0);
    }
    return bad == 0;
  }
#pragma omp simd reduction(+ : bad)
  for (int q = 0; q < points; q++) {
    const double *r = slope[0] + q * 3, *s = slope[1] + q * 3, *t = slope[2] + q * 3;
    double *to = map->inverse + q * 9;
    const double i[9] = {
        s[1] * t[2] - t[1] * s[2], s[2] * t[0] - t[2] * s[0], s[0] * t[1] - t[0] * s[1],
        t[1] * r[2] - r[1] * t[2], t[2] * r[0] - r[2] * t[0], t[0] * r[1] - r[0] * t[1],
        r[1] * s[2] - s[1] * r[2], r[2] * s[0] - s[2] * r[0], r[0] * s[1] - s[0] * r[1]};
    const double det = 0 + r[0] * i[0] + r[1] * i[1] + r[2] * i[2];
    for (int m = 0; m < 9; m++) to[m] = i[m] / det;
    map->volume[q] = map->weight[q] * det;
    bad += !(map->volume[q] > 0);
  }
  return bad == 0;
}

/* Point of vertex v = i + 2 j + 4 k. */
static int vertex_point(int dim, int side, int v)
{
  int q = 0;
  for (int d = 0, step = side - 1; d < dim; d++, step *= side) q += (v >> d & 1) * step;
  return q;
}

static void find_corners(int dim, int side, hk_spectral_map *map)
{
  for (int v = 0; v < 1 << dim; v++) {
    const int q = vertex_point(dim, side, v);
    for (int c = 0; c < dim; c++) map->corner[v][c] = map->x[q * dim + c] - map->x[c];
  }
}

static void take_point(const hk_mesh *mesh, const hk_element *shape, const hk_index *node, int q,
                       hk_spectral_map *map)
{
  memcpy(map->x + q * mesh->dim, mesh->x + (hk_count)node[shape->lattice[q]] * mesh->dim,
         (size_t)mesh->dim * sizeof *map->x);
}

static void find_weights(const hk_gll *g, int dim, double *weight)
{
  const int side = g->order + 1;
  int q = 0;
  for (int k = 0; k < (dim == 3 ? side : 1); k++)
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++) weight[q++] = g->w[i] * g->w[j] * (dim == 3 ? g->w[k] : 1);
}

bool hk_spectral_map_find(const hk_mesh *mesh, hk_count element, hk_spectral_map *map)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, element)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, element);
  const int dim = mesh->dim, side = shape->order + 1;
  double slope[3][3 * HK_MOST_NODES];
  for (int q = 0; q < shape->nodes; q++) take_point(mesh, shape, node, q, map);
  find_corners(dim, side, map);
  if (hk_shape_axis(shape->shape) < 0)
    find_weights(hk_gll_of(shape->order), dim, map->weight);
  else
    for (int q = 0; q < shape->nodes; q++) map->weight[q] = shape->nodal.weight[shape->lattice[q]];
  for (int a = 0, step = 1; a < dim; a++, step *= side)
    find_slopes(shape->line[a], dim, shape->nodes, step, map->x, slope[a]);
  return invert(dim, shape->nodes, slope, map);
}

void hk_spectral_map_first(const hk_mesh *mesh, hk_count element, hk_spectral_map *map)
{
  const hk_element *shape = hk_element_of(hk_mesh_block_of(mesh, element)->shape);
  const hk_gll *g = hk_gll_of(shape->order);
  const hk_index *node = hk_mesh_nodes_of(mesh, element);
  const int dim = mesh->dim, side = shape->order + 1;
  double slope[3][3 * HK_MOST_NODES];
  for (int v = 0; v < 1 << dim; v++) take_point(mesh, shape, node, vertex_point(dim, side, v), map);
  for (int a = 0, step = 1; a < dim; a++, step *= side)
    for (int m = 1; m < side - 1; m++) take_point(mesh, shape, node, m * step, map);
  find_corners(dim, side, map);
  find_first_slopes(g, dim, map->x, slope);
  map->weight[0] = g->w[0] * g->w[0] * (dim == 3 ? g->w[0] : 1);
  invert(dim, 1, slope, map);
}

/* The ends of the line of points that begins at point q, by the map through the corners: end[0], end[1] [c]. */
static void find_ends(int dim, const hk_gll *g, const hk_spectral_map *map, int q, double end[2][3])
{
  const int side = g->order + 1;
  const double y = (1 + g->x[q / side % side]) / 2,
               z = dim == 3 ? (1 + g->x[q / (side * side)]) / 2 : 0;
  for (int side_of = 0; side_of < 2; side_of++)
    for (int c = 0; c < dim; c++) {
      const double low = (1 - y) * map->corner[side_of][c] + y * map->corner[2 + side_of][c];
      const double high =
          dim == 3 ? (1 - y) * map->corner[4 + side_of][c] + y * map->corner[6 + side_of][c] : 0;
      end[side_of][c] = (1 - z) * low + z * high;
    }
}

/* Largest distance of the nodes from the map through the corners, over the largest coordinate of those. */
static double off_corners(const hk_element *shape, const hk_spectral_map *map, double *size)
{
  const int dim = shape->dim, side = shape->order + 1;
  const hk_gll *g = hk_gll_of(shape->order);
  double most = 0;
  for (int v = 0; v < 1 << dim; v++)
    for (int c = 0; c < dim; c++) *size = fmax(*size, fabs(map->corner[v][c]));
  for (int q = 0; q < shape->nodes; q += side) {
    double end[2][3];
    find_ends(dim, g, map, q, end);
    for (int i = 0; i < side; i++) {
      const double t = (1 + g->x[i]) / 2, *x = map->x + (q + i) * dim;
      for (int c = 0; c < dim; c++) {
        const double off = fabs((1 - t) * end[0][c] + t * end[1][c] + map->x[c] - x[c]);
        if (off > most) most = off;
      }
    }
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

/* What a part of the elements of a block adds: mass (S.3), of fluids (S.7), and the pace of each, the largest of sum_a |grad xi_a|^2 over its
 * points, times c^2. */
typedef struct part {
  const hk_mesh *mesh;
  const hk_block *block;
  hk_count from, count; /* elements of the block */
  double *mass;         /* mass[count][nodes] */
  double *pace;         /* pace[count] */
  hk_scatter *by;
} part;

static double find_pace(const hk_spectral_map *map, int points, int size)
{
  double most = 0;
  for (int q = 0; q < points; q++) {
    double sum = 0;
    for (int k = 0; k < size; k++) sum += map->inverse[q * size + k] * map->inverse[q * size + k];
    most = sum > most ? sum : most;
  }
  return most;
}

/* *folded: the first folded element of the part; count: none. */
static hk_status measure_part(const part *p, const hk_region *region,
                              const hk_index *element_region, const double *speed, hk_count *folded)
{
  hk_failure failure = {0};
  const hk_mesh *mesh = p->mesh;
  const hk_index *lattice = hk_element_of(p->block->shape)->lattice;
  const int points = p->block->nodes;
  hk_count bad = p->count;
#pragma omp parallel reduction(min : bad)
  {
    hk_spectral_map *map = NULL;
    const hk_status status = hk_new(&map);
#pragma omp for schedule(static)
    for (hk_count i = 0; i < p->count; i++) {
      if (status != HK_OK) continue;
      const hk_count e = p->block->first + p->from + i;
      const int r = element_region[e];
      const double inertia = hk_element_inertia(mesh, &region[r]);
      if (!hk_spectral_map_find(mesh, e, map) && i < bad) bad = i;
      p->pace[i] = speed[r] * speed[r] * find_pace(map, points, mesh->dim * mesh->dim);
      for (int q = 0; q < points; q++) p->mass[i * points + lattice[q]] = inertia * map->volume[q];
    }
    hk_free(&map);
    hk_failure_keep(&failure, status);
  }
  *folded = bad;
  return hk_failure_tell(&failure);
}

static void add_part(const part *p, double *mass)
{
  const hk_index *node = p->block->node + p->from * p->block->nodes, *place = p->by->place;
  hk_scatter_sort(p->by, p->count * p->block->nodes, node);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = p->by->begin[o]; k < p->by->begin[o + 1]; k++)
      mass[node[place[k]]] += p->mass[place[k]];
}

static hk_status find_speeds(const hk_mesh *mesh, const hk_region *region,
                             const hk_index *element_region, double **speed)
{
  const int regions = hk_element_regions(mesh, element_region);
  const hk_status status = hk_get(speed, regions);
  for (hk_count e = 0; status == HK_OK && e < mesh->element_count; e++) {
    double *to = &(*speed)[element_region[e]];
    if (!(*to > 0)) *to = hk_region_fastest(&region[element_region[e]], mesh->dim);
  }
  return status;
}

/* Whether the element is affine, by its nodes and corners, and far from folded: its Jacobian is that of the first point to 1e-5 then. */
static bool is_plainly_affine(const hk_mesh *mesh, const hk_element *shape, hk_count e,
                              hk_spectral_map *map)
{
  const double far = 1e-2;
  const int dim = mesh->dim;
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double product = 1;
  hk_spectral_map_first(mesh, e, map);
  for (int d = 0; d < dim; d++) {
    const double *edge = map->corner[1 << d];
    double sum = 0;
    for (int c = 0; c < dim; c++) sum += edge[c] * edge[c];
    product *= sqrt(sum) / 2;
  }
  if (!(map->volume[0] / map->weight[0] > far * product)) return false;
  for (int q = 0; q < shape->nodes; q++) take_point(mesh, shape, node, q, map);
  return hk_spectral_class(shape, map) == HK_MAP_AFFINE;
}

hk_status hk_spectral_classes(const hk_mesh *mesh, uint8_t *class_of)
{
  hk_failure failure = {0};
  const hk_element *shape = hk_element_of(mesh->block[0].shape);
#pragma omp parallel
  {
    hk_spectral_map *map = NULL;
    hk_status status = hk_new(&map);
#pragma omp for schedule(static)
    for (hk_count e = 0; e < mesh->element_count; e++) {
      if (status != HK_OK) continue;
      if (is_plainly_affine(mesh, shape, e, map))
        class_of[e] = HK_MAP_AFFINE;
      else if (!hk_spectral_map_find(mesh, e, map))
        status = hk_element_folded(mesh, e);
      else
        class_of[e] = (uint8_t)hk_spectral_class(shape, map);
    }
    hk_free(&map);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

/* The masses of a block; *most, *element: the largest pace so far and the first element with it. */
static hk_status measure_block(part *p, const hk_region *region, const hk_index *element_region,
                               const double *speed, double *mass, double *most, hk_index *element)
{
  for (p->from = 0; p->from < p->block->count; p->from += p->count) {
    const hk_count first = p->block->first + p->from;
    hk_count folded;
    p->count = hk_scatter_part(p->block->count - p->from, p->block->nodes);
    HK_PASS(measure_part(p, region, element_region, speed, &folded));
    if (folded < p->count) return hk_element_folded(p->mesh, first + folded);
    add_part(p, mass);
    for (hk_count i = 0; i < p->count; i++)
      if (p->pace[i] > *most) *most = p->pace[i], *element = (hk_index)(first + i);
  }
  return HK_OK;
}

hk_status hk_spectral_mass(const hk_mesh *mesh, const hk_region *region,
                           const hk_index *element_region, double *mass, hk_index *element)
{
  hk_status status = HK_OK;
  part p = {.mesh = mesh};
  double *speed = NULL, most = 0;
  HK_TRY(hk_element_region_check(mesh, region, element_region));
  HK_TRY(hk_scatter_create(hk_mesh_entries(mesh), &p.by));
  HK_TRY(hk_get(&p.mass, p.by->most));
  HK_TRY(hk_get(&p.pace, p.by->most / mesh->block[0].nodes + 1));
  HK_TRY(find_speeds(mesh, region, element_region, &speed));
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < mesh->node_count; n++) mass[n] = 0;
  for (int b = 0; b < mesh->block_count; b++) {
    p.block = &mesh->block[b];
    HK_TRY(measure_block(&p, region, element_region, speed, mass, &most, element));
  }
cleanup:
  hk_scatter_destroy(&p.by);
  hk_free(&p.mass);
  hk_free(&p.pace);
  hk_free(&speed);
  return status;
}
