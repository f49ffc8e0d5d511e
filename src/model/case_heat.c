/* Boundary conditions and sources of heat conduction. */
#include "model/case.h"
#include <stddef.h>

static const char *const heat_key[] = {"temperature", "flux", "film", "heat"};
static const char *const other_key[] = {
    "fix", "move",  "pressure", "traction", "direction",  "axes",        "signal",      "delay",
    "at",  "force", "velocity", "gravity",  "body_force", "centrifugal", "displacement"};

void hk_case_refuse_heat(hk_case *c, const hk_node *map)
{
  for (size_t i = 0; i < sizeof heat_key / sizeof *heat_key; i++)
    if (hk_node_find(map, heat_key[i]))
      hk_case_error(c, hk_node_find(map, heat_key[i]),
                    "%s belongs to heat conduction: give physics: heat and solve: {heat: {}}",
                    heat_key[i]);
}

static void refuse_others(hk_case *c, const hk_node *map)
{
  for (size_t i = 0; i < sizeof other_key / sizeof *other_key; i++)
    if (hk_node_find(map, other_key[i]))
      hk_case_error(c, hk_node_find(map, other_key[i]), "%s has no place in heat conduction",
                    other_key[i]);
}

static hk_status add_faces(hk_case *c, const hk_node *map, const hk_node *what, hk_step *step)
{
  hk_load *l = &step->load[step->load_count++];
  *l = (hk_load){.kind = HK_LOAD_FLUX, .signal = -1, .place = hk_case_place(c, what)};
  if (what->kind == HK_NODE_SCALAR)
    l->vector[0] = what->number;
  else {
    l->kind = HK_LOAD_FILM;
    l->film = hk_case_number(what, "coefficient", 0);
    l->vector[0] = hk_case_number(what, "sink", 0);
  }
  return hk_case_find_faces(c, hk_case_value(map, "set"), &l->target);
}

static hk_status add_temperature(hk_case *c, const hk_node *map, const hk_node *what, hk_step *step)
{
  hk_motion *m = &step->motion[step->motion_count++];
  *m = (hk_motion){.kind = HK_MOVE_DISPLACEMENT,
                   .value = what->number,
                   .signal = -1,
                   .place = hk_case_place(c, what)};
  return hk_case_find_nodes(c, hk_case_value(map, "set"), &m->target);
}

hk_status hk_case_fill_heat_condition(hk_case *c, const hk_node *map, hk_step *step)
{
  hk_status status = HK_OK;
  int given = 0;
  for (int i = 0; i < 3; i++) given += hk_node_find(map, heat_key[i]) != NULL;
  refuse_others(c, map);
  if (given != 1) {
    hk_case_error(c, map, "the condition has %d of temperature, flux, film: give one", given);
    return HK_OK;
  }
  if (!hk_case_value(map, "set")) return HK_OK;
  const hk_node *temperature = hk_case_value(map, heat_key[0]);
  if (temperature) HK_TRY(add_temperature(c, map, temperature, step));
  for (int i = 1; i < 3; i++)
    if (hk_case_value(map, heat_key[i]))
      HK_TRY(add_faces(c, map, hk_case_value(map, heat_key[i]), step));
cleanup:
  return status;
}

hk_status hk_case_fill_heat_source(hk_case *c, const hk_node *map, hk_step *step)
{
  const hk_node *heat = hk_case_value(map, "heat"), *set = hk_node_find(map, "set");
  const hk_node all = {.kind = HK_NODE_SCALAR, .text = "all"};
  hk_node name = set ? *set : all;
  refuse_others(c, map);
  if (!hk_node_find(map, "heat")) hk_case_error(c, map, "the source lacks \"heat\"");
  if (!heat || name.refused) return HK_OK;
  hk_load *l = &step->load[step->load_count++];
  *l = (hk_load){
      .kind = HK_LOAD_HEAT, .vector = {heat->number}, .signal = -1, .place = hk_case_place(c, map)};
  name.key = NULL;
  return hk_case_find_elements(c, &name, &l->target);
}
