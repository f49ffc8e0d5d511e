/* Stress at the nodes: each element's extrapolated to its nodes, then averaged per node and material; deformation that is found at the nodes of each
 * element likewise.
 *
 * A node has one slot per material around it. Elements are computed in parallel, some thousands at a time, then added to the slots
 * in their order. */
#include "mesh/scatter.h"
#include "operator/element/element_matrix.h"
#include "operator/element/lumped.h"
#include "operator/measure/deformation.h"
#include <omp.h>
#include <string.h>

enum { WAYS = HK_INTEGRATION_MASS + 1 };

typedef struct nodal {
  const hk_mesh *mesh;
  const hk_region *region;
  const hk_index *element_region;
  const double *u;
  bool conducts; /* u: temperatures; flux instead of stress */
  bool at_nodes; /* a deformation, which is found there */
  hk_deformation kind;
  hk_index *material; /* material[region]: the first region of equal material */
  hk_index *begin;    /* begin[node + 1]: its slots */
  hk_index *held;     /* held[slot]: material */
  hk_index *elements; /* elements[slot] */
  double *sum;        /* sum[slot][values] */
  double *to_nodes;   /* [hk_integration][nodes][points] of the block's shape */
  double *part;       /* part[HK_SCATTER_MOST][values] at most */
  hk_scatter *by;
  int n, values; /* components; those of stress and strain together */
  hk_pool pool;  /* these arrays, but for u */
} nodal;

static bool same_numbers(int count, const double *a, const double *b)
{
  for (int i = 0; i < count; i++)
    if (a[i] != b[i]) return false;
  return true;
}

static bool same_axes(const hk_axes *a, const hk_axes *b)
{
  return a->kind == b->kind && a->turn_about == b->turn_about && a->turn_by == b->turn_by &&
         same_numbers(3, a->origin, b->origin) && same_numbers(9, a->row[0], b->row[0]);
}

bool hk_region_same_material(const hk_region *a, const hk_region *b)
{
  if (a->spread && a->spread == b->spread) return true; /* a field: nodes have the mean */
  return a->plane == b->plane && a->varies == b->varies &&
         same_numbers(36, a->material.c[0], b->material.c[0]) &&
         same_numbers(9, a->material.conductivity[0], b->material.conductivity[0]) &&
         a->material.by[HK_BY_CONDUCTIVITY] == b->material.by[HK_BY_CONDUCTIVITY] &&
         (!a->varies || same_axes(&a->axes, &b->axes));
}

/* Of an element that has values; -1: of none. */
static int region_of(const nodal *s, hk_count e)
{
  const int region = s->element_region[e];
  return region >= 0 && s->at_nodes && s->region[region].material.fluid ? -1 : region;
}

static void find_materials(nodal *s, int regions)
{
  for (int r = 0; r < regions; r++) {
    s->material[r] = (hk_index)r;
    for (int k = 0; k < r && s->material[r] == r; k++)
      if (s->material[k] == k && hk_region_same_material(s->region + k, s->region + r))
        s->material[r] = (hk_index)k;
  }
}

/* The slot of a material among those of a node, which end at `end`; `end` if there is none. */
static hk_index find_slot(const nodal *s, hk_index first, hk_index end, hk_index material)
{
  while (first < end && s->held[first] != material) first++;
  return first;
}

typedef struct around { /* elements of node n: element[begin[n]..begin[n + 1]) */
  hk_index *begin, *element;
  int regions;
} around;

/* Counts the materials of each node in begin[node + 1], or puts them into held[begin[node]..]. last[material]: the latest node that has it. */
static void visit_slots(nodal *s, const around *a, bool put, hk_index *last)
{
  for (int r = 0; r < a->regions; r++) last[r] = -1;
#pragma omp for schedule(static)
  for (hk_count n = 0; n < s->mesh->node_count; n++) {
    hk_index used = 0;
    for (hk_index k = a->begin[n]; k < a->begin[n + 1]; k++) {
      const int region = region_of(s, a->element[k]);
      if (region < 0 || last[s->material[region]] == n) continue;
      last[s->material[region]] = (hk_index)n;
      if (put) s->held[s->begin[n] + used] = s->material[region];
      used++;
    }
    if (!put) s->begin[n + 1] = used;
  }
}

static hk_status visit_all_slots(nodal *s, const around *a, bool put)
{
  hk_status status = HK_OK;
  hk_index *last = NULL; /* of each thread */
  const int most = a->regions > 0 ? a->regions : 1;
  HK_TRY(hk_get(&last, (hk_count)most * omp_get_max_threads()));
#pragma omp parallel
  visit_slots(s, a, put, last + (hk_count)most * omp_get_thread_num());
cleanup:
  hk_free(&last);
  return status;
}

static hk_status get_sums(nodal *s, hk_index slots)
{
  HK_PASS(hk_pool_get(&s->pool, &s->elements, slots));
  return hk_pool_get(&s->pool, &s->sum, (hk_count)slots * s->values);
}

/* Of one material: each node has a slot, which stays empty where none of its elements has values. */
static hk_status give_each_a_slot(nodal *s)
{
  const hk_index nodes = (hk_index)s->mesh->node_count;
  HK_PASS(hk_pool_get(&s->pool, &s->begin, nodes + 1LL));
  HK_PASS(hk_pool_get(&s->pool, &s->held, nodes)); /* the first material: 0 */
#pragma omp parallel for schedule(static)
  for (hk_index n = 0; n <= nodes; n++) s->begin[n] = n;
  return get_sums(s, nodes);
}

static bool is_one_material(const nodal *s, int regions)
{
  for (int r = 0; r < regions; r++)
    if (s->material[r] != 0) return false;
  return true;
}

static hk_status find_slots(nodal *s, int regions)
{
  hk_status status = HK_OK;
  if (is_one_material(s, regions)) return give_each_a_slot(s);
  const hk_mesh *mesh = s->mesh;
  around a = {.regions = regions};
  HK_TRY(hk_mesh_node_elements(mesh, &a.begin, &a.element));
  HK_TRY(hk_pool_get(&s->pool, &s->begin, mesh->node_count + 1));
  HK_TRY(visit_all_slots(s, &a, false));
  for (hk_count n = 0; n < mesh->node_count; n++) s->begin[n + 1] += s->begin[n];
  const hk_index slots = s->begin[mesh->node_count];
  HK_TRY(hk_pool_get(&s->pool, &s->held, slots));
  HK_TRY(visit_all_slots(s, &a, true));
  HK_TRY(get_sums(s, slots));
cleanup:
  hk_free(&a.begin);
  hk_free(&a.element);
  return status;
}

/* Of any way of integration. */
static int most_points(const hk_element *element)
{
  int most = 0;
  for (int w = 0; w < WAYS; w++) {
    const int points = hk_element_rule(element, (hk_integration)w)->points;
    if (points > most) most = points;
  }
  return most;
}

/* to[WAYS][nodes][points], each way beginning where it would with the most points. */
static hk_status extrapolate(const hk_element *element, double *to)
{
  const hk_count each = (hk_count)element->nodes * most_points(element);
  const hk_rule *full = hk_element_rule(element, HK_INTEGRATION_FULL);
  for (int w = 0; w < WAYS; w++) {
    const hk_rule *rule = hk_element_rule(element, (hk_integration)w);
    if (w && rule->point == full->point)
      memcpy(to + w * each, to, (size_t)(element->nodes * full->points) * sizeof *to);
    else
      HK_PASS(hk_stress_extrapolation(element, (hk_integration)w, to + w * each));
  }
  return HK_OK;
}

/* to[nodes][values] of the i-th element of the block: stress, then strain. */
static hk_status find_element(const nodal *s, const hk_block *block, hk_count i, double *to)
{
  enum { MOST = HK_MOST_POINTS * HK_MOST_STRESSES };
  const hk_element *element = hk_element_of(block->shape);
  const hk_index *node = block->node + i * block->nodes;
  const int dim = s->mesh->dim, n = s->n;
  double x[3 * HK_MOST_NODES], u[3 * HK_MOST_NODES], stress[MOST], strain[MOST];
  if (region_of(s, block->first + i) < 0) return HK_OK;
  const hk_region *region = s->region + s->element_region[block->first + i];
  const hk_integration integration =
      s->conducts ? hk_conduction_integration(element, region) : region->integration;
  const int points = hk_element_rule(element, integration)->points,
            components = s->conducts || region->plane == HK_ANTIPLANE ? 1 : dim;
  const double *fit = s->to_nodes + (hk_count)integration * element->nodes * most_points(element);
  hk_element_gather(s->mesh, block, i, x);
  for (int k = 0; k < block->nodes; k++)
    memcpy(u + k * components, s->u + (hk_count)node[k] * components,
           (size_t)components * sizeof *u);
  if (s->at_nodes)
    return hk_deformation_element(region, element, s->kind, x, u, to) ? HK_OK : HK_BAD_INPUT;
  HK_PASS(s->conducts ? hk_flux_points(region, element, x, u, stress, NULL)
                      : hk_stress_points(region, element, x, u, strain, stress, NULL));
  for (int k = 0; k < block->nodes; k++, to += s->values) {
    memset(to, 0, (size_t)s->values * sizeof *to);
    for (int q = 0; q < points; q++) {
      const double weight = fit[k * points + q];
      for (int c = 0; c < n; c++) to[c] += weight * stress[q * n + c];
      for (int c = n; c < s->values; c++) to[c] += weight * strain[q * n + c - n];
    }
  }
  return HK_OK;
}

/* Elements [from, from + count) of the block into `part`; the first that is folded, or count. */
static hk_count find_part(const nodal *s, const hk_block *block, hk_count from, hk_count count)
{
  hk_count folded = count;
#pragma omp parallel for schedule(static) reduction(min : folded)
  for (hk_count i = 0; i < count; i++)
    if (find_element(s, block, from + i, s->part + i * block->nodes * s->values) != HK_OK &&
        i < folded)
      folded = i;
  return folded;
}

/* value[values] of an element of material `material` at a node. */
static void add_value(const nodal *s, hk_index node, hk_index material, const double *value)
{
  const hk_index slot = find_slot(s, s->begin[node], s->begin[node + 1], material);
  s->elements[slot]++;
  for (int c = 0; c < s->values; c++) s->sum[(hk_count)slot * s->values + c] += value[c];
}

static void add_part(nodal *s, const hk_block *block, hk_count from, hk_count count)
{
  const hk_index *node = block->node + from * block->nodes, *place = s->by->place;
  hk_scatter_sort(s->by, count * block->nodes, node);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = s->by->begin[o]; k < s->by->begin[o + 1]; k++) {
      const int region = region_of(s, block->first + from + place[k] / block->nodes);
      if (region < 0) continue;
      add_value(s, node[place[k]], s->material[region], s->part + (hk_count)place[k] * s->values);
    }
}

static hk_status add_block(nodal *s, const hk_block *block)
{
  const hk_element *element = hk_element_of(block->shape);
  if (!s->at_nodes) HK_PASS(extrapolate(element, s->to_nodes));
  for (hk_count from = 0, count; from < block->count; from += count) {
    count = hk_scatter_part(block->count - from, block->nodes);
    const hk_count folded = find_part(s, block, from, count);
    if (folded < count) HK_PASS(hk_element_folded(s->mesh, block->first + from + folded));
    add_part(s, block, from, count);
  }
  return HK_OK;
}

static void average(const nodal *s, double *stress, double *strain)
{
#pragma omp parallel for schedule(static)
  for (hk_count node = 0; node < s->mesh->node_count; node++) {
    const hk_index first = s->begin[node], end = s->begin[node + 1];
    hk_index count = 0; /* of slots that have elements: all, but of one material */
    for (hk_index k = first; k < end; k++) count += s->elements[k] > 0;
    for (int c = 0; c < s->values; c++) {
      double mean = 0;
      for (hk_index k = first; k < end; k++)
        if (s->elements[k]) mean += s->sum[(hk_count)k * s->values + c] / s->elements[k];
      if (count) mean /= count;
      if (c < s->n)
        stress[node * s->n + c] = mean;
      else if (strain)
        strain[node * s->n + c - s->n] = mean;
    }
  }
}

static hk_status find_nodes(nodal *s, int region_count, double *stress, double *strain)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = s->mesh;
  hk_count most = 0, fit = 0;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_element *element = hk_element_of(mesh->block[b].shape);
    if (!s->at_nodes && (hk_count)element->nodes * most_points(element) > fit)
      fit = (hk_count)element->nodes * most_points(element);
    const hk_count count = hk_scatter_part(mesh->block[b].count, mesh->block[b].nodes);
    if (count * mesh->block[b].nodes > most) most = count * mesh->block[b].nodes;
  }
  HK_TRY(hk_pool_get(&s->pool, &s->material, region_count));
  find_materials(s, region_count);
  HK_TRY(find_slots(s, region_count));
  HK_TRY(hk_pool_get(&s->pool, &s->to_nodes, WAYS * fit));
  HK_TRY(hk_pool_get(&s->pool, &s->part, most * s->values));
  HK_TRY(hk_scatter_create(most, &s->by));
  for (int b = 0; b < mesh->block_count; b++) HK_TRY(add_block(s, mesh->block + b));
  average(s, stress, strain);
cleanup:
  hk_scatter_destroy(&s->by);
  hk_pool_clear(&s->pool);
  return status;
}

hk_status hk_stress_nodes(const hk_mesh *mesh, const hk_region *region, int region_count,
                          const hk_index *element_region, const double *u, double *stress,
                          double *strain)
{
  const int n = hk_stress_components(mesh->dim);
  nodal s = {.mesh = mesh,
             .region = region,
             .element_region = element_region,
             .u = u,
             .n = n,
             .values = strain ? 2 * n : n};
  return find_nodes(&s, region_count, stress, strain);
}

hk_status hk_flux_nodes(const hk_mesh *mesh, const hk_region *region, int region_count,
                        const hk_index *element_region, const double *t, double *flux)
{
  nodal s = {.mesh = mesh,
             .region = region,
             .element_region = element_region,
             .u = t,
             .conducts = true,
             .n = mesh->dim,
             .values = mesh->dim};
  return find_nodes(&s, region_count, flux, NULL);
}

hk_status hk_deformation_nodes(const hk_deformed *body, hk_deformation kind, const double *u,
                               double *value)
{
  const int n = hk_deformation_components(
      kind, body->mesh->dim, body->region_count ? body->region->plane : HK_PLANE_STRAIN);
  nodal s = {.mesh = body->mesh,
             .region = body->region,
             .element_region = body->element_region,
             .u = u,
             .at_nodes = true,
             .kind = kind,
             .n = n,
             .values = n};
  return find_nodes(&s, body->region_count, value, NULL);
}
