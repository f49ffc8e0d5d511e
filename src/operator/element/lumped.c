/* Lumped masses of nodes: m_n = integral rho N_n of linear shapes, else in proportion to integral N_n^2 with the element's mass as their sum
 * (W.4). In a fluid the inertia 1 / kappa takes the place of rho (S.7); in 2D both are multiplied by the thickness, axisymmetric by 2 pi r (E.14). Elements are computed in
 * parallel, a part at a time, and added in their order, so that any number of threads gives the same bits. */
#include "operator/element/lumped.h"
#include "mesh/scatter.h"
#include "operator/element/ring.h"
#include "operator/element/stiffness.h"
#include <math.h>
#include <string.h>

void hk_element_gather(const hk_mesh *mesh, const hk_block *block, hk_count i, double *x)
{
  const hk_index *node = block->node + i * block->nodes;
  const int dim = mesh->dim;
  hk_mesh_ask_ahead(mesh, block, i, block->nodes);
  for (int n = 0; n < block->nodes; n++)
    for (int d = 0; d < dim; d++) x[n * dim + d] = mesh->x[(hk_count)node[n] * dim + d];
}

static bool has_density(const hk_region *r)
{
  return isfinite(r->material.density) && r->material.density > 0;
}

static bool has_thickness(const hk_mesh *mesh, const hk_region *r)
{
  return mesh->dim == 3 || (isfinite(r->thickness) && r->thickness > 0);
}

hk_status hk_element_region_check(const hk_mesh *mesh, const hk_region *region,
                                  const hk_index *element_region)
{
  hk_count first = mesh->element_count;
#pragma omp parallel for schedule(static) reduction(min : first)
  for (hk_count e = 0; e < mesh->element_count; e++) {
    if ((e && element_region[e] == element_region[e - 1]) || e > first) continue;
    const hk_index r = element_region[e];
    if (r < 0 || !has_density(region + r) || !has_thickness(mesh, region + r)) first = e;
  }
  if (first == mesh->element_count) return HK_OK;
  HK_NEED(element_region[first] >= 0, HK_BAD_INPUT,
          "element %lld has no material: give its set a section or region",
          (long long)hk_mesh_element_label(mesh, first));
  const hk_region *r = region + element_region[first];
  HK_NEED(has_density(r), HK_BAD_INPUT,
          "region %s: its material %s has no density above 0: waves need one",
          r->name ? r->name : "(no name)", r->material.name ? r->material.name : "(no name)");
  return hk_error_set(HK_BAD_INPUT, "region %s: thickness %g: must be above 0",
                      r->name ? r->name : "(no name)", r->thickness);
}

int hk_element_regions(const hk_mesh *mesh, const hk_index *element_region)
{
  int regions = 0;
#pragma omp parallel for schedule(static) reduction(max : regions)
  for (hk_count e = 0; e < mesh->element_count; e++)
    if (element_region[e] >= regions) regions = element_region[e] + 1;
  return regions;
}

double hk_element_density(const hk_mesh *mesh, const hk_region *region)
{
  return region->material.density * (mesh->dim == 2 ? region->thickness : 1);
}

double hk_element_inertia(const hk_mesh *mesh, const hk_region *region)
{
  if (!hk_region_is_scalar(region)) return hk_element_density(mesh, region);
  return (mesh->dim == 2 ? region->thickness : 1) * hk_region_scalar_wave(region).inertia;
}

hk_status hk_element_folded(const hk_mesh *mesh, hk_count e)
{
  return hk_error_set(HK_BAD_INPUT,
                      "element %lld is folded or has no volume at an integration point (in "
                      "spectral elements these are the nodes, corners included): mesh it again",
                      (long long)hk_mesh_element_label(mesh, e));
}

static bool is_ring(const hk_mesh *mesh, const hk_region *region)
{
  return mesh->dim == 2 && region->plane == HK_AXISYMMETRIC;
}

/* mass[0..count)[nodes] of the elements [from, from + count) of the block; the first folded element
 * of them, or count. */
static hk_count part_masses(const hk_mesh *mesh, const hk_block *block, const hk_slopes *slopes,
                            const hk_region *region, const hk_index *element_region, hk_count from,
                            hk_count count, double *mass)
{
  hk_count folded = count;
#pragma omp parallel for schedule(static) reduction(min : folded)
  for (hk_count i = 0; i < count; i++) {
    double x[3 * HK_MOST_NODES];
    const hk_region *own = region + element_region[block->first + from + i];
    const double inertia = hk_element_inertia(mesh, own);
    double *to = mass + i * block->nodes;
    hk_element_gather(mesh, block, from + i, x);
    if (!(is_ring(mesh, own) ? hk_ring_volumes(slopes->element, x, to)
                             : hk_slopes_mass(slopes, x, to)) &&
        i < folded)
      folded = i;
    for (int n = 0; n < block->nodes; n++) to[n] *= inertia;
  }
  return folded;
}

static void add_masses(hk_scatter *by, hk_count count, const hk_index *node, const double *part,
                       double *mass)
{
  hk_scatter_sort(by, count, node);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = by->begin[o]; k < by->begin[o + 1]; k++)
      mass[node[by->place[k]]] += part[by->place[k]];
}

hk_status hk_mass_lumped(const hk_mesh *mesh, const hk_region *region,
                         const hk_index *element_region, double *mass)
{
  hk_status status = HK_OK;
  hk_slopes *slopes = NULL;
  hk_scatter *by = NULL;
  double *part = NULL;

  HK_TRY(hk_element_region_check(mesh, region, element_region));
  HK_TRY(hk_new(&slopes));
  HK_TRY(hk_scatter_create(hk_mesh_entries(mesh), &by));
  HK_TRY(hk_get(&part, by->most));
  memset(mass, 0, (size_t)mesh->node_count * sizeof *mass);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = mesh->block + b;
    slopes->element = hk_element_of(block->shape);
    if (hk_shape_listed(block->shape)) hk_slopes_find(slopes->element, HK_INTEGRATION_FULL, slopes);
    for (hk_count from = 0, count; from < block->count; from += count) {
      count = hk_scatter_part(block->count - from, block->nodes);
      const hk_count folded =
          part_masses(mesh, block, slopes, region, element_region, from, count, part);
      if (folded < count) HK_TRY(hk_element_folded(mesh, block->first + from + folded));
      add_masses(by, count * block->nodes, block->node + from * block->nodes, part, mass);
    }
  }
cleanup:
  hk_scatter_destroy(&by);
  hk_free(&slopes);
  hk_free(&part);
  return status;
}
