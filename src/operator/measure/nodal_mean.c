/* Means at nodes (nodal_mean.h). A node has one slot per material around it, which sums what its elements have there. The elements of a piece are computed by
 * all threads, then added to the slots in their order. */
#include "operator/measure/nodal_mean.h"
#include "element/element.h"
#include "mesh/scatter.h"
#include "operator/measure/deformation.h"
#include "operator/measure/stress.h"
#include <omp.h>
#include <string.h>

enum { WAYS = HK_INTEGRATION_MASS + 1 };

/* Of a block of the mesh. */
typedef struct part {
  hk_count start;     /* place, in the piece, of the first node of the block's first element */
  const double **fit; /* fit[hk_integration] -> [nodes][points]; NULL */
} part;

struct hk_nodal_mean {
  hk_nodal_mean_desc of;
  hk_count first, count; /* elements of the piece */
  part *block;           /* block[block_count of the mesh] */
  hk_index *material;    /* material[region]: the first region of equal material */
  hk_index *begin;       /* begin[node + 1]: its slots */
  hk_index *held;        /* held[slot]: material */
  hk_index *elements;    /* elements[slot] */
  double *sum;           /* sum[slot][values] */
  double *value;         /* value[place][values] of the piece */
  hk_scatter *by;
  hk_pool pool; /* these arrays */
};

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

int hk_nodal_mean_region(const hk_nodal_mean *s, hk_count e)
{
  const int region = s->of.element_region[e];
  return region >= 0 && s->of.solids && s->of.region[region].material.fluid ? -1 : region;
}

static hk_status find_materials(hk_nodal_mean *s)
{
  const hk_region *region = s->of.region;
  HK_PASS(hk_pool_get(&s->pool, &s->material, s->of.region_count));
  for (int r = 0; r < s->of.region_count; r++) {
    s->material[r] = (hk_index)r;
    for (int k = 0; k < r && s->material[r] == r; k++)
      if (s->material[k] == k && hk_region_same_material(region + k, region + r))
        s->material[r] = (hk_index)k;
  }
  return HK_OK;
}

/* The slot of a material among those of a node, which end at `end`; `end` if there is none. */
static hk_index find_slot(const hk_nodal_mean *s, hk_index first, hk_index end, hk_index material)
{
  while (first < end && s->held[first] != material) first++;
  return first;
}

typedef struct around { /* elements of node n: element[begin[n]..begin[n + 1]) */
  hk_index *begin, *element;
} around;

/* Counts the materials of each node in begin[node + 1], or puts them into held[begin[node]..]. last[material]: the latest node that has it. */
static void visit_slots(hk_nodal_mean *s, const around *a, bool put, hk_index *last)
{
  for (int r = 0; r < s->of.region_count; r++) last[r] = -1;
#pragma omp for schedule(static)
  for (hk_count n = 0; n < s->of.mesh->node_count; n++) {
    hk_index used = 0;
    for (hk_index k = a->begin[n]; k < a->begin[n + 1]; k++) {
      const int region = hk_nodal_mean_region(s, a->element[k]);
      if (region < 0 || last[s->material[region]] == n) continue;
      last[s->material[region]] = (hk_index)n;
      if (put) s->held[s->begin[n] + used] = s->material[region];
      used++;
    }
    if (!put) s->begin[n + 1] = used;
  }
}

static hk_status visit_all_slots(hk_nodal_mean *s, const around *a, bool put)
{
  hk_status status = HK_OK;
  hk_index *last = NULL; /* of each thread */
  const int most = s->of.region_count > 0 ? s->of.region_count : 1;
  HK_TRY(hk_get(&last, (hk_count)most * omp_get_max_threads()));
#pragma omp parallel
  visit_slots(s, a, put, last + (hk_count)most * omp_get_thread_num());
cleanup:
  hk_free(&last);
  return status;
}

static hk_status get_sums(hk_nodal_mean *s, hk_index slots)
{
  HK_PASS(hk_pool_get(&s->pool, &s->elements, slots));
  return hk_pool_get(&s->pool, &s->sum, (hk_count)slots * s->of.values);
}

/* Of one material: each node has a slot, which stays empty where none of its elements has values. */
static hk_status give_each_a_slot(hk_nodal_mean *s)
{
  const hk_index nodes = (hk_index)s->of.mesh->node_count;
  HK_PASS(hk_pool_get(&s->pool, &s->begin, nodes + 1LL));
  HK_PASS(hk_pool_get(&s->pool, &s->held, nodes)); /* the first material: 0 */
#pragma omp parallel for schedule(static)
  for (hk_index n = 0; n <= nodes; n++) s->begin[n] = n;
  return get_sums(s, nodes);
}

static bool is_one_material(const hk_nodal_mean *s)
{
  for (int r = 0; r < s->of.region_count; r++)
    if (s->material[r] != 0) return false;
  return true;
}

static hk_status find_slots(hk_nodal_mean *s)
{
  hk_status status = HK_OK;
  if (is_one_material(s)) return give_each_a_slot(s);
  const hk_mesh *mesh = s->of.mesh;
  around a = {0};
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

/* fit[way] of a shape; ways of the same points have one. */
static hk_status make_fits(hk_nodal_mean *s, const hk_element *element, part *block)
{
  HK_PASS(hk_pool_get(&s->pool, &block->fit, WAYS));
  for (int w = 0; w < WAYS; w++) {
    const hk_rule *rule = hk_element_rule(element, (hk_integration)w);
    double *fit;
    for (int v = 0; v < w && !block->fit[w]; v++)
      if (hk_element_rule(element, (hk_integration)v)->point == rule->point)
        block->fit[w] = block->fit[v];
    if (block->fit[w]) continue;
    HK_PASS(hk_pool_get(&s->pool, &fit, (hk_count)element->nodes * rule->points));
    HK_PASS(hk_stress_extrapolation(element, (hk_integration)w, fit));
    block->fit[w] = fit;
  }
  return HK_OK;
}

/* And room for the largest piece. */
static hk_status make_blocks(hk_nodal_mean *s)
{
  const hk_mesh *mesh = s->of.mesh;
  hk_count most = 0;
  HK_PASS(hk_pool_get(&s->pool, &s->block, mesh->block_count));
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_count count = block->count < s->of.elements ? block->count : s->of.elements;
    if (count * block->nodes > most) most = count * block->nodes;
    for (int k = 0; k < b && s->of.fits && !s->block[b].fit; k++)
      if (mesh->block[k].shape == block->shape) s->block[b].fit = s->block[k].fit;
    if (s->of.fits && !s->block[b].fit)
      HK_PASS(make_fits(s, hk_element_of(block->shape), &s->block[b]));
  }
  /* a piece of several blocks has at most as many elements, of as many nodes */
  for (int b = 0; b < mesh->block_count && mesh->block_count > 1; b++)
    if (s->of.elements * mesh->block[b].nodes > most) most = s->of.elements * mesh->block[b].nodes;
  HK_PASS(hk_pool_get(&s->pool, &s->value, most * s->of.values));
  return hk_scatter_create(most, &s->by);
}

hk_status hk_nodal_mean_create(const hk_nodal_mean_desc *desc, hk_nodal_mean **out)
{
  hk_status status = HK_OK;
  hk_nodal_mean *s = NULL;
  HK_TRY(hk_new(&s));
  s->of = *desc;
  HK_TRY(find_materials(s));
  HK_TRY(find_slots(s));
  HK_TRY(make_blocks(s));
  *out = s, s = NULL;
cleanup:
  hk_nodal_mean_destroy(&s);
  return status;
}

void hk_nodal_mean_destroy(hk_nodal_mean **mean)
{
  if (!*mean) return;
  hk_scatter_destroy(&(*mean)->by);
  hk_pool_clear(&(*mean)->pool);
  hk_free(mean);
}

/* Elements of the block that are in the piece: [*from, *end). */
static void find_range(const hk_nodal_mean *s, const hk_block *block, hk_count *from, hk_count *end)
{
  *from = block->first > s->first ? block->first : s->first;
  *end = block->first + block->count;
  if (*end > s->first + s->count) *end = s->first + s->count;
}

void hk_nodal_mean_begin(hk_nodal_mean *s, hk_count first, hk_count count)
{
  hk_count places = 0, from, end;
  s->first = first, s->count = count;
  for (int b = 0; b < s->of.mesh->block_count; b++) {
    const hk_block *block = &s->of.mesh->block[b];
    find_range(s, block, &from, &end);
    s->block[b].start = places - (from - block->first) * block->nodes;
    if (end > from) places += (end - from) * block->nodes;
  }
}

double *hk_nodal_mean_of(hk_nodal_mean *s, hk_count e)
{
  const hk_block *block = hk_mesh_block_of(s->of.mesh, e);
  const hk_count start = s->block[block - s->of.mesh->block].start;
  return s->value + (start + (e - block->first) * block->nodes) * s->of.values;
}

/* to[k * stride + c] = sum_q fit[k][q] a[q][c]; n is known to the compiler. */
static inline __attribute__((always_inline)) void
fit_values(int n, int nodes, int points, const double *fit, const double *a, int stride, double *to)
{
  for (int k = 0; k < nodes; k++, fit += points, to += stride) {
    double sum[HK_MOST_STRESSES] = {0};
    for (int q = 0; q < points; q++)
      for (int c = 0; c < n; c++) sum[c] += fit[q] * a[q * n + c];
    for (int c = 0; c < n; c++) to[c] = sum[c];
  }
}

static void fit_by_size(int n, int nodes, int points, const double *fit, const double *a,
                        int stride, double *to)
{
  switch (n) {
  case 2: fit_values(2, nodes, points, fit, a, stride, to); break;
  case 3: fit_values(3, nodes, points, fit, a, stride, to); break;
  case 4: fit_values(4, nodes, points, fit, a, stride, to); break;
  default: fit_values(6, nodes, points, fit, a, stride, to);
  }
}

void hk_nodal_mean_fit(hk_nodal_mean *s, hk_count e, hk_integration integration, int n,
                       const double *a, const double *b)
{
  const hk_block *block = hk_mesh_block_of(s->of.mesh, e);
  const double *fit = s->block[block - s->of.mesh->block].fit[integration];
  const int nodes = block->nodes, stride = s->of.values,
            points = hk_element_rule(hk_element_of(block->shape), integration)->points;
  double *to = hk_nodal_mean_of(s, e);
  fit_by_size(n, nodes, points, fit, a, stride, to);
  if (b) fit_by_size(n, nodes, points, fit, b, stride, to + n);
}

/* value[values] of an element of material `material` at a node. */
static void add_value(const hk_nodal_mean *s, hk_index node, hk_index material, const double *value)
{
  const hk_index slot = find_slot(s, s->begin[node], s->begin[node + 1], material);
  s->elements[slot]++;
  for (int c = 0; c < s->of.values; c++) s->sum[(hk_count)slot * s->of.values + c] += value[c];
}

/* Elements [from, end) of the block. */
static void add_range(hk_nodal_mean *s, const hk_block *block, hk_count from, hk_count end)
{
  const hk_index *node = block->node + (from - block->first) * block->nodes, *place = s->by->place;
  const double *value = hk_nodal_mean_of(s, from);
  hk_scatter_sort(s->by, (end - from) * block->nodes, node);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = s->by->begin[o]; k < s->by->begin[o + 1]; k++) {
      const int region = hk_nodal_mean_region(s, from + place[k] / block->nodes);
      if (region < 0) continue;
      add_value(s, node[place[k]], s->material[region], value + (hk_count)place[k] * s->of.values);
    }
}

void hk_nodal_mean_add(hk_nodal_mean *s)
{
  hk_count from, end;
  for (int b = 0; b < s->of.mesh->block_count; b++) {
    find_range(s, &s->of.mesh->block[b], &from, &end);
    if (end > from) add_range(s, &s->of.mesh->block[b], from, end);
  }
}

void hk_nodal_mean_find(const hk_nodal_mean *s, int from, int count, double *out)
{
#pragma omp parallel for schedule(static)
  for (hk_count node = 0; node < s->of.mesh->node_count; node++) {
    const hk_index first = s->begin[node], end = s->begin[node + 1];
    hk_index full = 0; /* slots that have elements: all, but of one material */
    for (hk_index k = first; k < end; k++) full += s->elements[k] > 0;
    for (int c = 0; c < count; c++) {
      double mean = 0;
      for (hk_index k = first; k < end; k++)
        if (s->elements[k]) mean += s->sum[(hk_count)k * s->of.values + from + c] / s->elements[k];
      out[node * count + c] = full ? mean / full : mean;
    }
  }
}
