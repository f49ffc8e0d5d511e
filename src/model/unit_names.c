/* Units in words and in JSON. Plain numbers of a model are in its units of length, mass, time and temperature; names of derived units (speeds,
 * rates, volumes) are made of these. `hooke check` puts the unit of each number beside it by its key, and tells the thickness of 2D models,
 * whose default of 1 m decides what a force at a point means. */
#include "model/unit_names.h"
#include "base/json.h"
#include <stdio.h>

static const hk_dimension speed_dimension = {{1, 0, -1, 0}};

static void behind(const char *name, char *out)
{
  snprintf(out, HK_UNIT_TEXT + 1, *name ? " %s" : "%s", name);
}

hk_unit_words hk_unit_words_of(const hk_units *units)
{
  hk_unit_words out;
  char name[HK_UNIT_TEXT];
  behind(units->length, out.length);
  behind(units->time, out.time);
  hk_units_name(units, speed_dimension, name);
  behind(name, out.speed);
  hk_units_name(units, (hk_dimension){{1, 0, -2, 0}}, name);
  behind(name, out.acceleration);
  hk_units_name(units, (hk_dimension){{0, 0, -1, 0}}, name);
  behind(name, out.rate);
  hk_unit_frequency(units->time, name);
  behind(name, out.frequency);
  return out;
}

json_t *hk_json_units(const hk_units *u)
{
  return json_pack("{s:s, s:s, s:s, s:s}", "length", u->length, "mass", u->mass, "time", u->time,
                   "temperature", u->temperature);
}

/* What `hooke check` tells with a dimension. The volume of a plane mesh is an area. */
static json_t *unit_of_keys(const hk_model *model)
{
  static const char *const length[] = {
      "shortest_edge",       "longest_edge", "edge", "advised_edge",
      "shortest_wavelength", "thickness",    "box",  "path"};
  static const char *const time[] = {"dt", "dt_limit", "end_time", "time", "kelvin_voigt"};
  static const char *const speed[] = {"p_speed",   "s_speed",    "sound_speed",   "speed",
                                      "speed_low", "speed_high", "p_speed_range", "s_speed_range"};
  static const char *const modulus[] = {"modulus", "modulus_relaxed", "modulus_unrelaxed"};
  static const char *const frequency[] = {"highest_frequency", "band", "reference_frequency",
                                          "mechanisms"};
  const hk_units *u = &model->units;
  const hk_dimension volume = {{(int8_t)model->mesh->dim, 0, 0, 0}};
  char name[HK_UNIT_TEXT];
  json_t *list = json_object();
  for (size_t i = 0; i < sizeof length / sizeof *length; i++)
    json_object_set_new(list, length[i], json_string(u->length));
  for (size_t i = 0; i < sizeof time / sizeof *time; i++)
    json_object_set_new(list, time[i], json_string(u->time));
  hk_units_name(u, speed_dimension, name);
  for (size_t i = 0; i < sizeof speed / sizeof *speed; i++)
    json_object_set_new(list, speed[i], json_string(name));
  hk_units_name(u, volume, name);
  json_object_set_new(list, "volume", json_string(name));
  hk_units_name(u, (hk_dimension){{-3, 1, 0, 0}}, name);
  json_object_set_new(list, "density_range", json_string(name));
  hk_units_name(u, (hk_dimension){{-1, 1, -2, 0}}, name);
  for (size_t i = 0; i < sizeof modulus / sizeof *modulus; i++)
    json_object_set_new(list, modulus[i], json_string(name));
  hk_unit_frequency(u->time, name);
  for (size_t i = 0; i < sizeof frequency / sizeof *frequency; i++)
    json_object_set_new(list, frequency[i], json_string(name));
  return list;
}

json_t *hk_json_thickness(const hk_model *model)
{
  bool same = true;
  json_t *list = json_array();
  if (model->mesh->dim == 3 || !model->region_count || model->region[0].plane == HK_AXISYMMETRIC)
    return json_decref(list), NULL;
  for (int i = 0; i < model->region_count; i++) {
    same = same && model->region[i].thickness == model->region[0].thickness;
    json_array_append_new(list, hk_json_real(model->region[i].thickness));
  }
  if (!same) return list;
  json_decref(list);
  return hk_json_real(model->region[0].thickness);
}

static bool any_force(int loads, const hk_load *load)
{
  for (int i = 0; i < loads; i++)
    if (load[i].kind == HK_LOAD_FORCE || load[i].kind == HK_LOAD_POINT ||
        load[i].kind == HK_LOAD_TOTAL)
      return true;
  return false;
}

/* What a force at a point does in 2D depends on a thickness that may not have been thought of. */
static void note_thickness(const hk_model *model, hk_messages *list)
{
  bool any = false;
  for (int s = 0; s < model->step_count; s++) {
    const hk_step *step = &model->step[s];
    any = any || any_force(step->load_count, step->load);
    for (int k = 0; k < step->shot_count; k++)
      any = any || any_force(step->shot[k].load_count, step->shot[k].load);
  }
  if (model->mesh->dim == 3 || model->region[0].plane == HK_AXISYMMETRIC) return;
  if (any && model->region[0].thickness == 1 / model->units.si[HK_LENGTH])
    hk_messages_add(
        list, HK_NOTE, model->path, 0, 0,
        "2D: the thickness is 1 m by default: forces at nodes and points, total forces, "
        "and volume rates, are per metre of it");
}

void hk_check_add_units(const hk_model *model, hk_messages *list, json_t *root)
{
  json_t *thickness = hk_json_thickness(model);
  if (thickness) json_object_set_new(root, "thickness", thickness);
  if (!*model->units.length) return;
  note_thickness(model, list);
  json_object_set_new(root, "units", hk_json_units(&model->units));
  json_object_set_new(root, "unit", unit_of_keys(model));
}
