/* Numbers the nodes that belong to an element, so that neighbours lie close in memory, in one of
 * three ways (space.h).
 * Patches: k-d bisection gives patches of consecutive nodes, full or cut between layers of nodes; within a patch, nodes with more
 * neighbours come first, and pairs that leave the patch count twice. Blocks: a partition gives the
 * places. Elements: interior.c.
 * The file also copies vectors [nodes][components] between the user's numbering and the internal
 * one [padded][components]. */
#include "space/space.h"
#include "element/element.h"
#include "graph/order.h"
#include "mesh/scatter.h"
#include "space/layers.h"
#include <string.h>

static uint8_t add_up(uint8_t valence, int more)
{
  return (uint8_t)(valence + more < 255 ? valence + more : 255);
}

enum { AHEAD = 12 };

/* more[count][nodes]: of each node its pairs with the others of the element, those that leave its patch twice. */
static void count_pairs(const hk_space *s, const hk_index *node, hk_count count, int nodes,
                        int16_t *more)
{
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < count; e++) {
    const hk_index *own = node + e * nodes;
    hk_index patch[HK_MOST_NODES];
    for (int n = 0; n < nodes && e + AHEAD < count; n++)
      __builtin_prefetch(&s->node[own[AHEAD * nodes + n]]);
    for (int n = 0; n < nodes; n++) patch[n] = s->node[own[n]] / s->patch;
    for (int n = 0; n < nodes; n++) {
      int sum = -1;
      for (int j = 0; j < nodes; j++) sum += 1 + (patch[j] != patch[n]);
      more[e * nodes + n] = (int16_t)sum;
    }
  }
}

/* Valences of the nodes of `count` elements: of each element 1, or, once there are patches, its pairs, which `more` has room for. */
static void count_part(const hk_space *s, const hk_index *node, hk_count count, int nodes,
                       hk_scatter *by, int16_t *more, uint8_t *valence)
{
  hk_scatter_sort(by, count * nodes, node);
  if (more) count_pairs(s, node, count, nodes, more);
#pragma omp parallel for schedule(static)
  for (int o = 0; o < HK_SCATTER_OWNERS; o++)
    for (hk_index k = by->begin[o]; k < by->begin[o + 1]; k++) {
      uint8_t *to = &valence[node[by->place[k]]];
      *to = add_up(*to, more ? more[by->place[k]] : 1);
    }
}

/* valence[mesh node], 255 at most */
static hk_status count_valences(const hk_space *s, uint8_t *valence)
{
  hk_status status = HK_OK;
  hk_scatter *by = NULL;
  int16_t *more = NULL;
  HK_TRY(hk_scatter_create(hk_mesh_entries(s->mesh), &by));
  if (s->mesh_node) HK_TRY(hk_get(&more, by->most));
  memset(valence, 0, (size_t)s->mesh->node_count);
  for (int b = 0; b < s->mesh->block_count; b++) {
    const hk_block *block = &s->mesh->block[b];
    for (hk_count from = 0, count; from < block->count; from += count) {
      count = hk_scatter_part(block->count - from, block->nodes);
      count_part(s, block->node + from * block->nodes, count, block->nodes, by, more, valence);
    }
  }
cleanup:
  hk_free(&more);
  hk_scatter_destroy(&by);
  return status;
}

/* valence[mesh node] = 1 of those that belong to an element: read before it is written, as most are marked by then and threads share what is read. */
static void mark_used(const hk_mesh *mesh, uint8_t *valence)
{
  memset(valence, 0, (size_t)mesh->node_count);
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_index *node = mesh->block[b].node;
    const hk_count entries = mesh->block[b].count * mesh->block[b].nodes;
#pragma omp parallel for schedule(static)
    for (hk_count k = 0; k < entries; k++)
      if (!__atomic_load_n(&valence[node[k]], __ATOMIC_RELAXED))
        __atomic_store_n(&valence[node[k]], 1, __ATOMIC_RELAXED);
  }
}

void hk_space_number_back(hk_space *s)
{
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < s->mesh->node_count; n++) s->node[n] = -1;
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < s->padded; i++)
    if (s->mesh_node[i] >= 0) s->node[s->mesh_node[i]] = i;
}

/* Counting sort by falling valence, stable, of one patch. */
static void sort_patch(hk_index *node, hk_index count, const uint8_t *valence, hk_index *work)
{
  hk_index begin[257] = {0};
  for (hk_index i = 0; i < count; i++) begin[256 - valence[node[i]]]++;
  for (int v = 1; v < 257; v++) begin[v] += begin[v - 1];
  for (hk_index i = 0; i < count; i++) work[begin[255 - valence[node[i]]]++] = node[i];
  memcpy(node, work, (size_t)count * sizeof *node);
}

static hk_status layer_patches(hk_space *s)
{
  hk_failure failure = {0};
#pragma omp parallel for schedule(dynamic, 64)
  for (hk_index k = 0; k < s->patches; k++) {
    hk_index *node = s->mesh_node + (hk_count)k * s->patch, count = s->patch;
    while (count && node[count - 1] < 0) count--;
    hk_failure_keep(&failure, hk_space_sort_layers(s->mesh->x, s->dim, count, node));
  }
  return hk_failure_tell(&failure);
}

static hk_status sort_patches(hk_space *s, const uint8_t *valence)
{
  hk_failure failure = {0};
#pragma omp parallel
  {
    hk_index *work = NULL;
    const hk_status status = hk_get(&work, s->patch);
#pragma omp for schedule(static)
    for (hk_index k = 0; k < s->patches; k++) {
      hk_index *node = s->mesh_node + (hk_count)k * s->patch, count = s->patch;
      while (count && node[count - 1] < 0) count--;
      if (status == HK_OK) sort_patch(node, count, valence, work);
    }
    hk_failure_keep(&failure, status);
    hk_free(&work);
  }
  return hk_failure_tell(&failure);
}

/* patches, padded and mesh_node, all padding. */
static hk_status make_room(hk_space *s, hk_index patches)
{
  s->patches = patches;
  HK_PASS(
      hk_narrow((hk_count)patches * s->patch * s->components, "degrees of freedom", &s->padded));
  s->padded = patches * s->patch;
  HK_PASS(hk_pool_get(&s->pool, &s->mesh_node, s->padded));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < s->padded; i++) s->mesh_node[i] = -1;
  return HK_OK;
}

/* Patches that end at gaps, each padded to `patch`. */
static hk_status number_by_gaps(hk_space *s, const uint8_t *valence)
{
  hk_status status = HK_OK;
  hk_index *order = NULL, *begin = NULL, patches = 0, next = 0;
  HK_TRY(hk_get(&order, s->nodes));
  for (hk_count n = 0; n < s->mesh->node_count; n++)
    if (valence[n]) order[next++] = (hk_index)n;
  HK_TRY(hk_order_gaps(s->mesh->x, s->dim, s->patch, s->nodes, order, &begin, &patches));
  HK_TRY(make_room(s, patches));
  for (hk_index p = 0; p < patches; p++)
    memcpy(s->mesh_node + (hk_count)p * s->patch, order + begin[p],
           (size_t)(begin[p + 1] - begin[p]) * sizeof *order);
  HK_TRY(sort_patches(s, valence));
cleanup:
  hk_free(&order);
  hk_free(&begin);
  return status;
}

static hk_status number_consecutively(hk_space *s, const hk_space_desc *desc, uint8_t *valence)
{
  hk_index next = 0;
  HK_PASS(make_room(s, (s->nodes + s->patch - 1) / s->patch));
  for (hk_count n = 0; n < s->mesh->node_count; n++)
    if (valence[n]) s->mesh_node[next++] = (hk_index)n;
  const int before = hk_clock_begin("bisection");
  if (!desc->keep_order)
    HK_PASS(hk_order_bisect(s->mesh->x, s->dim, s->patch, s->nodes, s->mesh_node));
  hk_clock_end(before);
  if (desc->layers) HK_PASS(layer_patches(s));
  if (desc->leaving_twice) {
    hk_space_number_back(s);
    HK_PASS(count_valences(s, valence));
  }
  if (desc->sort_valence) HK_PASS(sort_patches(s, valence));
  return HK_OK;
}

static hk_status copy_blocks(const hk_blocks *from, hk_blocks **out)
{
  hk_status status = HK_OK;
  hk_blocks *b = NULL;
  HK_TRY(hk_new(&b));
  *b = (hk_blocks){
      .nodes = from->nodes, .blocks = from->blocks, .dim = from->dim, .size = from->size};
  HK_TRY(hk_get(&b->block, b->nodes));
  memcpy(b->block, from->block, (size_t)b->nodes * sizeof *b->block);
  if (from->place) {
    HK_TRY(hk_get(&b->place, b->nodes));
    memcpy(b->place, from->place, (size_t)b->nodes * sizeof *b->place);
  }
  *out = b, b = NULL;
cleanup:
  hk_blocks_destroy(&b);
  return status;
}

static hk_status number_by_blocks(hk_space *s, const hk_space_desc *desc, const uint8_t *valence)
{
  hk_status status = HK_OK;
  hk_adjacency *graph = NULL;
  const hk_partition_desc partition = {.method = desc->partition, .size = s->patch};
  HK_TRY(hk_adjacency_create(s->mesh, &graph));
  HK_TRY(desc->given ? copy_blocks(desc->given, &s->blocks)
                     : hk_blocks_partition(s->mesh, graph, &partition, &s->blocks));
  if (!s->blocks->place) HK_TRY(hk_blocks_arrange(graph, s->blocks));
  HK_TRY(hk_blocks_link(graph, s->blocks, &s->links));
  HK_TRY(make_room(s, s->blocks->blocks));
  for (hk_count n = 0; n < s->mesh->node_count; n++)
    if (valence[n])
      s->mesh_node[hk_space_place(s, s->blocks->block[n], s->blocks->place[n])] = (hk_index)n;
cleanup:
  hk_adjacency_destroy(&graph);
  return status;
}

static hk_status number_by_elements(hk_space *s, const hk_space_desc *desc)
{
  hk_index most;
  HK_PASS(
      hk_space_number_elements(s->mesh, desc, &s->pool, &s->interior, &s->mesh_node, &s->padded));
  HK_PASS(hk_narrow((hk_count)s->padded * s->components, "degrees of freedom", &most));
  s->patches = s->padded / s->patch;
  return HK_OK;
}

static hk_index divide_up(hk_index count, hk_index by)
{
  return (count + by - 1) / by;
}

static void set_granules(hk_space *s)
{
  enum { OF_EACH = HK_MOST_GRANULES / 2 }; /* surfaces, insides */
  s->granule = divide_up(hk_space_flat_runs(s), s->interior ? OF_EACH : HK_MOST_GRANULES);
  if (!s->interior) return;
  s->interior->granule = divide_up(s->interior->own / s->interior->group, OF_EACH);
}

/* Whether nodes are sorted by their numbers of elements. */
static bool sorts_by_elements(const hk_space_desc *desc)
{
  if (desc->element_lanes || desc->blocks) return false;
  return desc->gaps || (desc->sort_valence && !desc->leaving_twice);
}

hk_status hk_space_create(const hk_mesh *mesh, const hk_space_desc *desc, hk_space **out)
{
  hk_status status = HK_OK;
  hk_space *s = NULL;
  uint8_t *valence = NULL;

  HK_TRY(hk_new(&s));
  s->mesh = mesh, s->dim = mesh->dim;
  s->components = desc->components ? desc->components : mesh->dim;
  s->unknowns = desc->coupled                ? HK_UNKNOWNS_COUPLED
                : s->components >= mesh->dim ? HK_UNKNOWNS_DISPLACEMENTS
                                             : HK_UNKNOWNS_SCALAR;
  s->patch = desc->blocks && desc->given ? desc->given->size : desc->patch;
  HK_TRY(hk_get(&valence, mesh->node_count));
  if (sorts_by_elements(desc))
    HK_TRY(count_valences(s, valence));
  else
    mark_used(mesh, valence);
  for (hk_count n = 0; n < mesh->node_count; n++) s->nodes += valence[n] > 0;
  HK_CHECK(s->nodes > 0, HK_BAD_INPUT, "the mesh has no elements");
  HK_TRY(hk_pool_get(&s->pool, &s->node, mesh->node_count));
  if (desc->element_lanes)
    HK_TRY(number_by_elements(s, desc));
  else
    HK_TRY(desc->blocks ? number_by_blocks(s, desc, valence)
           : desc->gaps ? number_by_gaps(s, valence)
                        : number_consecutively(s, desc, valence));
  set_granules(s);
  hk_space_number_back(s);
  *out = s, s = NULL;
cleanup:
  hk_free(&valence);
  hk_space_destroy(&s);
  return status;
}

void hk_space_destroy(hk_space **space)
{
  if (!*space) return;
  hk_block_links_destroy(&(*space)->links);
  hk_blocks_destroy(&(*space)->blocks);
  hk_interior_destroy(&(*space)->interior);
  hk_pool_clear(&(*space)->pool);
  hk_free(space);
}

void hk_space_to_internal(const hk_space *s, int components, const double *mesh_values,
                          double *internal)
{
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < s->padded; i++)
    for (int c = 0; c < components; c++)
      internal[(hk_count)i * components + c] =
          s->mesh_node[i] < 0 ? 0 : mesh_values[(hk_count)s->mesh_node[i] * components + c];
}

void hk_space_from_internal(const hk_space *s, int components, const double *internal,
                            double *mesh_values)
{
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < s->mesh->node_count; n++)
    for (int c = 0; c < components; c++)
      mesh_values[n * components + c] =
          s->node[n] < 0 ? 0 : internal[(hk_count)s->node[n] * components + c];
}
