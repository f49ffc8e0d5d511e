/* The graph of a mesh in compressed rows: for each node, the other nodes of its elements in
 * ascending order.
 * One pass over the elements around a node collects its neighbours; a mark on each node prevents
 * repetitions. Lists are short, so insertion sorts them. */
#include "graph/adjacency.h"
#include "base/sort.h"
#include <omp.h>

/* Neighbours of node i to list[count++]; seen[] holds the last node that met each. */
static hk_index collect(const hk_mesh *mesh, const hk_index *element, hk_index elements, hk_index i,
                        hk_index *seen, hk_index *list)
{
  const hk_block *block = NULL;
  hk_index count = 0;
  seen[i] = i;
  for (hk_index k = 0; k < elements; k++) {
    const hk_index e = element[k];
    if (!block || e < block->first || e >= block->first + block->count)
      block = hk_mesh_block_of(mesh, e);
    const hk_index *node = block->node + (e - block->first) * block->nodes;
    for (int n = 0; n < block->nodes; n++) {
      if (seen[node[n]] == i) continue;
      seen[node[n]] = i;
      list[count++] = node[n];
    }
  }
  return count;
}

static hk_status most_neighbours(const hk_mesh *mesh, const hk_index *begin, hk_index *out)
{
  hk_count most = 1;
  int widest = 1;
  for (int b = 0; b < mesh->block_count; b++)
    if (mesh->block[b].nodes > widest) widest = mesh->block[b].nodes;
  for (hk_count i = 0; i < mesh->node_count; i++)
    if (begin[i + 1] - begin[i] > most) most = begin[i + 1] - begin[i];
  most *= widest;
  return hk_narrow(most < mesh->node_count ? most : mesh->node_count, "neighbours of a node", out);
}

hk_status hk_adjacency_create(const hk_mesh *mesh, hk_adjacency **out)
{
  hk_status status = HK_OK;
  hk_adjacency *g = NULL;
  hk_index *begin = NULL, *element = NULL, *seen = NULL, most;
  hk_count entries = 0, room = 0;

  HK_TRY(hk_new(&g));
  HK_TRY(hk_narrow(mesh->node_count, "number of nodes", &g->nodes));
  HK_TRY(hk_mesh_node_elements(mesh, &begin, &element));
  HK_TRY(most_neighbours(mesh, begin, &most));
  HK_TRY(hk_get(&seen, mesh->node_count));
  HK_TRY(hk_pool_get(&g->pool, &g->begin, mesh->node_count + 1));
  for (hk_index i = 0; i < g->nodes; i++) seen[i] = -1;
  for (hk_index i = 0; i < g->nodes; i++) {
    HK_TRY(hk_pool_reserve(&g->pool, (void **)&g->node, entries + most, &room, sizeof *g->node));
    const hk_index count =
        collect(mesh, element + begin[i], begin[i + 1] - begin[i], i, seen, g->node + entries);
    hk_sort_few(count, g->node + entries);
    entries += count;
    HK_TRY(hk_narrow(entries, "pairs of neighbouring nodes", &g->begin[i + 1]));
  }
  HK_TRY(hk_pool_resize(&g->pool, &g->node, entries));
  *out = g, g = NULL;
cleanup:
  hk_adjacency_destroy(&g);
  hk_free(&begin);
  hk_free(&element);
  hk_free(&seen);
  return status;
}

void hk_adjacency_destroy(hk_adjacency **graph)
{
  if (*graph) hk_pool_clear(&(*graph)->pool);
  hk_free(graph);
}

/* One thread alone counts where a node has more slots. */
enum { CROWD = 1 << 16 };

/* Nodes that were met around node `of` - 1, by their hash: met[k] where of[k] is that of this node. */
typedef struct met {
  hk_index *of, *node;
  uint32_t most; /* slots, a power of 2 */
} met;

/* Whether `node` is met around node i for the first time. */
static bool meet(met *m, hk_index i, hk_index node)
{
  uint32_t k = (uint32_t)node * 2654435761u;
  for (k = (k ^ k >> 15) & (m->most - 1); m->of[k] == i + 1; k = (k + 1) & (m->most - 1))
    if (m->node[k] == node) return false;
  m->of[k] = i + 1, m->node[k] = node;
  return true;
}

/* Nodes of elements around a node, each as often as elements have it, at most. Elements of node n: element[begin[n]..begin[n + 1]). */
static hk_count most_around(const hk_mesh *mesh, const hk_index *begin, const hk_index *element)
{
  hk_count most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (hk_count i = 0; i < mesh->node_count; i++) {
    hk_count sum = 0;
    for (hk_index p = begin[i]; p < begin[i + 1]; p++)
      sum += hk_mesh_block_of(mesh, element[p])->nodes;
    most = sum > most ? sum : most;
  }
  return most;
}

static hk_count count_around(const hk_mesh *mesh, hk_index i, const hk_index *element,
                             hk_index elements, met *m)
{
  hk_count sum = 0;
  for (hk_index p = 0; p < elements; p++) {
    const hk_index *node = hk_mesh_nodes_of(mesh, element[p]);
    const int nodes = hk_mesh_block_of(mesh, element[p])->nodes;
    for (int n = 0; n < nodes; n++) sum += meet(m, i, node[n]);
  }
  return sum;
}

hk_status hk_adjacency_count(const hk_mesh *mesh, double *pairs)
{
  hk_status status = HK_OK;
  hk_pool pool = {0};
  hk_index *begin = NULL, *element = NULL, *of;
  hk_count sum = 0;
  uint32_t most = 2;
  HK_TRY(hk_mesh_node_elements(mesh, &begin, &element));
  for (const hk_count least = 2 * most_around(mesh, begin, element); most < least;) most *= 2;
  const int threads = most > CROWD ? 1 : omp_get_max_threads();
  HK_TRY(hk_pool_get(&pool, &of, (hk_count)threads * most * 2));
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    const hk_count own = (hk_count)omp_get_thread_num() * most;
    met m = {of + 2 * own, of + 2 * own + most, most};
#pragma omp for schedule(static)
    for (hk_index i = 0; i < (hk_index)mesh->node_count; i++)
      sum += count_around(mesh, i, element + begin[i], begin[i + 1] - begin[i], &m);
  }
  *pairs = (double)sum;
cleanup:
  hk_pool_clear(&pool);
  hk_free(&begin);
  hk_free(&element);
  return status;
}
