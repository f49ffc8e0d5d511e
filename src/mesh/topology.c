/* Connections of a mesh.
 * hk_mesh_connect counts the parts that share no node, with a union-find over nodes, and the nodes
 * without elements. hk_mesh_node_elements lists the elements around each node. hk_mesh_boundary
 * finds the faces that belong to one element only: faces are compared at their lowest vertex by
 * their other vertices. */
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
  const int order = memcmp(a->vertex, b->vertex, sizeof a->vertex);
  return order ? order : (a->element > b->element) - (a->element < b->element);
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

static bool has_lower(const hk_element *element, const hk_index *node, int face, hk_index i)
{
  const hk_element_face *f = &element->face[face];
  const int vertices = element->dim == 2 ? 2 : hk_element_of(f->shape)->vertices;
  for (int v = 0; v < vertices; v++)
    if (node[f->node[v]] < i) return true;
  return false;
}

/* Marks, in bit f of mark[element], the faces with lowest vertex i that one element alone has. */
static hk_status mark_node(const hk_mesh *mesh, hk_index i, hk_count count, const hk_index *element,
                           hk_face **side, hk_count *capacity, uint8_t *mark)
{
  hk_count faces = 0;

  HK_PASS(hk_reserve(side, 6 * count, capacity));
  for (hk_count k = 0; k < count; k++) {
    if (k && element[k] == element[k - 1]) continue; /* a node twice in a collapsed element */
    const hk_block *block = hk_mesh_block_of(mesh, element[k]);
    const hk_element *shape = hk_element_of(block->shape);
    const hk_index *node = block->node + (element[k] - block->first) * block->nodes;
    for (int f = 0; f < shape->faces; f++) {
      hk_face *to = &(*side)[faces];
      if (has_lower(shape, node, f, i)) continue;
      /* a face with fewer vertices is one that a collapsed element has lost */
      if (hk_mesh_face_vertices(shape, node, f, to->vertex) < shape->dim || to->vertex[0] != i)
        continue;
      to->element = element[k], to->face = (uint8_t)f;
      faces++;
    }
  }
  hk_sort_faces(faces, *side);
  for (hk_count k = 0, next; k < faces; k = next) {
    for (next = k + 1; next < faces && hk_faces_meet(&(*side)[k], &(*side)[next]);) next++;
    if (next == k + 1) mark[(*side)[k].element] |= (uint8_t)(1 << (*side)[k].face);
  }
  return HK_OK;
}

hk_status hk_mesh_boundary(const hk_mesh *mesh, hk_count *count, hk_index **element, uint8_t **face)
{
  hk_status status = HK_OK;
  hk_index *begin = NULL, *list = NULL, *e_out = NULL;
  uint8_t *mark = NULL, *f_out = NULL;
  hk_face *side = NULL;
  hk_count capacity = 0, faces = 0;

  HK_TRY(hk_mesh_node_elements(mesh, &begin, &list));
  HK_TRY(hk_get(&mark, mesh->element_count));
  for (hk_count i = 0; i < mesh->node_count; i++)
    HK_TRY(mark_node(mesh, (hk_index)i, begin[i + 1] - begin[i], list + begin[i], &side, &capacity,
                     mark));
  for (hk_count e = 0; e < mesh->element_count; e++) faces += __builtin_popcount(mark[e]);
  HK_TRY(hk_get(&e_out, faces));
  HK_TRY(hk_get(&f_out, faces));
  for (hk_count e = 0, to = 0; e < mesh->element_count; e++)
    for (int f = 0; f < 6; f++)
      if (mark[e] >> f & 1) e_out[to] = (hk_index)e, f_out[to++] = (uint8_t)f;
  *count = faces;
  *element = e_out, e_out = NULL;
  *face = f_out, f_out = NULL;
cleanup:
  hk_free(&begin);
  hk_free(&list);
  hk_free(&mark);
  hk_free(&side);
  hk_free(&e_out);
  hk_free(&f_out);
  return status;
}
