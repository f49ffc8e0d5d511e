/* Sets of the mesh that a case names, as nodes, vertices, faces or elements. Where nodes are wanted, a set of faces or elements gives all its
 * nodes. On elements of higher order forces act on vertices alone, while what is held or moved includes the nodes between them. An unknown
 * name is told with the nearest known one. In a draft of the mesh, whose sets are not known, names are checked against those that the mesh
 * file lists. */
#include "input/case/case.h"
#include "element/element.h"
#include <stdio.h>
#include <string.h>

enum { MOST_LISTED = 256 };

/* Names of the sets of the wanted kinds (bits 1 << hk_set_kind), each once: sets of nodes and of faces may share one. */
static int list_names(const hk_mesh *mesh, unsigned kinds, const char **names)
{
  int count = 0;
  for (int i = 0; i < mesh->set_count && count < MOST_LISTED; i++) {
    const char *name = mesh->set[i].name;
    if (kinds & (1u << mesh->set[i].kind) && hk_find_word(name, names, count) < 0)
      names[count++] = name;
  }
  return count;
}

static void tell_undefined(hk_case *c, const hk_node *name, unsigned kinds, const char *what)
{
  const char *names[MOST_LISTED];
  char all[512], undefined[32], otherwise[544];
  const hk_mesh *mesh = c->model->mesh;
  const int count = list_names(mesh, kinds, names);
  const int near = hk_nearest(name->text, names, count);
  const bool same = near >= 0 && hk_same_text(names[near], name->text);
  for (int kind = HK_NODE_SET; kind <= HK_FACE_SET && (near < 0 || same); kind++) {
    static const char *const is[] = {"a node set", "an element set", "a face set"};
    if (!(kinds & (1u << kind)) && hk_mesh_find_set(mesh, name->text, (hk_set_kind)kind)) {
      hk_case_error(c, name, "\"%.60s\" is %s: %s is needed here", name->text, is[kind],
                    kinds == 1u << HK_FACE_SET ? is[HK_FACE_SET] : is[HK_ELEMENT_SET]);
      return;
    }
  }
  hk_case_join(names, count, all, sizeof all);
  snprintf(undefined, sizeof undefined, "undefined %s", what);
  snprintf(otherwise, sizeof otherwise, ": the mesh has %s", count ? all : "none");
  hk_case_unknown(c, name, undefined, names, same ? 0 : count, otherwise);
}

static hk_pool *pool_of(const hk_case *c)
{
  return c->scratch ? c->scratch : &c->model->pool;
}

/* Marks the nodes of a face or element set. */
static void mark_nodes(const hk_mesh *mesh, const hk_set *set, bool *marked)
{
  for (hk_count i = 0; i < set->count; i++) {
    const hk_block *block = hk_mesh_block_of(mesh, set->item[i]);
    const hk_index *nodes = hk_mesh_nodes_of(mesh, set->item[i]);
    if (set->kind == HK_ELEMENT_SET)
      for (int n = 0; n < block->nodes; n++) marked[nodes[n]] = true;
    else {
      const hk_element_face *face = &hk_element_of(block->shape)->face[set->face[i]];
      for (int n = 0; n < face->nodes; n++) marked[nodes[face->node[n]]] = true;
    }
  }
}

/* The nodes that are marked, ascending. */
static hk_status take_marked(const hk_case *c, const bool *marked, hk_target *target)
{
  hk_count count = 0;
  for (hk_count i = 0; i < c->model->mesh->node_count; i++) count += marked[i];
  if (target->item && count == target->count) return HK_OK; /* they are there */
  HK_PASS(hk_pool_get(pool_of(c), &target->item, count));
  target->count = 0;
  for (hk_count i = 0; target->count < count; i++)
    if (marked[i]) target->item[target->count++] = (hk_index)i;
  return HK_OK;
}

static hk_status take_nodes_of(const hk_case *c, const hk_set *set, hk_target *target)
{
  hk_status status = HK_OK;
  bool *marked = NULL;
  HK_TRY(hk_get(&marked, c->model->mesh->node_count));
  mark_nodes(c->model->mesh, set, marked);
  HK_TRY(take_marked(c, marked, target));
cleanup:
  hk_free(&marked);
  return status;
}

/* Whether an open draft lacks a set of these kinds that the mesh would have; groups without a name are called by their number. */
static bool lacks(const hk_case *c, const char *name, unsigned kinds)
{
  if (!c->named || !strcmp(name, "all") || !name[strspn(name, "0123456789")]) return false;
  for (int kind = HK_NODE_SET; kind <= HK_FACE_SET; kind++)
    if ((kinds & (1u << kind)) && hk_mesh_find_set(c->model->mesh, name, (hk_set_kind)kind))
      return false;
  return true;
}

/* The elements of an open draft are those of the regions, in their order; other sets have none that are known. */
static hk_status take_drafted(const hk_case *c, const hk_node *name, hk_target *target)
{
  const hk_node *regions = hk_case_value(c->tree.root, "regions");
  hk_index e = 0;
  const hk_status status = hk_pool_get(pool_of(c), &target->item, 1);
  if (status != HK_OK) return status;
  for (const hk_node *n = regions ? regions->child : NULL; n; n = n->next, e++)
    if (n->key && hk_same_text(n->key, name->text)) target->item[0] = e, target->count = 1;
  return HK_OK;
}

hk_status hk_case_find_nodes(hk_case *c, const hk_node *name, hk_target *target)
{
  static const hk_set_kind order[] = {HK_NODE_SET, HK_FACE_SET, HK_ELEMENT_SET};
  const hk_mesh *mesh = c->model->mesh;
  if (c->draft == HK_DRAFT_OPEN && lacks(c, name->text, 7)) tell_undefined(c, name, 7, "set");
  if (c->draft == HK_DRAFT_OPEN) return hk_target_all(pool_of(c), mesh->node_count, target);
  for (int i = 0; i < 3; i++) {
    const hk_set *set = hk_mesh_find_set(mesh, name->text, order[i]);
    if (!set) continue;
    if (!set->count) hk_case_error(c, name, "set \"%.60s\" is empty", name->text);
    return order[i] == HK_NODE_SET ? hk_target_of_set(pool_of(c), set, target)
                                   : take_nodes_of(c, set, target);
  }
  if (strcmp(name->text, "all") == 0) return hk_target_all(pool_of(c), mesh->node_count, target);
  tell_undefined(c, name, 7, "set");
  return HK_OK;
}

int hk_case_order(const hk_case *c)
{
  const hk_node *element = hk_case_value(c->tree.root, "element");
  return hk_case_value(element, "error") ? c->order : (int)hk_case_number(element, "order", 1);
}

static bool has_name(const hk_node *parts, const char *name)
{
  bool found = false;
  for (const hk_node *n = parts ? parts->child : NULL; n && !found; n = n->next)
    found = n->kind == HK_NODE_MAP && hk_same_text(hk_case_text(n, "name", ""), name);
  return found;
}

int hk_case_planned_order(const hk_case *c, const hk_node *parts, const char *name)
{
  const hk_node *orders = hk_case_value(hk_case_value(c->tree.root, "element"), "orders");
  int order = hk_case_order(c);
  for (const hk_node *n = orders ? orders->child : NULL; n; n = n->next) {
    if (n->refused || !n->key) continue;
    const bool of_it = !strcmp(n->key, "all") || (name && hk_same_text(name, n->key)),
               may_be = !of_it && !has_name(parts, n->key); /* a set may have any of them */
    if (of_it || (may_be && n->number < order)) order = (int)n->number;
  }
  return order;
}

bool hk_case_raised(const hk_case *c)
{
  const hk_node *orders = hk_case_value(hk_case_value(c->tree.root, "element"), "orders");
  bool raised = hk_case_order(c) >= 2;
  for (const hk_node *n = orders ? orders->child : NULL; n; n = n->next)
    raised = raised || n->number >= 2;
  return raised;
}

bool hk_case_ring(const hk_case *c)
{
  const hk_node *plane = hk_case_value(c->tree.root, "plane");
  return plane && plane->number == HK_AXISYMMETRIC;
}

static void mark_vertices(const hk_mesh *mesh, bool *vertex)
{
  for (int b = 0; b < mesh->block_count; b++) {
    const hk_block *block = &mesh->block[b];
    const int vertices = hk_element_of(block->shape)->vertices;
    for (hk_count e = 0; e < block->count; e++)
      for (int v = 0; v < vertices; v++) vertex[block->node[e * block->nodes + v]] = true;
  }
}

hk_status hk_case_find_vertices(hk_case *c, const hk_node *name, hk_target *target)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = c->model->mesh;
  bool *vertex = NULL;
  hk_count kept = 0;
  HK_TRY(hk_case_find_nodes(c, name, target));
  if (!target->count || !hk_case_raised(c)) goto cleanup;
  HK_TRY(hk_get(&vertex, mesh->node_count));
  mark_vertices(mesh, vertex);
  for (hk_count i = 0; i < target->count; i++)
    if (vertex[target->item[i]]) target->item[kept++] = target->item[i];
  target->count = kept;
  if (!kept)
    hk_case_error(c, name,
                  "set \"%.60s\" has no vertex of an element: with element: {order: ...} forces, "
                  "volume rates and arrays act on vertices",
                  name->text);
cleanup:
  hk_free(&vertex);
  return status;
}

/* Marks what a set of nodes means where elements were raised: the nodes of the faces of that name, if they have the same vertices, as they
 * tell what lies between them, and true; else what its vertices reach. */
static bool mark_held(const hk_mesh *mesh, const char *name, const hk_target *set, bool *faces,
                      bool *held)
{
  const hk_set *same = hk_mesh_find_set(mesh, name, HK_FACE_SET);
  bool all = same != NULL;
  if (same) mark_nodes(mesh, same, faces);
  for (hk_count i = 0; i < set->count; i++) {
    held[set->item[i]] = true;
    all = all && faces[set->item[i]];
  }
  hk_mesh_hold_between(mesh, held);
  for (hk_count n = 0; all && n < mesh->node_count; n++) all = held[n] || !faces[n];
  for (hk_count n = 0; all && n < mesh->node_count; n++) held[n] = faces[n];
  return all;
}

static hk_status find_ties(hk_case *c)
{
  if (c->asked.tied) return HK_OK;
  c->asked.tied = true;
  return hk_mesh_ties(c->model->mesh, &c->asked.ties);
}

void hk_case_forget_mesh(hk_case *c)
{
  hk_locator_destroy(&c->asked.locator);
  hk_ties_clear(&c->asked.ties);
  c->asked.tied = false;
}

/* Faces and elements whose edges and faces are shared with elements of lower order: the nodes of those, which theirs follow, lie on them too. */
static void hold_masters(const hk_ties *ties, bool *held)
{
  for (hk_index i = 0; i < ties->count; i++)
    for (hk_count k = ties->begin[i]; held[ties->node[i]] && k < ties->begin[i + 1]; k++)
      held[ties->master[k]] = true;
}

hk_status hk_case_find_held(hk_case *c, const hk_node *name, hk_target *target)
{
  hk_status status = HK_OK;
  const hk_mesh *mesh = c->model->mesh;
  hk_pool own = {0};
  bool *faces, *held;
  const bool of_nodes = hk_mesh_find_set(mesh, name->text, HK_NODE_SET) != NULL;
  HK_TRY(hk_case_find_nodes(c, name, target));
  if (!target->count || !hk_case_raised(c)) goto cleanup;
  HK_TRY(find_ties(c));
  if (!of_nodes && !c->asked.ties.count) goto cleanup; /* faces and elements have all their nodes */
  HK_TRY(hk_pool_get(&own, &faces, mesh->node_count));
  HK_TRY(hk_pool_get(&own, &held, mesh->node_count));
  for (hk_count i = 0; !of_nodes && i < target->count; i++) held[target->item[i]] = true;
  if (!of_nodes || mark_held(mesh, name->text, target, faces, held))
    hold_masters(&c->asked.ties, held);
  HK_TRY(take_marked(c, held, target));
cleanup:
  hk_pool_clear(&own);
  return status;
}

hk_status hk_case_find_leading(hk_case *c, const hk_node *name, hk_target *target)
{
  hk_status status = HK_OK;
  bool *in = NULL;
  HK_TRY(hk_case_find_held(c, name, target));
  const hk_ties *ties = &c->asked.ties;
  if (!target->count || !ties->count) goto cleanup;
  HK_TRY(hk_get(&in, c->model->mesh->node_count));
  for (hk_count i = 0; i < target->count; i++) in[target->item[i]] = true;
  for (hk_index i = 0; i < ties->count; i++) {
    bool all = in[ties->node[i]];
    for (hk_count k = ties->begin[i]; all && k < ties->begin[i + 1]; k++) all = in[ties->master[k]];
    if (all) in[ties->node[i]] = false; /* masters are not tied themselves */
  }
  HK_TRY(take_marked(c, in, target));
cleanup:
  hk_free(&in);
  return status;
}

hk_status hk_case_find_faces(hk_case *c, const hk_node *name, hk_target *target)
{
  const hk_set *set = hk_mesh_find_set(c->model->mesh, name->text, HK_FACE_SET);
  if (c->draft == HK_DRAFT_OPEN) {
    const unsigned faces = 1u << HK_FACE_SET;
    if (lacks(c, name->text, faces)) tell_undefined(c, name, faces, "face set");
    const hk_status status = hk_target_all(pool_of(c), 1, target);
    return status == HK_OK ? hk_pool_get(pool_of(c), &target->face, 1) : status;
  }
  if (set && !set->count) hk_case_error(c, name, "set \"%.60s\" is empty", name->text);
  if (set) return hk_target_of_set(pool_of(c), set, target);
  tell_undefined(c, name, 1u << HK_FACE_SET, "face set");
  return HK_OK;
}

hk_status hk_case_find_elements(hk_case *c, const hk_node *name, hk_target *target)
{
  const hk_set *set = hk_mesh_find_set(c->model->mesh, name->text, HK_ELEMENT_SET);
  if (c->draft == HK_DRAFT_OPEN && strcmp(name->text, "all") != 0) {
    const unsigned elements = 1u << HK_ELEMENT_SET;
    if (lacks(c, name->text, elements)) tell_undefined(c, name, elements, "element set");
    return take_drafted(c, name, target);
  }
  if (set && !set->count) hk_case_error(c, name, "set \"%.60s\" is empty", name->text);
  if (set) return hk_target_of_set(pool_of(c), set, target);
  if (strcmp(name->text, "all") == 0)
    return hk_target_all(pool_of(c), c->model->mesh->element_count, target);
  tell_undefined(c, name, 1u << HK_ELEMENT_SET, "element set");
  return HK_OK;
}

hk_status hk_case_find_elements_of_key(hk_case *c, const hk_node *entry, hk_target *target)
{
  hk_node name = *entry;
  name.text = entry->key, name.line = entry->key_line, name.column = entry->key_column;
  return hk_case_find_elements(c, &name, target);
}
