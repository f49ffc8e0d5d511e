/* Cuts a mesh along inner faces (crack.h).
 * For each node of a cut face, a union-find joins the elements around it that are connected by a
 * face with this node that is not cut. If more than one group remains, the group of the lowest
 * element keeps the node and each other group gets a new one. New nodes come last, belong to the
 * node sets of their origin, and get new labels.
 * hk_crack_pair finds the two elements of each face of a set. */
#include "mesh/crack.h"
#include "base/sort.h"
#include "element/element.h"
#include "mesh/topology.h"
#include <stdlib.h>
#include <string.h>

enum { VERTICES = HK_FACE_VERTICES };

typedef struct cutter {
  hk_mesh *mesh;
  hk_pool pool;             /* holds what follows but the lists of elements and origin */
  hk_index *begin, *around; /* node -> elements, as the mesh was */
  uint8_t *cut;             /* bit f of cut[element]: its face f is cut; NULL while pairing */
  hk_index *node;           /* the nodes of cut faces, ascending */
  hk_count nodes, added, room, sides_room, up_room;
  hk_index *origin;
  hk_face *side; /* of elements around a node; element: place in the list */
  hk_index *up;  /* union-find over the elements around a node */
} cutter;

static hk_index *nodes_of(const hk_mesh *mesh, hk_index e, const hk_element **shape)
{
  const hk_block *block = hk_mesh_block_of(mesh, e);
  *shape = hk_element_of(block->shape);
  return block->node + (e - block->first) * block->nodes;
}

static bool has_node(const hk_element_face *face, const hk_index *node, hk_index i)
{
  for (int n = 0; n < face->nodes; n++)
    if (node[face->node[n]] == i) return true;
  return false;
}

/* c->side: faces with node i of the elements around it that are not cut; their number. Equal ones lie side by side. */
static hk_status list_sides(cutter *c, hk_index i, int *count)
{
  const hk_index *around = c->around + c->begin[i];
  const int elements = c->begin[i + 1] - c->begin[i];
  int n = 0;
  HK_PASS(hk_pool_reserve(&c->pool, (void **)&c->side, 6 * (hk_count)elements, &c->sides_room,
                          sizeof *c->side));
  for (int k = 0; k < elements; k++) {
    const hk_element *shape;
    const hk_index *node = nodes_of(c->mesh, around[k], &shape);
    for (int f = 0; f < shape->faces; f++) {
      if (c->cut[around[k]] >> f & 1 || !has_node(&shape->face[f], node, i)) continue;
      hk_mesh_face_vertices(shape, node, f, c->side[n].vertex);
      c->side[n].element = k, c->side[n++].face = (uint8_t)f;
    }
  }
  hk_sort_faces(n, c->side);
  *count = n;
  return HK_OK;
}

/* Whether a cut face of the element has node i. */
static bool is_cut_at(const cutter *c, hk_index e, hk_index i)
{
  const hk_element *shape;
  const hk_index *node = nodes_of(c->mesh, e, &shape);
  for (int f = 0; f < shape->faces; f++)
    if (c->cut[e] >> f & 1 && has_node(&shape->face[f], node, i)) return true;
  return false;
}

/* c->up: the groups of elements around node i. Those that no cut touches hang with the first that one touches, as they did. */
static hk_status group_elements(cutter *c, hk_index i)
{
  const hk_index *around = c->around + c->begin[i];
  const int elements = c->begin[i + 1] - c->begin[i];
  int sides = 0, first = 0;
  HK_PASS(hk_pool_reserve(&c->pool, (void **)&c->up, 2 * (hk_count)elements, &c->up_room,
                          sizeof *c->up));
  HK_PASS(list_sides(c, i, &sides));
  for (int k = 0; k < elements; k++) c->up[k] = k, c->up[elements + k] = 0;
  for (int s = 1; s < sides; s++)
    if (hk_faces_meet(&c->side[s - 1], &c->side[s]))
      hk_union_join(c->up, c->side[s - 1].element, c->side[s].element);
  for (int k = 0; k < elements; k++)
    if (is_cut_at(c, around[k], i)) c->up[elements + hk_union_root(c->up, k)] = 1;
  while (first < elements - 1 && !c->up[elements + hk_union_root(c->up, first)]) first++;
  for (int k = 0; k < elements; k++)
    if (hk_union_root(c->up, k) == k && !c->up[elements + k]) hk_union_join(c->up, first, k);
  return HK_OK;
}

/* A new node for each group around node i but the first. */
static hk_status split_node(cutter *c, hk_index i)
{
  const hk_index *around = c->around + c->begin[i];
  const int elements = c->begin[i + 1] - c->begin[i];
  HK_PASS(group_elements(c, i));
  hk_index *number = c->up + elements; /* of the group's node, from 1; 0: i itself */
  memset(number, 0, (size_t)elements * sizeof *number);
  for (int k = 1; k < elements; k++) {
    const int group = hk_union_root(c->up, k);
    const hk_element *shape;
    hk_index *node = nodes_of(c->mesh, around[k], &shape), name;
    if (group == 0) continue;
    if (!number[group]) {
      HK_PASS(hk_narrow(c->mesh->node_count + c->added + 1, "number of nodes", &name));
      HK_PASS(hk_reserve(&c->origin, c->added + 1, &c->room));
      c->origin[c->added++] = i;
      number[group] = (int)c->added;
    }
    name = (hk_index)c->mesh->node_count + number[group] - 1;
    for (int n = 0; n < shape->nodes; n++)
      if (node[n] == i) node[n] = name;
  }
  return HK_OK;
}

static hk_status mark_faces(cutter *c, hk_count count, const hk_crack_face *face)
{
  hk_count room = 0, n = 0;
  HK_PASS(hk_pool_get(&c->pool, &c->cut, c->mesh->element_count));
  for (hk_count k = 0; k < count; k++) {
    const hk_element *shape;
    const hk_index *node = nodes_of(c->mesh, face[k].element[0], &shape);
    const hk_element_face *own = &shape->face[face[k].face[0]];
    for (int s = 0; s < 2; s++) c->cut[face[k].element[s]] |= (uint8_t)(1 << face[k].face[s]);
    HK_PASS(hk_pool_reserve(&c->pool, (void **)&c->node, n + own->nodes, &room, sizeof *c->node));
    for (int m = 0; m < own->nodes; m++) c->node[n++] = node[own->node[m]];
  }
  if (n) qsort(c->node, (size_t)n, sizeof *c->node, hk_compare_index);
  for (hk_count k = 0; k < n; k++)
    if (k == 0 || c->node[k] != c->node[k - 1]) c->node[c->nodes++] = c->node[k];
  return HK_OK;
}

static hk_status add_labels(hk_mesh *mesh, hk_count nodes)
{
  int64_t last = 0;
  if (!mesh->node_label) return HK_OK;
  for (hk_count n = 0; n < mesh->node_count; n++)
    if (mesh->node_label[n] > last) last = mesh->node_label[n];
  HK_PASS(hk_resize(&mesh->node_label, nodes));
  for (hk_count n = mesh->node_count; n < nodes; n++) mesh->node_label[n] = ++last;
  return HK_OK;
}

/* Node sets take the new nodes of theirs in. */
static hk_status add_to_sets(cutter *c)
{
  for (int s = 0; s < c->mesh->set_count; s++) {
    hk_set *set = &c->mesh->set[s];
    hk_count more = 0, old = set->count;
    if (set->kind != HK_NODE_SET || !old) continue;
    for (int pass = 0; pass < 2; pass++) {
      if (pass) HK_PASS(hk_resize(&set->item, old + more));
      for (hk_count k = 0; k < c->added; k++) {
        if (!bsearch(&c->origin[k], set->item, (size_t)old, sizeof *set->item, hk_compare_index))
          continue;
        if (pass)
          set->item[set->count++] = (hk_index)(c->mesh->node_count + k);
        else
          more++;
      }
    }
  }
  return HK_OK;
}

static hk_status add_nodes(cutter *c)
{
  hk_mesh *mesh = c->mesh;
  const hk_count nodes = mesh->node_count + c->added;
  HK_PASS(add_to_sets(c));
  HK_PASS(hk_resize(&mesh->x, nodes * mesh->dim));
  for (hk_count k = 0; k < c->added; k++)
    memcpy(mesh->x + (mesh->node_count + k) * mesh->dim,
           mesh->x + (hk_count)c->origin[k] * mesh->dim, (size_t)mesh->dim * sizeof *mesh->x);
  HK_PASS(add_labels(mesh, nodes));
  mesh->node_count = nodes;
  return hk_mesh_index_labels(mesh);
}

static void clear(cutter *c)
{
  hk_free(&c->begin);
  hk_free(&c->around);
  hk_free(&c->origin);
  hk_pool_clear(&c->pool);
}

hk_status hk_mesh_cut(hk_mesh *mesh, hk_count count, const hk_crack_face *face, hk_count *added,
                      hk_index **origin)
{
  hk_status status = HK_OK;
  cutter c = {.mesh = mesh};
  HK_TRY(hk_mesh_node_elements(mesh, &c.begin, &c.around));
  HK_TRY(mark_faces(&c, count, face));
  for (hk_count k = 0; k < c.nodes; k++) HK_TRY(split_node(&c, c.node[k]));
  HK_TRY(hk_reserve(&c.origin, 1, &c.room));
  if (c.added) HK_TRY(add_nodes(&c));
  *added = c.added;
  *origin = c.origin, c.origin = NULL;
cleanup:
  clear(&c);
  return status;
}

static int by_elements(const void *p, const void *q)
{
  const hk_crack_face *a = p, *b = q;
  for (int s = 0; s < 2; s++) {
    if (a->element[s] != b->element[s]) return a->element[s] < b->element[s] ? -1 : 1;
    if (a->face[s] != b->face[s]) return a->face[s] < b->face[s] ? -1 : 1;
  }
  return 0;
}

/* The element other than e with the face of these vertices; -1. */
static hk_index find_other(const cutter *c, hk_index e, const hk_index vertex[VERTICES],
                           uint8_t *face)
{
  hk_index own[VERTICES];
  for (hk_index p = c->begin[vertex[0]]; p < c->begin[vertex[0] + 1]; p++) {
    const hk_element *shape;
    const hk_index other = c->around[p], *node = nodes_of(c->mesh, other, &shape);
    for (int f = 0; other != e && f < shape->faces; f++) {
      hk_mesh_face_vertices(shape, node, f, own);
      if (memcmp(own, vertex, sizeof own) != 0) continue;
      *face = (uint8_t)f;
      return other;
    }
  }
  return -1;
}

hk_status hk_crack_pair(const hk_mesh *mesh, hk_count count, const hk_index *element,
                        const uint8_t *face, hk_count *pairs, hk_crack_face **pair)
{
  hk_status status = HK_OK;
  cutter c = {.mesh = (hk_mesh *)mesh}; /* only read */
  hk_crack_face *list = NULL;
  hk_count kept = 0;
  HK_TRY(hk_mesh_node_elements(mesh, &c.begin, &c.around));
  HK_TRY(hk_get(&list, count));
  for (hk_count k = 0; k < count; k++) {
    const hk_element *shape;
    const hk_index *node = nodes_of(mesh, element[k], &shape);
    hk_index vertex[VERTICES];
    uint8_t far = 0;
    hk_mesh_face_vertices(shape, node, face[k], vertex);
    const hk_index other = find_other(&c, element[k], vertex, &far);
    HK_CHECK(other >= 0, HK_BAD_INPUT,
             "face %d of element %lld lies on the boundary of the mesh: a crack needs elements on "
             "both sides that share their nodes",
             face[k] + 1, (long long)hk_mesh_element_label(mesh, element[k]));
    const bool first = element[k] < other;
    list[k] = (hk_crack_face){{first ? element[k] : other, first ? other : element[k]},
                              {first ? face[k] : far, first ? far : face[k]}};
  }
  if (count) qsort(list, (size_t)count, sizeof *list, by_elements);
  for (hk_count k = 0; k < count; k++)
    if (k == 0 || by_elements(&list[k], &list[kept - 1])) list[kept++] = list[k];
  *pairs = kept;
  *pair = list, list = NULL;
cleanup:
  hk_free(&list);
  clear(&c);
  return status;
}
