/* Connections of a mesh.
 * hk_mesh_connect counts the parts that share no node, with a union-find over nodes, and the nodes
 * without elements. hk_mesh_node_elements lists the elements around each node. Faces are sorted by
 * their vertices, so that those that meet stand side by side. */
#include "mesh/topology.h"
#include "base/sort.h"
#include <stdlib.h>
#include <string.h>

hk_status hk_mesh_connect(const hk_mesh *mesh, hk_connection *out)
{
  hk_status status = HK_OK;
  hk_index *parent = NULL; /* of each node in the trees of one part; -1: no element yet */

  *out = (hk_connection){.first_orphan = -1};
  HK_TRY(hk_get(&parent, mesh->node_count));
  for (hk_count i = 0; i < mesh->node_count; i++) parent[i] = -1;
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count i = 0; i < block->count * block->nodes; i++)
      parent[block->node[i]] = block->node[i];
  }
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count e = 0; e < block->count; e++) {
      const hk_index *node = block->node + e * block->nodes;
      for (int n = 1; n < block->nodes; n++) hk_union_join(parent, node[0], node[n]);
    }
  }
  for (hk_count i = 0; i < mesh->node_count; i++) {
    out->parts += parent[i] == i;
    if (parent[i] >= 0) continue;
    if (out->orphans++ == 0) out->first_orphan = (hk_index)i;
  }
cleanup:
  hk_free(&parent);
  return status;
}

hk_status hk_mesh_node_elements(const hk_mesh *mesh, hk_index **begin, hk_index **element)
{
  hk_status status = HK_OK;
  hk_index *start = NULL, *list = NULL, total;
  hk_count entries = 0;

  for (int b = 0; b < mesh->block_count; b++)
    entries += mesh->block[b].count * mesh->block[b].nodes;
  HK_TRY(hk_narrow(entries, "number of elements times their nodes", &total));
  HK_TRY(hk_get(&start, mesh->node_count + 1));
  HK_TRY(hk_get(&list, entries));
  for (int b = 0; b < mesh->block_count; b++)
    for (hk_count i = 0; i < mesh->block[b].count * mesh->block[b].nodes; i++)
      start[mesh->block[b].node[i]]++;
  for (hk_count i = 0, sum = 0; i <= mesh->node_count; i++) {
    const hk_index count = start[i];
    start[i] = (hk_index)sum; /* where the node's list begins; after the fill, where it ends */
    sum += count;
  }
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    for (hk_count i = 0; i < block->count * block->nodes; i++)
      list[start[block->node[i]]++] = (hk_index)(block->first + i / block->nodes);
  }
  memmove(start + 1, start, (size_t)mesh->node_count * sizeof *start);
  start[0] = 0;
  *begin = start, start = NULL;
  *element = list, list = NULL;
cleanup:
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
