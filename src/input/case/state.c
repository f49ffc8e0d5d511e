/* The keys `initial` and `absorb` of a case. A pressure p of a fluid at t = 0 is a velocity -p of its potential, by (S.6) of
 * docs/theory/spectral.md. Absorbing boundaries (docs/absorbing.md) are layers of damping on faces or nodes, or dashpots and matched layers on
 * faces; several sets of one boundary are joined. */
#include "input/case/case.h"
#include <string.h>

/* Whether some node has that medium; else the value would go nowhere. */
static bool some_have(hk_case *c, const hk_node *value, const hk_target *nodes, hk_medium medium)
{
  bool any = !c->model->media.fluid;
  for (hk_count k = 0; k < nodes->count && !any; k++)
    any = hk_model_acts(c->model, medium, nodes->item[k]);
  if (!any && nodes->count)
    hk_case_error(c, value, "%s acts on no %s here: the set has only nodes of %s", value->key,
                  medium == HK_FLUID ? "fluid" : "solid", medium == HK_FLUID ? "solids" : "fluids");
  return any;
}

/* Of heat: a number, or a formula. */
static hk_status fill_temperature(hk_case *c, const hk_node *map)
{
  const hk_node *set = hk_node_find(map, "set"), *given = hk_case_value(map, "temperature");
  hk_initial *state;
  hk_case_refuse(c, map, HK_WORDS("displacement", "velocity", "pressure"), "",
                 " is not for heat conduction: give temperature");
  if (!hk_node_find(map, "temperature"))
    hk_case_error(c, map, "the initial state is empty: give temperature");
  if (!set || !given) return HK_OK;
  HK_PASS(hk_model_add_initial(c->model, HK_MOVE_DISPLACEMENT, hk_case_place(c, given), &state));
  HK_PASS(hk_case_find_held(c, set, &state->target));
  return hk_case_node_values(c, given, &state->target, &state->value, &state->values);
}

static hk_status fill_state(hk_case *c, const hk_node *map)
{
  static const char *const key[] = {"displacement", "velocity", NULL};
  static const hk_motion_kind kind[] = {HK_MOVE_DISPLACEMENT, HK_MOVE_VELOCITY};
  hk_model *m = c->model;
  if (hk_case_coupled(c)) return hk_case_fill_coupled_state(c, map);
  hk_case_refuse_coupled(c, map);
  if (c->heat) return fill_temperature(c, map);
  hk_case_refuse_heat(c, map);
  hk_target nodes = {0};
  const hk_node *set = hk_case_value(map, "set");
  const hk_node *pressure = hk_case_value(map, "pressure");
  if (!hk_node_find(map, key[0]) && !hk_node_find(map, key[1]) && !hk_node_find(map, "pressure"))
    hk_case_error(
        c, map,
        "the initial state is empty: give displacement or velocity, or pressure in a fluid");
  if (hk_case_medium(c) == HK_FLUID)
    hk_case_refuse(c, map, key, "", " is not part of a fluid's state: give pressure");
  if (set) HK_PASS(hk_case_find_held(c, set, &nodes));
  for (int k = 0; k < 2; k++) {
    double vector[3] = {0};
    const hk_node *list = hk_case_value(map, key[k]);
    if (!list || !hk_case_motion(c, list, vector) || !nodes.item ||
        !some_have(c, list, &nodes, HK_SOLID))
      continue;
    const bool across = hk_case_antiplane(c);
    for (int d = across ? 2 : 0; d < (across || hk_case_spatial(c) ? 3 : m->mesh->dim); d++) {
      hk_initial *state;
      HK_PASS(hk_model_add_initial(m, kind[k], hk_case_place(c, list), &state));
      state->component = d;
      state->value = vector[d];
      state->target = nodes;
    }
  }
  if (pressure && hk_case_needs_fluid(c, pressure, "pressure") && nodes.item &&
      some_have(c, pressure, &nodes, HK_FLUID)) {
    hk_initial *state;
    HK_PASS(hk_model_add_initial(m, HK_MOVE_VELOCITY, hk_case_place(c, pressure), &state));
    state->medium = HK_FLUID;
    state->value = -pressure->number;
    state->target = nodes;
  }
  return HK_OK;
}

hk_status hk_case_fill_initial(hk_case *c)
{
  return hk_case_each(c, hk_case_value(c->tree.root, "initial"), fill_state);
}

/* Appends the set's faces, or its nodes where the mesh has no such face set. */
static hk_status join_set(hk_case *c, const hk_node *name, hk_target *faces, hk_target *nodes)
{
  hk_target found = {0};
  if (name->refused || name->kind != HK_NODE_SCALAR) return HK_OK;
  const hk_mesh *mesh = c->model->mesh;
  const bool by_nodes = !hk_mesh_find_set(mesh, name->text, HK_FACE_SET) &&
                        hk_mesh_find_set(mesh, name->text, HK_NODE_SET);
  HK_PASS(by_nodes ? hk_case_find_nodes(c, name, &found) : hk_case_find_faces(c, name, &found));
  hk_target *to = by_nodes ? nodes : faces;
  if (!found.count) return HK_OK;
  HK_PASS(hk_pool_resize(&c->model->pool, &to->item, to->count + found.count));
  if (found.face) HK_PASS(hk_pool_resize(&c->model->pool, &to->face, to->count + found.count));
  memcpy(to->item + to->count, found.item, (size_t)found.count * sizeof *found.item);
  if (found.face) memcpy(to->face + to->count, found.face, (size_t)found.count);
  to->count += found.count;
  return HK_OK;
}

/* What other kinds have. */
static void refuse(hk_case *c, const hk_node *map, const hk_node *kind)
{
  const hk_node *thickness = hk_case_value(map, "thickness"), *d_max = hk_case_value(map, "d_max");
  if (thickness && kind && kind->number == HK_ABSORB_STACEY)
    hk_case_error(c, thickness, "thickness: is for kind layer or pml, not stacey");
  if (d_max && kind && kind->number != HK_ABSORB_LAYER)
    hk_case_error(c, d_max, "d_max: is for kind layer, not %s", kind->text);
}

static hk_status fill_absorb(hk_case *c, const hk_node *map)
{
  hk_model *m = c->model;
  hk_target part[2] = {{0}, {0}};
  const hk_node *sets = hk_case_value(map, "sets"), *kind = hk_case_value(map, "kind");
  const hk_absorb_kind what = kind ? (hk_absorb_kind)kind->number : HK_ABSORB_LAYER;
  refuse(c, map, kind);
  if (!sets) return HK_OK;
  if (sets->kind == HK_NODE_SCALAR) HK_PASS(join_set(c, sets, &part[0], &part[1]));
  for (const hk_node *n = sets->child; n; n = n->next) HK_PASS(join_set(c, n, &part[0], &part[1]));
  if (sets->kind == HK_NODE_LIST && !sets->count) hk_case_error(c, sets, "sets is an empty list");
  if (what != HK_ABSORB_LAYER && part[1].count)
    hk_case_error(c, sets, "kind %s acts on faces: a set has only nodes; name face sets",
                  kind->text);
  for (int i = 0; i < 2; i++) {
    if (!part[i].count) continue;
    hk_absorb *absorb;
    HK_PASS(hk_model_add_absorb(m, what, hk_case_place(c, map), &absorb));
    absorb->target = part[i];
    hk_case_take(hk_absorb_rules, map, absorb);
    part[i] = (hk_target){0};
  }
  return HK_OK;
}

hk_status hk_case_fill_absorb(hk_case *c)
{
  return hk_case_each(c, hk_case_value(c->tree.root, "absorb"), fill_absorb);
}
