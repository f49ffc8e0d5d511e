/* Stress at the nodes: each element's extrapolated to its nodes, then averaged per node and material (nodal_mean.c); deformation that is found at the
 * nodes of each element likewise. */
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "operator/measure/deformation.h"
#include "operator/measure/nodal_mean.h"
#include <string.h>

enum { PLACES = 1 << 16 }; /* nodes of the elements that are computed at a time */

typedef struct nodal {
  hk_nodal_mean_desc of;
  const double *u;
  bool conducts; /* u: temperatures; flux instead of stress */
  bool at_nodes; /* a deformation, which is found there */
  hk_deformation kind;
  int n; /* components of stress, flux or deformation */
  hk_nodal_mean *mean;
} nodal;

/* Element e of the piece. */
static hk_status find_element(const nodal *s, hk_count e)
{
  enum { MOST = HK_MOST_POINTS * HK_MOST_STRESSES };
  const hk_mesh *mesh = s->of.mesh;
  const hk_block *block = hk_mesh_block_of(mesh, e);
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  double x[3 * HK_MOST_NODES], u[3 * HK_MOST_NODES], stress[MOST], strain[MOST];
  if (hk_nodal_mean_region(s->mean, e) < 0) return HK_OK;
  const hk_region *region = s->of.region + s->of.element_region[e];
  const int components =
      s->conducts || region->plane == HK_ANTIPLANE ? 1 : hk_region_vector(region, mesh->dim);
  const bool strains = s->of.values > s->n;
  hk_element_gather(mesh, block, e - block->first, x);
  for (int k = 0; k < block->nodes; k++)
    memcpy(u + k * components, s->u + (hk_count)node[k] * components,
           (size_t)components * sizeof *u);
  if (s->at_nodes)
    return hk_deformation_element(region, element, s->kind, x, u, hk_nodal_mean_of(s->mean, e))
               ? HK_OK
               : HK_BAD_INPUT;
  HK_PASS(s->conducts
              ? hk_flux_points(region, element, x, u, stress, NULL)
              : hk_stress_points(region, element, x, u, strains ? strain : NULL, stress, NULL));
  hk_nodal_mean_fit(s->mean, e,
                    s->conducts ? hk_conduction_integration(element, region) : region->integration,
                    s->n, stress, strains ? strain : NULL);
  return HK_OK;
}

/* Elements [from, from + count). */
static hk_status find_piece(const nodal *s, hk_count from, hk_count count)
{
  hk_count folded = count;
  hk_nodal_mean_begin(s->mean, from, count);
#pragma omp parallel for schedule(static) reduction(min : folded)
  for (hk_count i = 0; i < count; i++)
    if (find_element(s, from + i) != HK_OK && i < folded) folded = i;
  if (folded < count) return hk_element_folded(s->of.mesh, from + folded);
  hk_nodal_mean_add(s->mean);
  return HK_OK;
}

static hk_status find_nodes(nodal *s)
{
  const hk_mesh *mesh = s->of.mesh;
  int nodes = 1; /* of an element, at most */
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].nodes > nodes) nodes = mesh->block[b].nodes;
  const hk_count room = hk_memory_room(PLACES);
  s->of.elements = room < nodes ? 1 : room / nodes, s->of.fits = !s->at_nodes;
  HK_PASS(hk_nodal_mean_create(&s->of, &s->mean));
  for (hk_count from = 0, count; from < mesh->element_count; from += count) {
    count = mesh->element_count - from;
    if (count > s->of.elements) count = s->of.elements;
    HK_PASS(find_piece(s, from, count));
  }
  return HK_OK;
}

hk_status hk_stress_nodes(const hk_mesh *mesh, const hk_region *region, int region_count,
                          const hk_index *element_region, const double *u, double *stress,
                          double *strain)
{
  const int n = hk_stress_components(mesh->dim);
  nodal s = {.of = {.mesh = mesh,
                    .region = region,
                    .region_count = region_count,
                    .element_region = element_region,
                    .values = strain ? 2 * n : n},
             .u = u,
             .n = n};
  const hk_status status = find_nodes(&s);
  if (status == HK_OK) hk_nodal_mean_find(s.mean, 0, n, stress);
  if (status == HK_OK && strain) hk_nodal_mean_find(s.mean, n, n, strain);
  hk_nodal_mean_destroy(&s.mean);
  return status;
}

hk_status hk_flux_nodes(const hk_mesh *mesh, const hk_region *region, int region_count,
                        const hk_index *element_region, const double *t, double *flux)
{
  nodal s = {.of = {.mesh = mesh,
                    .region = region,
                    .region_count = region_count,
                    .element_region = element_region,
                    .values = mesh->dim},
             .u = t,
             .conducts = true,
             .n = mesh->dim};
  const hk_status status = find_nodes(&s);
  if (status == HK_OK) hk_nodal_mean_find(s.mean, 0, s.n, flux);
  hk_nodal_mean_destroy(&s.mean);
  return status;
}

hk_status hk_deformation_nodes(const hk_deformed *body, hk_deformation kind, const double *u,
                               double *value)
{
  const int n = hk_deformation_components(
      kind, body->mesh->dim, body->region_count ? body->region->plane : HK_PLANE_STRAIN);
  nodal s = {.of = {.mesh = body->mesh,
                    .region = body->region,
                    .region_count = body->region_count,
                    .element_region = body->element_region,
                    .solids = true,
                    .values = n},
             .u = u,
             .at_nodes = true,
             .kind = kind,
             .n = n};
  const hk_status status = find_nodes(&s);
  if (status == HK_OK) hk_nodal_mean_find(s.mean, 0, n, value);
  hk_nodal_mean_destroy(&s.mean);
  return status;
}
