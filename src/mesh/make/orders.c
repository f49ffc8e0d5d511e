/* Elements of several orders p in one mesh, or with faces on the axis of an axisymmetric model. A block has one shape, so elements are first sorted
 * by block, face on the axis and order, stably; labels and sets follow them. Then each block is raised (raise.c). Neighbours of one order share
 * the nodes of their edges and faces, those of different orders their vertices alone: mesh/ties.h makes the field continuous. */
#include "element/element.h"
#include "element/gll.h"
#include "mesh/mesh.h"
#include <string.h>

/* KINDS: orders without a face on the axis, then those with each. */
enum { ORDERS = HK_MOST_ORDER + 1, KINDS = 5 * ORDERS };

typedef struct sorter {
  hk_mesh *mesh;
  const int8_t *kind;      /* kind[old element]: its order + ORDERS * (1 + its face on the axis) */
  hk_pool pool;            /* holds the next four */
  hk_index *old;           /* old[new element] */
  hk_index *number;        /* number[old element] */
  int *order_of, *axis_of; /* [new block] */
  hk_block *block;         /* the new blocks, with nodes of their own; owned */
  int blocks;
  int64_t *label; /* owned */
} sorter;

static hk_status check_orders(const sorter *s)
{
  for (hk_count e = 0; e < s->mesh->element_count; e++) {
    const hk_element *element = hk_element_of(hk_mesh_block_of(s->mesh, e)->shape);
    const int order = s->kind[e] % ORDERS;
    HK_NEED(order >= 1, HK_USAGE, "element %lld: order %d",
            (long long)hk_mesh_element_label(s->mesh, e), order);
    HK_NEED(
        element->order == 1 || order > 1, HK_BAD_INPUT,
        "element %lld (%s) lies in a mesh with curved edges, whose elements need order 2 or more: "
        "give element: {order: 2} with orders",
        (long long)hk_mesh_element_label(s->mesh, e), element->name);
  }
  return HK_OK;
}

/* The elements of old block b of this kind become the next block, if there are any. */
static hk_status take_kind(sorter *s, int b, int kind, hk_count *first)
{
  const hk_block *from = &s->mesh->block[b];
  hk_block *to = &s->block[s->blocks];
  hk_count count = 0;
  for (hk_count e = from->first; e < from->first + from->count; e++) count += s->kind[e] == kind;
  if (!count) return HK_OK;
  *to = (hk_block){from->shape, from->nodes, *first, 0, NULL};
  s->order_of[s->blocks] = kind % ORDERS, s->axis_of[s->blocks++] = kind / ORDERS - 1;
  HK_PASS(hk_get(&to->node, count * from->nodes));
  for (hk_count e = from->first; e < from->first + from->count; e++) {
    if (s->kind[e] != kind) continue;
    memcpy(to->node + to->count++ * from->nodes, from->node + (e - from->first) * from->nodes,
           (size_t)from->nodes * sizeof *to->node);
    s->old[*first] = (hk_index)e, s->number[e] = (hk_index)(*first)++;
  }
  return HK_OK;
}

static hk_status find_labels(sorter *s)
{
  const hk_mesh *mesh = s->mesh;
  bool same = true;
  for (hk_count e = 0; e < mesh->element_count; e++) same = same && s->old[e] == e;
  if (same) return HK_OK;
  HK_PASS(hk_get(&s->label, mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++)
    s->label[e] = hk_mesh_element_label(mesh, s->old[e]);
  return HK_OK;
}

static void take_over(sorter *s)
{
  hk_mesh *mesh = s->mesh;
  for (int b = 0; b < mesh->block_count; b++) hk_free(&mesh->block[b].node);
  hk_free(&mesh->block);
  mesh->block = s->block, s->block = NULL;
  mesh->block_count = s->blocks, s->blocks = 0;
  if (s->label) hk_free(&mesh->element_label), mesh->element_label = s->label, s->label = NULL;
  for (hk_set *set = mesh->set; set < mesh->set + mesh->set_count; set++)
    for (hk_count i = 0; set->kind != HK_NODE_SET && i < set->count; i++)
      set->item[i] = s->number[set->item[i]];
}

static hk_status raise_kinds(hk_mesh *mesh, const int8_t *kind)
{
  hk_status status = HK_OK;
  sorter s = {.mesh = mesh, .kind = kind};
  hk_count first = 0;
  HK_TRY(check_orders(&s));
  HK_TRY(hk_pool_get(&s.pool, &s.old, mesh->element_count));
  HK_TRY(hk_pool_get(&s.pool, &s.number, mesh->element_count));
  HK_TRY(hk_pool_get(&s.pool, &s.order_of, (hk_count)mesh->block_count * KINDS));
  HK_TRY(hk_pool_get(&s.pool, &s.axis_of, (hk_count)mesh->block_count * KINDS));
  HK_TRY(hk_get(&s.block, (hk_count)mesh->block_count * KINDS));
  for (int b = 0; b < mesh->block_count; b++)
    for (int k = 0; k < KINDS; k++) HK_TRY(take_kind(&s, b, k, &first));
  HK_TRY(find_labels(&s));
  take_over(&s);
  HK_TRY(hk_mesh_order_sets(mesh));
  HK_TRY(hk_mesh_raise_blocks(mesh, s.order_of, s.axis_of));
cleanup:
  for (int b = 0; b < s.blocks; b++) hk_free(&s.block[b].node);
  hk_free(&s.block);
  hk_free(&s.label);
  hk_pool_clear(&s.pool);
  return status;
}

hk_status hk_mesh_raise_orders(hk_mesh *mesh, const int8_t *order)
{
  for (hk_count e = 0; e < mesh->element_count; e++)
    HK_NEED(order[e] >= 1 && order[e] < ORDERS, HK_USAGE, "element %lld: order %d",
            (long long)hk_mesh_element_label(mesh, e), order[e]);
  return raise_kinds(mesh, order);
}

/* Nodes of a face on the axis x = 0. */
static int count_on_axis(const hk_mesh *mesh, const hk_index *node, const hk_element_face *face)
{
  int count = 0;
  for (int n = 0; n < face->nodes; n++) count += mesh->x[2 * (hk_count)node[face->node[n]]] == 0;
  return count;
}

/* *axis: the face of element e that lies on the axis; -1. */
static hk_status find_axis(const hk_mesh *mesh, hk_count e, int *axis)
{
  const hk_element *element = hk_element_of(hk_mesh_block_of(mesh, e)->shape);
  const hk_index *node = hk_mesh_nodes_of(mesh, e);
  const long long label = hk_mesh_element_label(mesh, e);
  int corners = 0, faces = 0;
  bool leaves = false;
  *axis = -1;
  for (int f = 0; element->vertices == 4 && f < 4; f++) {
    const hk_element_face *face = &element->face[f];
    const bool on = mesh->x[2 * (hk_count)node[face->node[0]]] == 0,
               next = mesh->x[2 * (hk_count)node[face->node[1]]] == 0;
    corners += on;
    if (on && next) *axis = f, faces++;
    leaves = leaves || count_on_axis(mesh, node, face) != (on && next ? face->nodes : on + next);
  }
  HK_NEED(
      faces == 1 || !corners, HK_BAD_INPUT,
      "element %lld has %s on the axis x = 0: elements of order p that touch it need exactly one "
      "edge there: mesh it again, or give element: {order: 1}",
      label, faces ? "two edges" : "one corner alone");
  HK_NEED(!leaves, HK_BAD_INPUT,
          "element %lld: its edge leaves the axis x = 0 between two corners or meets it between "
          "them: move the nodes of that edge onto a straight line",
          label);
  return HK_OK;
}

hk_status hk_mesh_raise_rings(hk_mesh *mesh, int order)
{
  hk_status status = HK_OK;
  int8_t *kind = NULL;
  int axis;
  hk_mesh_snap_axis(mesh);
  HK_TRY(hk_get(&kind, mesh->element_count));
  for (hk_count e = 0; e < mesh->element_count; e++) {
    HK_TRY(find_axis(mesh, e, &axis));
    kind[e] = (int8_t)(order + ORDERS * (1 + axis));
  }
  HK_TRY(raise_kinds(mesh, kind));
cleanup:
  hk_free(&kind);
  return status;
}
