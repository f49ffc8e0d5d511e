/* Ties nodes where orders meet. Edges and faces whose vertices all belong to elements of several orders are listed, element by element, and sorted
 * by their vertices: the first of a group has the lowest order. Node n of a higher one there lies at xi = sum_v L_v xi_v of the lowest, L the linear
 * functions of its own element and v their common vertices, and is tied by the shape functions of the lowest at xi. Edges come first,
 * as masters on faces may be tied along an edge: they are replaced by their own masters. */
#include "mesh/ties.h"
#include "element/element.h"
#include "element/gll.h"
#include "mesh/topology.h"
#include "base/sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double nothing = 1e-12; /* weights below are rounding */
enum { MOST_PARTS = 18, VERTICES = HK_FACE_VERTICES };

typedef struct part {
  hk_index vertex[VERTICES]; /* ascending, -1 behind the last */
  hk_index element;
  uint8_t mask; /* bits of its vertices in the element */
  int8_t order;
} part;

typedef struct tie {
  hk_index node;
  hk_count begin, end; /* in master and weight */
} tie;

typedef struct tying {
  const hk_mesh *mesh;
  hk_pool pool;
  uint16_t *orders; /* orders[node]: bits of the orders of the elements around a vertex */
  hk_index *tied;   /* tied[node]: 1 + its tie; 0: none */
  HK_LIST(part) parts;
  HK_LIST(tie) ties;
  HK_LIST(hk_index) master;
  HK_LIST(double) weight;
  uint8_t within[HK_SHAPE_END]
                [HK_MOST_NODES]; /* hk_element_within of the shapes that were asked for */
  bool known[HK_SHAPE_END];
} tying;

static const hk_element *element_of(const hk_mesh *mesh, hk_count e)
{
  return hk_element_of(hk_mesh_block_of(mesh, e)->shape);
}

/* Bits of the vertices of the edges of a shape, and in 3D of its faces; their number. */
static int find_masks(const hk_element *e, uint8_t mask[MOST_PARTS])
{
  const hk_element *second = hk_element_of(hk_shape_raised(e->shape, 2));
  uint8_t within[HK_MOST_NODES];
  int count = 0;
  hk_element_within(second, within);
  for (int n = second->vertices; n < second->nodes; n++) {
    int bits = 0;
    for (int v = 0; v < second->vertices; v++) bits += within[n] >> v & 1;
    if (bits == 2) mask[count++] = within[n];
  }
  for (int f = 0; e->dim == 3 && f < e->faces; f++, count++) {
    mask[count] = 0;
    for (int k = 0; k < hk_element_of(e->face[f].shape)->vertices; k++)
      mask[count] |= (uint8_t)(1 << e->face[f].node[k]);
  }
  return count;
}

/* Whether orders can meet there: all its vertices have several. */
static bool take_vertices(const tying *t, const hk_index *node, uint8_t mask, hk_index *vertex)
{
  int count = 0;
  for (int k = 0; k < VERTICES; k++) vertex[k] = -1;
  for (int v = 0; mask >> v; v++) {
    if (!(mask >> v & 1)) continue;
    const unsigned orders = t->orders[node[v]];
    if (!(orders & (orders - 1))) return false;
    vertex[count++] = node[v];
  }
  hk_sort_few(count, vertex);
  return true;
}

static hk_status list_parts(tying *t)
{
  const hk_mesh *mesh = t->mesh;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const hk_element *e = hk_element_of(block->shape);
    uint8_t mask[MOST_PARTS];
    const int count = find_masks(e, mask);
    for (hk_count i = 0; i < block->count; i++)
      for (int k = 0; k < count; k++) {
        part p = {
            .element = (hk_index)(block->first + i), .mask = mask[k], .order = (int8_t)e->order};
        if (!take_vertices(t, block->node + i * block->nodes, mask[k], p.vertex)) continue;
        HK_PASS(hk_pool_more(&t->pool, &t->parts));
        t->parts.at[t->parts.count++] = p;
      }
  }
  return HK_OK;
}

static int compare_places(const part *a, const part *b)
{
  if ((a->vertex[2] < 0) != (b->vertex[2] < 0)) return a->vertex[2] < 0 ? -1 : 1; /* edges first */
  for (int k = 0; k < VERTICES; k++)
    if (a->vertex[k] != b->vertex[k]) return a->vertex[k] < b->vertex[k] ? -1 : 1;
  return 0;
}

static int by_place(const void *x, const void *y)
{
  const part *a = x, *b = y;
  const int place = compare_places(a, b);
  if (place || a->order != b->order) return place ? place : a->order - b->order;
  return (a->element > b->element) - (a->element < b->element);
}

static hk_status add_entry(tying *t, hk_count begin, hk_index master, double weight)
{
  for (hk_count k = begin; k < t->master.count; k++)
    if (t->master.at[k] == master) {
      t->weight.at[k] += weight;
      return HK_OK;
    }
  HK_PASS(hk_pool_more(&t->pool, &t->master));
  HK_PASS(hk_pool_more(&t->pool, &t->weight));
  t->master.at[t->master.count++] = master;
  t->weight.at[t->weight.count++] = weight;
  return HK_OK;
}

/* A node of the lowest element with its weight, or its own masters. */
static hk_status add_master(tying *t, hk_count begin, hk_index node, double weight)
{
  if (!t->tied[node]) return add_entry(t, begin, node, weight);
  const tie of = t->ties.at[t->tied[node] - 1];
  for (hk_count k = of.begin; k < of.end; k++)
    HK_PASS(add_entry(t, begin, t->master.at[k], weight * t->weight.at[k]));
  return HK_OK;
}

/* xi of node n of element `high` in element `low`, by the vertices that they share. */
static void find_place(const tying *t, const part *high, int n, const part *low, double xi[3])
{
  const hk_element *e = element_of(t->mesh, high->element), *to = element_of(t->mesh, low->element);
  const hk_index *own = hk_mesh_nodes_of(t->mesh, high->element),
                 *other = hk_mesh_nodes_of(t->mesh, low->element);
  double weight[8];
  hk_element_functions(hk_element_of(hk_shape_linear(e->shape)), e->reference[n], weight, NULL);
  xi[0] = xi[1] = xi[2] = 0;
  for (int v = 0; v < e->vertices; v++)
    for (int w = 0; (high->mask >> v & 1) && w < to->vertices; w++)
      for (int d = 0; other[w] == own[v] && d < to->dim; d++)
        xi[d] += weight[v] * to->reference[w][d];
}

static hk_status tie_node(tying *t, const part *high, int n, const part *low)
{
  const hk_index node = hk_mesh_nodes_of(t->mesh, high->element)[n],
                 *master = hk_mesh_nodes_of(t->mesh, low->element);
  const hk_element *of = element_of(t->mesh, low->element);
  const hk_count begin = t->master.count;
  double xi[3], value[HK_MOST_NODES];
  find_place(t, high, n, low, xi);
  hk_element_functions(of, xi, value, NULL);
  for (int m = 0; m < of->nodes; m++)
    if (fabs(value[m]) > nothing) HK_PASS(add_master(t, begin, master[m], value[m]));
  HK_PASS(hk_pool_more(&t->pool, &t->ties));
  t->ties.at[t->ties.count] = (tie){node, begin, t->master.count};
  return hk_narrow(++t->ties.count, "tied nodes", &t->tied[node]);
}

/* The nodes of `high` inside the edge or face, those that no element before it has tied. */
static hk_status tie_part(tying *t, const part *high, const part *low)
{
  const hk_element *e = element_of(t->mesh, high->element);
  const hk_index *node = hk_mesh_nodes_of(t->mesh, high->element);
  if (!t->known[e->shape]) hk_element_within(e, t->within[e->shape]);
  t->known[e->shape] = true;
  for (int n = e->vertices; n < e->nodes; n++)
    if (t->within[e->shape][n] == high->mask && !t->tied[node[n]])
      HK_PASS(tie_node(t, high, n, low));
  return HK_OK;
}

/* By node, ascending. */
static hk_status take_out(const tying *t, hk_ties *out)
{
  hk_status status = HK_OK;
  hk_ties to = {0};
  HK_TRY(hk_get(&to.node, t->ties.count));
  HK_TRY(hk_get(&to.begin, t->ties.count + 1));
  HK_TRY(hk_get(&to.master, t->master.count));
  HK_TRY(hk_get(&to.weight, t->master.count));
  for (hk_count n = 0; n < t->mesh->node_count; n++) {
    if (!t->tied[n]) continue;
    const tie *of = &t->ties.at[t->tied[n] - 1];
    hk_count at = to.begin[to.count];
    to.node[to.count++] = (hk_index)n;
    for (hk_count k = of->begin; k < of->end; k++, at++)
      to.master[at] = t->master.at[k], to.weight[at] = t->weight.at[k];
    to.begin[to.count] = at;
  }
  *out = to, to = (hk_ties){0};
cleanup:
  hk_ties_clear(&to);
  return status;
}

/* Whether elements of a family stand beside others of another order. */
static bool has_orders(const hk_mesh *mesh)
{
  int least = HK_MOST_ORDER, most = 1;
  bool family = false;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_element *e = hk_element_of(mesh->block[b].shape);
    least = e->order < least ? e->order : least, most = e->order > most ? e->order : most;
    family = family || !hk_shape_listed(e->shape);
  }
  return family && least < most;
}

static void find_orders(tying *t)
{
  for (int b = 0; b < t->mesh->block_count; b++) {
    const hk_block *block = &t->mesh->block[b];
    const hk_element *e = hk_element_of(block->shape);
    for (hk_count i = 0; i < block->count * block->nodes; i++)
      if (i % block->nodes < e->vertices) t->orders[block->node[i]] |= (uint16_t)(1 << e->order);
  }
}

hk_status hk_mesh_ties(const hk_mesh *mesh, hk_ties *out)
{
  hk_status status = HK_OK;
  tying *t = NULL;
  *out = (hk_ties){0};
  if (!has_orders(mesh)) return HK_OK;
  HK_TRY(hk_new(&t));
  t->mesh = mesh;
  HK_TRY(hk_pool_get(&t->pool, &t->orders, mesh->node_count));
  HK_TRY(hk_pool_get(&t->pool, &t->tied, mesh->node_count));
  find_orders(t);
  HK_TRY(list_parts(t));
  if (t->parts.count) qsort(t->parts.at, (size_t)t->parts.count, sizeof *t->parts.at, by_place);
  for (hk_count k = 1, low = 0; k < t->parts.count; k++) {
    const part *p = t->parts.at;
    if (compare_places(&p[low], &p[k]) != 0)
      low = k;
    else if (p[k].order > p[low].order)
      HK_TRY(tie_part(t, &p[k], &p[low]));
  }
  HK_TRY(take_out(t, out));
cleanup:
  if (t) hk_pool_clear(&t->pool);
  hk_free(&t);
  return status;
}

void hk_ties_clear(hk_ties *ties)
{
  hk_free(&ties->node);
  hk_free(&ties->begin);
  hk_free(&ties->master);
  hk_free(&ties->weight);
  *ties = (hk_ties){0};
}
