/* Sources that share a force among the members of a set: `total_force` of the list `sources:`. Faces take it by their area and elements by
 * their volume (2D: both times the thickness), so that the force per area or volume is the same everywhere; nodes take equal parts, of
 * elements of order p the vertices. The nodal forces sum to the force that is given. */
#include "input/case/case.h"

static bool has_set(const hk_case *c, const hk_node *name, hk_set_kind kind)
{
  return hk_mesh_find_set(c->model->mesh, name->text, kind) != NULL;
}

/* The members that share the force; *kind says how. */
static hk_status find_members(hk_case *c, const hk_node *set, hk_load_kind *kind, hk_target *target)
{
  *kind = HK_LOAD_TOTAL;
  if (has_set(c, set, HK_FACE_SET)) return hk_case_find_faces(c, set, target);
  if (!has_set(c, set, HK_NODE_SET) &&
      (has_set(c, set, HK_ELEMENT_SET) || hk_same_text(set->text, "all")))
    return hk_case_find_elements(c, set, target);
  *kind = HK_LOAD_FORCE;
  return hk_case_find_vertices(c, set, target);
}

/* Keys that it does not take. */
static void refuse_others(hk_case *c, const hk_node *map)
{
  hk_case_refuse(c, map,
                 HK_WORDS("force", "displacement", "velocity", "volume_rate", "moment", "explosion",
                          "double_couple", "gravity", "body_force", "centrifugal"),
                 "the source has total_force and ", ": give one of them");
  hk_case_refuse(c, map, HK_WORDS("at"), "total_force does not take ", ": give set, or force");
  hk_case_refuse(c, map, HK_WORDS("direction"), "total_force does not take ",
                 ": its components tell the direction");
  hk_case_refuse(c, map, HK_WORDS("axes"), "total_force does not take ",
                 ": give global components");
}

static hk_status add(hk_case *c, const hk_node *map, const hk_node *what, int signal)
{
  hk_load *l;
  hk_load_kind kind;
  hk_target target = {0};
  const hk_node *set = hk_case_value(map, "set");
  double force[3] = {0};
  if (!hk_case_motion(c, what, force)) return HK_OK;
  HK_PASS(find_members(c, set, &kind, &target));
  if (!target.count) return HK_OK; /* its error is known */
  HK_PASS(hk_step_add_load(c->model, c->step, kind, signal, hk_case_place(c, map), &l));
  l->target = target;
  for (int d = 0; d < 3; d++)
    l->vector[d] = kind == HK_LOAD_FORCE ? force[d] / (double)target.count : force[d];
  return hk_case_delay(c, map, kind == HK_LOAD_FORCE ? &l->target : NULL, &l->delay, &l->delays);
}

hk_status hk_case_fill_total(hk_case *c, const hk_node *map, bool fired, bool *taken)
{
  const hk_node *what = hk_node_find(map, "total_force");
  int signal;
  *taken = what != NULL;
  if (!what) return HK_OK;
  refuse_others(c, map);
  HK_PASS(hk_case_signal(c, map, &signal));
  if (fired)
    hk_case_error(c, what,
                  "total_force is shared by a set, and the elements of an array fire one by one: "
                  "give force");
  if (!hk_node_find(map, "set"))
    hk_case_error(c, what, "total_force lacks \"set\": the faces, nodes or elements that share it");
  return fired || what->refused || !hk_case_value(map, "set") ? HK_OK : add(c, map, what, signal);
}
