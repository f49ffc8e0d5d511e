/* `boundary:` and `sources:` of a case of heat conduction: prescribed temperatures on nodes, fluxes and films on faces, heat in elements.
 * Each value is a number or a formula of the place, which the model keeps. Keys of mechanics are refused here, and keys of
 * heat elsewhere. */
#include "input/case/case.h"
#include <math.h>
#include <string.h>
#include <stdio.h>

static const char *const heat_key[] = {"temperature", "flux", "film", "heat", NULL};
void hk_case_refuse_heat(hk_case *c, const hk_node *map)
{
  hk_case_refuse(c, map, heat_key, "",
                 " is for heat conduction: give physics: heat and solve: {heat: {}}");
}

void hk_case_refuse_mechanics(hk_case *c, const hk_node *map, const char *physics)
{
  static const char *const key[] = {
      "fix",          "move",        "pressure", "traction",  "direction",   "axes",
      "at",           "force",       "velocity", "gravity",   "body_force",  "centrifugal",
      "displacement", "volume_rate", "moment",   "explosion", "total_force", "double_couple",
      "plane_wave",   "fault",       NULL};
  char after[80];
  snprintf(after, sizeof after, " is not for %s: remove it", physics);
  hk_case_refuse(c, map, key, "", after);
  snprintf(after, sizeof after, " is not for steady %s: remove it", physics);
  if (!c->marches) hk_case_refuse(c, map, HK_WORDS("signal", "delay"), "", after);
}

hk_status hk_case_formula(hk_case *c, const hk_node *value, bool warm, const hk_formula **out)
{
  const hk_node *text = hk_case_value(value, "formula");
  *out = NULL;
  return text ? hk_case_forgive(c, text, hk_model_add_formula(c->model, text->text, warm, out))
              : HK_OK;
}

/* As many values as temperatures, which ascend; false, with an error, where not, and where one was refused. */
static bool check_table(hk_case *c, const hk_node *map, const hk_node *at, const hk_node *value)
{
  if (!at || !value) return false;
  if (at->count != value->count) {
    hk_case_error(c, map, "the table has %d temperatures and %d values: give as many", at->count,
                  value->count);
    return false;
  }
  const hk_node *v = value->child, *before = NULL;
  for (const hk_node *t = at->child; t; before = t, t = t->next, v = v->next) {
    if (t->refused || v->refused) return false;
    if (!before || t->number > before->number) continue;
    hk_case_error(c, t, "temperatures must ascend: %s is not above the one before", t->text);
    return false;
  }
  return true;
}

hk_status hk_case_table(hk_case *c, const hk_node *map, double *first, const hk_table **out)
{
  const hk_node *at = hk_case_value(map, "temperature"), *value = hk_case_value(map, "value");
  hk_table *table;
  *first = 1;
  if (!check_table(c, map, at, value)) return HK_OK;
  HK_PASS(hk_pool_few(&c->model->pool, &table, 1));
  HK_PASS(hk_pool_get(&c->model->pool, &table->row, at->count));
  const hk_node *v = value->child;
  *first = v->number;
  for (const hk_node *t = at->child; t; t = t->next, v = v->next)
    table->row[table->rows][0] = t->number, table->row[table->rows++][1] = v->number / *first;
  *out = table;
  return HK_OK;
}

hk_status hk_case_amount(hk_case *c, const hk_node *value, bool warm, double *amount,
                         const hk_formula **by)
{
  *amount = !value ? 0 : value->kind == HK_NODE_MAP ? 1 : value->number;
  return value && value->kind == HK_NODE_MAP ? hk_case_formula(c, value, warm, by) : HK_OK;
}

/* A table as a formula: v_0 + sum over segments of slope (min(max(T, T_i), T_i+1) - T_i), constant outside; 0 where rounding makes it less. */
static void write_table(const hk_node *t, const hk_node *v, size_t size, char *text)
{
  size_t used = (size_t)snprintf(text, size, "max(0, %.17g", v->number);
  for (; t->next && used < size; t = t->next, v = v->next)
    used += (size_t)snprintf(text + used, size - used,
                             " + (%.17g) * (min(max(T, (%.17g)), (%.17g)) - (%.17g))",
                             (v->next->number - v->number) / (t->next->number - t->number),
                             t->number, t->next->number, t->number);
  if (used < size) snprintf(text + used, size - used, ")");
}

/* The coefficient of a film: a number, a formula of the place, of heat also of the temperature, or a table by temperature. */
static hk_status read_coefficient(hk_case *c, const hk_node *given, hk_load *l)
{
  const hk_node *map = given && given->kind == HK_NODE_MAP ? hk_node_find(given, "table") : NULL,
                *at = hk_case_value(map, "temperature"), *value = hk_case_value(map, "value");
  char text[25 * 130]; /* of as many rows as a table may have; then its name in messages */
  if (!map) return hk_case_amount(c, given, c->heat, &l->film, &l->film_by);
  if (!c->heat)
    hk_case_error(c, map,
                  "a table by temperature is for heat conduction: give a number or a formula");
  if (!c->heat || !check_table(c, map, at, value)) return HK_OK;
  write_table(at->child, value->child, sizeof text, text);
  l->film = 1;
  HK_PASS(hk_case_forgive(c, map, hk_model_add_formula(c->model, text, true, &l->film_by)));
  if (!l->film_by) return HK_OK;
  snprintf(text, sizeof text, "of the table in line %lld", (long long)hk_case_place(c, map).line);
  return hk_formula_call(c->model->formula.at[c->model->formula.count - 1], text);
}

hk_status hk_case_add_on_faces(hk_case *c, const hk_node *map, const hk_node *what, int unknown,
                               int signal)
{
  hk_load *l;
  const bool film = !strcmp(what->key, "film");
  HK_PASS(hk_step_add_load(c->model, c->step, film ? HK_LOAD_FILM : HK_LOAD_FLUX, signal,
                           hk_case_place(c, what), &l));
  l->component = unknown;
  if (film) HK_PASS(read_coefficient(c, hk_case_value(what, "coefficient"), l));
  HK_PASS(hk_case_amount(c, film ? hk_case_value(what, "sink") : what, c->heat && !film, l->vector,
                         &l->by));
  HK_PASS(hk_case_delay(c, map, NULL, &l->delay, &l->delays));
  return hk_case_find_faces(c, hk_case_value(map, "set"), &l->target);
}

hk_status hk_case_node_values(hk_case *c, const hk_node *what, const hk_target *nodes,
                              double *value, double **values)
{
  const hk_formula *by = NULL;
  *value = what->number;
  if (what->kind == HK_NODE_MAP) HK_PASS(hk_case_formula(c, what, false, &by));
  if (!by || c->draft) return HK_OK;
  HK_PASS(hk_pool_get(&c->model->pool, values, nodes->count));
  for (hk_count i = 0; i < nodes->count; i++) {
    double x[3];
    hk_model_node_x(c->model, nodes->item[i], x);
    (*values)[i] = hk_formula_value(by, x);
    if (isfinite((*values)[i])) continue;
    hk_case_error(c, what, "%s is not a number at (%g, %g, %g)", hk_formula_text(by), x[0], x[1],
                  x[2]);
    return HK_OK;
  }
  return HK_OK;
}

hk_status hk_case_add_value(hk_case *c, const hk_node *map, const hk_node *what, int unknown,
                            int signal)
{
  hk_motion *m;
  HK_PASS(hk_step_add_motion(c->model, c->step, HK_MOVE_DISPLACEMENT, signal,
                             hk_case_place(c, what), &m));
  m->component = unknown;
  HK_PASS(hk_case_find_held(c, hk_case_value(map, "set"), &m->target));
  HK_PASS(hk_case_node_values(c, what, &m->target, &m->value, &m->values));
  return hk_case_delay(c, map, &m->target, &m->delay, &m->delays);
}

hk_status hk_case_fill_heat_condition(hk_case *c, const hk_node *map)
{
  int given = 0, signal;
  for (int i = 0; i < 3; i++) given += hk_node_find(map, heat_key[i]) != NULL;
  hk_case_refuse_mechanics(c, map, "heat conduction");
  if (given != 1) {
    hk_case_error(c, map, "the condition has %d of temperature, flux, film: give exactly one",
                  given);
    return HK_OK;
  }
  HK_PASS(hk_case_signal(c, map, &signal));
  if (!hk_case_value(map, "set")) return HK_OK;
  const hk_node *temperature = hk_case_value(map, heat_key[0]);
  if (temperature) HK_PASS(hk_case_add_value(c, map, temperature, 0, signal));
  for (int k = 1; k < 3; k++) {
    const hk_node *what = hk_case_value(map, heat_key[k]);
    if (what) HK_PASS(hk_case_add_on_faces(c, map, what, 0, signal));
  }
  return HK_OK;
}

hk_status hk_case_fill_heat_source(hk_case *c, const hk_node *map)
{
  const hk_node *heat = hk_case_value(map, "heat");
  hk_case_refuse_mechanics(c, map, "heat conduction");
  if (!hk_node_find(map, "heat")) hk_case_error(c, map, "the source lacks \"heat\"");
  if (!heat) return HK_OK;
  hk_load *l;
  int signal;
  HK_PASS(hk_case_signal(c, map, &signal));
  HK_PASS(hk_step_add_load(c->model, c->step, HK_LOAD_HEAT, signal, hk_case_place(c, map), &l));
  HK_PASS(hk_case_amount(c, heat, true, l->vector, &l->by));
  HK_PASS(hk_case_delay(c, map, NULL, &l->delay, &l->delays));
  return hk_case_find_volume(c, map, &l->target);
}
