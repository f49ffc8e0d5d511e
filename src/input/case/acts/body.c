/* Sources that act on the volume of elements: `gravity`, `body_force` and `centrifugal` of the list `sources:`. They act on the elements of a
 * set, or on all of them; gravity and rotation need the density of every material there. Rotation is for static solutions,
 * about an axis through a point. */
#include "input/case/case.h"

hk_status hk_case_find_volume(hk_case *c, const hk_node *map, hk_target *target)
{
  const hk_node *set = hk_node_find(map, "set");
  const hk_node all = {.kind = HK_NODE_SCALAR, .text = "all"};
  if (set && set->refused) return HK_OK;
  return hk_case_find_elements(c, set ? set : &all, target);
}

static void read_rotation(hk_case *c, const hk_node *map, hk_load *l)
{
  const hk_node *at = hk_case_value(map, "at"), *along = hk_node_find(map, "along");
  const double speed = hk_case_number(map, "speed", 0);
  const bool plane = c->model->mesh->dim == 2;
  const hk_node *law = hk_case_value(c->tree.root, "plane");
  const bool ring = law && law->number == HK_AXISYMMETRIC;
  l->omega2 = speed * speed;
  l->vector[plane && ring ? 1 : 2] = 1;
  if (at) hk_case_vector(c, at, l->at);
  if (plane && along && !c->any_dim)
    hk_case_error(c, along, "along is for 3D: this %s",
                  ring ? "axisymmetric model rotates about its own axis, the line x = 0"
                       : "2D mesh rotates about z");
  else if (!plane && !along && !c->any_dim)
    hk_case_error(c, map, "centrifugal lacks \"along\", the direction of its axis");
  else if (along && !along->refused)
    hk_case_unit(c, along, 3, l->vector);
  if (!c->still)
    hk_case_error(
        c, map,
        "centrifugal loads are for static solutions: hooke does not step rotating bodies in time");
}

static void check_density(hk_case *c, const hk_node *what, const hk_load *l)
{
  const hk_material *m = hk_model_weightless(c->model, &l->target);
  if (m) hk_case_error(c, what, "%s needs the density of material %s", what->key, m->name);
}

hk_status hk_case_fill_body(hk_case *c, const hk_node *map, bool *taken)
{
  static const char *const key[] = {"gravity", "body_force", "centrifugal"};
  static const char *const not_taken[] = {"gravity does not take ", "body_force does not take ",
                                          "centrifugal does not take "};
  static const hk_load_kind kind[] = {HK_LOAD_GRAVITY, HK_LOAD_BODY, HK_LOAD_CENTRIFUGAL};
  int which = 0, signal;
  const hk_node *what = NULL;
  for (int i = 0; i < 3; i++)
    if (hk_node_find(map, key[i])) {
      if (what) hk_case_error(c, map, "the source has both %s and %s: give one", what->key, key[i]);
      what = hk_node_find(map, key[i]), which = i;
    }
  *taken = what != NULL;
  if (!what) return HK_OK;
  if (c->model->media.fluid && c->model->media.solid)
    hk_case_error(c, what, "%s acts only on solids, and this model has fluids", what->key);
  hk_case_refuse(c, map,
                 HK_WORDS("at", "direction", "axes", "delay", "force", "displacement", "velocity",
                          "volume_rate", "moment", "explosion", "double_couple"),
                 not_taken[which], ": remove it");
  HK_PASS(hk_case_signal(c, map, &signal));
  if (what->refused) return HK_OK;
  hk_load *l;
  HK_PASS(hk_step_add_load(c->model, c->step, kind[which], signal, hk_case_place(c, map), &l));
  HK_PASS(hk_case_find_volume(c, map, &l->target));
  if (which == 2)
    read_rotation(c, what, l);
  else
    hk_case_motion(c, what, l->vector);
  if (which != 1) check_density(c, what, l);
  return HK_OK;
}
