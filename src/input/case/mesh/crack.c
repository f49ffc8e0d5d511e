/* The key `crack` of a case (docs/cracks.md). The faces of its sets are paired with those on the other side and the mesh is cut along all
 * cracks at once, so that they may meet and cross; the border stays shared. Springs join the two sides, (W.21) and (W.22) of
 * docs/theory/waves.md, per area or per pair of nodes. A crack all of whose nodes lie on its border opens nowhere, which is told. */
#include "element/element.h"
#include "load/springs.h"
#include "input/case/case.h"
#include <string.h>

typedef struct crack {
  const hk_node *map;
  hk_count count;
  hk_crack_face *face;
  bool closed;
} crack;

/* Appends the faces of a set. */
/* Between elements of different order only vertices are one node: neither cutting nor springs would join the others. */
static bool one_order(hk_case *c, const hk_node *name, const hk_crack_face *pair, hk_count pairs)
{
  const hk_mesh *mesh = c->model->mesh;
  for (hk_count k = 0; k < pairs; k++) {
    int order[2];
    for (int s = 0; s < 2; s++)
      order[s] = hk_element_of(hk_mesh_block_of(mesh, pair[k].element[s])->shape)->order;
    if (order[0] == order[1]) continue;
    hk_case_error(c, name,
                  "crack \"%.60s\" lies between elements of order %d and %d: give those on both "
                  "sides one order",
                  name->text, order[0], order[1]);
    return false;
  }
  return true;
}

static hk_status add_set(hk_case *c, hk_pool *pool, const hk_node *name, crack *k)
{
  hk_status status = HK_OK;
  hk_target found = {0};
  hk_crack_face *pair = NULL;
  hk_count pairs = 0;
  if (name->refused || name->kind != HK_NODE_SCALAR) return HK_OK;
  HK_TRY(hk_case_find_faces(c, name, &found));
  if (!found.count || c->draft) goto cleanup;
  status = hk_crack_pair(c->model->mesh, found.count, found.item, found.face, &pairs, &pair);
  if (status == HK_BAD_INPUT) hk_case_error(c, name, "crack \"%.60s\": %s", name->text, hk_error());
  if (status != HK_OK) {
    status = hk_case_forgive(c, name, status == HK_BAD_INPUT ? HK_OK : status);
    goto cleanup;
  }
  if (!one_order(c, name, pair, pairs)) goto cleanup;
  HK_TRY(hk_pool_resize(pool, &k->face, k->count + pairs));
  memcpy(k->face + k->count, pair, (size_t)pairs * sizeof *pair);
  k->count += pairs;
cleanup:
  hk_free(&pair);
  return status;
}

static hk_status read_crack(hk_case *c, hk_pool *pool, const hk_node *map, crack *k)
{
  const hk_node *sets = hk_case_value(map, "sets");
  *k = (crack){.map = map, .closed = hk_case_number(map, "closed", 0) > 0};
  if (hk_case_value(map, "springs") && hk_case_value(map, "node_springs"))
    hk_case_both(c, map, "springs", "node_springs");
  for (const hk_node *n = sets ? sets->child : NULL; n; n = n->next)
    HK_PASS(add_set(c, pool, n, k));
  return HK_OK;
}

/* All cracks are cut at once, so that they may meet and cross. */
static hk_status cut(hk_case *c, int cracks, const crack *list, hk_count *added, hk_index **origin)
{
  hk_status status = HK_OK;
  hk_crack_face *face = NULL;
  hk_count count = 0;
  for (int k = 0; k < cracks; k++) {
    if (list[k].closed || !list[k].count) continue;
    HK_TRY(hk_resize(&face, count + list[k].count));
    memcpy(face + count, list[k].face, (size_t)list[k].count * sizeof *face);
    count += list[k].count;
  }
  HK_TRY(hk_mesh_cut(c->model->mesh, count, face, added, origin));
cleanup:
  hk_free(&face);
  return status;
}

static hk_status add_springs(hk_case *c, const crack *own, hk_count before, const hk_index *origin)
{
  const hk_node *area = hk_case_value(own->map, "springs"),
                *node = hk_case_value(own->map, "node_springs"), *given = area ? area : node;
  if (own->closed || !given || given->kind != HK_NODE_MAP) return HK_OK;
  if (c->heat || hk_case_coupled(c)) {
    hk_case_error(c, given, "springs join displacements: %s none, so remove them",
                  c->heat ? "heat conduction has" : "coupled equations have");
    return HK_OK;
  }
  if (c->draft) return HK_OK;
  return hk_springs_add(&(hk_springs_desc){.mesh = c->model->mesh,
                                           .count = own->count,
                                           .face = own->face,
                                           .before = before,
                                           .origin = origin,
                                           .normal = hk_case_number(given, "normal", 0),
                                           .tangential = hk_case_number(given, "tangential", 0),
                                           .per_node = !area,
                                           .thickness = hk_case_thickness(c)},
                        &c->model->spring.count, &c->model->spring.at);
}

/* A crack all of whose nodes are tips does nothing. */
static void warn_of_shut(hk_case *c, const crack *own)
{
  const hk_mesh *mesh = c->model->mesh;
  const hk_place place = hk_case_place(c, own->map);
  for (hk_count k = 0; k < own->count; k++) {
    const hk_crack_face *pair = &own->face[k];
    const hk_index *near = hk_mesh_nodes_of(mesh, pair->element[0]),
                   *far = hk_mesh_nodes_of(mesh, pair->element[1]);
    const hk_element *shape[2];
    for (int s = 0; s < 2; s++)
      shape[s] = hk_element_of(hk_mesh_block_of(mesh, pair->element[s])->shape);
    const hk_element_face *face = &shape[0]->face[pair->face[0]];
    for (int n = 0; n < face->nodes; n++) {
      int m = 0;
      while (m < shape[1]->nodes && far[m] != near[face->node[n]]) m++;
      if (m == shape[1]->nodes) return;
    }
  }
  if (own->count && !own->closed)
    hk_messages_add(c->list, HK_WARNING, place.file, place.line, 0,
                    "the crack opens nowhere, because all its nodes lie on its border: mesh it "
                    "finer, or raise the order");
}

hk_status hk_case_fill_cracks(hk_case *c)
{
  hk_status status = HK_OK;
  const hk_node *all = hk_case_value(c->tree.root, "crack"),
                *first = all && all->kind == HK_NODE_LIST ? all->child : all;
  const int cracks = !all ? 0 : all->kind == HK_NODE_LIST ? all->count : 1;
  const hk_count before = c->model->mesh->node_count, errors = c->tree.errors;
  hk_pool pool = {0};
  crack *list = NULL;
  hk_index *origin = NULL;
  hk_count added = 0;
  int k = 0;
  if (!cracks) return HK_OK;
  HK_TRY(hk_pool_get(&pool, &list, cracks));
  for (const hk_node *n = first; n && k < cracks; n = n->next, k++)
    if (!n->refused && n->kind == HK_NODE_MAP) HK_TRY(read_crack(c, &pool, n, &list[k]));
  if (c->tree.errors > errors) goto cleanup;
  if (!c->draft) HK_TRY(cut(c, cracks, list, &added, &origin));
  const hk_place place = hk_case_place(c, all);
  hk_messages_add(c->list, HK_NOTE, place.file, place.line, 0, "cracks split %lld of %lld nodes",
                  (long long)added, (long long)before);
  for (k = 0; k < cracks; k++)
    if (list[k].map) warn_of_shut(c, &list[k]);
  for (k = 0; k < cracks; k++)
    if (list[k].map) HK_TRY(add_springs(c, &list[k], before, origin));
cleanup:
  hk_pool_clear(&pool);
  hk_free(&origin);
  return status;
}
