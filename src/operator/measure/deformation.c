/* Strain, stress, divergence and rotation from the gradient of the displacement: at all nodes of an element, and as rows of weights over nodal
 * displacements for receivers. A weight is the value that a unit displacement of one node gives. Quadrilaterals and hexahedra of order p are
 * differentiated line by line (S.2), others by the gradients of all shape functions at each node. */
#include "operator/measure/deformation.h"
#include "element/gll.h"
#include "operator/element/lumped.h"
#include "operator/element/ring.h"
#include <string.h>

int hk_deformation_components(hk_deformation kind, int dim, hk_plane plane)
{
  if (dim == 2 && plane == HK_ANTIPLANE) return kind == HK_DEFORMATION_DIVERGENCE ? 1 : 2;
  if (plane == HK_SPATIAL) dim = 3;
  switch (kind) {
  case HK_DEFORMATION_DIVERGENCE: return 1;
  case HK_DEFORMATION_ROTATION: return dim == 2 ? 1 : 3;
  default: return hk_stress_components(dim);
  }
}

static bool is_across(const hk_region *region, int dim)
{
  return dim == 2 && region->plane == HK_ANTIPLANE;
}

/* Of u_z alone, whose gradient is grad[2]: xz yz of strain and stress, x y of the rotation. */
static void find_across(const hk_region *region, hk_deformation kind, const double grad[3],
                        double *value)
{
  const double mu = hk_region_scalar_wave(region).stiffness;
  switch (kind) {
  case HK_DEFORMATION_STRAIN: value[0] = grad[0] / 2, value[1] = grad[1] / 2; break;
  case HK_DEFORMATION_STRESS: value[0] = mu * grad[0], value[1] = mu * grad[1]; break;
  case HK_DEFORMATION_DIVERGENCE: value[0] = 0; break;
  case HK_DEFORMATION_ROTATION: value[0] = grad[1] / 2, value[1] = -grad[0] / 2;
  }
}

static void find_value(const hk_region *region, int dim, hk_deformation kind,
                       const double grad[3][3], double *value)
{
  if (is_across(region, dim)) {
    find_across(region, kind, grad[2], value);
    return;
  }
  dim = hk_region_vector(region, dim);
  switch (kind) {
  case HK_DEFORMATION_STRAIN: hk_stress_find(region, dim, grad, value, NULL); break;
  case HK_DEFORMATION_STRESS: hk_stress_find(region, dim, grad, NULL, value); break;
  case HK_DEFORMATION_DIVERGENCE: value[0] = grad[0][0] + grad[1][1] + grad[2][2]; break;
  case HK_DEFORMATION_ROTATION:
    if (dim == 3) {
      value[0] = (grad[2][1] - grad[1][2]) / 2;
      value[1] = (grad[0][2] - grad[2][0]) / 2;
    }
    value[dim == 3 ? 2 : 0] = (grad[1][0] - grad[0][1]) / 2;
  }
}

/* The region of an element of a solid; NULL: none. */
static const hk_region *solid_of(const hk_deformed *body, hk_count e)
{
  const int region = body->element_region[e];
  return region < 0 || body->region[region].material.fluid ? NULL : body->region + region;
}

static hk_status add_site(hk_pool *pool, hk_sites *out, hk_site site)
{
  HK_PASS(hk_pool_more(pool, &out->site));
  out->site.at[out->site.count++] = site;
  return HK_OK;
}

/* 1 / (elements of that material around the place, times materials around it) */
static double share_of(const hk_deformed *body, hk_count count, const hk_index *element,
                       const hk_region *own)
{
  int same = 0, materials = 0;
  for (hk_count i = 0; i < count; i++) {
    const hk_region *region = solid_of(body, element[i]);
    bool fresh = region;
    if (!region) continue;
    same += hk_region_same_material(region, own);
    for (hk_count k = 0; k < i && fresh; k++) {
      const hk_region *before = solid_of(body, element[k]);
      fresh = !before || !hk_region_same_material(before, region);
    }
    materials += fresh;
  }
  return 1.0 / (same * materials);
}

hk_status hk_sites_of_points(const hk_deformed *body, hk_count count, const double *at,
                             hk_pool *pool, hk_sites *out)
{
  hk_status status = HK_OK;
  hk_locator *locator = NULL;
  hk_pool own = {0};
  hk_holders in;
  *out = (hk_sites){.receivers = count};
  HK_TRY(hk_pool_get(pool, &out->begin, count + 1));
  HK_TRY(hk_locator_create(body->mesh, &locator));
  HK_TRY(hk_locator_find_all(locator, count, at, &own, &in));
  for (hk_count i = 0; i < count; i++) {
    const hk_count first = in.begin[i], around = in.begin[i + 1] - first;
    HK_CHECK(around > 0, HK_BAD_INPUT, "point %lld lies outside the mesh: move it inside",
             (long long)i + 1);
    for (hk_count k = first; k < first + around; k++) {
      const hk_region *region = solid_of(body, in.element[k]);
      if (!region) continue;
      hk_site site = {.element = in.element[k],
                      .share = share_of(body, around, in.element + first, region)};
      memcpy(site.xi, in.xi[k], sizeof site.xi);
      HK_TRY(add_site(pool, out, site));
    }
    out->begin[i + 1] = out->site.count;
  }
cleanup:
  hk_locator_destroy(&locator);
  hk_pool_clear(&own);
  return status;
}

static int place_in(const hk_mesh *mesh, hk_index e, hk_index node)
{
  const hk_index *own = hk_mesh_nodes_of(mesh, e);
  int place = 0;
  while (own[place] != node) place++;
  return place;
}

hk_status hk_sites_of_nodes(const hk_deformed *body, hk_count count, const hk_index *node,
                            hk_pool *pool, hk_sites *out)
{
  hk_status status = HK_OK;
  hk_index *begin = NULL, *element = NULL;
  *out = (hk_sites){.receivers = count, .node = node};
  HK_TRY(hk_pool_get(pool, &out->begin, count + 1));
  HK_TRY(hk_mesh_node_elements(body->mesh, &begin, &element));
  for (hk_count i = 0; i < count; i++) {
    const hk_index first = begin[node[i]], around = begin[node[i] + 1] - first;
    for (hk_index k = first; k < first + around; k++) {
      const hk_region *region = solid_of(body, element[k]);
      const hk_element *shape = hk_element_of(hk_mesh_block_of(body->mesh, element[k])->shape);
      if (!region) continue;
      hk_site site = {.element = element[k],
                      .share = share_of(body, around, element + first, region)};
      memcpy(site.xi, shape->reference[place_in(body->mesh, element[k], node[i])], sizeof site.xi);
      HK_TRY(add_site(pool, out, site));
    }
    out->begin[i + 1] = out->site.count;
  }
cleanup:
  hk_free(&begin);
  hk_free(&element);
  return status;
}

/* The region at a point of the element with shape functions n[nodes]. */
static const hk_region *region_at(const hk_region *region, const hk_element *element,
                                  const double *n, const double *x, hk_region *turned)
{
  double at[3];
  if (!region->varies) return region;
  hk_element_place(element->dim, element->nodes, n, x, at);
  hk_region_at(region, at, turned);
  return turned;
}

static bool is_ring(const hk_region *region, int dim)
{
  return dim == 2 && region->plane == HK_AXISYMMETRIC;
}

/* around[nodes] of the point where the shape functions are n[nodes], their gradients g. */
static void find_around(const hk_element *element, const double *n, const double *g,
                        const double *x, double *around)
{
  double at[3];
  hk_element_place(2, element->nodes, n, x, at);
  hk_ring_around(element->nodes, hk_ring_radius(element, x, at[0]), n, g, around);
}

static hk_status add_entries(const hk_deformed *body, const hk_site *site, hk_deformation kind,
                             hk_pool *pool, hk_deformation_rows *out)
{
  const hk_mesh *mesh = body->mesh;
  const hk_block *block = hk_mesh_block_of(mesh, site->element);
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, site->element);
  const int dim = mesh->dim;
  double x[3 * HK_MOST_NODES], g[3 * HK_MOST_NODES], n[HK_MOST_NODES], around[HK_MOST_NODES];
  hk_region turned;
  hk_element_gather(mesh, block, site->element - block->first, x);
  hk_element_functions(element, site->xi, n, NULL);
  const hk_region *region = region_at(solid_of(body, site->element), element, n, x, &turned);
  const int values = hk_deformation_components(kind, dim, region->plane),
            first = is_across(region, dim) ? 2 : 0,
            unknowns = first ? 1 : hk_region_vector(region, dim);
  if (!(hk_element_physical(element, site->xi, x, g) > 0))
    return hk_element_folded(mesh, site->element);
  if (is_ring(region, dim)) find_around(element, n, g, x, around);
  for (int k = 0; k < element->nodes; k++) {
    HK_PASS(hk_pool_more(pool, &out->entry));
    hk_deformation_entry *entry = &out->entry.at[out->entry.count++];
    *entry = (hk_deformation_entry){.node = node[k]};
    for (int d = 0; d < unknowns; d++) {
      double grad[3][3] = {{0}}, value[HK_MOST_STRESSES];
      memcpy(grad[first + d], g + k * dim, (size_t)dim * sizeof *g);
      if (d == 0 && is_ring(region, dim)) grad[2][2] = around[k];
      find_value(region, dim, kind, grad, value);
      for (int c = 0; c < values; c++) entry->weight[c][d] = site->share * value[c];
    }
  }
  return HK_OK;
}

hk_status hk_deformation_rows_find(const hk_deformed *body, const hk_sites *sites,
                                   hk_deformation kind, hk_pool *pool, hk_deformation_rows *out)
{
  *out = (hk_deformation_rows){0};
  HK_PASS(hk_pool_get(pool, &out->begin, sites->receivers + 1));
  for (hk_count i = 0; i < sites->receivers; i++) {
    if (sites->node && sites->begin[i] < sites->begin[i + 1]) {
      HK_PASS(hk_pool_more(pool, &out->entry));
      out->entry.at[out->entry.count++] = (hk_deformation_entry){.node = sites->node[i]};
    }
    for (hk_count k = sites->begin[i]; k < sites->begin[i + 1]; k++)
      HK_PASS(add_entries(body, &sites->site.at[k], kind, pool, out));
    out->begin[i + 1] = out->entry.count;
  }
  return HK_OK;
}

/* slope[c][a] = d v_c / d xi_a at point q of the lattice, v[nodes][size] */
static void find_line_slopes(const hk_element *element, int q, int size, const double *v,
                             double slope[3][3])
{
  const int dim = element->dim, side = element->order + 1;
  for (int a = 0, step = 1; a < dim; a++, step *= side) {
    const int i = q / step % side;
    for (int c = 0; c < size; c++) slope[c][a] = 0;
    for (int m = 0; m < side; m++)
      for (int c = 0; c < size; c++)
        slope[c][a] +=
            element->line[a]->d[i * side + m] * v[element->lattice[q + (m - i) * step] * size + c];
  }
}

/* Inverse of j[dim][dim], whose determinant is returned. */
static double invert(int dim, const double j[3][3], double out[3][3])
{
  if (dim == 2) {
    const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
    out[0][0] = j[1][1] / det, out[0][1] = -j[0][1] / det;
    out[1][0] = -j[1][0] / det, out[1][1] = j[0][0] / det;
    return det;
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      out[c][r] = j[r1][c1] * j[r2][c2] - j[r1][c2] * j[r2][c1];
    }
  const double det = j[0][0] * out[0][0] + j[0][1] * out[1][0] + j[0][2] * out[2][0];
  for (int i = 0; i < 9; i++) out[i / 3][i % 3] /= det;
  return det;
}

/* grad[c][d] = du_c/dx_d, c < size, at point q of the lattice, u[nodes][size]; the determinant of the map. */
static double find_lattice_gradient(const hk_element *element, int q, const double *x, int size,
                                    const double *u, double grad[3][3])
{
  const int dim = element->dim;
  double j[3][3], v[3][3], inverse[3][3];
  find_line_slopes(element, q, dim, x, j);
  find_line_slopes(element, q, size, u, v);
  const double det = invert(dim, j, inverse);
  for (int c = 0; c < size; c++)
    for (int d = 0; d < dim; d++)
      for (int a = 0; a < dim; a++) grad[c][d] += v[c][a] * inverse[a][d];
  return det;
}

static double find_gradient(const hk_element *element, int n, const double *x, int size,
                            const double *u, double grad[3][3])
{
  const int dim = element->dim;
  double g[3 * HK_MOST_NODES];
  const double det = hk_element_physical(element, element->reference[n], x, g);
  for (int k = 0; k < element->nodes; k++)
    for (int c = 0; c < size; c++)
      for (int d = 0; d < dim; d++) grad[c][d] += u[k * size + c] * g[k * dim + d];
  return det;
}

bool hk_deformation_element(const hk_region *region, const hk_element *element, hk_deformation kind,
                            const double *x, const double *u, double *value)
{
  const int dim = element->dim, values = hk_deformation_components(kind, dim, region->plane),
            first = is_across(region, dim) ? 2 : 0,
            size = first ? 1 : hk_region_vector(region, dim);
  const bool lattice = element->lattice && element->vertices == 1 << dim;
  hk_region turned;
  for (int q = 0; q < element->nodes; q++) {
    const int n = lattice ? element->lattice[q] : q;
    double grad[3][3] = {{0}}, at[3] = {0};
    const double det = lattice ? find_lattice_gradient(element, q, x, size, u, grad + first)
                               : find_gradient(element, n, x, size, u, grad + first);
    if (!(det > 0)) return false;
    memcpy(at, x + n * dim, (size_t)dim * sizeof *at);
    if (is_ring(region, dim))
      grad[2][2] = hk_ring_radius(element, x, at[0]) > 0 ? u[n * dim] / at[0] : grad[0][0];
    if (region->varies) hk_region_at(region, at, &turned);
    find_value(region->varies ? &turned : region, dim, kind, grad, value + n * values);
  }
  return true;
}
