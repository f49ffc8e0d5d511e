/* Linear elements become elements of second order with a node in the middle of each edge: tri6, quad8, tet10, hex20,
 * wedge15. Edges are kept in a chain for each lower node, so that each edge gets one node, whichever elements have it. The
 * new nodes follow the old ones. */
#include "element/element.h"
#include "mesh/mesh.h"
#include <math.h>
#include <string.h>

/* Edges by their lower node: a chain each. */
typedef struct edges {
  hk_index *first;        /* first[node]: 1 + an edge; 0: none */
  hk_index *next, *other; /* of each edge: 1 + the next one, its higher node */
  hk_count count, next_capacity, other_capacity;
} edges;

/* The vertices whose middle node n of the element is. */
static void find_ends(const hk_element *element, int n, int end[2])
{
  for (int a = 0; a < element->vertices; a++)
    for (int b = a + 1; b < element->vertices; b++) {
      double distance = 0;
      for (int d = 0; d < element->dim; d++)
        distance += fabs(element->reference[a][d] + element->reference[b][d] -
                         2 * element->reference[n][d]);
      if (distance < 1e-12) end[0] = a, end[1] = b;
    }
}

static hk_status find_edge(edges *e, hk_index a, hk_index b, hk_index *number)
{
  hk_status status = HK_OK;
  const hk_index low = a < b ? a : b, high = a < b ? b : a;
  hk_index at = e->first[low];
  while (at && e->other[at - 1] != high) at = e->next[at - 1];
  if (!at) {
    HK_TRY(hk_narrow(e->count + 1, "number of edges", &at));
    HK_TRY(hk_reserve(&e->next, at, &e->next_capacity));
    HK_TRY(hk_reserve(&e->other, at, &e->other_capacity));
    e->next[at - 1] = e->first[low], e->other[at - 1] = high;
    e->first[low] = at, e->count = at;
  }
  *number = at - 1;
cleanup:
  return status;
}

static hk_status raise_block(hk_mesh *mesh, hk_block *block, edges *e)
{
  static const hk_shape raised[HK_SHAPE_COUNT] = {[HK_TRI3] = HK_TRI6,
                                                  [HK_QUAD4] = HK_QUAD8,
                                                  [HK_TET4] = HK_TET10,
                                                  [HK_HEX8] = HK_HEX20,
                                                  [HK_WEDGE6] = HK_WEDGE15};
  hk_status status = HK_OK;
  hk_index *node = NULL;
  int end[HK_MOST_NODES][2] = {{0}};
  const hk_element *from = hk_element_of(block->shape), *to = hk_element_of(raised[block->shape]);
  HK_CHECK(from->order == 1, HK_BAD_INPUT, "only elements of first order can be raised, not %s",
           from->name);
  for (int n = from->nodes; n < to->nodes; n++) find_ends(to, n, end[n]);
  HK_TRY(hk_get(&node, block->count * to->nodes));
  for (hk_count k = 0; k < block->count; k++) {
    const hk_index *old = block->node + k * from->nodes;
    hk_index *own = node + k * to->nodes, edge;
    memcpy(own, old, (size_t)from->nodes * sizeof *own);
    for (int n = from->nodes; n < to->nodes; n++) {
      HK_TRY(find_edge(e, old[end[n][0]], old[end[n][1]], &edge));
      HK_TRY(hk_narrow(mesh->node_count + edge, "number of nodes", &own[n]));
    }
  }
  hk_free(&block->node);
  block->node = node, node = NULL;
  block->shape = to->shape, block->nodes = to->nodes;
cleanup:
  hk_free(&node);
  return status;
}

hk_status hk_mesh_raise(hk_mesh *mesh)
{
  hk_status status = HK_OK;
  edges e = {0};
  HK_TRY(hk_get(&e.first, mesh->node_count));
  for (int b = 0; b < mesh->block_count; b++) HK_TRY(raise_block(mesh, &mesh->block[b], &e));
  HK_TRY(hk_resize(&mesh->x, (mesh->node_count + e.count) * mesh->dim));
  for (hk_count low = 0; low < mesh->node_count; low++)
    for (hk_index at = e.first[low]; at; at = e.next[at - 1])
      for (int d = 0; d < mesh->dim; d++)
        mesh->x[(mesh->node_count + at - 1) * mesh->dim + d] =
            (mesh->x[low * mesh->dim + d] + mesh->x[(hk_count)e.other[at - 1] * mesh->dim + d]) / 2;
  mesh->node_count += e.count;
cleanup:
  hk_free(&e.first);
  hk_free(&e.next);
  hk_free(&e.other);
  return status;
}
