/* Connections of a mesh.
 * hk_mesh_connect counts the parts that share no node, with a union-find over nodes by all threads, and the nodes
 * without elements. hk_mesh_node_elements lists the elements around each node. Faces are sorted by
 * their vertices, so that those that meet stand side by side. */
#include "mesh/topology.h"
#include "element/wide.h"
#include "mesh/scatter.h"
#include "base/sort.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 12 }; /* places whose memory a loop asks for before it comes to them */

/* Of a tree that other threads join at the same time: links are shortened on the way, and a root may be one no more when it is returned. */
static hk_index root_of(hk_index *parent, hk_index i)
{
  hk_index up = __atomic_load_n(&parent[i], __ATOMIC_RELAXED);
  while (up != i) {
    const hk_index next = __atomic_load_n(&parent[up], __ATOMIC_RELAXED);
    if (next != up) __atomic_store_n(&parent[i], next, __ATOMIC_RELAXED);
    i = up, up = next;
  }
  return i;
}

/* The higher root is linked to the lower one, if it still is a root; else the roots are found again. Links lead to lower numbers alone, so that the
 * trees have no loops and their roots are the lowest nodes of the parts (Jayanti and Tarjan 2016, arXiv 1612.01514). */
void hk_mesh_join(hk_index *parent, hk_index a, hk_index b)
{
  for (;;) {
    a = root_of(parent, a), b = root_of(parent, b);
    if (a == b) return;
    hk_index high = a > b ? a : b;
    const hk_index low = a > b ? b : a;
    if (__atomic_compare_exchange_n(&parent[high], &high, low, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return;
  }
}

/* Joins the nodes of an element; most have the same tree above them, which is seen at once. ahead: nodes of a later one; NULL: there is none. */
static inline __attribute__((always_inline)) void
join_element(int nodes, const hk_index *node, const hk_index *ahead, hk_index *parent)
{
  for (int n = 0; n < nodes && ahead; n++) __builtin_prefetch(&parent[ahead[n]]);
  const hk_index up = __atomic_load_n(&parent[node[0]], __ATOMIC_RELAXED);
  for (int n = 1; n < nodes; n++)
    if (__atomic_load_n(&parent[node[n]], __ATOMIC_RELAXED) != up)
      hk_mesh_join(parent, node[0], node[n]);
}

/* Of elements first, first + step, ... below `end` all nodes are joined. */
HK_WIDE static void join_range(const hk_block *block, hk_count first, hk_count end, hk_count step,
                               hk_index *parent)
{
  const int nodes = block->nodes;
  const hk_count last = block->count - AHEAD * step;
  for (hk_count e = first; e < end; e += step) {
    const hk_index *node = block->node + e * nodes;
    const hk_index *ahead = e < last ? node + AHEAD * step * nodes : NULL;
    if (nodes == 4)
      join_element(4, node, ahead, parent);
    else
      join_element(nodes, node, ahead, parent);
  }
}

static void join_some(const hk_block *block, hk_count step, hk_index *parent)
{
  const hk_count parts = omp_get_max_threads(), steps = (block->count + step - 1) / step;
#pragma omp parallel for schedule(static)
  for (hk_count p = 0; p < parts; p++) {
    const hk_count end = step * (steps * (p + 1) / parts);
    join_range(block, step * (steps * p / parts), end < block->count ? end : block->count, step,
               parent);
  }
}

/* parent[i] = the root above i. A thread changes the links of its own nodes alone, so that none is made longer again. */
void hk_mesh_shorten(hk_count count, hk_index *parent)
{
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < count; i++) {
    hk_index root = (hk_index)i, up;
    while ((up = __atomic_load_n(&parent[root], __ATOMIC_RELAXED)) != root) root = up;
    __atomic_store_n(&parent[i], root, __ATOMIC_RELAXED);
  }
}

/* A root without another node in its tree has no element: parent = -1. Roots of others are marked by ~parent meanwhile. */
static void mark_orphans(hk_count count, hk_index *parent)
{
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < count; i++) {
    const hk_index up = __atomic_load_n(&parent[i], __ATOMIC_RELAXED);
    if (up >= 0 && up != i && __atomic_load_n(&parent[up], __ATOMIC_RELAXED) >= 0)
      __atomic_store_n(&parent[up], ~up, __ATOMIC_RELAXED);
  }
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < count; i++)
    parent[i] = parent[i] < 0 ? ~parent[i] : parent[i] == i ? -1 : parent[i];
}

/* Few elements join most nodes of a part, and with short links the others are found to be joined (Sutton, Ben-Nun, Barak 2018, Optimizing parallel
 * graph connectivity computation via subgraph sampling). */
void hk_mesh_join_elements(const hk_mesh *mesh, hk_index *parent)
{
  enum { SAMPLED = 8 }; /* one of so many */
#pragma omp parallel for schedule(static)
  for (hk_count i = 0; i < mesh->node_count; i++) parent[i] = (hk_index)i;
  for (int b = 0; b < mesh->block_count; b++) join_some(&mesh->block[b], SAMPLED, parent);
  hk_mesh_shorten(mesh->node_count, parent);
  for (int b = 0; b < mesh->block_count; b++) join_some(&mesh->block[b], 1, parent);
  hk_mesh_shorten(mesh->node_count, parent);
  mark_orphans(mesh->node_count, parent);
}

hk_status hk_mesh_connect(const hk_mesh *mesh, hk_connection *out)
{
  hk_status status = HK_OK;
  hk_index *parent = NULL; /* of each node in the trees of one part; -1: no element yet */
  hk_count parts = 0, orphans = 0, first = mesh->node_count;

  HK_TRY(hk_get(&parent, mesh->node_count));
  hk_mesh_join_elements(mesh, parent);
#pragma omp parallel for schedule(static) reduction(+ : parts, orphans) reduction(min : first)
  for (hk_count i = 0; i < mesh->node_count; i++) {
    parts += parent[i] == i, orphans += parent[i] < 0;
    if (i < first && parent[i] < 0) first = i;
  }
  *out = (hk_connection){orphans, parts, orphans ? (hk_index)first : -1};
cleanup:
  hk_free(&parent);
  return status;
}

/* Counts the elements of node i in start[i]; or, where there is a list, puts them where start tells, so that it tells where the node's list
 * ends. */
static void visit_nodes(const hk_block *block, hk_scatter *by, hk_index *start, hk_index *list)
{
  for (hk_count from = 0, count; from < block->count; from += count) {
    const hk_index *node = block->node + from * block->nodes;
    count = hk_scatter_part(block->count - from, block->nodes);
    hk_scatter_sort(by, count * block->nodes, node);
#pragma omp parallel for schedule(static)
    for (int o = 0; o < HK_SCATTER_OWNERS; o++)
      for (hk_index k = by->begin[o], end = by->begin[o + 1]; k < end; k++) {
        const hk_index to = start[node[by->place[k]]]++;
        if (k + 2 * AHEAD < end) __builtin_prefetch(&start[node[by->place[k + 2 * AHEAD]]], 1);
        if (list && k + AHEAD < end)
          __builtin_prefetch(&list[start[node[by->place[k + AHEAD]]]], 1);
        if (list) list[to] = (hk_index)(block->first + from + by->place[k] / block->nodes);
      }
  }
}

hk_count hk_mesh_entries(const hk_mesh *mesh)
{
  hk_count entries = 0;
  for (int b = 0; b < mesh->block_count; b++)
    entries += mesh->block[b].count * mesh->block[b].nodes;
  return entries;
}

hk_status hk_mesh_node_elements(const hk_mesh *mesh, hk_index **begin, hk_index **element)
{
  hk_status status = HK_OK;
  hk_index *start = NULL, *list = NULL, total;
  hk_scatter *by = NULL;
  const hk_count entries = hk_mesh_entries(mesh);

  HK_TRY(hk_narrow(entries, "number of elements times their nodes", &total));
  HK_TRY(hk_get(&start, mesh->node_count + 1));
  HK_TRY(hk_get(&list, entries));
  HK_TRY(hk_scatter_create(entries, &by));
  for (int b = 0; b < mesh->block_count; b++) visit_nodes(&mesh->block[b], by, start, NULL);
  for (hk_count i = 0, sum = 0; i <= mesh->node_count; i++) {
    const hk_index count = start[i];
    start[i] = (hk_index)sum;
    sum += count;
  }
  for (int b = 0; b < mesh->block_count; b++) visit_nodes(&mesh->block[b], by, start, list);
  memmove(start + 1, start, (size_t)mesh->node_count * sizeof *start);
  start[0] = 0;
  *begin = start, start = NULL;
  *element = list, list = NULL;
cleanup:
  hk_scatter_destroy(&by);
  hk_free(&start);
  hk_free(&list);
  return status;
}

int hk_mesh_face_vertices(const hk_element *shape, const hk_index *node, int face,
                          hk_index vertex[HK_FACE_VERTICES])
{
  const hk_element_face *f = &shape->face[face];
  const int vertices = shape->dim == 2 ? 2 : hk_element_of(f->shape)->vertices;
  int count = 0;
  for (int v = 0; v < HK_FACE_VERTICES; v++) vertex[v] = -1;
  for (int v = 0; v < vertices; v++) {
    const hk_index n = node[f->node[v]];
    int at = count;
    while (at > 0 && vertex[at - 1] > n) at--;
    if (at > 0 && vertex[at - 1] == n) continue;
    for (int k = count; k > at; k--) vertex[k] = vertex[k - 1];
    vertex[at] = n;
    count++;
  }
  return count;
}

bool hk_faces_meet(const hk_face *a, const hk_face *b)
{
  return memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0;
}

static int compare(const void *p, const void *q)
{
  const hk_face *a = p, *b = q;
  for (int v = 0; v < HK_FACE_VERTICES; v++)
    if (a->vertex[v] != b->vertex[v]) return a->vertex[v] > b->vertex[v] ? 1 : -1;
  return (a->element > b->element) - (a->element < b->element);
}

void hk_sort_faces(hk_count count, hk_face *side)
{
  enum { FEW = 64 };
  if (count > FEW) qsort(side, (size_t)count, sizeof *side, compare);
  for (hk_count i = 1; i < count && count <= FEW; i++) {
    const hk_face value = side[i];
    hk_count k = i;
    for (; k > 0 && compare(&side[k - 1], &value) > 0; k--) side[k] = side[k - 1];
    side[k] = value;
  }
}
