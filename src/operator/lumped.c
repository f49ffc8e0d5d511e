/* Lumped masses of elements and of nodes. */
#include "operator/element_matrix.h"
#include "operator/lumped.h"
#include <math.h>

void hk_element_gather(const hk_mesh *mesh, const hk_block *block, hk_count i, double *x)
{
  const hk_index *node = block->node + i * block->nodes;
  for (int n = 0; n < block->nodes; n++)
    for (int d = 0; d < mesh->dim; d++)
      x[n * mesh->dim + d] = mesh->x[(hk_count)node[n] * mesh->dim + d];
}

hk_status hk_element_region_check(const hk_mesh *mesh, const hk_region *region,
                                  const int16_t *element_region)
{
  hk_status status = HK_OK;
  for (hk_count e = 0; e < mesh->element_count; e++) {
    HK_CHECK(element_region[e] >= 0, HK_BAD_INPUT,
             "element %lld has no material: give its set a section or region",
             (long long)hk_mesh_element_label(mesh, e));
    const hk_region *r = region + element_region[e];
    HK_CHECK(isfinite(r->material.density) && r->material.density > 0, HK_BAD_INPUT,
             "region %s: its material %s has no density above 0: waves need one",
             r->name ? r->name : "(no name)", r->material.name ? r->material.name : "(no name)");
    HK_CHECK(mesh->dim == 3 || (isfinite(r->thickness) && r->thickness > 0), HK_BAD_INPUT,
             "region %s: thickness %g: must be above 0", r->name ? r->name : "(no name)",
             r->thickness);
  }
cleanup:
  return status;
}

bool hk_element_mass(const hk_element *element, const double *x, double density, double *mass)
{
  double n[HK_MOST_NODES], g[3 * HK_MOST_NODES], total = 0, sum = 0;

  for (int i = 0; i < element->nodes; i++) mass[i] = 0;
  for (int q = 0; q < element->points; q++) {
    const double det = hk_element_physical(element, element->point[q], x, g);
    const double w = density * det * element->weight[q];
    if (!(det > 0)) return false;
    element->shape_functions(element->point[q], n);
    for (int i = 0; i < element->nodes; i++)
      mass[i] += w * (element->order == 1 ? n[i] : n[i] * n[i]);
    total += w;
  }
  for (int i = 0; i < element->nodes; i++) sum += mass[i];
  for (int i = 0; i < element->nodes; i++) mass[i] *= total / sum;
  return true;
}

double hk_element_density(const hk_mesh *mesh, const hk_region *region)
{
  return region->material.density * (mesh->dim == 2 ? region->thickness : 1);
}

hk_status hk_element_folded(const hk_mesh *mesh, hk_count e)
{
  return hk_error_set(HK_BAD_INPUT, "element %lld is folded or has no volume: mend the mesh",
                      (long long)hk_mesh_element_label(mesh, e));
}

enum { PART = 8192 }; /* elements whose masses are made in parallel, then added in order */

/* mass[0..count)[nodes] of the elements [from, from + count) of the block; the first folded element
 * of them, or count. */
static hk_count part_masses(const hk_mesh *mesh, const hk_block *block, const hk_region *region,
                            const int16_t *element_region, hk_count from, hk_count count,
                            double *mass)
{
  const hk_element *element = hk_element_of(block->shape);
  hk_count folded = count;
#pragma omp parallel for schedule(static) reduction(min : folded)
  for (hk_count i = 0; i < count; i++) {
    double x[3 * HK_MOST_NODES];
    const hk_region *r = region + element_region[block->first + from + i];
    hk_element_gather(mesh, block, from + i, x);
    if (!hk_element_mass(element, x, hk_element_density(mesh, r), mass + i * block->nodes) &&
        i < folded)
      folded = i;
  }
  return folded;
}

hk_status hk_mass_lumped(const hk_mesh *mesh, const hk_region *region,
                         const int16_t *element_region, double *mass)
{
  hk_status status = HK_OK;
  double *part = NULL;

  HK_TRY(hk_element_region_check(mesh, region, element_region));
  HK_TRY(hk_get(&part, PART * HK_MOST_NODES));
  for (hk_count n = 0; n < mesh->node_count; n++) mass[n] = 0;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = mesh->block + b;
    for (hk_count from = 0; from < block->count; from += PART) {
      const hk_count left = block->count - from, count = left < PART ? left : PART;
      const hk_count folded = part_masses(mesh, block, region, element_region, from, count, part);
      if (folded < count) HK_TRY(hk_element_folded(mesh, block->first + from + folded));
      const hk_index *node = block->node + from * block->nodes;
      for (hk_count i = 0; i < count * block->nodes; i++) mass[node[i]] += part[i];
    }
  }
cleanup:
  hk_free(&part);
  return status;
}
