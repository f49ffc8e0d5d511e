/* Orders the nodes of a set by their position between the set's vertices (hk_mesh_reach), so that
 * the nodes of two sets correspond if their vertices do.
 * The position of a node is the list of the vertices of its edge, face or element, by rank within
 * the set, with the value of their linear shape functions at the node. Nodes are compared by these
 * lists. */
#include "element/element.h"
#include "mesh/mesh.h"
#include <math.h>
#include <stdlib.h>

typedef struct reaching {
  const hk_mesh *mesh;
  hk_index *at;   /* at[node]: 1 + its number in the set; 0: not there */
  hk_index *rank; /* rank[number in the set]: among its vertices, from 1; 0: no vertex */
  hk_reach *reach;
} reaching;

int hk_reach_compare(const hk_reach *a, const hk_reach *b)
{
  const double same = 1e-6; /* weights of two nodes of order 10 differ by 1e-2 */
  if (a->vertices != b->vertices) return a->vertices < b->vertices ? -1 : 1;
  for (int v = 0; v < a->vertices; v++)
    if (a->rank[v] != b->rank[v]) return a->rank[v] < b->rank[v] ? -1 : 1;
  for (int v = 0; v < a->vertices; v++)
    if (fabs(a->weight[v] - b->weight[v]) > same) return a->weight[v] < b->weight[v] ? -1 : 1;
  return 0;
}

static int compare(const void *one, const void *other)
{
  const hk_reach *a = one, *b = other;
  const int order = hk_reach_compare(a, b);
  return order ? order : (a->node > b->node) - (a->node < b->node);
}

static void rank_vertices(reaching *r, hk_count count)
{
  hk_index next = 0;
  for (int b = 0; b < r->mesh->block_count; b++) {
    const hk_block *block = &r->mesh->block[b];
    const int vertices = hk_element_of(block->shape)->vertices;
    for (hk_count e = 0; e < block->count; e++)
      for (int v = 0; v < vertices; v++) {
        const hk_index at = r->at[block->node[e * block->nodes + v]];
        if (at) r->rank[at - 1] = 1;
      }
  }
  for (hk_count i = 0; i < count; i++)
    if (r->rank[i]) r->rank[i] = ++next;
}

static void add_vertex(hk_reach *to, hk_index rank, double weight)
{
  int v = to->vertices++;
  for (; v > 0 && to->rank[v - 1] > rank; v--)
    to->rank[v] = to->rank[v - 1], to->weight[v] = to->weight[v - 1];
  to->rank[v] = rank, to->weight[v] = weight;
}

/* Where node n of an element lies between those of its vertices that have weight there; nowhere if one is not in the set. */
static void find_place(const reaching *r, const hk_element *linear, const hk_index *node,
                       const double *weight, hk_reach *to)
{
  to->vertices = 0;
  for (int v = 0; v < linear->vertices; v++) {
    if (fabs(weight[v]) < 1e-9) continue;
    const hk_index at = r->at[node[v]];
    if (!at) {
      to->vertices = 0;
      return;
    }
    add_vertex(to, r->rank[at - 1], weight[v]);
  }
}

static void find_places(const reaching *r)
{
  for (int b = 0; b < r->mesh->block_count; b++) {
    const hk_block *block = &r->mesh->block[b];
    const hk_element *element = hk_element_of(block->shape);
    const hk_element *linear = hk_element_of(hk_shape_linear(block->shape));
    for (int n = 0; n < element->nodes; n++) {
      double weight[8];
      hk_element_functions(linear, element->reference[n], weight, NULL);
      for (hk_count e = 0; e < block->count; e++) {
        const hk_index *node = block->node + e * block->nodes, at = r->at[node[n]];
        if (at && !r->reach[at - 1].vertices)
          find_place(r, linear, node, weight, &r->reach[at - 1]);
      }
    }
  }
}

hk_status hk_mesh_reach(const hk_mesh *mesh, hk_count count, const hk_index *item, hk_reach **out)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  reaching r = {.mesh = mesh};
  HK_TRY(hk_pool_get(&pool, &r.at, mesh->node_count));
  HK_TRY(hk_pool_get(&pool, &r.rank, count));
  HK_TRY(hk_get(&r.reach, count));
  for (hk_count i = 0; i < count; i++) r.reach[i].node = item[i], r.at[item[i]] = (hk_index)(i + 1);
  rank_vertices(&r, count);
  find_places(&r);
  qsort(r.reach, (size_t)count, sizeof *r.reach, compare);
  *out = r.reach, r.reach = NULL;
cleanup:
  hk_pool_clear(&pool);
  hk_free(&r.reach);
  return status;
}
