/* Numbers the nodes by elements, for spectral elements.
 * Elements are ordered chunk by chunk, and within a chunk by colour or by place, and are put into
 * batches of lanes. Nodes on surfaces of elements come first, chunk by chunk, in the order in which
 * elements reach them; then the nodes inside elements, batch by batch. chunk_node gives the range
 * of nodes that belong to one chunk only. */
#include "element/element.h"
#include "graph/colour.h"
#include "graph/order.h"
#include "mesh/mesh.h"
#include "space/space.h"

enum { UNSEEN = -1, INSIDE = -2 };

typedef struct numbering {
  const hk_mesh *mesh;
  const hk_element *shape;
  hk_index span;
  const bool *apart; /* or NULL */
  hk_interior *by;
  hk_index *owner;  /* owner[mesh node]: chunk, chunks where several have it, UNSEEN, INSIDE */
  hk_index *number; /* number[mesh node]; -1: none yet */
  bool inside[HK_MOST_NODES]; /* inside[place of the lattice] */
} numbering;

/* Of the elements in their order: what numbers the nodes that they come to first. */
typedef struct coming {
  hk_index *
      first; /* first[mesh node]: the first place of an element with it, of nodes on surfaces without a number; NONE */
  hk_index (*next)
      [2]; /* next[place]: how many nodes it comes to first, of its chunk and of several; then the numbers where these begin */
} coming;

enum { NONE = INT32_MAX };

void hk_interior_destroy(hk_interior **interior)
{
  if (*interior) hk_pool_clear(&(*interior)->pool);
  hk_free(interior);
}

/* Middles of the vertices of all elements: x[element][dim]. */
static void find_middles(const hk_mesh *mesh, int vertices, double *x)
{
#pragma omp parallel for schedule(static)
  for (hk_count e = 0; e < mesh->element_count; e++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, e);
    for (int v = 0; v < vertices; v++)
      for (int d = 0; d < mesh->dim; d++)
        x[e * mesh->dim + d] += mesh->x[(hk_count)node[v] * mesh->dim + d] / vertices;
  }
}

/* bin[element]: its part's colours come behind those of the part before; each is a range. */
static hk_status find_bins(const numbering *k, const hk_space_desc *desc, hk_index count,
                           hk_index *bin)
{
  hk_interior *by = k->by;
  const hk_index unit = desc->element_lanes * by->group;
  by->coloured = desc->element_colours, by->colours = 1;
  if (by->coloured) HK_PASS(hk_elements_colour(k->mesh, bin, &by->colours));
  by->ranges = 2 * by->colours;
  HK_PASS(hk_pool_get(&by->pool, &by->range_batch, by->ranges + 1));
  HK_PASS(hk_pool_get(&by->pool, &by->range_part, by->ranges));
  for (hk_index e = 0; e < count; e++) {
    bin[e] += (desc->element_part ? desc->element_part[e] : 0) * by->colours;
    by->range_batch[bin[e] + 1]++;
  }
  for (hk_index c = 0; c < by->ranges; c++) {
    by->range_part[c] = c >= by->colours;
    by->range_batch[c + 1] =
        by->range_batch[c] + (by->range_batch[c + 1] + unit - 1) / unit * by->group;
  }
  return HK_OK;
}

/* The elements of a bin, ascending; how many. */
static hk_index take_bin(const hk_index *bin, hk_index which, hk_index count, hk_index *element)
{
  hk_index some = 0;
  for (hk_index e = 0; e < count; e++)
    if (bin[e] == which) element[some++] = e;
  return some;
}

static bool is_patched(const hk_space_desc *desc, hk_index count)
{
  bool parts = false;
  for (hk_index e = 0; e < count && desc->element_part; e++) parts = parts || desc->element_part[e];
  return desc->element_patch && !parts && !desc->apart && !desc->element_colours &&
         !desc->element_chunk;
}

static hk_status order_elements(const numbering *k, const hk_space_desc *desc)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = k->mesh;
  hk_interior *by = k->by;
  hk_pool pool = {0};
  double *x;
  hk_index count, *bin;
  HK_TRY(hk_narrow(mesh->element_count, "number of elements", &count));
  HK_TRY(hk_pool_get(&pool, &bin, count));
  by->patched = is_patched(desc, count);
  by->lanes = desc->element_lanes;
  by->group = by->patched ? desc->element_patch : desc->element_group;
  HK_TRY(find_bins(k, desc, count, bin));
  by->batches = by->range_batch[by->ranges];
  HK_TRY(hk_pool_get(&by->pool, &by->element, (hk_count)by->batches * by->lanes));
  for (hk_count p = 0; p < (hk_count)by->batches * by->lanes; p++) by->element[p] = -1;
  HK_TRY(hk_pool_get(&pool, &x, mesh->element_count * mesh->dim));
  find_middles(mesh, k->shape->vertices, x);
  for (hk_index c = 0; c < by->ranges; c++) {
    hk_index *element = by->element + (hk_count)by->range_batch[c] * by->lanes;
    const hk_index some = take_bin(bin, c, count, element);
    HK_TRY(hk_order_bisect(x, mesh->dim, by->lanes * by->group, some, element));
  }
  const hk_index chunk = desc->element_chunk ? desc->element_chunk / by->lanes : by->batches;
  by->chunks = (by->batches + chunk - 1) / chunk;
  HK_TRY(hk_pool_get(&by->pool, &by->chunk_batch, by->chunks + 1));
  HK_TRY(hk_pool_get(&by->pool, &by->chunk_node, by->chunks + 2));
  for (hk_index c = 0; c < by->chunks; c++) by->chunk_batch[c] = c * chunk;
  by->chunk_batch[by->chunks] = by->batches;
cleanup:
  hk_pool_clear(&pool);
  return status;
}

/* Whether place q of the lattice lies inside the element. */
static bool is_inside(const hk_element *shape, int q)
{
  const int side = shape->order + 1;
  for (int d = 0; d < shape->dim; d++, q /= side)
    if (q % side == 0 || q % side == shape->order) return false;
  return true;
}

/* The owner of a node on surfaces that an element of chunk c has: several threads may come to it, in any order. */
static void own(hk_index *owner, hk_index c, hk_index chunks)
{
  hk_index old = __atomic_load_n(owner, __ATOMIC_RELAXED);
  for (;;) {
    const hk_index to = old == UNSEEN || old == c ? c : chunks;
    if (old == INSIDE || to == old ||
        __atomic_compare_exchange_n(owner, &old, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

static void find_owners(numbering *k)
{
  const hk_interior *by = k->by;
  const hk_count elements = (hk_count)by->batches * by->lanes,
                 each = (hk_count)by->chunk_batch[1] * by->lanes;
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < k->mesh->node_count; n++)
    k->owner[n] = k->apart && k->apart[n] ? by->chunks : UNSEEN;
#pragma omp parallel for schedule(static)
  for (hk_count p = 0; p < elements; p++) {
    if (by->element[p] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(k->mesh, by->element[p]);
    for (int q = 0; q < k->shape->nodes; q++) {
      hk_index *owner = &k->owner[node[k->shape->lattice[q]]];
      if (k->inside[q])
        __atomic_store_n(owner, INSIDE, __ATOMIC_RELAXED);
      else
        own(owner, (hk_index)(p / each), by->chunks);
    }
  }
}

/* count[owner] of nodes. */
static hk_status count_owned(const numbering *k, hk_index *count)
{
  hk_failure failure = {0};
  const hk_index owners = k->by->chunks + 1;
#pragma omp parallel
  {
    hk_index *part = NULL;
    const hk_status status = hk_get(&part, owners);
#pragma omp for schedule(static)
    for (hk_count n = 0; n < k->mesh->node_count; n++)
      if (status == HK_OK && k->owner[n] >= 0) part[k->owner[n]]++;
    for (hk_index c = 0; status == HK_OK && c < owners; c++) {
#pragma omp atomic
      count[c] += part[c];
    }
    hk_free(&part);
    hk_failure_keep(&failure, status);
  }
  return hk_failure_tell(&failure);
}

/* chunk_node, from how many nodes each owner has. */
static hk_status make_ranges(numbering *k, hk_index *next)
{
  hk_interior *by = k->by;
  hk_count at = 0;
  HK_PASS(count_owned(k, next));
  for (hk_index c = 0; c <= by->chunks; c++) {
    const hk_count count = next[c] + (c == by->chunks);
    by->chunk_node[c] = next[c] = (hk_index)at;
    HK_PASS(hk_narrow(at + (count + k->span - 1) / k->span * k->span, "number of nodes",
                      &by->chunk_node[c + 1]));
    at = by->chunk_node[c + 1];
  }
  return HK_OK;
}

/* Of surfaces by patches, where they are asked for: k->number. Else none, and chunk_node alone. */
static hk_status number_surfaces(numbering *k, const hk_space_desc *desc, hk_index *next)
{
  hk_status status = HK_OK;
  bool *inside = NULL;
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < k->mesh->node_count; n++) k->number[n] = -1;
  if (!k->by->patched) return make_ranges(k, next);
  HK_TRY(hk_get(&inside, k->mesh->node_count));
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < k->mesh->node_count; n++) inside[n] = k->owner[n] == INSIDE;
  HK_TRY(hk_space_number_patches(k->mesh, inside, desc->patch, k->by, k->number));
cleanup:
  hk_free(&inside);
  return status;
}

/* *first = place where that is smaller. */
static void lower_to(hk_index *first, hk_index place)
{
  hk_index old = __atomic_load_n(first, __ATOMIC_RELAXED);
  while (place < old && !__atomic_compare_exchange_n(first, &old, place, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
}

static void find_first(const numbering *k, coming *by)
{
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < k->mesh->node_count; n++) by->first[n] = NONE;
#pragma omp parallel for schedule(static)
  for (hk_index p = 0; p < k->by->batches * k->by->lanes; p++) {
    if (k->by->element[p] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(k->mesh, k->by->element[p]);
    for (int q = 0; q < k->shape->nodes; q++) {
      const hk_index n = node[k->shape->lattice[q]];
      if (!k->inside[q] && k->owner[n] >= 0 && k->number[n] < 0) lower_to(&by->first[n], p);
    }
  }
}

/* Numbers of nodes inside; of those that the element comes to first -2 - how many of the same owner it comes to before them. */
static void count_first(numbering *k, hk_index inner, coming *by)
{
  const hk_interior *to = k->by;
  const hk_index lanes = to->lanes, surfaces = to->chunk_node[to->chunks + 1];
#pragma omp parallel for schedule(static)
  for (hk_index p = 0; p < to->batches * lanes; p++) {
    if (to->element[p] < 0) continue;
    const hk_index *node = hk_mesh_nodes_of(k->mesh, to->element[p]);
    hk_index inside = surfaces + p / lanes * inner * lanes + p % lanes;
    for (int q = 0; q < k->shape->nodes; q++) {
      const hk_index n = node[k->shape->lattice[q]];
      if (k->inside[q])
        k->number[n] = inside, inside += lanes;
      else if (by->first[n] == p && k->number[n] == -1)
        k->number[n] = -2 - by->next[p][k->owner[n] == to->chunks]++;
    }
  }
}

/* Of surfaces in the order in which the elements come to them, but for those that have numbers. next[owner]: where it begins. */
static hk_status number_nodes(numbering *k, const hk_index *next, hk_index inner)
{
  hk_status status = HK_OK;
  coming by = {0};
  const hk_interior *to = k->by;
  const hk_index each = to->chunk_batch[1] * to->lanes;
  HK_TRY(hk_get(&by.first, k->mesh->node_count));
  HK_TRY(hk_get(&by.next, to->batches * to->lanes));
  find_first(k, &by);
  count_first(k, inner, &by);
  hk_index begin[2] = {0, next[to->chunks]};
  for (hk_index p = 0; p < to->batches * to->lanes; p++) {
    if (p % each == 0) begin[0] = next[p / each];
    for (int m = 0; m < 2; m++) {
      const hk_index count = by.next[p][m];
      by.next[p][m] = begin[m], begin[m] += count;
    }
  }
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < k->mesh->node_count; n++)
    if (k->number[n] < -1)
      k->number[n] = by.next[by.first[n]][k->owner[n] == to->chunks] - 2 - k->number[n];
cleanup:
  hk_free(&by.first);
  hk_free(&by.next);
  return status;
}

hk_status hk_space_number_elements(const hk_mesh *mesh, const hk_space_desc *desc, hk_pool *pool,
                                   hk_interior **out, hk_index **mesh_node, hk_index *padded)
{
  hk_status status = HK_OK;
  const hk_element *shape = hk_element_of(mesh->block[0].shape);
  numbering k = {.mesh = mesh, .shape = shape, .span = desc->patch, .apart = desc->apart};
  hk_pool own = {0};
  hk_index *next, *back, inner = 1, total;

  HK_TRY(hk_new(&k.by));
  for (int q = 0; q < shape->nodes; q++) k.inside[q] = is_inside(shape, q);
  HK_TRY(order_elements(&k, desc));
  HK_TRY(hk_pool_get(&own, &k.owner, mesh->node_count));
  HK_TRY(hk_pool_get(&own, &k.number, mesh->node_count));
  HK_TRY(hk_pool_get(&own, &next, k.by->chunks + 1));
  find_owners(&k);
  HK_TRY(number_surfaces(&k, desc, next));
  for (int d = 0; d < shape->dim; d++) inner *= shape->order - 1;
  k.by->unit = inner * k.by->lanes * k.by->group, k.by->own = k.by->batches;
  const hk_count all =
      k.by->chunk_node[k.by->chunks + 1] + (hk_count)k.by->batches * k.by->lanes * inner;
  HK_TRY(hk_narrow((all + k.span - 1) / k.span * k.span, "number of nodes", &total));
  HK_TRY(number_nodes(&k, next, inner));
  HK_TRY(hk_pool_get(pool, &back, total));
#pragma omp parallel for schedule(static)
  for (hk_index i = 0; i < total; i++) back[i] = -1;
#pragma omp parallel for schedule(static)
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (k.number[n] >= 0) back[k.number[n]] = (hk_index)n;
  *out = k.by, *mesh_node = back, *padded = total;
  k.by = NULL;
cleanup:
  hk_interior_destroy(&k.by);
  hk_pool_clear(&own);
  return status;
}
