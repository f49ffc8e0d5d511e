/* Initial state and absorbing layers of a case. */
#include "model/case.h"
#include <string.h>

static hk_status fill_state(hk_case *c, const hk_node *map)
{
  static const char *const key[] = {"displacement", "velocity"};
  static const hk_motion_kind kind[] = {HK_MOVE_DISPLACEMENT, HK_MOVE_VELOCITY};
  hk_status status = HK_OK;
  hk_model *m = c->model;
  hk_target nodes = {0};
  const hk_node *set = hk_case_value(map, "set");
  if (!hk_node_find(map, key[0]) && !hk_node_find(map, key[1]))
    hk_case_error(c, map, "nothing is given: give displacement or velocity");
  if (set) HK_TRY(hk_case_find_held(c, set, &nodes));
  for (int k = 0; k < 2; k++) {
    double vector[3] = {0};
    const hk_node *list = hk_case_value(map, key[k]);
    if (!list || !hk_case_vector(c, list, vector) || !nodes.item) continue;
    for (int d = 0; d < m->mesh->dim; d++) {
      hk_initial *state = &m->initial[m->initial_count++];
      *state = (hk_initial){
          .kind = kind[k], .component = d, .value = vector[d], .place = hk_case_place(c, list)};
      HK_TRY(hk_target_copy(&nodes, &state->target));
    }
  }
cleanup:
  hk_target_clear(&nodes);
  return status;
}

hk_status hk_case_fill_initial(hk_case *c)
{
  hk_status status = HK_OK;
  const hk_node *list = hk_case_value(c->tree.root, "initial");
  if (!list) return HK_OK;
  HK_TRY(hk_get(&c->model->initial, 6 * (hk_count)list->count));
  for (const hk_node *n = list->child; n; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP) HK_TRY(fill_state(c, n));
cleanup:
  return status;
}

/* Appends the set's faces, or its nodes where the mesh has no such face set. */
static hk_status join_set(hk_case *c, const hk_node *name, hk_target *faces, hk_target *nodes)
{
  hk_status status = HK_OK;
  hk_target found = {0};
  if (name->refused || name->kind != HK_NODE_SCALAR) return HK_OK;
  const hk_mesh *mesh = c->model->mesh;
  const bool by_nodes = !hk_mesh_find_set(mesh, name->text, HK_FACE_SET) &&
                        hk_mesh_find_set(mesh, name->text, HK_NODE_SET);
  HK_TRY(by_nodes ? hk_case_find_nodes(c, name, &found) : hk_case_find_faces(c, name, &found));
  hk_target *to = by_nodes ? nodes : faces;
  if (!found.count) goto cleanup;
  HK_TRY(hk_resize(&to->item, to->count + found.count));
  if (found.face) HK_TRY(hk_resize(&to->face, to->count + found.count));
  memcpy(to->item + to->count, found.item, (size_t)found.count * sizeof *found.item);
  if (found.face) memcpy(to->face + to->count, found.face, (size_t)found.count);
  to->count += found.count;
cleanup:
  hk_target_clear(&found);
  return status;
}

static hk_status fill_layer(hk_case *c, const hk_node *map)
{
  hk_status status = HK_OK;
  hk_model *m = c->model;
  hk_target part[2] = {{0}, {0}};
  const hk_node *sets = hk_case_value(map, "sets");
  if (!sets) return HK_OK;
  if (sets->kind == HK_NODE_SCALAR) HK_TRY(join_set(c, sets, &part[0], &part[1]));
  for (const hk_node *n = sets->child; n; n = n->next) HK_TRY(join_set(c, n, &part[0], &part[1]));
  if (sets->kind == HK_NODE_LIST && !sets->count) hk_case_error(c, sets, "sets is an empty list");
  for (int i = 0; i < 2; i++) {
    if (!part[i].count) continue;
    hk_absorb *layer = &m->absorb[m->absorb_count++];
    *layer = (hk_absorb){.target = part[i],
                         .thickness = hk_case_number(map, "thickness", 0),
                         .d_max = hk_case_number(map, "d_max", 0),
                         .place = hk_case_place(c, map)};
    part[i] = (hk_target){0};
  }
cleanup:
  hk_target_clear(&part[0]);
  hk_target_clear(&part[1]);
  return status;
}

hk_status hk_case_fill_absorb(hk_case *c)
{
  hk_status status = HK_OK;
  const hk_node *node = hk_case_value(c->tree.root, "absorb");
  if (!node) return HK_OK;
  HK_TRY(hk_get(&c->model->absorb, 2 * (hk_count)(node->kind == HK_NODE_LIST ? node->count : 1)));
  if (node->kind == HK_NODE_MAP) HK_TRY(fill_layer(c, node));
  for (const hk_node *n = node->kind == HK_NODE_LIST ? node->child : NULL; n; n = n->next)
    if (!n->refused && n->kind == HK_NODE_MAP) HK_TRY(fill_layer(c, n));
cleanup:
  return status;
}
